/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool.c - connections out of mod_dbd's pool.
 *
 * mod_dbd lends connections and nothing else: statements run through libpq in
 * modules/database, because the driver loses SQLSTATE and prepared statements.
 * Its own pool waits for ever when it is exhausted, so a counter with a
 * time-out stands in front of it. A connection is held only while statements
 * run: taken after the body was read, given back before the answer is sent.
 */
#include <apr_dbd.h>
#include <apr_optional.h>
#include <apr_strings.h>
#include <apr_thread_cond.h>
#include <apr_thread_mutex.h>
#include <mod_dbd.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/error.h"
#include "server/metrics.h"
#include "server/server.h"

/* mod_dbd's own default for DBDMax. */
#define DBD_MAX_DEFAULT 10

static const char adopted[] = "lims_connection";

static APR_OPTIONAL_FN_TYPE(ap_dbd_open) * dbd_open;
static APR_OPTIONAL_FN_TYPE(ap_dbd_close) * dbd_close;

/* What stands in front of one of mod_dbd's pools. */
struct lims_pool_t {
    const char *name; /* mod_dbd keeps one pool for servers that say the same */
    apr_thread_mutex_t *mutex;
    apr_thread_cond_t *returned;
    int free;
    lims_pool_t *next;
};

static int connections_of(const server_rec *s, apr_pool_t *pool)
{
    const char *text = lims_check_directive(s, "DBDMax", pool);
    long max = text ? strtol(text, NULL, 10) : DBD_MAX_DEFAULT;

    return max > 0 && max < 10000 ? (int)max : DBD_MAX_DEFAULT;
}

static const char *name_of(const server_rec *s, apr_pool_t *pool)
{
    static const char *const settings[] = { "DBDParams", "DBDMax", "DBDKeep", "DBDMin",
                                            "DBDExptime" };
    const char *name = "";

    for (apr_size_t i = 0; i < LIMS_LENGTH(settings); i++) {
        const char *value = lims_check_directive(s, settings[i], pool);
        name = apr_pstrcat(pool, name, value ? value : "", "\n", NULL);
    }
    return name;
}

static apr_status_t create(lims_pool_t **made, const server_rec *s, const char *name,
                           apr_pool_t *pool)
{
    lims_pool_t *fresh = apr_pcalloc(pool, sizeof(*fresh));
    apr_status_t rv = apr_thread_mutex_create(&fresh->mutex, APR_THREAD_MUTEX_DEFAULT, pool);

    if (rv == APR_SUCCESS) {
        rv = apr_thread_cond_create(&fresh->returned, pool);
    }
    fresh->name = name;
    fresh->free = connections_of(s, pool);
    *made = fresh;
    return rv;
}

apr_status_t lims_pool_init(apr_pool_t *pchild, server_rec *s)
{
    lims_pool_t *pools = NULL;

    dbd_open = APR_RETRIEVE_OPTIONAL_FN(ap_dbd_open);
    dbd_close = APR_RETRIEVE_OPTIONAL_FN(ap_dbd_close);
    for (; s; s = s->next) {
        const char *name = name_of(s, pchild);
        lims_pool_t *pool = pools;
        if (lims_config_of(s)->enable != 1) {
            continue;
        }
        while (pool && strcmp(pool->name, name) != 0) {
            pool = pool->next;
        }
        if (!pool) {
            apr_status_t rv = create(&pool, s, name, pchild);
            if (rv != APR_SUCCESS) {
                return rv;
            }
            pool->next = pools;
            pools = pool;
        }
        lims_config_of(s)->pool = pool;
    }
    return APR_SUCCESS;
}

static bool enter(bool *waited, lims_pool_t *bound, apr_interval_time_t patience)
{
    apr_time_t until = apr_time_now() + patience;
    bool entered;

    apr_thread_mutex_lock(bound->mutex);
    *waited = bound->free <= 0;
    while (bound->free <= 0 && apr_time_now() < until) {
        apr_thread_cond_timedwait(bound->returned, bound->mutex, until - apr_time_now());
    }
    entered = bound->free > 0;
    if (entered) {
        bound->free--;
    }
    apr_thread_mutex_unlock(bound->mutex);
    return entered;
}

static void leave_bound(lims_pool_t *bound)
{
    apr_thread_mutex_lock(bound->mutex);
    bound->free++;
    apr_thread_cond_signal(bound->returned);
    apr_thread_mutex_unlock(bound->mutex);
}

/* Our state beside the connection, made when it is first seen. */
static apr_status_t adopt(lims_connection_t **connection, ap_dbd_t *dbd)
{
    void *known = NULL;
    apr_status_t rv;

    apr_pool_userdata_get(&known, adopted, dbd->pool);
    if (known) {
        *connection = known;
        return APR_SUCCESS;
    }
    rv = lims_connection_adopt(connection, apr_dbd_native_handle(dbd->driver, dbd->handle),
                               dbd->pool);
    if (rv == APR_SUCCESS) {
        apr_pool_userdata_setn(*connection, adopted, NULL, dbd->pool);
    }
    return rv;
}

static const lims_error_t *unavailable(lims_lease_t *lease, int number, const char *cause)
{
    return lims_broken(lease->pool, LIMS_E_SERVICE_UNAVAILABLE, number, cause,
                       "The database is out of reach at the moment; try again shortly.");
}

const lims_error_t *lims_pool_take(lims_connection_t **connection, lims_lease_t *lease)
{
    const lims_config_t *config = lims_config_of(lease->server);
    apr_time_t begun = apr_time_now();
    const lims_error_t *error;
    bool waited = false;
    ap_dbd_t *dbd;

    if (!enter(&waited, config->pool, config->database_wait * 1000)) {
        lims_metrics_connection(apr_time_now() - begun, false);
        return unavailable(lease, 50, "all database connections are in use: raise DBDMax");
    }
    dbd = dbd_open(lease->pool, lease->server);
    if (!dbd) {
        leave_bound(config->pool);
        return unavailable(lease, 51, "mod_dbd has no connection: see its own message");
    }
    lease->dbd = dbd;
    lims_metrics_connection(waited ? apr_time_now() - begun : 0, true);
    if (adopt(connection, dbd) != APR_SUCCESS) {
        lims_pool_give_back(lease);
        return unavailable(lease, 52, "the connection could not be prepared for use");
    }
    error = lims_connection_ready(*connection, lease->pool);
    if (error) {
        lims_pool_give_back(lease);
    }
    return error;
}

void lims_pool_give_back(lims_lease_t *lease)
{
    if (lease->dbd) {
        dbd_close(lease->server, lease->dbd);
        lease->dbd = NULL;
        leave_bound(lims_config_of(lease->server)->pool);
        lims_metrics_connection_back();
    }
}
