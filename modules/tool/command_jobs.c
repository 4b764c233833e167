/* SPDX-License-Identifier: Apache-2.0 */
/* command_jobs.c - limsctl scan, limsctl retention: run a background job from the command
 * line, without httpd. */
#include "jobs/jobs.h"

#include <apr_strings.h>
#include <string.h>

#include "kernel/error.h"
#include "kernel/header_fields.h"
#include "kernel/writer.h"
#include "tool/session.h"
#include "tool/tool.h"

#define DRY_RUN                                                                                    \
    {                                                                                              \
        .name = "dryRun", .type = LIMS_T_BOOLEAN, .fallback = "false",                             \
        .doc = "Whether only to show what would be done."                                          \
    }

const lims_field_t lims_scan_options[] = { DRY_RUN, LIMS_FIELD_END };

const lims_field_t lims_print_options[] = { DRY_RUN, LIMS_FIELD_END };

const lims_field_t lims_retention_options[] = {
    DRY_RUN,
    { .name = "eventRetention",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_REQUIRED,
      .min = 1,
      .max = 3650,
      .doc = "Days for which events, their deliveries and attempts are kept: at most as many as "
             "LimsEventRetention says.",
      .example = "30" },
    { .name = "idempotencyLifetime",
      .type = LIMS_T_INTEGER,
      .min = 1,
      .max = 30 * 86400,
      .fallback = "2592000",
      .doc = "Seconds for which the answer to an Idempotency-Key is kept: at least as many as "
             "LimsIdempotencyLifetime says.",
      .example = "86400" },
    { .name = "rejectedFileDays",
      .type = LIMS_T_INTEGER,
      .min = 1,
      .max = 3650,
      .fallback = "90",
      .doc = "Days for which the bytes of rejected instrument files are kept, as "
             "LimsRejectedFileDays says.",
      .example = "90" },
    LIMS_FIELD_END,
};

static void write_figures(lims_writer_t *w, const lims_job_figure_t *figures,
                          const apr_int64_t *values)
{
    for (int i = 0; i < LIMS_JOB_FIGURES && figures[i].name; i++) {
        lims_writer_key(w, figures[i].name);
        lims_writer_integer(w, values[i]);
    }
}

static void print_report(const lims_tool_t *tool, const lims_job_t *job,
                         const lims_job_report_t *report, bool dry)
{
    lims_writer_t *w = lims_writer_create(tool->pool);
    apr_size_t length = 0;
    const char *json;

    lims_writer_object_begin(w);
    write_figures(w, dry ? job->gauges : job->counts, dry ? report->gauges : report->counts);
    lims_writer_object_end(w);
    json = lims_writer_finish(&length, w);
    lims_print_answer(tool, json, length);
}

/* Writes a line as httpd would write it to its log. */
static void tell(void *context, const char *line, bool warning)
{
    (void)context;
    (void)warning;
    fprintf(stderr, "%s\n", line);
}

/* Refuses to keep documents without a signature, for ever, beside a service that signs them. */
static const lims_error_t *check_signing(const lims_tool_t *tool, lims_connection_t *connection)
{
    lims_request_t rq = { .pool = tool->pool,
                          .id = lims_request_id_create(tool->pool),
                          .values = lims_values_create(tool->pool),
                          .connection = connection };
    lims_result_t *row = NULL;
    const lims_error_t *error;

    if (!lims_tool_printer(tool) || tool->printer.key) {
        return NULL;
    }
    error = lims_database_call(&row, &rq, LIMS_STMT_DOCUMENT_LAST_SIGNED);
    if (error || !lims_result_true(row, 0, "signed")) {
        return error;
    }
    return lims_client_error(tool->pool, LIMS_E_INVALID_QUERY,
                             "The documents of this service are signed, and no "
                             "LIMS_DOCUMENT_KEY is set here: set it as LimsDocumentKey of httpd, "
                             "or leave the printing to httpd.");
}

static lims_exit_e run(lims_tool_t *tool, lims_job_e which)
{
    const lims_job_t *job = &lims_jobs[which];
    bool dry = strcmp(lims_values_get(tool->values, "dryRun"), "t") == 0;
    lims_job_report_t report = { .more = false };
    lims_session_t *session = NULL;
    lims_printer_process_t process = { .pid = 0 };
    lims_job_host_t host = { .printer = lims_tool_printer(tool),
                             .process = &process,
                             .tell = tell };
    const lims_error_t *error = NULL;

    if (which == LIMS_JOB_AUDIT) {
        error = lims_tool_keyring(&host.keyring, tool);
    } else if (which == LIMS_JOB_PRINT) {
        error = lims_tool_document_key(tool);
    }
    if (!error) {
        error = lims_session_open(&session, tool->database, tool->pool);
    }
    if (!error && !dry && which == LIMS_JOB_PRINT) {
        error = check_signing(tool, session->connection);
    }
    if (!error && dry) {
        error = lims_job_look(&report, job, session->connection, tool->values, tool->pool);
    } else if (!error) {
        error = lims_job_run(&report, job, session->connection, tool->values, &host, tool->pool);
    }
    lims_printer_end(&process);
    if (error) {
        return lims_print_error(tool, error);
    }
    print_report(tool, job, &report, dry);
    return LIMS_EXIT_OK;
}

lims_exit_e lims_command_scan(lims_tool_t *tool)
{
    return run(tool, LIMS_JOB_SCAN);
}

lims_exit_e lims_command_retention(lims_tool_t *tool)
{
    return run(tool, LIMS_JOB_RETENTION);
}

lims_exit_e lims_command_print(lims_tool_t *tool)
{
    lims_values_set(tool->values, "countAtMost", "100000");
    return run(tool, LIMS_JOB_PRINT);
}

lims_exit_e lims_command_audit_close(lims_tool_t *tool)
{
    return run(tool, LIMS_JOB_AUDIT);
}
