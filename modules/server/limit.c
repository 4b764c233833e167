/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limit.c - the rate limit of an API key or a session: an exact sliding window in shared memory,
 * which outlives graceful and hard restarts, and a bucketed sliding window in
 * memcached where several machines share the limit.
 *
 * A request that memcached admits must be admitted by this machine's window too. So
 * the window knows what was admitted here when memcached becomes unreachable or comes
 * back empty, and no machine alone admits more than the limit.
 *
 * The shared memory is found again after a restart by its name, which contains the
 * database, the limit and the length of the window: servers with all of these in
 * common share the counts, and a restart that changes the limit begins with empty
 * windows.
 */
#include <apr_escape.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/digest.h"
#include "kernel/error.h"
#include "kernel/bucketed_window.h"
#include "server/metrics.h"
#include "server/server.h"

/* The limits, in the names of the shared memory and of memcached's counters. */
static const char *const kinds[] = {
    [LIMS_LIMIT_COMMON] = "",
    [LIMS_LIMIT_COSTLY] = "costly ",
    [LIMS_LIMIT_SESSION] = "session ",
};

_Static_assert(LIMS_LENGTH(kinds) == LIMS_LIMIT_COUNT, "a name for each limit");

static apr_int64_t limit_of(const lims_config_t *config, lims_limit_e kind)
{
    switch (kind) {
    case LIMS_LIMIT_COSTLY:
        return config->costly_limit;
    case LIMS_LIMIT_SESSION:
        return config->session_limit;
    case LIMS_LIMIT_COMMON:
    case LIMS_LIMIT_COUNT:
        break;
    }
    return config->rate_limit;
}

static apr_status_t create(const lims_sliding_windows_t **table, const lims_config_t *config,
                           lims_limit_e kind, server_rec *s)
{
    apr_pool_t *pool = s->process->pconf;
    const char *name = apr_psprintf(pool,
                                    "mod_lims_rates %s%" APR_INT64_T_FMT "/%" APR_INT64_T_FMT
                                    " x %" APR_INT64_T_FMT " %s",
                                    kinds[kind], limit_of(config, kind), config->rate_window,
                                    config->rate_keys, config->settings.database);
    lims_sliding_windows_t *made = apr_pcalloc(pool, sizeof(*made));
    apr_status_t rv;

    made->slots = (apr_uint32_t)config->rate_keys;
    made->limit = (apr_uint32_t)limit_of(config, kind);
    made->window = config->rate_window * 1000000;
    rv = lims_shared_memory(&made->memory, name,
                            lims_sliding_windows_size(made->slots, made->limit), s);
    *table = made;
    return rv;
}

apr_status_t lims_limit_create(lims_config_t *config, server_rec *s)
{
    apr_status_t rv = APR_SUCCESS;

    for (int i = 0; i < LIMS_LIMIT_COUNT && rv == APR_SUCCESS; i++) {
        if (i == LIMS_LIMIT_SESSION && config->application != 1) {
            continue;
        }
        rv = create(&config->rates[i], config, (lims_limit_e)i, s);
    }
    if (rv == APR_SUCCESS) {
        rv = lims_sign_ins_create(config, s);
    }
    return rv == APR_SUCCESS ? lims_unknown_keys_create(config, s) : rv;
}

static const char *seconds(apr_int64_t microseconds, apr_pool_t *pool)
{
    return apr_psprintf(pool, "%" APR_INT64_T_FMT, (microseconds + 999999) / 1000000);
}

/* --- In memcached, over several machines ---------------------------------- */

/* Names the counter of a key: by the hash of the API key, which is the same on all
 * machines, hashed once more, since memcached need not know it; by the name of the
 * database, since a copy of it has the same keys; and by limit and window. NULL:
 * OpenSSL has no memory for the hash. */
static const char *counter_name(const lims_config_t *config, lims_limit_e kind,
                                const char *key_hash, apr_pool_t *pool)
{
    const char *database = config->settings.database;
    const char *text = apr_psprintf(pool, "%s %.*s %s%" APR_INT64_T_FMT "/%" APR_INT64_T_FMT,
                                    key_hash, (int)strcspn(database, "@"), database, kinds[kind],
                                    limit_of(config, kind), config->rate_window);
    const char *hash = lims_sha256_hex(text, strlen(text), 16, pool);

    return hash ? apr_pstrcat(pool, "lims.rate.", hash, NULL) : NULL;
}

/* Counts a request in memcached. A request that reached its bucket after the bucket's
 * time may be missing from what another machine has read: it is counted again in the
 * current bucket instead. False: memcached cannot be asked. */
static bool count_shared(lims_rate_verdict_t *verdict, lims_memcached_counter_t *counter,
                         const lims_config_t *config, lims_limit_e kind, apr_pool_t *pool)
{
    const lims_bucketed_window_t window = { .limit = (apr_uint32_t)limit_of(config, kind),
                                            .length = config->rate_window * APR_USEC_PER_SEC };
    apr_uint32_t counts[LIMS_BUCKETED_WINDOW_COUNTS];
    apr_time_t at = apr_time_now();

    if (!counter->name) {
        return false;
    }
    counter->lifetime = lims_bucketed_window_lifetime(&window);
    for (int attempt = 0; attempt < 2; attempt++) {
        counter->number = lims_bucketed_window_bucket(&window, at);
        if (!lims_memcached_count(counts, config->memcached, counter, LIMS_BUCKETED_WINDOW_COUNTS,
                                  pool)) {
            return false;
        }
        lims_bucketed_window_decide(verdict, &window, counts, at);
        at = apr_time_now();
        if (attempt > 0 || lims_bucketed_window_bucket(&window, at) == counter->number) {
            break;
        }
        lims_memcached_uncount(config->memcached, counter, pool);
    }
    if (!verdict->admitted) {
        lims_memcached_uncount(config->memcached, counter, pool);
    }
    return true;
}

/* --- Counting ------------------------------------------------------------- */

/* Keeps the tighter of two verdicts. */
static void combine(lims_rate_verdict_t *verdict, const lims_rate_verdict_t *shared)
{
    if (shared->remaining < verdict->remaining) {
        verdict->remaining = shared->remaining;
    }
    if (shared->reset > verdict->reset) {
        verdict->reset = shared->reset;
    }
}

/* Returns the number under which a caller is counted: of the costly requests of keys and
 * sessions there is one table. */
static apr_int64_t number_of(const lims_counted_caller_t *caller, lims_limit_e kind)
{
    return kind == LIMS_LIMIT_COSTLY && caller->limit == LIMS_LIMIT_SESSION ? -caller->id
                                                                            : caller->id;
}

/* Counts a request in both windows. False: the table has no room for one more key. */
static bool count_request(lims_rate_verdict_t *verdict, const lims_config_t *config,
                          lims_limit_e kind, const lims_counted_caller_t *caller, apr_pool_t *pool)
{
    lims_rate_verdict_t shared = { .admitted = true };
    lims_memcached_counter_t counter = { .number = 0 };
    bool counted = false, known;

    if (config->memcached) {
        counter.name = counter_name(config, kind, caller->hash, pool);
        counted = count_shared(&shared, &counter, config, kind, pool);
        lims_metrics_rate(config->counters, counted);
    }
    if (!shared.admitted) {
        *verdict = shared;
        return true;
    }
    known = lims_sliding_windows_take(verdict, config->rates[kind], number_of(caller, kind));
    if (counted && known && verdict->admitted) {
        combine(verdict, &shared);
    } else if (counted) {
        lims_memcached_uncount(config->memcached, &counter, pool);
    }
    return known;
}

/* Writes the RateLimit fields; of two limits the one that is reached first. */
static void write_limit(apr_table_t *headers, const lims_sliding_windows_t *table,
                        const lims_rate_verdict_t *verdict, apr_pool_t *pool)
{
    const char *other = apr_table_get(headers, "RateLimit-Remaining");

    if (!other || !verdict->admitted || verdict->remaining < strtoul(other, NULL, 10)) {
        apr_table_setn(headers, "RateLimit-Limit", apr_psprintf(pool, "%u", table->limit));
        apr_table_setn(headers, "RateLimit-Remaining",
                       apr_psprintf(pool, "%u", verdict->remaining));
        apr_table_setn(headers, "RateLimit-Reset", seconds(verdict->reset, pool));
    }
}

static const lims_error_t *refuse(apr_table_t *headers, const lims_sliding_windows_t *table,
                                  const lims_rate_verdict_t *verdict,
                                  const lims_counted_caller_t *caller, apr_pool_t *pool)
{
    const char *whose = caller->limit == LIMS_LIMIT_SESSION ? "session" : "key";

    apr_table_setn(headers, "Retry-After", seconds(verdict->reset, pool));
    return lims_client_error(pool, LIMS_E_RATE_LIMITED,
                             "At most %u requests in any %" APR_INT64_T_FMT
                             " seconds per %s; try again in %s s.",
                             table->limit, table->window / 1000000, whose,
                             seconds(verdict->reset, pool));
}

static const lims_error_t *count(const lims_config_t *config, lims_limit_e kind,
                                 const lims_counted_caller_t *caller, apr_table_t *headers,
                                 apr_pool_t *pool)
{
    const lims_sliding_windows_t *table = config->rates[kind];
    lims_rate_verdict_t verdict = { .admitted = false };

    if (!count_request(&verdict, config, kind, caller, pool)) {
        return lims_server_error(pool, LIMS_E_SERVICE_UNAVAILABLE, 60,
                                 "more keys are active than the rate limit can count: "
                                 "raise LimsRateKeys",
                                 "The service is busy; try again in a minute.");
    }
    write_limit(headers, table, &verdict, pool);
    return verdict.admitted ? NULL : refuse(headers, table, &verdict, caller, pool);
}

/* Checks the limit of costly requests without counting the request. */
static const lims_error_t *check_costly(const lims_config_t *config,
                                        const lims_counted_caller_t *caller, apr_table_t *headers,
                                        apr_pool_t *pool)
{
    const lims_sliding_windows_t *table = config->rates[LIMS_LIMIT_COSTLY];
    lims_memcached_counter_t counter = { .number = 0 };
    lims_rate_verdict_t verdict, shared = { .admitted = true };

    lims_sliding_windows_peek(&verdict, table, number_of(caller, LIMS_LIMIT_COSTLY));
    if (verdict.admitted && config->memcached) {
        counter.name = counter_name(config, LIMS_LIMIT_COSTLY, caller->hash, pool);
        if (count_shared(&shared, &counter, config, LIMS_LIMIT_COSTLY, pool) && shared.admitted) {
            lims_memcached_uncount(config->memcached, &counter, pool);
        }
        verdict = shared.admitted ? verdict : shared;
    }
    if (verdict.admitted) {
        return NULL;
    }
    write_limit(headers, table, &verdict, pool);
    return refuse(headers, table, &verdict, caller, pool);
}

const lims_error_t *lims_limit_count(const lims_config_t *config,
                                     const lims_counted_caller_t *caller, bool costly,
                                     apr_table_t *headers, apr_pool_t *pool)
{
    const lims_error_t *error = costly ? check_costly(config, caller, headers, pool) : NULL;

    if (!error) {
        error = count(config, caller->limit, caller, headers, pool);
    }
    if (!error && costly) {
        error = count(config, LIMS_LIMIT_COSTLY, caller, headers, pool);
    }
    return error;
}
