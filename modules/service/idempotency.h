/* SPDX-License-Identifier: Apache-2.0 */
/*
 * idempotency.h - doing a POST once, however often it is sent (the
 * Idempotency-Key header field of draft-ietf-httpapi-idempotency-key-header).
 *
 * The record is written in the transaction of the action itself: there is no
 * moment in which the one exists without the other. Refusals roll back and
 * leave no record, so a request may be repeated once what refused it is gone.
 *
 * One that keeps something before its work (.prepare of its route) has its key from
 * then on, for itself alone. While it works it holds no connection, but a claim in
 * the row: a token, which the transaction that keeps the answer presents, and a
 * lease, longer than the work may take, in which the same request sent again is in
 * progress. What ends without an answer gives the claim back; after a crash the
 * lease ends it.
 */
#ifndef LIMS_IDEMPOTENCY_H
#define LIMS_IDEMPOTENCY_H

#include "service/exchange.h"

/* Claims the key in the open transaction, or goes on under the claim of an earlier
 * one of this request. `*replayed` is true when the reply is the first answer again
 * and nothing is left to do. */
const lims_error_t *lims_idempotency_claim(bool *replayed, lims_exchange_t *x, const char *body,
                                           apr_size_t length);

/* Whether the key stands for a first answer or for another request, without
 * claiming it: for what leaves nothing behind. */
const lims_error_t *lims_idempotency_look(bool *replayed, lims_exchange_t *x, const char *body,
                                          apr_size_t length);

/* The call that keeps the reply with the claimed key. */
lims_call_t lims_idempotency_keep(lims_exchange_t *x);

/* The call that gives the claim back, for what came to no answer. */
lims_call_t lims_idempotency_release(lims_exchange_t *x);

#endif /* LIMS_IDEMPOTENCY_H */
