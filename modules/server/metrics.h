/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metrics.h - what the service counts of a database, over all child processes:
 * hosts of one database are counted together, those of two apart.
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
#include "server/database_metrics.h"
#include "service/service.h"

/* The counters of a database, and the place of a child among them. */
typedef struct lims_counters_t lims_counters_t;
typedef struct lims_counted_child_t lims_counted_child_t;

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

/* Finds or makes the counters of a host's database. In the parent, at each start. */
apr_status_t lims_metrics_create(server_rec *s);

/* Takes a place for this child process; NULL: all are taken. */
lims_counted_child_t *lims_metrics_child(lims_counters_t *counters);

void lims_metrics_request(lims_counters_t *counters, const lims_measure_t *measure);

/* A connection was taken after waiting so long, or not at all: because all were
 * in use, or because the database was out of reach. */
void lims_metrics_connection(lims_counters_t *counters, lims_counted_child_t *child,
                             apr_interval_time_t waited, bool taken);
void lims_metrics_exhausted(lims_counters_t *counters);
void lims_metrics_connection_back(lims_counted_child_t *child);

/* Whether a key was known to the process. */
void lims_metrics_key(lims_counters_t *counters, bool known);

/* Whether a request was counted in the store that machines share. */
void lims_metrics_rate(lims_counters_t *counters, bool shared);

/* What became of asking the model service, and how long that took; `config` is the
 * host's lims_config_t. */
void lims_metrics_extraction(const void *config, lims_call_e outcome, apr_interval_time_t duration);

/* Attempts of webhooks that were recorded, and how long after its event a
 * delivery had arrived. */
void lims_metrics_attempts(lims_counters_t *counters, lims_attempt_e what, int attempts);
void lims_metrics_arrival(lims_counters_t *counters, apr_interval_time_t latency);

/* Everything as Prometheus text exposition format 0.0.4, with what the database
 * says. */
const char *lims_metrics_text(const server_rec *s, const lims_database_metrics_t *figures,
                              apr_pool_t *pool);

/* The same as members of a JSON object that the caller has open, without the
 * laboratories' figures. */
void lims_metrics_json(lims_writer_t *w, const server_rec *s,
                       const lims_database_metrics_t *figures);

#endif /* LIMS_METRICS_H */
