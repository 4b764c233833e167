/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jobs.h - what the service does without being asked.
 *
 * A job is a statement, or a function, that does a small batch of work, called
 * again until it says that nothing is left. What is to be done and who does it is decided by
 * rows and their locks alone, so that a job may run anywhere, at any time, any
 * number of times at once: in httpd by its clock (server/watchdog.c), at the
 * command line (tool/command_jobs.c).
 */
#ifndef LIMS_JOBS_H
#define LIMS_JOBS_H

#include "lims.h"

typedef struct lims_job_report_t lims_job_report_t;

/* Does one batch, in transactions of its own; adds to the counts of the report
 * and says in .more whether there may be more to do. */
typedef const lims_error_t *(lims_job_step_fn)(lims_job_report_t *report, lims_request_t *rq);

/* Most figures that a job counts, or shows of what is before it. */
#define LIMS_JOB_FIGURES 6

typedef struct {
    const char *name; /* the column of the statement: "samples" */
    const char *doc;
} lims_job_figure_t;

typedef struct {
    const char *name;
    const char *doc;
    /* Does one batch; a row of the counts and `more`, whether there may be more
     * to do. Takes its parameters by the names of lims_job_run()'s values. */
    lims_stmt_e batch;
    lims_job_step_fn *step; /* instead, where there is more to do than a statement can */
    int rows;               /* of a batch, its parameter `rows`: as many as are done in no time */
    lims_job_figure_t counts[LIMS_JOB_FIGURES]; /* until a NULL name */
    /* A row of what is before the job, without doing any of it; NONE: unknown. */
    lims_stmt_e backlog;
    lims_job_figure_t gauges[LIMS_JOB_FIGURES];
} lims_job_t;

typedef enum {
    LIMS_JOB_SCAN,
    LIMS_JOB_RETENTION,
    LIMS_JOB_RECOVERY,
    LIMS_JOB_FILES,
    LIMS_JOB_COUNT
} lims_job_e;

extern const lims_job_t lims_jobs[LIMS_JOB_COUNT];

/* What a run came to. */
struct lims_job_report_t {
    /* Of a batch, in and out: 0: the job's own number. A run goes on with half of
     * them where a batch takes longer than a statement may, and with more again
     * after each that did not. */
    int rows;
    apr_int64_t counts[LIMS_JOB_FIGURES];
    apr_int64_t gauges[LIMS_JOB_FIGURES];
    apr_int64_t batches;
    bool more; /* it was stopped with work left */
};

/* Asked between two batches; true: enough for now. */
typedef bool(lims_job_enough_fn)(void *context);

/* Runs batches until nothing is left or `enough` says so, each in a transaction
 * of its own; what was done before an error stays done and is in the report.
 * `values` gets `rows`. */
const lims_error_t *lims_job_run(lims_job_report_t *report, const lims_job_t *job,
                                 lims_connection_t *connection, lims_values_t *values,
                                 lims_job_enough_fn *enough, void *context, apr_pool_t *pool);

/* Only looks at what is before the job. */
const lims_error_t *lims_job_look(lims_job_report_t *report, const lims_job_t *job,
                                  lims_connection_t *connection, lims_values_t *values,
                                  apr_pool_t *pool);

#endif /* LIMS_JOBS_H */
