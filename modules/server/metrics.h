/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metrics.h - what the service counts, over all child processes.
 *
 * The counters live in shared memory that outlives restarts, like the rate
 * limit's. They are only ever added to, by atomic instructions without a lock:
 * a child that is killed leaves them consistent. What is in use at a moment
 * (connections) is kept for each child in a place of its own, so that the
 * place of a dead child can be told from that of a living one.
 */
#ifndef LIMS_METRICS_H
#define LIMS_METRICS_H

#include <httpd.h>

#include "dispatch/dispatch.h"
#include "extraction/answer.h"
#include "server/figures.h"
#include "service/service.h"

/* What one request cost, noted when it is answered. */
typedef struct {
    int status;
    const lims_route_t *route;    /* NULL: none was found */
    const lims_error_t *error;    /* NULL: none */
    lims_refused_key_e refused;   /* why the key was, where error says that it was */
    apr_interval_time_t duration; /* microseconds, without sending */
    apr_interval_time_t database;
    int trips;
} lims_measure_t;

/* Finds or makes the counters. In the parent, at each start. */
apr_status_t lims_metrics_create(server_rec *s);

/* Takes a place for this child process. */
void lims_metrics_child(void);

void lims_metrics_request(const lims_measure_t *measure);

/* A connection was taken after waiting so long, or not at all: because all were
 * in use, or because the database was out of reach. */
void lims_metrics_connection(apr_interval_time_t waited, bool taken);
void lims_metrics_exhausted(void);
void lims_metrics_connection_back(void);

/* Whether a key was known to the process. */
void lims_metrics_key(bool known);

/* Whether a request was counted in the store that machines share. */
void lims_metrics_rate(bool shared);

/* What became of asking the model service, and how long that took. */
void lims_metrics_extraction(lims_call_e outcome, apr_interval_time_t duration);

/* Attempts of webhooks that were recorded, and how long after its event a
 * delivery had arrived. */
void lims_metrics_attempts(lims_attempt_e what, int attempts);
void lims_metrics_arrival(apr_interval_time_t latency);

/* Everything as Prometheus text exposition format 0.0.4, with what the database
 * says. */
const char *lims_metrics_text(const server_rec *s, const lims_figures_t *figures, apr_pool_t *pool);

/* The same as members of a JSON object that the caller has open, without the
 * laboratories' figures. */
void lims_metrics_json(lims_writer_t *w, const server_rec *s, const lims_figures_t *figures);

#endif /* LIMS_METRICS_H */
