/* SPDX-License-Identifier: Apache-2.0 */
/*
 * database_metrics.h - what the database says of itself, of webhooks and of the
 * laboratories.
 *
 * The last of it is kept in memory that all children share and that outlives
 * restarts: while the database is away, what was last known is told, together
 * with the fact that it is away. What costs more than a look is asked once a
 * minute, however often somebody wants to know it, and less often where it takes
 * long: at most a hundredth of the time.
 */
#ifndef LIMS_DATABASE_METRICS_H
#define LIMS_DATABASE_METRICS_H

#include "server/server.h"

/* What the database said of webhooks, numbers as text. */
typedef struct {
    const char *pending;
    const char *kept;
    const char *oldest_due_seconds;
    const char *endpoints;
    const char *disabled_endpoints;
} lims_backlog_t;

typedef struct {
    const char *problem;           /* why the service can't answer; NULL: it can */
    bool database_up;              /* the database answers, whether its schema fits or not */
    const lims_backlog_t *backlog; /* as last said; NULL: not since httpd was started */
    const char *laboratory;        /* lines for Prometheus, as last said, or "" */
    apr_time_t laboratory_at;      /* when, or 0 */
} lims_database_metrics_t;

/* Finds or makes the memory for the server's database. In the parent, at each
 * start. */
apr_status_t lims_database_metrics_create(lims_config_t *config, server_rec *s);

/* Whether the service of this server can answer; asks the database. */
void lims_database_metrics_ready(lims_database_metrics_t *figures, server_rec *s, apr_pool_t *pool);

/* The same, and all figures. */
void lims_database_metrics_read(lims_database_metrics_t *figures, server_rec *s, apr_pool_t *pool);

#endif /* LIMS_DATABASE_METRICS_H */
