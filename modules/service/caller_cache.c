/* SPDX-License-Identifier: Apache-2.0 */
/*
 * caller_cache.c - the cache of keys and sessions. Direct-mapped: a slot holds one caller
 * at a time, and a collision costs one round trip.
 */
#include "service/caller_cache.h"

#include <apr_escape.h>
#include <apr_thread_mutex.h>
#include <string.h>

#define CACHE_SIZE 4096

static lims_known_caller_t *cache;
static apr_thread_mutex_t *cache_lock;

apr_status_t lims_caller_cache_init(apr_pool_t *pool)
{
    cache = apr_pcalloc(pool, sizeof(*cache) * CACHE_SIZE);
    return apr_thread_mutex_create(&cache_lock, APR_THREAD_MUTEX_DEFAULT, pool);
}

void lims_caller_cache_hash(unsigned char *hash, const char *text)
{
    apr_unescape_hex(hash, text + 2, 2 * LIMS_KEY_HASH_LENGTH, 0, NULL);
}

static lims_known_caller_t *slot_of(const char *database, const unsigned char *hash)
{
    unsigned slot = (unsigned)hash[0] << 8 | hash[1];

    for (; *database; database++) {
        slot = 31 * slot + (unsigned char)*database;
    }
    return &cache[slot % CACHE_SIZE];
}

static bool is_of(const lims_known_caller_t *slot, const char *database, const unsigned char *hash)
{
    return slot->database && strcmp(slot->database, database) == 0 &&
           lims_equal_constant_time(slot->hash, hash, LIMS_KEY_HASH_LENGTH);
}

bool lims_caller_cache_get(lims_known_caller_t *known, const char *database,
                           const unsigned char *hash)
{
    apr_thread_mutex_lock(cache_lock);
    *known = *slot_of(database, hash);
    apr_thread_mutex_unlock(cache_lock);
    return is_of(known, database, hash);
}

void lims_caller_cache_put(const lims_known_caller_t *known)
{
    lims_known_caller_t fresh = *known;

    fresh.accepted = apr_time_now();
    apr_thread_mutex_lock(cache_lock);
    *slot_of(fresh.database, fresh.hash) = fresh;
    apr_thread_mutex_unlock(cache_lock);
}

void lims_caller_cache_drop(const char *database, const unsigned char *hash)
{
    lims_known_caller_t *slot = slot_of(database, hash);

    apr_thread_mutex_lock(cache_lock);
    if (is_of(slot, database, hash)) {
        *slot = (lims_known_caller_t){ .caller = 0 };
    }
    apr_thread_mutex_unlock(cache_lock);
}
