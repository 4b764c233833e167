/* SPDX-License-Identifier: Apache-2.0 */
/*
 * database_metrics.h - metrics read from the database: its reachability, the backlog of
 * webhooks, and metrics of each organization.
 *
 * The last values are cached in shared memory that outlives restarts: while the
 * database is unreachable they are still shown, with the fact that it is down. The
 * expensive queries run once a minute at most, however often metrics are scraped, and
 * less often if they are slow: they take at most a hundredth of the time.
 */
#ifndef LIMS_DATABASE_METRICS_H
#define LIMS_DATABASE_METRICS_H

#include "server/server.h"

/* Backlog of webhooks, numbers as text. */
typedef struct {
    const char *pending;
    const char *kept;
    const char *oldest_due_seconds;
    const char *endpoints;
    const char *disabled_endpoints;
} lims_backlog_t;

typedef struct {
    const char *problem;           /* why the service cannot answer; NULL: it can */
    bool database_up;              /* the database answers, whether or not its schema fits */
    const lims_backlog_t *backlog; /* as last read; NULL: never since httpd started */
    const char *laboratory;        /* lines for Prometheus, as last read, or "" */
    apr_time_t laboratory_at;      /* when that was read, or 0 */
} lims_database_metrics_t;

/* Finds or makes the cache for the server's database. Called in the parent at each
 * start. */
apr_status_t lims_database_metrics_create(lims_config_t *config, server_rec *s);

/* Fills in whether the service of this server can answer; asks the database. */
void lims_database_metrics_ready(lims_database_metrics_t *metrics, server_rec *s, apr_pool_t *pool);

/* Fills in everything. */
void lims_database_metrics_read(lims_database_metrics_t *metrics, server_rec *s, apr_pool_t *pool);

#endif /* LIMS_DATABASE_METRICS_H */
