/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command_demo.c - limsctl demo: loads the demonstration data of sql/demo.
 *
 * All files are loaded in one transaction, and contain no secrets. API keys and the
 * password are generated here; the files get their hashes as settings of the transaction;
 * the keys and the password themselves are written to a file that only its owner can
 * read.
 */
#include <apr_escape.h>
#include <apr_file_io.h>
#include <apr_strings.h>
#include <string.h>

#include "database/migration.h"
#include "database/script.h"
#include "instruments/import.h"
#include "kernel/header_fields.h"
#include "kernel/error.h"
#include "kernel/key.h"
#include "kernel/password.h"
#include "tool/session.h"
#include "tool/tool.h"

/* The numbered files of sql/demo, compiled in as the migrations are. */
extern const lims_migration_t lims_demo_files[];
extern const int lims_demo_files_count;

const lims_field_t lims_demo_options[] = {
    { .name = "keysTo",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_REQUIRED,
      .min = 1,
      .max = 4096,
      .doc = "File to create for the API keys and the users' password, as shell assignments, "
             "readable only by its owner. It must not exist yet.",
      .example = "demo.keys" },
    LIMS_FIELD_END
};

/* Length of the users' password in characters: of 62 letters and digits, 119 bits. */
#define PASSWORD_LENGTH 20

/* An API key: its name in the file of secrets, and its name in sql/demo. */
static const struct {
    const char *variable;
    const char *setting;
} keys[] = {
    { "LIMS_API_KEY", "key_a" },         { "LIMS_API_KEY_B", "key_b" },
    { "LIMS_API_KEY_C", "key_c" },       { "LIMS_API_KEY_D", "key_d" },
    { "LIMS_UPLOAD_KEY", "key_upload" },
};

static const lims_error_t *set_demo_setting(lims_request_t *rq, const char *name, const char *value)
{
    lims_values_t *values = lims_values_create(rq->pool);
    const lims_call_t call = { .statement = LIMS_STMT_DEMO_SETTING, .values = values };
    lims_result_t *ignored = NULL;

    lims_values_set(values, "name", name);
    lims_values_set(values, "value", value);
    return lims_database_run(&ignored, rq, &call, 1, 0);
}

/* --- Secrets ----------------------------------------------------------------- */

static const lims_error_t *random_failed(lims_request_t *rq)
{
    return lims_server_error(rq->pool, LIMS_E_INTERNAL, 0,
                             "OpenSSL failed: no random numbers, "
                             "or no hash",
                             "No API key could be generated.");
}

/* Generates a key, passes its hash to the files of sql/demo, and adds its line to
 * `lines`. */
static const lims_error_t *make_key(const char **lines, lims_request_t *rq, int i)
{
    const char *key = lims_key_generate(rq->pool);
    unsigned char hash[LIMS_KEY_HASH_LENGTH];
    const lims_error_t *error;

    if (!key || !lims_key_hash(hash, key)) {
        return random_failed(rq);
    }
    *lines = apr_pstrcat(rq->pool, *lines, keys[i].variable, "='", key, "'\n", NULL);
    error = set_demo_setting(rq, apr_pstrcat(rq->pool, keys[i].setting, "_hash", NULL),
                             apr_pescape_hex(rq->pool, hash, sizeof(hash), 0));
    return error ? error
                 : set_demo_setting(rq, apr_pstrcat(rq->pool, keys[i].setting, "_prefix", NULL),
                                    lims_key_prefix(key, rq->pool));
}

static const lims_error_t *make_password(const char **lines, lims_request_t *rq)
{
    const char *random = lims_key_generate(rq->pool);
    const char *password = NULL;
    const char *encoded = NULL;

    if (random) {
        password = apr_pstrndup(rq->pool, random + strlen(LIMS_KEY_PREFIX), PASSWORD_LENGTH);
        encoded = lims_password_hash(password, rq->pool);
    }
    if (!encoded) {
        return random_failed(rq);
    }
    *lines = apr_pstrcat(rq->pool, *lines, "LIMS_DEMO_PASSWORD='", password, "'\n", NULL);
    return set_demo_setting(rq, "password_hash", encoded);
}

static const lims_error_t *make_secrets(const char **lines, lims_request_t *rq)
{
    const lims_error_t *error = NULL;

    *lines = "";
    for (int i = 0; i < (int)LIMS_LENGTH(keys) && !error; i++) {
        error = make_key(lines, rq, i);
    }
    return error ? error : make_password(lines, rq);
}

/* --- Their file -------------------------------------------------------------- */

static const lims_error_t *file_error(const char *file, apr_status_t status, apr_pool_t *pool)
{
    char words[128];

    return lims_client_error(pool, LIMS_E_INVALID_QUERY, "%s: %s", file,
                             apr_strerror(status, words, sizeof(words)));
}

/* Writes the file of secrets. An existing file is not overwritten: it may have the only
 * copy of other keys. */
static const lims_error_t *write_file(const char *file, const char *lines, apr_pool_t *pool)
{
    const apr_int32_t flags = APR_FOPEN_WRITE | APR_FOPEN_CREATE | APR_FOPEN_EXCL;
    apr_file_t *stream = NULL;
    apr_status_t status =
        apr_file_open(&stream, file, flags, APR_FPROT_UREAD | APR_FPROT_UWRITE, pool);

    if (status != APR_SUCCESS) {
        return file_error(file, status, pool);
    }
    status = apr_file_write_full(stream, lines, strlen(lines), NULL);
    if (status == APR_SUCCESS) {
        status = apr_file_sync(stream);
    }
    apr_file_close(stream);
    if (status != APR_SUCCESS) {
        apr_file_remove(file, pool);
        return file_error(file, status, pool);
    }
    return NULL;
}

/* --- Loading ----------------------------------------------------------------- */

static const lims_error_t *run_files(lims_request_t *rq)
{
    const lims_error_t *error = NULL;

    for (int i = 0; i < lims_demo_files_count && !error; i++) {
        const lims_migration_t *file = &lims_demo_files[i];

        error = lims_script_run(
            rq->connection,
            apr_psprintf(rq->pool, "sql/demo/%03d_%s.sql", file->version, file->name), file->sql,
            rq->pool);
    }
    return error;
}

/* Imports a file on behalf of its uploader, in the same three steps as any other file. */
static const lims_error_t *import_file(lims_request_t *rq, const char *id)
{
    lims_import_t *import = lims_import_create(NULL, NULL, 0, NULL, rq->pool);
    lims_result_t *ignored = NULL;
    const lims_error_t *error = lims_database_call(&ignored, rq, LIMS_STMT_JOB_FILE_ACT);

    if (!error) {
        error = lims_import_load(import, rq, id);
    }
    if (!error) {
        import->id = id;
        lims_import_read(import);
        error = lims_import_decide(import, rq, "received", NULL, NULL);
    }
    return error;
}

static const lims_error_t *import_files(lims_request_t *rq)
{
    lims_result_t *rows = NULL;
    const lims_error_t *error = lims_database_call(&rows, rq, LIMS_STMT_DEMO_CONTEXT);

    if (!error) {
        rq->actor.organization = lims_result_get(rows, 0, "organization");
        error = lims_database_call(&rows, rq, LIMS_STMT_DEMO_FILES);
    }
    for (int i = 0; !error && i < lims_result_count(rows); i++) {
        rq->actor.user = lims_result_get(rows, i, "user");
        rq->actor.key = lims_result_get(rows, i, "key");
        error = import_file(rq, lims_result_get(rows, i, "id"));
    }
    return error;
}

/* Loads everything. The file of secrets is written before the commit: if the commit fails
 * it has invalid keys, which is better than valid keys that nobody knows. */
static const lims_error_t *load(lims_request_t *rq, const char *file)
{
    const char *lines = NULL;
    const lims_error_t *error = make_secrets(&lines, rq);

    if (!error) {
        error = run_files(rq);
    }
    if (!error) {
        error = import_files(rq);
    }
    if (!error) {
        error = write_file(file, lines, rq->pool);
        if (error) {
            return error;
        }
        error = lims_database_run(NULL, rq, NULL, 0, LIMS_DB_COMMIT);
        if (error) {
            apr_file_remove(file, rq->pool);
        }
    }
    return error;
}

static const lims_error_t *load_once(bool *loaded, lims_request_t *rq, const char *file)
{
    static const lims_call_t calls[] = { { .statement = LIMS_STMT_DEMO_LOCK },
                                         { .statement = LIMS_STMT_DEMO_PRESENT } };
    lims_result_t *rows[LIMS_LENGTH(calls)] = { NULL };
    const lims_error_t *error =
        lims_database_run(rows, rq, calls, (int)LIMS_LENGTH(calls), LIMS_DB_BEGIN);

    *loaded = false;
    if (!error && !lims_result_true(rows[1], 0, "present")) {
        error = load(rq, file);
        *loaded = !error;
    }
    lims_connection_release(rq->connection);
    return error;
}

lims_exit_e lims_command_demo(lims_tool_t *tool)
{
    const char *file = lims_values_get(tool->values, "keysTo");
    lims_session_t *session = NULL;
    bool loaded = false;
    const lims_error_t *error = lims_session_open(&session, tool->database, tool->pool);

    if (!error) {
        lims_request_t rq = { .pool = tool->pool,
                              .id = lims_request_id_create(tool->pool),
                              .values = lims_values_create(tool->pool),
                              .connection = session->connection };
        error = load_once(&loaded, &rq, file);
    }
    if (error) {
        return lims_print_error(tool, error);
    }
    if (tool->json) {
        printf("{\"loaded\":%s}\n", loaded ? "true" : "false");
    } else if (loaded) {
        printf("The demonstration data is loaded; its keys and password are in %s.\n",
               lims_printable(file, tool->pool));
    } else {
        puts("The demonstration data exists already; nothing was changed.");
    }
    return LIMS_EXIT_OK;
}
