/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limit.c - the rate limit of a key, in memory that all children share and
 * that outlives graceful and hard restarts.
 *
 * The memory belongs to the process's own pool, not to the configuration's,
 * and is found again through httpd's retained data. Its name holds all that
 * shapes it: servers that share a database and a limit share the counts, and a
 * restart that changes the limit begins with new, empty rings.
 */
#include <apr_shm.h>
#include <apr_strings.h>

#include "kernel/error.h"
#include "server/server.h"

typedef struct {
    apr_shm_t *shm;
    lims_ring_table_t table;
} retained_t;

apr_status_t lims_limit_create(const lims_ring_table_t **table, const lims_config_t *config,
                               server_rec *s)
{
    apr_pool_t *pool = s->process->pool;
    const char *database = lims_check_directive(s, "DBDParams", pool);
    const char *key = apr_psprintf(
        pool, "mod_lims_rates %" APR_INT64_T_FMT "/%" APR_INT64_T_FMT " x %" APR_INT64_T_FMT " %s",
        config->rate_limit, config->rate_window, config->rate_keys, database ? database : "");
    retained_t *retained = ap_retained_data_get(key);
    apr_status_t rv = APR_SUCCESS;

    if (!retained) {
        retained = ap_retained_data_create(key, sizeof(*retained));
        retained->table.slots = (apr_uint32_t)config->rate_keys;
        retained->table.limit = (apr_uint32_t)config->rate_limit;
        retained->table.window = config->rate_window * 1000000;
    }
    if (!retained->shm) {
        /* Anonymous memory is zero, and no page is real before it is used. */
        rv = apr_shm_create(&retained->shm,
                            lims_ring_table_size(retained->table.slots, retained->table.limit),
                            NULL, pool);
    }
    if (rv == APR_SUCCESS) {
        retained->table.memory = apr_shm_baseaddr_get(retained->shm);
    }
    *table = &retained->table;
    return rv;
}

static const char *seconds(apr_int64_t microseconds, apr_pool_t *pool)
{
    return apr_psprintf(pool, "%" APR_INT64_T_FMT, (microseconds + 999999) / 1000000);
}

const lims_error_t *lims_limit_count(const lims_ring_table_t *table, apr_int64_t key,
                                     apr_table_t *headers, apr_pool_t *pool)
{
    lims_ring_verdict_t verdict = { .admitted = false };

    if (!lims_ring_take(&verdict, table, key)) {
        return lims_broken(pool, LIMS_E_SERVICE_UNAVAILABLE, 60,
                           "more keys are active than the rate limit can count: "
                           "raise LimsRateKeys",
                           "The service is busy; try again in a minute.");
    }
    apr_table_setn(headers, "RateLimit-Limit", apr_psprintf(pool, "%u", table->limit));
    apr_table_setn(headers, "RateLimit-Remaining", apr_psprintf(pool, "%u", verdict.remaining));
    apr_table_setn(headers, "RateLimit-Reset", seconds(verdict.reset, pool));
    if (verdict.admitted) {
        return NULL;
    }
    apr_table_setn(headers, "Retry-After", seconds(verdict.reset, pool));
    return lims_fail(pool, LIMS_E_RATE_LIMITED,
                     "At most %u requests in any %" APR_INT64_T_FMT
                     " seconds per key; try again in %s s.",
                     table->limit, table->window / 1000000, seconds(verdict.reset, pool));
}
