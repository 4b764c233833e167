/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signing.h - electronic signatures of people (21 CFR 11.50, 11.200), for every surface.
 *
 * The password is checked before a transaction holds any lock, because that takes a tenth
 * of a second; the record is signed in the transaction of its action.
 */
#ifndef LIMS_SERVICE_SIGNING_H
#define LIMS_SERVICE_SIGNING_H

#include "lims.h"

/* Whether the action of a request is signed: by a value of its body or its route's flags,
 * because the organization's `policy` requires it, or because a password was `offered`. */
bool lims_signing_due(const lims_request_t *rq, bool policy, bool offered);

/* Checks the password of the signer against its `hash` (NULL: the user has no password), and
 * counts the failure, or that it was right, in the open transaction, which is to be committed
 * either way; messages name the signer as `user`. LIMS_E_SIGNATURE_INVALID: it does not
 * match, or the account is locked, which is not told apart. */
const lims_error_t *lims_signing_check(lims_request_t *rq, const char *user, const char *hash,
                                       const char *password);

/* Counts whether the password of the acting person was `right`, likewise. */
const lims_error_t *lims_signing_note(lims_request_t *rq, const char *user, bool right);

/* Whether it was this failure that locked the account (21 CFR 11.300(d)): then the error has
 * a number and, as its cause, the line for the log. False for NULL. */
bool lims_signing_locked(const lims_error_t *error);

/* Refuses with LIMS_E_PRECONDITION_FAILED where the locked record `id` of the route's table
 * no longer has the content whose digest its signer was shown (NULL: is not compared). */
const lims_error_t *lims_signing_unchanged(lims_request_t *rq, const char *id,
                                           const char *content_hash);

/* As lims_signing_unchanged(), of the record `id` of a table that the act is about besides; `what`
 * is what messages call it. */
const lims_error_t *lims_signing_seen(lims_request_t *rq, const char *table, const char *what,
                                      const char *id, const char *content_hash);

/* Returns the meaning of the request's signature: a word. */
const char *lims_signing_meaning(const lims_request_t *rq);

/* Locks the record of the request (without :id the one that its .lock finds) and signs
 * its present state, in the open transaction, so that the signed state does not change
 * until the action is done. What differs from rq->content_hash is not signed. Sets
 * rq->signature to the signature's id; it stays NULL if the record does not exist, which
 * the action reports, or is decided already (column "settled" of its lock), so that
 * nothing changes. */
const lims_error_t *lims_signing_sign(lims_request_t *rq);

/* Signs likewise, with the given meaning instead of the route's. */
const lims_error_t *lims_signing_sign_as(lims_request_t *rq, const char *meaning);

#endif /* LIMS_SERVICE_SIGNING_H */
