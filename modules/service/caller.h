/* SPDX-License-Identifier: Apache-2.0 */
/*
 * caller.h - authentication and authorization of the caller: of an API key on the API, of
 * a person's session in the application (caller_session.h).
 *
 * Organization and person of callers seen lately are cached (caller_cache.h), so that a
 * data statement can name them in the same round trip that checks the caller. Revocation,
 * plan, scopes, roles and policies are read with each request.
 */
#ifndef LIMS_CALLER_H
#define LIMS_CALLER_H

#include "service/exchange.h"

/* Makes the cache of callers, once per process. */
apr_status_t lims_caller_init(apr_pool_t *pool);

/* Reads the Authorization field and checks form and checksum of the key, or the cookie of
 * a session and that a page of this host asks, without the database. Fills in x->key_hash,
 * and the actor as far as it is cached. In the application the route is known before. */
const lims_error_t *lims_caller_present(lims_exchange_t *x);

/* Rate limit of keys that are not in the cache, by address; asked before the
 * database. A key in the cache passes. */
const lims_error_t *lims_caller_check_unknown(lims_exchange_t *x);

/* Counts an unknown key and drops it, or a session, from the cache; called once for a
 * request whose caller was refused by `error`. Returns what the caller hears. */
const lims_error_t *lims_caller_refused(lims_exchange_t *x, const lims_error_t *error);

/* Counts a request of a known key or session against its rate limit, and against the tighter one of
 * a costly route, once. A refusal is only remembered, in x->limited: if the key is no
 * longer valid, that is answered instead. */
void lims_caller_count(lims_exchange_t *x);

/* Returns the call that checks the key and sets the tenant for its transaction; with
 * `writes` also the acting user and the request id, for the audit trail. */
lims_call_t lims_caller_check(lims_exchange_t *x, bool writes);

/* Sets the caller from the result of the call, and refuses in the order of the contract:
 * rate limit, upload-only key, route, method, scope, then x->late_refusal. */
const lims_error_t *lims_caller_authorize(lims_exchange_t *x, const lims_result_t *found);

/* Whether the key was found valid within the last second. Then a request over its
 * rate limit is refused without asking the database, so that a client that floods
 * the service does not take the database from the others. */
bool lims_caller_was_accepted(const lims_exchange_t *x);

/* Writes lastUsedAt, at most once per interval and key. */
void lims_caller_touch(lims_exchange_t *x);

#endif /* LIMS_CALLER_H */
