/* SPDX-License-Identifier: Apache-2.0 */
/* registry.c - cache of parsed profiles, one for each process. */
#include "instruments/registry.h"

#include <apr_allocator.h>
#include <apr_strings.h>
#include <apr_thread_mutex.h>
#include <stdlib.h>
#include <string.h>

/* Largest number of cached profiles that are not in use. */
#define KEPT_MAX 256

typedef struct entry_t entry_t;

struct entry_t {
    apr_pool_t *pool; /* of its own; the entry lives there too */
    const char *key;  /* of the version, in every database */
    const lims_profile_t *profile;
    int held; /* by so many holdings */
    apr_time_t used;
    entry_t *next;
};

struct lims_holding_t {
    apr_pool_t *pool;
    apr_array_header_t *entries; /* of entry_t * */
};

/* The cached profiles, and the mutex that protects them, .held and .used. */
static entry_t *kept;
static apr_thread_mutex_t *lock;

apr_status_t lims_registry_init(apr_pool_t *pool)
{
    return apr_thread_mutex_create(&lock, APR_THREAD_MUTEX_DEFAULT, pool);
}

/* --- One profile ---------------------------------------------------------- */

/* Memory that goes by itself and is no other thread's. */
static apr_pool_t *own_pool(apr_pool_t *beside)
{
    apr_allocator_t *allocator = NULL;
    apr_pool_t *pool = NULL;

    if (apr_allocator_create(&allocator) != APR_SUCCESS) {
        return NULL;
    }
    if (apr_pool_create_unmanaged_ex(&pool, apr_pool_abort_get(beside), allocator) != APR_SUCCESS) {
        apr_allocator_destroy(allocator);
        return NULL;
    }
    apr_allocator_owner_set(allocator, pool);
    apr_pool_tag(pool, "lims_profile");
    return pool;
}

static entry_t *parse(const lims_result_t *rows, int i, const char *definition, apr_pool_t *beside)
{
    apr_pool_t *pool = own_pool(beside);
    const lims_profile_t *parsed = NULL;
    lims_profile_t *profile;
    entry_t *entry;

    if (!pool) {
        return NULL;
    }
    if (lims_profile_parse(&parsed, definition, strlen(definition), pool)) {
        apr_pool_destroy(pool);
        return NULL;
    }
    profile = apr_pmemdup(pool, parsed, sizeof(*parsed));
    profile->id = apr_pstrdup(pool, lims_result_get(rows, i, "id"));
    profile->version = (int)strtol(lims_result_get(rows, i, "version"), NULL, 10);
    entry = apr_pcalloc(pool, sizeof(*entry));
    entry->pool = pool;
    entry->key = apr_pstrdup(pool, lims_result_get(rows, i, "cacheKey"));
    entry->profile = profile;
    return entry;
}

/* --- Keeping -------------------------------------------------------------- */

static entry_t *find_kept(const char *key)
{
    for (entry_t *entry = kept; entry; entry = entry->next) {
        if (strcmp(entry->key, key) == 0) {
            return entry;
        }
    }
    return NULL;
}

/* Evicts the least recently used profile, if there are too many. */
static entry_t *evict_spare(void)
{
    entry_t **spare = NULL, *entry = NULL;
    int count = 0;

    for (entry_t **at = &kept; *at; at = &(*at)->next) {
        count++;
        if (!(*at)->held && (!spare || (*at)->used < (*spare)->used)) {
            spare = at;
        }
    }
    if (count > KEPT_MAX && spare) {
        entry = *spare;
        *spare = entry->next;
    }
    return entry;
}

static apr_status_t let_go(void *data)
{
    lims_holding_t *holding = data;

    for (int i = 0; i < holding->entries->nelts; i++) {
        entry_t *entry = APR_ARRAY_IDX(holding->entries, i, entry_t *), *spare = entry;

        if (lock) {
            apr_thread_mutex_lock(lock);
            entry->held--;
            spare = evict_spare();
            apr_thread_mutex_unlock(lock);
        }
        if (spare) {
            apr_pool_destroy(spare->pool);
        }
    }
    return APR_SUCCESS;
}

lims_holding_t *lims_registry_hold(apr_pool_t *pool)
{
    lims_holding_t *holding = apr_pcalloc(pool, sizeof(*holding));

    holding->pool = pool;
    holding->entries = apr_array_make(pool, 16, sizeof(entry_t *));
    if (lock) {
        apr_thread_mutex_lock(lock);
        for (entry_t *entry = kept; entry; entry = entry->next) {
            entry->held++;
            entry->used = apr_time_now();
            APR_ARRAY_PUSH(holding->entries, entry_t *) = entry;
        }
        apr_thread_mutex_unlock(lock);
    }
    apr_pool_cleanup_register(pool, holding, let_go, apr_pool_cleanup_null);
    return holding;
}

const char *lims_holding_keys(const lims_holding_t *holding)
{
    apr_array_header_t *keys = apr_array_make(holding->pool, 16, sizeof(const char *));

    for (int i = 0; i < holding->entries->nelts; i++) {
        APR_ARRAY_PUSH(keys, const char *) = APR_ARRAY_IDX(holding->entries, i, entry_t *)->key;
    }
    return apr_pstrcat(holding->pool, "{", apr_array_pstrcat(holding->pool, keys, ','), "}", NULL);
}

/* Adds a profile that was just parsed. If another thread was faster, its copy
 * is held instead. */
static entry_t *keep(lims_holding_t *holding, entry_t *fresh)
{
    entry_t *entry = fresh;

    if (lock) {
        apr_thread_mutex_lock(lock);
        entry = find_kept(fresh->key);
        if (!entry) {
            entry = fresh;
            entry->next = kept;
            kept = entry;
        }
        entry->held++;
        entry->used = apr_time_now();
        apr_thread_mutex_unlock(lock);
    }
    if (entry != fresh) {
        apr_pool_destroy(fresh->pool);
    }
    APR_ARRAY_PUSH(holding->entries, entry_t *) = entry;
    return entry;
}

static entry_t *find_held(const lims_holding_t *holding, const char *key)
{
    for (int i = 0; i < holding->entries->nelts; i++) {
        entry_t *entry = APR_ARRAY_IDX(holding->entries, i, entry_t *);

        if (strcmp(entry->key, key) == 0) {
            return entry;
        }
    }
    return NULL;
}

apr_array_header_t *lims_holding_profiles(const char **broken, lims_holding_t *holding,
                                          const lims_result_t *rows)
{
    int count = lims_result_count(rows);
    apr_array_header_t *profiles =
        apr_array_make(holding->pool, count + 1, sizeof(const lims_profile_t *));

    *broken = NULL;
    for (int i = 0; i < count; i++) {
        const char *definition = lims_result_get(rows, i, "definition");
        entry_t *entry = find_held(holding, lims_result_get(rows, i, "cacheKey"));

        if (!entry && definition) {
            entry = parse(rows, i, definition, holding->pool);
            entry = entry ? keep(holding, entry) : NULL;
        }
        if (entry) {
            APR_ARRAY_PUSH(profiles, const lims_profile_t *) = entry->profile;
        } else {
            *broken = lims_result_get(rows, i, "code");
        }
    }
    return profiles;
}
