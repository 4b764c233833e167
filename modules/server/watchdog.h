/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watchdog.h - the clock of the jobs.
 *
 * A thread of mod_watchdog in each child looks every second whether a job is
 * due. When each is due stands in shared memory, where the first child that
 * finds it so moves it on and runs the job: none has it for its own, so that
 * the death of a child delays a job by a second and no more. Which machine does
 * what part of the work is for the job's rows to decide.
 *
 * A job has a connection of its own, only while it runs.
 */
#ifndef LIMS_WATCHDOG_H
#define LIMS_WATCHDOG_H

#include <httpd.h>

#include "kernel/writer.h"
#include "server/exposition.h"

/* Finds or makes what is known of the jobs, and asks mod_watchdog for threads.
 * In the parent, at each start, when the configuration is complete. */
apr_status_t lims_watchdog_create(apr_pool_t *pconf, server_rec *s);

/* Lets jobs run in this child, and has the end of its pool wait for one that
 * does. */
apr_status_t lims_watchdog_child(apr_pool_t *pchild, server_rec *s);

/* Hook: the child is to end. A job that runs stops behind its batch. */
void lims_watchdog_stopping(apr_pool_t *pool, int graceful);

/* The jobs' figures as a host shows them, for lims_metrics_text() and
 * lims_metrics_json(): those of its own database, or of all where it serves none. */
void lims_watchdog_text(lims_exposition_t *text, const server_rec *s);
void lims_watchdog_json(lims_writer_t *w, const server_rec *s);

#endif /* LIMS_WATCHDOG_H */
