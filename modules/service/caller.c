/* SPDX-License-Identifier: Apache-2.0 */
/* caller.c - authentication and authorization of the caller. */
#include "service/caller.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/key.h"
#include "kernel/scope.h"
#include "service/caller_cache.h"
#include "service/caller_session.h"

apr_status_t lims_caller_init(apr_pool_t *pool)
{
    return lims_caller_cache_init(pool);
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

static const lims_error_t *present_key(lims_exchange_t *x)
{
    const char *token = bearer_token(x->authorization);
    unsigned char hash[LIMS_KEY_HASH_LENGTH];
    lims_known_caller_t known;

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
    x->key_known = lims_caller_cache_get(&known, x->rq.settings->database, hash);
    if (x->key_known) {
        x->accepted = known.accepted;
        x->rq.actor.key = apr_ltoa(x->rq.pool, (long)known.caller);
        x->rq.actor.organization = apr_ltoa(x->rq.pool, (long)known.organization);
    }
    return NULL;
}

const lims_error_t *lims_caller_present(lims_exchange_t *x)
{
    const lims_error_t *error;

    if (!lims_session_is_asked(x)) {
        return present_key(x);
    }
    error = lims_session_check_site(x);
    return error ? error : lims_session_present(x);
}

const lims_error_t *lims_caller_check_unknown(lims_exchange_t *x)
{
    if (!x->key_known && !lims_session_is_asked(x)) {
        x->limited = x->transport->check_unknown_key(x);
    }
    return x->limited;
}

/* A refused caller leaves the cache. */
const lims_error_t *lims_caller_refused(lims_exchange_t *x, const lims_error_t *error)
{
    unsigned char hash[LIMS_KEY_HASH_LENGTH];

    if (x->key_hash && !lims_session_is_needless(x)) {
        lims_caller_cache_hash(hash, x->key_hash);
        lims_caller_cache_drop(x->rq.settings->database, hash);
    }
    if (!lims_session_is_asked(x)) {
        if (x->key_hash) {
            x->transport->count_unknown_key(x);
        }
        return error;
    }
    return lims_session_is_needless(x) ? error : lims_session_unauthorized(x, error->cause);
}

bool lims_caller_was_accepted(const lims_exchange_t *x)
{
    return x->accepted && apr_time_now() - x->accepted < apr_time_from_sec(1);
}

void lims_caller_count(lims_exchange_t *x)
{
    const lims_route_t *route = x->rq.route;
    const char *caller = x->rq.actor.session ? x->rq.actor.session : x->rq.actor.key;

    if (caller && !x->counted && !(x->rq.actor.session && lims_session_is_another(x))) {
        x->limited = x->transport->admit(x, apr_atoi64(caller),
                                         route && (route->flags & LIMS_R_COSTLY));
        x->counted = true;
    }
}

static lims_stmt_e check_of(const lims_exchange_t *x, bool writes)
{
    if (!lims_session_is_asked(x)) {
        return writes ? LIMS_STMT_AUTHENTICATE : LIMS_STMT_AUTHENTICATE_READ;
    }
    if (lims_session_is_needless(x)) {
        return LIMS_STMT_SESSION_NOBODY;
    }
    return writes ? LIMS_STMT_SESSION_AUTHENTICATE : LIMS_STMT_SESSION_AUTHENTICATE_READ;
}

lims_call_t lims_caller_check(lims_exchange_t *x, bool writes)
{
    lims_values_t *values = lims_values_create(x->rq.pool);

    lims_values_set(values, "keyHash", x->key_hash);
    lims_values_set(values, "touchInterval", x->rq.settings->touch_interval);
    return (lims_call_t){ .statement = check_of(x, writes), .values = values };
}

static void adopt_key(lims_exchange_t *x, const lims_result_t *found)
{
    lims_actor_t *actor = &x->rq.actor;
    lims_known_caller_t known = { .database = x->rq.settings->database };

    actor->key = lims_result_get(found, 0, "keyId");
    actor->organization = lims_result_get(found, 0, "organizationId");
    actor->user = lims_result_get(found, 0, "userId");
    actor->scopes = lims_result_get(found, 0, "scopes");
    actor->permissions = lims_result_get(found, 0, "permissions");
    actor->upload_only = lims_result_true(found, 0, "uploadOnly");
    x->touch_due = lims_result_true(found, 0, "touchDue");
    lims_caller_cache_hash(known.hash, x->key_hash);
    known.caller = apr_atoi64(actor->key);
    known.organization = apr_atoi64(actor->organization);
    lims_caller_cache_put(&known);
}

/* Refuses a person who lacks the permission of the route, in a transaction of its own:
 * whatever was open is rolled back. The database knows which roles have it. */
static const lims_error_t *refuse_permission(lims_exchange_t *x)
{
    lims_values_t *values = lims_values_create(x->rq.pool);
    const lims_call_t calls[] = { lims_caller_check(x, false),
                                  { .statement = LIMS_STMT_PERMISSION_REFUSE, .values = values } };
    lims_result_t *ignored[2] = { NULL, NULL };

    lims_values_set(values, "permission", lims_session_lacking(x));
    lims_connection_release(x->rq.connection);
    return lims_database_run(ignored, &x->rq, calls, 2, 0);
}

/* Refuses a key without the scope of the route, or a person without its permission or
 * with a locked account. */
static const lims_error_t *permit(lims_exchange_t *x, const lims_result_t *found)
{
    const char *scope = x->match.route->scope;

    if (lims_session_is_needless(x)) {
        return NULL;
    }
    if (lims_session_is_asked(x)) {
        return lims_session_lacking(x) ? refuse_permission(x) : lims_session_check_lock(x, found);
    }
    return lims_scope_in(x->rq.actor.scopes, scope)
               ? NULL
               : lims_client_error(x->rq.pool, LIMS_E_SCOPE_REQUIRED,
                                   "This key lacks the scope %s.", scope);
}

const lims_error_t *lims_caller_authorize(lims_exchange_t *x, const lims_result_t *found)
{
    const lims_route_t *route = x->match.route;
    const lims_error_t *error = NULL;
    lims_request_t *rq = &x->rq;

    if (lims_result_count(found) != 1) {
        return unauthorized(x, LIMS_REFUSED_UNKNOWN);
    }
    if (lims_session_is_asked(x)) {
        error = lims_session_adopt(x, found);
    } else {
        adopt_key(x, found);
    }
    if (error) {
        return error;
    }
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
    error = permit(x, found);
    return error ? error : x->late_refusal;
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
    calls[1] = (lims_call_t){ .statement = lims_session_is_asked(x) ? LIMS_STMT_SESSION_TOUCH
                                                                   : LIMS_STMT_KEY_TOUCH,
                              .values = calls[0].values };
    /* If this fails, the next request writes the time. */
    ignored = lims_database_run(results, &x->rq, calls, 2, 0);
    (void)ignored;
}
