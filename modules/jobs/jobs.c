/* SPDX-License-Identifier: Apache-2.0 */
/* jobs.c - the table of background jobs, and how a job is run. */
#include "jobs/jobs.h"

#include <apr_strings.h>

#include "database/database.h"
#include "documents/documents.h"
#include "instruments/instruments.h"
#include "kernel/header_fields.h"
#include "kernel/field.h"
#include "trail/trail.h"

/* The counts of the job "files". */
enum { FILES_TAKEN_UP, FILES_IMPORTED, FILES_QUARANTINED };

static const lims_error_t *resume_file(lims_job_report_t *report, lims_request_t *rq)
{
    lims_resumed_e resumed = LIMS_RESUMED_NONE;
    const lims_error_t *error = lims_files_resume(&resumed, rq);

    report->more = resumed != LIMS_RESUMED_NONE;
    if (resumed == LIMS_RESUMED_IMPORTED || resumed == LIMS_RESUMED_QUARANTINED) {
        report->counts[FILES_TAKEN_UP]++;
        report->counts[resumed == LIMS_RESUMED_IMPORTED ? FILES_IMPORTED : FILES_QUARANTINED]++;
    }
    return error;
}

/* The counts of the job "audit". */
enum { AUDIT_BLOCKS, AUDIT_ENTRIES };

static const lims_error_t *close_block(lims_job_report_t *report, lims_request_t *rq)
{
    int entries = 0;
    const lims_error_t *error =
        lims_audit_close(&report->more, &entries, &report->line, rq, report->rows);

    if (!error && entries > 0) {
        report->line = apr_pstrcat(rq->pool, "LIMS0384: a block of the audit trail was closed: ",
                                   report->line, NULL);
        report->counts[AUDIT_BLOCKS]++;
        report->counts[AUDIT_ENTRIES] += entries;
    }
    return error;
}

/* The counts of the job "print". */
enum { PRINT_MADE, PRINT_FAILED, PRINT_TRIED };

static const lims_error_t *print_document(lims_job_report_t *report, lims_request_t *rq)
{
    lims_printing_e printing = LIMS_PRINTING_NONE;
    const lims_error_t *error = lims_documents_print(&printing, &report->line, rq);

    report->more = printing != LIMS_PRINTING_NONE;
    report->alarming = true;
    report->counts[PRINT_MADE] += printing == LIMS_PRINTING_MADE;
    report->counts[PRINT_FAILED] += printing == LIMS_PRINTING_FAILED;
    report->counts[PRINT_TRIED] += printing == LIMS_PRINTING_TRIED;
    return error;
}

const lims_job_t lims_jobs[LIMS_JOB_COUNT] = {
    [LIMS_JOB_SCAN] = { .name = "scan",
                        .doc = "writes the events of samples that entered a release state or a "
                               "holding status",
                        .batch = LIMS_STMT_JOB_SCAN,
                        .rows = 500,
                        .counts = { { "samples", "samples looked at" },
                                    { "events", "events written" } },
                        .backlog = LIMS_STMT_JOB_SCAN_BACKLOG,
                        .gauges = { { "waiting", "marks and times that have come" },
                                    { "oldestSeconds", "age of the oldest of them" } } },
    [LIMS_JOB_RETENTION] = { .name = "retention",
                             .doc = "deletes expired events, deliveries and stored answers",
                             .batch = LIMS_STMT_JOB_RETENTION,
                             .rows = 1000,
                             .counts = { { "events", "events deleted" },
                                         { "deliveries", "deliveries deleted" },
                                         { "givenUp", "kept deliveries given up" },
                                         { "idempotencyRecords", "kept answers deleted" },
                                         { "previousSecrets", "replaced secrets forgotten" },
                                         { "rejectedFiles",
                                           "rejected files whose bytes were removed" },
                                         { "signInGuesses",
                                           "old counts of wrong passwords deleted" } },
                             .backlog = LIMS_STMT_JOB_RETENTION_BACKLOG,
                             .gauges = { { "events", "events to delete" },
                                         { "deliveries", "deliveries to delete" },
                                         { "givenUp", "kept deliveries to give up" },
                                         { "idempotencyRecords", "kept answers to delete" },
                                         { "previousSecrets", "replaced secrets to forget" },
                                         { "rejectedFiles",
                                           "rejected files whose bytes are to be removed" },
                                         { "signInGuesses",
                                           "old counts of wrong passwords to delete" } } },
    [LIMS_JOB_RECOVERY] = { .name = "recovery",
                            .doc = "sends given-up deliveries again where a recovery was requested",
                            .batch = LIMS_STMT_JOB_RECOVERY,
                            .rows = 500,
                            .counts = { { "deliveries", "deliveries on their way again" } } },
    [LIMS_JOB_FILES] = { .name = "files",
                         .doc = "resumes instrument files whose reading was interrupted",
                         .step = resume_file,
                         .counts = { [FILES_TAKEN_UP] = { "files", "files taken up" },
                                     [FILES_IMPORTED] = { "imported", "files imported" },
                                     [FILES_QUARANTINED] = { "quarantined",
                                                             "files kept for review" } },
                         .backlog = LIMS_STMT_JOB_FILES_BACKLOG,
                         .gauges = { { "received", "files received and not yet decided" },
                                     { "quarantined", "files waiting for review" },
                                     { "nearlyFull",
                                       "keys whose files take 80 % or more of their storage" } } },
    [LIMS_JOB_AUDIT] = { .name = "audit",
                         .doc = "closes blocks of the audit trail's chain",
                         .step = close_block,
                         .rows = 100000,
                         .counts = { [AUDIT_BLOCKS] = { "blocks", "blocks closed" },
                                     [AUDIT_ENTRIES] = { "entries", "entries in them" } },
                         .backlog = LIMS_STMT_JOB_AUDIT_BACKLOG,
                         .gauges = { { "behindSeconds",
                                       "time since the chain that is furthest behind was "
                                       "closed" } } },
    [LIMS_JOB_PRINT] = { .name = "print",
                         .doc = "prints the documents of certificates",
                         .step = print_document,
                         .alone = true,
                         .counts = { [PRINT_MADE] = { "documents", "documents made" },
                                     [PRINT_FAILED] = { "failed", "documents given up" },
                                     [PRINT_TRIED] = { "tried",
                                                       "attempts that came to nothing" } },
                         .backlog = LIMS_STMT_JOB_PRINT_BACKLOG,
                         .gauges = { { "waiting", "documents that wait" },
                                     { "failedDocuments", "documents that could not be made" },
                                     { "oldestSeconds", "age of the oldest that waits" } } },
};

_Static_assert(LIMS_LENGTH(lims_jobs) == LIMS_JOB_COUNT, "a row for each job");

/* Adds the columns of a row to the figures with the same names. */
static void add(apr_int64_t *sums, const lims_job_figure_t *figures, const lims_result_t *row)
{
    for (int i = 0; i < LIMS_JOB_FIGURES && figures[i].name; i++) {
        const char *text = lims_result_get(row, 0, figures[i].name);
        sums[i] += text ? apr_atoi64(text) : 0;
    }
}

static lims_request_t request_of(lims_connection_t *connection, lims_values_t *values,
                                 apr_pool_t *pool)
{
    return (lims_request_t){
        .pool = pool,
        .id = lims_request_id_create(pool),
        .values = values,
        .connection = connection,
    };
}

static const lims_error_t *run_batch(lims_job_report_t *report, const lims_job_t *job,
                                     lims_connection_t *connection, lims_values_t *values,
                                     const lims_job_host_t *host, apr_pool_t *pool)
{
    lims_request_t rq = request_of(connection, values, pool);
    lims_result_t *row = NULL;
    const lims_error_t *error;

    rq.keyring = host->keyring;
    rq.printer = host->printer;
    rq.process = host->process;
    report->line = NULL;
    report->alarming = false;
    if (job->step) {
        error = job->step(report, &rq);
    } else {
        lims_values_set(values, "rows", apr_itoa(pool, report->rows));
        error = lims_database_call(&row, &rq, job->batch);
    }
    if (error && error->failure == LIMS_FAILURE_TIMEOUT && report->rows > 1) {
        report->rows /= 2;
        report->more = true;
        return NULL;
    }
    if (!error) {
        report->batches++;
        report->rows += (report->rows + 7) / 8;
        report->rows = report->rows < job->rows ? report->rows : job->rows;
    }
    if (!error && row) {
        add(report->counts, job->counts, row);
        report->more = lims_result_true(row, 0, "more");
    }
    if (report->line && host->tell) {
        host->tell(host->context, report->line, report->alarming);
    }
    return error;
}

const lims_error_t *lims_job_run(lims_job_report_t *report, const lims_job_t *job,
                                 lims_connection_t *connection, lims_values_t *values,
                                 const lims_job_host_t *host, apr_pool_t *pool)
{
    const lims_error_t *error = NULL;
    apr_pool_t *batch = NULL;
    int rows = report->rows > 0 && report->rows < job->rows ? report->rows : job->rows;

    *report = (lims_job_report_t){ .more = true, .rows = rows };
    apr_pool_create(&batch, pool);
    while (!error && report->more && !(host->enough && host->enough(host->context))) {
        error = run_batch(report, job, connection, values, host, batch);
        if (!error) {
            lims_values_set(values, "rows", NULL);
            apr_pool_clear(batch);
        }
    }
    return error;
}

const lims_error_t *lims_job_look(lims_job_report_t *report, const lims_job_t *job,
                                  lims_connection_t *connection, lims_values_t *values,
                                  apr_pool_t *pool)
{
    lims_request_t rq = request_of(connection, values, pool);
    lims_result_t *row = NULL;
    const lims_error_t *error = NULL;

    if (job->backlog == LIMS_STMT_NONE) {
        return NULL;
    }
    error = lims_database_call(&row, &rq, job->backlog);
    if (!error) {
        for (int i = 0; i < LIMS_JOB_FIGURES; i++) {
            report->gauges[i] = 0;
        }
        add(report->gauges, job->gauges, row);
    }
    return error;
}
