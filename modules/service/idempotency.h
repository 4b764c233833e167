/* SPDX-License-Identifier: Apache-2.0 */
/*
 * idempotency.h - idempotent POST: done once, however often it is sent (the
 * Idempotency-Key header field of draft-ietf-httpapi-idempotency-key-header).
 *
 * The record is written in the transaction of the action itself: there is no
 * moment in which the one exists without the other. Refusals roll back and
 * leave no record, so a request may be repeated once what refused it is gone.
 *
 * A route with long work (.prepare) claims its key in its first transaction. During
 * the work it holds no connection, only the claim in the row: a token, which the
 * transaction that keeps the answer presents, and a lease that outlives the work. Until
 * the lease ends the same request sent again is answered "in progress". A request that
 * ends without an answer releases its claim; after a crash the lease ends it.
 */
#ifndef LIMS_IDEMPOTENCY_H
#define LIMS_IDEMPOTENCY_H

#include "service/exchange.h"

/* Claims the key in the open transaction, or continues the claim that an earlier
 * transaction of this request made. `*replayed`: the reply is the first answer again,
 * and nothing is left to do. */
const lims_error_t *lims_idempotency_claim(bool *replayed, lims_exchange_t *x, const char *body,
                                           apr_size_t length);

/* Checks for a dry run whether the key has a first answer, or belongs to another request,
 * without claiming it. */
const lims_error_t *lims_idempotency_look(bool *replayed, lims_exchange_t *x, const char *body,
                                          apr_size_t length);

/* Returns the call that stores the reply with the claimed key. */
lims_call_t lims_idempotency_keep(lims_exchange_t *x);

/* Returns the call that releases the claim of a request that ended without an answer. */
lims_call_t lims_idempotency_release(lims_exchange_t *x);

#endif /* LIMS_IDEMPOTENCY_H */
