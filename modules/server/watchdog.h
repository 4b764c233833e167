/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watchdog.h - the scheduler of the background jobs.
 *
 * A thread of mod_watchdog in each child checks every second whether a job is due.
 * The due time of each job is in shared memory; the first child to find a job due
 * advances the time and runs the job. No child owns a job, so the death of a child
 * delays it by one second at most. Machines share the work by locking rows of the
 * database.
 *
 * A job has a database connection of its own, and only while it runs. A job that runs alone
 * (lims_job_t) has a thread of its own in each child, and can be woken.
 */
#ifndef LIMS_WATCHDOG_H
#define LIMS_WATCHDOG_H

#include <httpd.h>

#include "jobs/jobs.h"
#include "kernel/writer.h"
#include "server/exposition.h"

/* Finds or makes the shared state of the jobs and registers with mod_watchdog. Called
 * in the parent at each start, when the configuration is complete. */
apr_status_t lims_watchdog_create(apr_pool_t *pconf, server_rec *s);

/* Makes a job of the host's database due now, on this machine: something was committed that
 * it has to do. */
void lims_watchdog_wake(const server_rec *s, lims_job_e job);

/* Allows jobs to run in this child, and makes the end of its pool wait for a running
 * one. */
apr_status_t lims_watchdog_child(apr_pool_t *pchild, server_rec *s);

/* Hook, called when the child is to end: a running job stops after its batch. */
void lims_watchdog_stopping(apr_pool_t *pool, int graceful);

/* Writes the metrics of the jobs for lims_metrics_text(): those of the host's database, or
 * of all databases if the host serves none. */
void lims_watchdog_text(lims_exposition_t *text, const server_rec *s);

/* Writes the same for lims_metrics_json(). */
void lims_watchdog_json(lims_writer_t *w, const server_rec *s);

#endif /* LIMS_WATCHDOG_H */
