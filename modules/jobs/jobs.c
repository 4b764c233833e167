/* SPDX-License-Identifier: Apache-2.0 */
/* jobs.c - the jobs, and how one is run. */
#include "jobs/jobs.h"

#include <apr_strings.h>

#include "database/database.h"
#include "instruments/instruments.h"
#include "kernel/check.h"

const lims_job_t lims_jobs[LIMS_JOB_COUNT] = {
    [LIMS_JOB_SCAN] = { .name = "scan",
                        .doc = "tells of samples that entered a release state or a holding status",
                        .batch = LIMS_STMT_JOB_SCAN,
                        .counts = { { "samples", "samples looked at" },
                                    { "events", "events written" } },
                        .backlog = LIMS_STMT_JOB_SCAN_BACKLOG,
                        .gauges = { { "waiting", "marks and times that have come" },
                                    { "oldestSeconds", "age of the oldest of them" } } },
    [LIMS_JOB_RETENTION] = { .name = "retention",
                             .doc = "takes away what has had its time",
                             .batch = LIMS_STMT_JOB_RETENTION,
                             .counts = { { "events", "events deleted" },
                                         { "deliveries", "deliveries deleted" },
                                         { "givenUp", "kept deliveries given up" },
                                         { "idempotencyRecords", "kept answers deleted" } },
                             .backlog = LIMS_STMT_JOB_RETENTION_BACKLOG,
                             .gauges = { { "events", "events to delete" },
                                         { "deliveries", "deliveries to delete" },
                                         { "givenUp", "kept deliveries to give up" },
                                         { "idempotencyRecords", "kept answers to delete" } } },
    [LIMS_JOB_RECOVERY] = { .name = "recovery",
                            .doc = "sends again what was given up, where that was asked for",
                            .batch = LIMS_STMT_JOB_RECOVERY,
                            .counts = { { "deliveries", "deliveries on their way again" } } },
    [LIMS_JOB_FILES] = { .name = "files",
                         .doc = "reads instruments' files whose reading was cut short",
                         .step = lims_files_resume,
                         .counts = { { "files", "files taken up" },
                                     { "imported", "files imported" },
                                     { "quarantined", "files kept for review" } },
                         .backlog = LIMS_STMT_JOB_FILES_BACKLOG,
                         .gauges = { { "received", "files received and not yet decided" },
                                     { "quarantined", "files waiting for review" } } },
};

_Static_assert(LIMS_LENGTH(lims_jobs) == LIMS_JOB_COUNT, "a row for each job");

/* Adds a row's columns to the figures of those names. */
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

const lims_error_t *lims_job_run(lims_job_report_t *report, const lims_job_t *job,
                                 lims_connection_t *connection, lims_values_t *values,
                                 lims_job_enough_fn *enough, void *context, apr_pool_t *pool)
{
    const lims_error_t *error = NULL;
    apr_pool_t *batch = NULL;

    *report = (lims_job_report_t){ .more = true };
    apr_pool_create(&batch, pool);
    while (!error && report->more && !(enough && enough(context))) {
        lims_request_t rq = request_of(connection, values, batch);
        lims_result_t *row = NULL;

        if (job->step) {
            error = job->step(report, &rq);
            report->batches++;
            apr_pool_clear(batch);
            continue;
        }
        error = lims_database_call(&row, &rq, job->batch);
        if (!error) {
            add(report->counts, job->counts, row);
            report->batches++;
            report->more = lims_result_true(row, 0, "more");
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
