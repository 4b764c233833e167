/* SPDX-License-Identifier: Apache-2.0 */
/*
 * caller.h - who asks, and whether that may be.
 *
 * Of a key only what never changes is remembered by the process: its id and
 * its organization, so that a data statement can name the organization in the
 * same round trip that checks the key. Revocation, plan, scopes and policies
 * are read each time.
 */
#ifndef LIMS_CALLER_H
#define LIMS_CALLER_H

#include "service/exchange.h"

/* Once per process. */
apr_status_t lims_caller_init(apr_pool_t *pool);

/* Reads the Authorization field: form and checksum, no query. Fills
 * x->key_hash, and key and organization of the actor where they are known. */
const lims_error_t *lims_caller_present(lims_exchange_t *x);

/* Refuses a key that the process has not seen accepted, unasked, where too many
 * unknown ones came from the same address. A key that it has is not judged. */
const lims_error_t *lims_caller_meet(lims_exchange_t *x);

/* To be called once for a request whose key the database refused. */
void lims_caller_refused(lims_exchange_t *x);

/* Counts a request of a known key against its rate limit, and against the tighter
 * one of a route that has it, once. The refusal is only remembered: a key that is
 * no longer valid is told so first. */
void lims_caller_count(lims_exchange_t *x);

/* The call that checks the key and sets the tenant for its transaction; of one
 * that `writes`, who acts and the request as well. */
lims_call_t lims_caller_check(lims_exchange_t *x, bool writes);

/* Takes over what that call found and judges it together with what was
 * remembered: upload-only key, route, method, scope, then the rest. */
const lims_error_t *lims_caller_judge(lims_exchange_t *x, const lims_result_t *found);

/* Whether the key was found valid within the last second: then a request over
 * its limit is refused without asking the database, which a client that hammers
 * would otherwise keep from everybody else. */
bool lims_caller_was_accepted(const lims_exchange_t *x);

/* Writes lastUsedAt, at most once per interval and key. */
void lims_caller_touch(lims_exchange_t *x);

#endif /* LIMS_CALLER_H */
