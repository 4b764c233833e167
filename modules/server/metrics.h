/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metrics.h - the counters of a database's requests, keys, connections and webhooks,
 * over all child processes and all hosts of the database.
 *
 * They are in shared memory that outlives restarts, and are only ever incremented,
 * atomically and without a lock: a killed child leaves them consistent. Gauges
 * (connections in use) are kept in one entry for each child, so that those of dead
 * children can be left out.
 */
#ifndef LIMS_METRICS_H
#define LIMS_METRICS_H

#include <httpd.h>

#include "dispatch/dispatch.h"
#include "extraction/answer.h"
#include "server/database_metrics.h"
#include "service/service.h"

/* The counters of a database, and the entry of one child in them. */
typedef struct lims_counters_t lims_counters_t;
typedef struct lims_counted_child_t lims_counted_child_t;

/* Measurements of one request, taken when it is answered. */
typedef struct {
    int status;
    const lims_route_t *route;    /* NULL: no route matched */
    const lims_error_t *error;    /* NULL: success */
    lims_refused_key_e refused;   /* why the key was refused, if it was */
    apr_interval_time_t duration; /* microseconds, without sending the answer */
    apr_interval_time_t database;
    int trips;
} lims_measure_t;

/* Finds or makes the counters of a host's database. Called in the parent at each start. */
apr_status_t lims_metrics_create(server_rec *s);

/* Returns the entry of this child process; NULL: all entries are taken. */
lims_counted_child_t *lims_metrics_child(lims_counters_t *counters);

/* Counts an answered request. */
void lims_metrics_request(lims_counters_t *counters, const lims_measure_t *measure);

/* Counts a request for a connection and how long it waited. `taken` is false if it got
 * none, because all were in use or the database was unreachable. */
void lims_metrics_connection(lims_counters_t *counters, lims_counted_child_t *child,
                             apr_interval_time_t waited, bool taken);

/* Counts a request that got no connection, because all stayed in use. */
void lims_metrics_exhausted(lims_counters_t *counters);

/* Counts a connection that was given back. */
void lims_metrics_connection_back(lims_counted_child_t *child);

/* Counts whether a key was in the cache of this process. */
void lims_metrics_key(lims_counters_t *counters, bool known);

/* Counts whether a request was counted in memcached, or by this machine alone. */
void lims_metrics_rate(lims_counters_t *counters, bool shared);

/* Counts a call of the model service: its outcome and duration; `config` is the host's
 * lims_config_t. */
void lims_metrics_extraction(const void *config, lims_call_e outcome, apr_interval_time_t duration);

/* Counts recorded attempts of webhooks with this outcome. */
void lims_metrics_attempts(lims_counters_t *counters, lims_attempt_e what, int attempts);
/* Counts the time from an event to the arrival of its delivery, in microseconds. */
void lims_metrics_arrival(lims_counters_t *counters, apr_interval_time_t latency);

/* Returns all metrics in Prometheus' text exposition format 0.0.4, with those read from
 * the database. */
const char *lims_metrics_text(const server_rec *s, const lims_database_metrics_t *metrics,
                              apr_pool_t *pool);

/* Writes the same as members of an open JSON object, without the metrics by
 * organization. */
void lims_metrics_json(lims_writer_t *w, const server_rec *s,
                       const lims_database_metrics_t *metrics);

#endif /* LIMS_METRICS_H */
