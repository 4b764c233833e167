/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jobs.h - background jobs.
 *
 * A job is a statement, or a function, that does a small batch of work, and is
 * called again until nothing is left. Rows and their locks alone decide what is
 * to be done and by which process, so a job may run anywhere, at any time, in
 * any number of processes at once: in httpd by a timer (server/watchdog.c), and
 * from the command line (tool/command_jobs.c).
 */
#ifndef LIMS_JOBS_H
#define LIMS_JOBS_H

#include "lims.h"

typedef struct lims_job_report_t lims_job_report_t;

/* Does one batch, in transactions of its own. Adds to the counts of the report,
 * and sets .more if there may be more to do. */
typedef const lims_error_t *(lims_job_step_fn)(lims_job_report_t *report, lims_request_t *rq);

/* Most counts of a job, and most gauges of its backlog. */
#define LIMS_JOB_FIGURES 7

typedef struct {
    const char *name; /* the column of the statement: "samples" */
    const char *doc;
} lims_job_figure_t;

typedef struct {
    const char *name;
    const char *doc;
    /* Does one batch, and returns a row with the counts and `more`: whether
     * there may be more to do. Its parameters are lims_job_run()'s values. */
    lims_stmt_e batch;
    lims_job_step_fn *step; /* instead of .batch, for work that a single statement cannot do */
    int rows;               /* size of a batch, its parameter `rows`; 0: it has none */
    bool alone; /* one run at a time on a machine, started as soon as there is something to do */
    lims_job_figure_t counts[LIMS_JOB_FIGURES]; /* up to a NULL name */
    /* Returns a row with the size of the backlog; NONE: it is unknown. */
    lims_stmt_e backlog;
    lims_job_figure_t gauges[LIMS_JOB_FIGURES];
} lims_job_t;

typedef enum {
    LIMS_JOB_SCAN,
    LIMS_JOB_RETENTION,
    LIMS_JOB_RECOVERY,
    LIMS_JOB_FILES,
    LIMS_JOB_AUDIT,
    LIMS_JOB_PRINT,
    LIMS_JOB_COUNT
} lims_job_e;

extern const lims_job_t lims_jobs[LIMS_JOB_COUNT];

/* Outcome of a run. */
struct lims_job_report_t {
    /* Size of a batch, in and out; 0: the job's default. It is halved when a batch is
     * cancelled by the statement time-out, and increased again after each success. */
    int rows;
    apr_int64_t counts[LIMS_JOB_FIGURES];
    apr_int64_t gauges[LIMS_JOB_FIGURES];
    apr_int64_t batches;
    bool more;        /* it was stopped before all work was done */
    const char *line; /* of a step: for the log, in the pool of its batch; NULL: none */
    bool alarming;    /* the line is a warning */
};

/* The host of a job: what httpd or limsctl provides to it. */
typedef struct {
    const lims_keyring_t *keyring;                 /* NULL: no key file is configured */
    bool (*enough)(void *context);                 /* called between two batches; true:
                                                         stop. NULL: run to the end */
    /* Writes a step's line to the log; a warning: somebody has to do something. */
    void (*tell)(void *context, const char *line, bool warning);
    const lims_printer_t *printer;   /* NULL: none is configured */
    lims_printer_process_t *process; /* its process, kept for the run; NULL with it */
    void *context;
} lims_job_host_t;

/* Runs batches until nothing is left or the host has enough, each in a transaction of its
 * own. What was done before an error stays done and is in the report. `values` gets
 * `rows`. */
const lims_error_t *lims_job_run(lims_job_report_t *report, const lims_job_t *job,
                                 lims_connection_t *connection, lims_values_t *values,
                                 const lims_job_host_t *host, apr_pool_t *pool);

/* Reads the gauges of the job's backlog into the report; changes nothing. */
const lims_error_t *lims_job_look(lims_job_report_t *report, const lims_job_t *job,
                                  lims_connection_t *connection, lims_values_t *values,
                                  apr_pool_t *pool);

#endif /* LIMS_JOBS_H */
