/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command_check.c - limsctl check: checks the database, its schema, clock and secrets,
 * and httpd's configuration.
 *
 * All findings are reported with their remedies, not only the first. A warning does not
 * change the exit status; a failure makes it 1 (4 if the database cannot be reached, 5 if
 * its schema does not fit).
 */
#include <apr_lib.h>
#include <apr_strings.h>
#include <apr_thread_proc.h>
#include <stdlib.h>
#include <string.h>

#include "documents/document_key.h"
#include "kernel/header_fields.h"
#include "kernel/error.h"
#include "kernel/seal.h"
#include "kernel/writer.h"
#include "tool/session.h"
#include "tool/tool.h"

const lims_field_t lims_check_options[] = {
    { .name = "configtest",
      .type = LIMS_T_STRING,
      .min = 1,
      .max = 4096,
      .doc = "Command that prints httpd's configuration check, such as \"apachectl configtest\", "
             "to include its findings.",
      .example = "apachectl configtest" },
    LIMS_FIELD_END,
};

/* Limits on the difference between this machine's clock and the database's. The
 * database's clock decides about the expiry of keys and sets all timestamps of records;
 * httpd's logs have this machine's. */
#define CLOCK_WARNING apr_time_from_sec(1)
#define CLOCK_FAILURE apr_time_from_sec(30)

typedef struct {
    const lims_tool_t *tool;
    lims_request_t rq;
    lims_writer_t *w;
    bool failed;
    bool schema_failed; /* the schema does not fit */
    bool login_failed;  /* the login is not the owner of the schema and sees no rows */
} check_t;

static void report(check_t *check, const char *subject, const char *state, const char *finding,
                   const char *remedy)
{
    bool sound = strcmp(state, "ok") == 0;

    check->failed = check->failed || strcmp(state, "failed") == 0;
    check->login_failed = check->login_failed || (strcmp(subject, "login") == 0 && !sound);
    lims_writer_object_begin(check->w);
    lims_writer_key(check->w, "subject");
    lims_writer_string(check->w, subject);
    lims_writer_key(check->w, "state");
    lims_writer_string(check->w, state);
    lims_writer_key(check->w, "finding");
    lims_writer_string(check->w, finding);
    lims_writer_key(check->w, "remedy");
    lims_writer_string(check->w, sound ? NULL : remedy);
    lims_writer_object_end(check->w);
    if (!check->tool->json) {
        printf("%-8s %s: %s\n", state, subject, lims_printable(finding, check->tool->pool));
        if (!sound) {
            printf("%-8s   %s\n", "", lims_printable(remedy, check->tool->pool));
        }
    }
}

/* Reports the findings that a statement returns. */
static const lims_error_t *report_rows(check_t *check, lims_stmt_e statement)
{
    lims_result_t *rows = NULL;
    const lims_error_t *error = lims_database_call(&rows, &check->rq, statement);

    for (int i = 0; !error && i < lims_result_count(rows); i++) {
        report(check, lims_result_get(rows, i, "subject"), lims_result_get(rows, i, "state"),
               lims_result_get(rows, i, "finding"), lims_result_get(rows, i, "remedy"));
    }
    return error;
}

static void check_version(check_t *check)
{
    const lims_error_t *error = lims_connection_ready(check->rq.connection, check->tool->pool);

    if (error && error->failure == LIMS_FAILURE_RESTORED) {
        report(check, "events", "failed", error->cause,
               "Run \"limsctl migrate\", which continues their order; until then the database "
               "refuses to be written.");
        return;
    }
    check->schema_failed = error;
    report(check, "schema", error ? "failed" : "ok",
           error ? error->message : "made by the migrations that this limsctl knows",
           error ? error->cause : NULL);
}

/* A document key whose certificate ends within so many days is a warning. */
#define DAYS_WARNING 30

/* Checks the key of the settings that signs documents. */
static void check_document_key(check_t *check)
{
    const lims_tool_t *tool = check->tool;
    const lims_document_key_t *key = NULL;
    const char *problem;

    if (!tool->document_key || *tool->document_key == '\0') {
        return;
    }
    problem = lims_document_key_read(&key, tool->document_key, tool->document_passphrase_file,
                                     tool->pool);
    report(check, "document key", problem || key->days_left < DAYS_WARNING ? "warning" : "ok",
           problem ? problem
                   : apr_psprintf(tool->pool, "the certificate of %s ends in %d days",
                                  tool->document_key, key->days_left),
           "Name a key by LIMS_DOCUMENT_KEY, and renew its certificate in time; for httpd it is "
           "LimsDocumentKey.");
}

/* Checks the printer of the settings, and what waits for one. */
static const lims_error_t *check_documents(check_t *check)
{
    const lims_printer_t *printer = lims_tool_printer(check->tool);
    const char *problem =
        printer ? lims_printer_problem(printer->program, check->tool->pool) : NULL;

    if (printer) {
        report(check, "printer", problem ? "warning" : "ok", problem ? problem : printer->program,
               "Name lims-print by LIMS_PRINTER, in the environment or in "
               "/etc/mod_lims/limsctl.conf.");
    }
    check_document_key(check);
    lims_values_set(check->rq.values, "printer", printer ? "t" : "f");
    return report_rows(check, LIMS_STMT_CHECK_DOCUMENTS);
}

/* Compares the database's clock with the middle of the round trip. */
static const lims_error_t *check_clock(check_t *check)
{
    lims_result_t *row = NULL;
    apr_time_t before = apr_time_now();
    const lims_error_t *error = lims_database_call(&row, &check->rq, LIMS_STMT_CHECK_CLOCK);
    apr_time_t middle = before + (apr_time_now() - before) / 2;
    apr_time_t difference;

    if (error) {
        return error;
    }
    difference = apr_atoi64(lims_result_get(row, 0, "now")) - middle;
    difference = difference < 0 ? -difference : difference;
    report(check, "clock",
           difference >= CLOCK_FAILURE   ? "failed"
           : difference >= CLOCK_WARNING ? "warning"
                                         : "ok",
           apr_psprintf(check->tool->pool, "%.3f s between this machine and the database",
                        (double)difference / (double)APR_USEC_PER_SEC),
           "Synchronize the clocks of both machines by NTP.");
    return NULL;
}

/* Runs a shell command; `*output` is what it wrote, standard error included. False: it
 * failed. */
static bool run_command(const char **output, const char *command, apr_pool_t *pool)
{
    const char *arguments[] = { "sh", "-c", apr_pstrcat(pool, "exec 2>&1; ", command, NULL), NULL };
    apr_procattr_t *attributes = NULL;
    apr_proc_t process = { 0 };
    char bytes[4096];
    apr_size_t length = 0;
    apr_exit_why_e why = APR_PROC_EXIT;
    int status = 1;

    if (apr_procattr_create(&attributes, pool) != APR_SUCCESS ||
        apr_procattr_io_set(attributes, APR_NO_PIPE, APR_FULL_BLOCK, APR_NO_PIPE) != APR_SUCCESS ||
        apr_procattr_cmdtype_set(attributes, APR_PROGRAM_ENV) != APR_SUCCESS ||
        apr_proc_create(&process, "/bin/sh", arguments, NULL, attributes, pool) != APR_SUCCESS) {
        *output = "it could not be started";
        return false;
    }
    apr_file_read_full(process.out, bytes, sizeof(bytes), &length);
    apr_file_close(process.out);
    apr_proc_wait(&process, &status, &why, APR_WAIT);
    while (length > 0 && apr_isspace(bytes[length - 1])) {
        length--;
    }
    *output = apr_pstrmemdup(pool, bytes, length);
    return APR_PROC_CHECK_EXIT(why) && status == 0;
}

static void check_configuration(check_t *check)
{
    const char *command = lims_values_get(check->tool->values, "configtest");
    const char *output = "";
    bool sound;

    if (command) {
        sound = run_command(&output, command, check->tool->pool);
        report(check, "configuration", sound ? "ok" : "failed", *output ? output : command,
               "Correct what each line names; the directives are explained in reference.conf.");
    }
}

/* Checks that the key file has the key of each webhook's secret. */
static const lims_error_t *check_keys(check_t *check, const lims_keyring_t *ring)
{
    lims_result_t *rows = NULL;
    const lims_error_t *error = lims_database_call(&rows, &check->rq, LIMS_STMT_CHECK_SECRETS);

    for (int i = 0; !error && i < lims_result_count(rows); i++) {
        const char *key = lims_result_get(rows, i, "key");
        bool first = strcmp(key, lims_keyring_first(ring)) == 0;
        bool known = lims_keyring_has(ring, key);

        report(check, "webhook secrets",
               first   ? "ok"
               : known ? "warning"
                       : "failed",
               apr_psprintf(check->tool->pool, "%s encrypted with key \"%s\"%s",
                            lims_result_get(rows, i, "endpoints"), key,
                            first   ? ""
                            : known ? ", which is not the first"
                                    : ", which is not in the file"),
               known ? "Run \"limsctl webhook rekey\", which encrypts them with the first key."
                     : "Put the key back into the file; if it is lost, run \"limsctl webhook "
                       "rotate\" for each endpoint.");
    }
    return error;
}

/* Checks that the key file has each key that closed a block of the audit trail. */
static const lims_error_t *check_trail(check_t *check, const lims_keyring_t *ring)
{
    lims_result_t *rows = NULL;
    const lims_error_t *error = lims_database_call(&rows, &check->rq, LIMS_STMT_CHECK_TRAIL);

    for (int i = 0; !error && i < lims_result_count(rows); i++) {
        const char *key = lims_result_get(rows, i, "key");
        bool known = lims_keyring_has(ring, key);

        report(check, "audit trail", known ? "ok" : "failed",
               apr_psprintf(check->tool->pool, "blocks closed with key \"%s\", which %s", key,
                            known ? "stays in the file" : "is not in the file"),
               "Put the key back into the file: without it these blocks cannot be verified.");
    }
    return error;
}

static const lims_error_t *check_secrets(check_t *check)
{
    const char *file = check->tool->secret_key_file;
    const lims_keyring_t *ring = NULL;
    const char *problem;

    const lims_error_t *error;

    if (check->schema_failed || check->login_failed) {
        return NULL;
    }
    if (!file) {
        report(check, "audit trail", "failed", "no key file: no block of it is closed",
               "Make one with \"limsctl secret-key\", name it by LimsSecretKeyFile in the "
               "configuration and by --secret-key-file or LIMS_SECRET_KEY_FILE here.");
        return NULL;
    }
    problem = lims_keyring_read(&ring, file, check->tool->pool);
    report(check, "key file", problem ? "failed" : "ok", problem ? problem : file,
           "The file that LimsSecretKeyFile names has to be readable by its owner only.");
    if (problem) {
        return NULL;
    }
    error = check_keys(check, ring);
    return error ? error : check_trail(check, ring);
}

static const lims_error_t *check_all(check_t *check)
{
    const lims_error_t *error =
        lims_session_connect(&check->rq.connection, check->tool->database, check->tool->pool);

    if (!error) {
        error = report_rows(check, LIMS_STMT_CHECK_SERVER);
    }
    if (!error) {
        error = report_rows(check, LIMS_STMT_CHECK_ROLES);
    }
    if (!error) {
        check_version(check);
        error = report_rows(check, LIMS_STMT_CHECK_SCHEMA);
    }
    if (!error && !check->schema_failed && !check->login_failed) {
        error = report_rows(check, LIMS_STMT_CHECK_PEOPLE);
    }
    if (!error && !check->schema_failed && !check->login_failed) {
        error = check_documents(check);
    }
    if (!error) {
        error = check_secrets(check);
    }
    return error ? error : check_clock(check);
}

static void print_findings(check_t *check)
{
    apr_size_t length = 0;

    lims_writer_array_end(check->w);
    lims_writer_key(check->w, "ok");
    lims_writer_boolean(check->w, !check->failed);
    lims_writer_object_end(check->w);
    if (check->tool->json) {
        printf("%s\n",
               lims_printable_json(lims_writer_finish(&length, check->w), check->tool->pool));
    }
}

lims_exit_e lims_command_check(lims_tool_t *tool)
{
    check_t check = {
        .tool = tool,
        .rq = { .pool = tool->pool,
                .id = lims_request_id_create(tool->pool),
                .values = tool->values },
        .w = lims_writer_create(tool->pool),
    };
    const lims_error_t *error;

    lims_writer_object_begin(check.w);
    lims_writer_key(check.w, "findings");
    lims_writer_array_begin(check.w);
    check_configuration(&check);
    error = check_all(&check);
    if (error) {
        return lims_print_error(tool, error);
    }
    print_findings(&check);
    return check.schema_failed ? LIMS_EXIT_SCHEMA : check.failed ? LIMS_EXIT_REFUSED : LIMS_EXIT_OK;
}
