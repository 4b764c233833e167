/* SPDX-License-Identifier: Apache-2.0 */
/* watchdog_private.h - the state of the background jobs, for their scheduler and metrics. */
#ifndef LIMS_WATCHDOG_PRIVATE_H
#define LIMS_WATCHDOG_PRIVATE_H

#include <stdatomic.h>

#include "jobs/jobs.h"
#include "server/server.h"

/* Bound on counting a backlog: after months without retention a full count would
 * exceed the statement_timeout. */
#define LIMS_JOB_COUNT_AT_MOST "100000"

typedef _Atomic apr_int64_t lims_shared_figure_t;

/* State of a job on a database, shared by all children. Times are apr_time_t. */
typedef struct {
    lims_shared_figure_t begun; /* when the job was first configured */
    lims_shared_figure_t next;  /* when the job is due */
    lims_shared_figure_t runs;
    lims_shared_figure_t failures;
    lims_shared_figure_t failing; /* the last run failed, which was logged */
    lims_shared_figure_t busy; /* of a job that runs alone: until when its run keeps others out */
    lims_shared_figure_t batches;
    lims_shared_figure_t duration; /* sum of all runs */
    lims_shared_figure_t last_duration;
    lims_shared_figure_t last_success;
    lims_shared_figure_t rows; /* size of a batch after the last run; 0: the default */
    lims_shared_figure_t counts[LIMS_JOB_FIGURES];
    lims_shared_figure_t gauges[LIMS_JOB_FIGURES];
} lims_job_record_t;

/* A database, with the first server that names it; that server's directives hold. */
typedef struct {
    const char *name;
    const char *conninfo;
    server_rec *server;
    lims_job_record_t *records; /* one for each job, in shared memory of that name */
} lims_job_database_t;

/* The databases of this httpd: lims_job_database_t. */
extern apr_array_header_t *lims_job_databases;

/* Returns how often a job runs by itself. */
apr_interval_time_t lims_job_interval(const lims_config_t *config, lims_job_e job);

#endif /* LIMS_WATCHDOG_PRIVATE_H */
