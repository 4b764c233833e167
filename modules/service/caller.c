/* SPDX-License-Identifier: Apache-2.0 */
/* caller.c - authentication and authorization of the caller. */
#include "service/caller.h"

#include <apr_escape.h>
#include <apr_lib.h>
#include <apr_strings.h>
#include <apr_thread_mutex.h>
#include <string.h>

#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/key.h"
#include "kernel/scope.h"

/* Cache of keys: what never changes of those seen lately, by database and hash (a copy
 * of a database has the same keys). Direct-mapped: a slot holds one key at a time, and
 * a collision costs one round trip. */
#define CACHE_SIZE 4096

typedef struct {
    const char *database; /* NULL: an empty slot; else the name, which outlives the cache */
    unsigned char hash[LIMS_KEY_HASH_LENGTH];
    apr_int64_t key;
    apr_int64_t organization;
    apr_time_t accepted; /* last found valid */
} cached_key_t;

static cached_key_t *cache;
static apr_thread_mutex_t *cache_lock;

apr_status_t lims_caller_init(apr_pool_t *pool)
{
    cache = apr_pcalloc(pool, sizeof(*cache) * CACHE_SIZE);
    return apr_thread_mutex_create(&cache_lock, APR_THREAD_MUTEX_DEFAULT, pool);
}

static cached_key_t *slot_of(const char *database, const unsigned char *hash)
{
    unsigned slot = (unsigned)hash[0] << 8 | hash[1];

    for (; *database; database++) {
        slot = 31 * slot + (unsigned char)*database;
    }
    return &cache[slot % CACHE_SIZE];
}

static bool cache_get(cached_key_t *known, const char *database, const unsigned char *hash)
{
    apr_thread_mutex_lock(cache_lock);
    *known = *slot_of(database, hash);
    apr_thread_mutex_unlock(cache_lock);
    return known->database && strcmp(known->database, database) == 0 &&
           lims_equal_constant_time(known->hash, hash, LIMS_KEY_HASH_LENGTH);
}

static void cache_put(const char *database, const unsigned char *hash, const char *key,
                      const char *organization)
{
    cached_key_t fresh = { .database = database,
                           .key = apr_atoi64(key),
                           .organization = apr_atoi64(organization),
                           .accepted = apr_time_now() };

    memcpy(fresh.hash, hash, LIMS_KEY_HASH_LENGTH);
    apr_thread_mutex_lock(cache_lock);
    *slot_of(database, hash) = fresh;
    apr_thread_mutex_unlock(cache_lock);
}

static void cache_drop(const char *database, const unsigned char *hash)
{
    cached_key_t *slot = slot_of(database, hash);

    apr_thread_mutex_lock(cache_lock);
    if (slot->database && strcmp(slot->database, database) == 0 &&
        lims_equal_constant_time(slot->hash, hash, LIMS_KEY_HASH_LENGTH)) {
        *slot = (cached_key_t){ .key = 0 };
    }
    apr_thread_mutex_unlock(cache_lock);
}

static const lims_error_t *unauthorized(lims_exchange_t *x, lims_refused_key_e why)
{
    static const char *const causes[] = {
        [LIMS_REFUSED_UNKNOWN] = "unknown API key",
        [LIMS_REFUSED_MISSING] = "no API key",
        [LIMS_REFUSED_MALFORMED] = "malformed API key",
    };

    _Static_assert(LIMS_LENGTH(causes) == LIMS_REFUSED_COUNT, "a text for each");
    x->refused = why;
    return lims_server_error(x->rq.pool, LIMS_E_UNAUTHORIZED, 0, causes[why],
                             "Send a valid API key: \"Authorization: Bearer lk_...\".");
}

/* Returns the token of "Bearer <token>" (RFC 6750 section 2.1); NULL: absent. */
static const char *bearer_token(const char *authorization)
{
    static const char scheme[] = "Bearer ";

    if (!authorization || strncasecmp(authorization, scheme, sizeof(scheme) - 1) != 0) {
        return NULL;
    }
    authorization += sizeof(scheme) - 1;
    while (*authorization == ' ') {
        authorization++;
    }
    return authorization;
}

const lims_error_t *lims_caller_present(lims_exchange_t *x)
{
    const char *token = bearer_token(x->authorization);
    unsigned char hash[LIMS_KEY_HASH_LENGTH];
    cached_key_t known;

    if (!token || !*token) {
        return unauthorized(x, LIMS_REFUSED_MISSING);
    }
    if (!lims_key_well_formed(token)) {
        return unauthorized(x, LIMS_REFUSED_MALFORMED);
    }
    if (!lims_key_hash(hash, token)) {
        return lims_no_digest(x->rq.pool);
    }
    x->key_hash = lims_bytea(hash, LIMS_KEY_HASH_LENGTH, x->rq.pool);
    x->key_known = cache_get(&known, x->rq.settings->database, hash);
    if (x->key_known) {
        x->accepted = known.accepted;
        x->rq.actor.key = apr_ltoa(x->rq.pool, (long)known.key);
        x->rq.actor.organization = apr_ltoa(x->rq.pool, (long)known.organization);
    }
    return NULL;
}

const lims_error_t *lims_caller_check_unknown(lims_exchange_t *x)
{
    if (!x->key_known) {
        x->limited = x->transport->check_unknown_key(x);
    }
    return x->limited;
}

/* A refused key leaves the cache. */
void lims_caller_refused(lims_exchange_t *x)
{
    unsigned char hash[LIMS_KEY_HASH_LENGTH];

    if (x->key_hash) {
        apr_unescape_hex(hash, x->key_hash + 2, 2 * LIMS_KEY_HASH_LENGTH, 0, NULL);
        cache_drop(x->rq.settings->database, hash);
        x->transport->count_unknown_key(x);
    }
}

bool lims_caller_was_accepted(const lims_exchange_t *x)
{
    return x->accepted && apr_time_now() - x->accepted < apr_time_from_sec(1);
}

void lims_caller_count(lims_exchange_t *x)
{
    const lims_route_t *route = x->rq.route;

    if (x->rq.actor.key && !x->counted) {
        x->limited = x->transport->admit(x, apr_atoi64(x->rq.actor.key),
                                         route && (route->flags & LIMS_R_COSTLY));
        x->counted = true;
    }
}

lims_call_t lims_caller_check(lims_exchange_t *x, bool writes)
{
    lims_values_t *values = lims_values_create(x->rq.pool);

    lims_values_set(values, "keyHash", x->key_hash);
    lims_values_set(values, "touchInterval", x->rq.settings->key_touch_interval);
    return (lims_call_t){ .statement =
                              writes ? LIMS_STMT_AUTHENTICATE : LIMS_STMT_AUTHENTICATE_READ,
                          .values = values };
}

static void adopt_caller(lims_exchange_t *x, const lims_result_t *found)
{
    lims_actor_t *actor = &x->rq.actor;
    unsigned char hash[LIMS_KEY_HASH_LENGTH];

    apr_unescape_hex(hash, x->key_hash + 2, 2 * LIMS_KEY_HASH_LENGTH, 0, NULL);
    cache_put(x->rq.settings->database, hash, lims_result_get(found, 0, "keyId"),
              lims_result_get(found, 0, "organizationId"));
    actor->key = lims_result_get(found, 0, "keyId");
    actor->organization = lims_result_get(found, 0, "organizationId");
    actor->user = lims_result_get(found, 0, "userId");
    actor->scopes = lims_result_get(found, 0, "scopes");
    actor->permissions = lims_result_get(found, 0, "permissions");
    actor->upload_only = lims_result_true(found, 0, "uploadOnly");
    x->touch_due = lims_result_true(found, 0, "touchDue");
}

const lims_error_t *lims_caller_authorize(lims_exchange_t *x, const lims_result_t *found)
{
    const lims_route_t *route = x->match.route;
    lims_request_t *rq = &x->rq;

    if (lims_result_count(found) != 1) {
        return unauthorized(x, LIMS_REFUSED_UNKNOWN);
    }
    adopt_caller(x, found);
    lims_caller_count(x);
    if (x->limited) {
        return x->limited;
    }
    if (rq->actor.upload_only && !(route && (route->flags & LIMS_R_UPLOAD_KEY))) {
        return lims_client_error(
            rq->pool, LIMS_E_UPLOAD_ONLY_KEY,
            "This key is for uploads only: POST /instrument-ingest and GET /whoami.");
    }
    if (x->refusal) {
        return x->refusal;
    }
    if (!lims_scope_in(rq->actor.scopes, route->scope)) {
        return lims_client_error(rq->pool, LIMS_E_SCOPE_REQUIRED, "This key lacks the scope %s.",
                                 route->scope);
    }
    return x->late_refusal;
}

void lims_caller_touch(lims_exchange_t *x)
{
    lims_call_t calls[2];
    lims_result_t *results[2];
    const lims_error_t *ignored;

    if (!x->touch_due) {
        return;
    }
    x->touch_due = false;
    calls[0] = lims_caller_check(x, false);
    calls[1] = (lims_call_t){ .statement = LIMS_STMT_KEY_TOUCH, .values = calls[0].values };
    /* If this fails, the next request writes the time. */
    ignored = lims_database_run(results, &x->rq, calls, 2, 0);
    (void)ignored;
}
