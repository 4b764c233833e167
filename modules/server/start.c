/* SPDX-License-Identifier: Apache-2.0 */
/*
 * start.c - initialization when httpd starts or restarts, with a first check of each
 * host's database.
 *
 * httpd starts even if a database is down or its schema does not fit: its other hosts
 * are not affected, and the service recovers by itself. Until then such a host answers
 * 503 with the reason.
 */
#include <apr_strings.h>
#include <http_core.h>
#include <string.h>

#include "database/database.h"
#include "instruments/registry.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "server/algorithms.h"
#include "server/metrics.h"
#include "server/connection_budget.h"
#include "server/server.h"
#include "server/watchdog.h"

APLOG_USE_MODULE(lims);

/* --- Checks of the database ------------------------------------------------- */

/* Logs every deviation that would let one organization see another's records. The
 * service still starts: whether it should is for the administrator to decide. */
static void check_tenancy(lims_connection_t *connection, server_rec *s, apr_pool_t *pool)
{
    lims_request_t rq = { .pool = pool,
                          .values = lims_values_create(pool),
                          .connection = connection };
    lims_result_t *rows = NULL;
    const lims_error_t *error = lims_database_call(&rows, &rq, LIMS_STMT_WALLS);

    for (int i = 0; !error && i < lims_result_count(rows); i++) {
        ap_log_error(APLOG_MARK, APLOG_CRIT, 0, s,
                     "LIMS0363: host %s, database %s: %s; \"limsctl check\" says how to put it "
                     "right",
                     lims_config_host(s, pool), lims_config_database(s),
                     lims_result_get(rows, i, "finding"));
    }
}

/* Warns if two hosts name one database differently: they would not share its limits
 * and jobs. The servers' own answers show it, the connection strings do not. */
static void check_running(lims_connection_t *connection, server_rec *s, const server_rec *first,
                          apr_pool_t *pool)
{
    lims_config_t *config = lims_config_of(s);
    lims_request_t rq = { .pool = pool,
                          .values = lims_values_create(pool),
                          .connection = connection };
    lims_result_t *row = NULL;

    config->running = lims_database_call(&row, &rq, LIMS_STMT_RUNNING)
                          ? NULL
                          : apr_pstrdup(s->process->pconf, lims_result_get(row, 0, "running"));
    for (; config->running && first != s; first = first->next) {
        const char *other = lims_config_of(first)->running;
        if (other && strcmp(other, config->running) == 0 &&
            strcmp(lims_config_database(first), lims_config_database(s)) != 0) {
            ap_log_error(APLOG_MARK, APLOG_WARNING, 0, s,
                         "LIMS0365: the hosts %s and %s name one database in two ways, %s and %s, "
                         "and so share neither limits nor jobs nor webhooks; write host, port and "
                         "dbname of DBDParams alike",
                         lims_config_host(first, pool), lims_config_host(s, pool),
                         lims_config_database(first), lims_config_database(s));
        }
    }
}

static void check_database(server_rec *s, const server_rec *first, apr_pool_t *pool)
{
    lims_connection_t *connection = NULL;
    const lims_error_t *error =
        lims_connection_open(&connection, lims_config_conninfo(s, NULL, pool), pool);

    if (error) {
        ap_log_error(APLOG_MARK, APLOG_WARNING, 0, s,
                     "LIMS0110: host %s, database %s: the schema could not be checked at start; "
                     "each child checks it when it connects: %s",
                     lims_config_host(s, pool), lims_config_database(s), error->cause);
        return;
    }
    lims_connection_set_timeout(connection, lims_config_of(s)->database_timeout * 1000);
    check_tenancy(connection, s, pool);
    check_running(connection, s, first, pool);
    lims_connection_budget_check(connection, s, pool);
    error = lims_connection_ready(connection, pool);
    if (error) {
        ap_log_error(APLOG_MARK, APLOG_CRIT, 0, s,
                     "LIMS0112: host %s, database %s: %s; until then this host answers 503",
                     lims_config_host(s, pool), lims_config_database(s), error->cause);
    }
}

/* --- Initialization --------------------------------------------------------- */

static int prepare(server_rec *s, const server_rec *first, apr_pool_t *pconf, apr_pool_t *ptemp)
{
    lims_config_t *config = lims_config_of(s);
    apr_status_t rv = lims_limit_create(config, s);
    bool shared = config->rate_memcached && strcasecmp(config->rate_memcached, "none") != 0;

    if (rv == APR_SUCCESS && shared) {
        rv = lims_memcached_create(&config->memcached, config->rate_memcached,
                                   config->rate_timeout * 1000, s, pconf);
    }
    if (rv != APR_SUCCESS) {
        ap_log_error(APLOG_MARK, APLOG_EMERG, rv, s,
                     "LIMS0111: no shared memory for the rate limit; lower LimsRateKeys");
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    rv = lims_database_metrics_create(config, s);
    if (rv != APR_SUCCESS) {
        ap_log_error(APLOG_MARK, APLOG_EMERG, rv, s,
                     "LIMS0381: no shared memory for the metrics of the database");
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    rv = lims_admission_create(config, s);
    if (rv != APR_SUCCESS) {
        ap_log_error(APLOG_MARK, APLOG_EMERG, rv, s,
                     "LIMS0118: no shared memory for the admission queue of instrument files");
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    check_database(s, first, ptemp);
    return OK;
}

int lims_post_config(apr_pool_t *pconf, apr_pool_t *plog, apr_pool_t *ptemp, server_rec *s)
{
    apr_status_t rv;

    (void)plog;
    if (ap_state_query(AP_SQ_MAIN_STATE) == AP_SQ_MS_CREATE_PRE_CONFIG) {
        return OK;
    }
    lims_algorithms_load();
    for (server_rec *each = s; each; each = each->next) {
        lims_log_create(each, s, pconf);
        rv = lims_metrics_create(each);
        if (rv != APR_SUCCESS) {
            ap_log_error(APLOG_MARK, APLOG_EMERG, rv, each,
                         "LIMS0113: no shared memory for counters");
            return HTTP_INTERNAL_SERVER_ERROR;
        }
    }
    rv = lims_webhooks_prepare(s, pconf);
    if (rv != APR_SUCCESS) {
        ap_log_error(APLOG_MARK, APLOG_EMERG, rv, s,
                     "LIMS0116: webhooks can't be sent: no lock file in DefaultRuntimeDir, or "
                     "libcurl does not work");
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    for (server_rec *each = s; each; each = each->next) {
        if (lims_config_of(each)->enable == 1) {
            int status = prepare(each, s, pconf, ptemp);
            if (status != OK) {
                return status;
            }
        }
    }
    rv = lims_watchdog_create(pconf, s);
    if (rv != APR_SUCCESS) {
        ap_log_error(APLOG_MARK, APLOG_EMERG, rv, s, "LIMS0093: the background jobs have no timer");
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    return OK;
}

/* --- What a child process makes ready ----------------------------------------- */

void lims_child_init(apr_pool_t *pchild, server_rec *s)
{
    apr_status_t rv = lims_service_init(pchild);

    if (rv == APR_SUCCESS) {
        rv = lims_registry_init(pchild);
    }
    if (rv == APR_SUCCESS) {
        rv = lims_pool_init(pchild, s);
    }
    if (rv == APR_SUCCESS) {
        rv = lims_admission_init(pchild, s);
    }
    for (server_rec *each = s; each && rv == APR_SUCCESS; each = each->next) {
        lims_memcached_t *memcached = lims_config_of(each)->memcached;
        rv = memcached ? lims_memcached_child(memcached, pchild) : APR_SUCCESS;
    }
    if (rv == APR_SUCCESS) {
        rv = lims_watchdog_child(pchild, s);
        lims_webhooks_start(pchild, s);
    }
    if (rv != APR_SUCCESS) {
        ap_log_error(APLOG_MARK, APLOG_CRIT, rv, s, "LIMS0055: a child could not be set up");
    }
}
