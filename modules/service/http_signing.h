/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_signing.h - signing in the application: the steps before the transaction of an act.
 *
 * First a look, which locks nothing: whether the act is to be signed, by whom, and whether
 * it was done before. Then the password waits for the processor, with no connection held.
 * Then failures are counted, and kept whatever becomes of the act. Only then the act locks
 * its records, and signs them (service/signing.h).
 */
#ifndef LIMS_SERVICE_HTTP_SIGNING_H
#define LIMS_SERVICE_HTTP_SIGNING_H

#include "service/exchange.h"

/* Whether a signature may be asked for. */
bool lims_http_signing_concerns(const lims_exchange_t *x);

/* Looks, in one transaction, and sets rq.signs. Where the Idempotency-Key has an answer,
 * the reply is that, and nothing is signed. LIMS_E_ESIGNATURE_REQUIRED: a signature is
 * missing; LIMS_E_PRECONDITION_REQUIRED: it does not name what was seen. */
const lims_error_t *lims_http_signing_look(lims_exchange_t *x, const char *body,
                                           apr_size_t length);

/* Checks the password, without a connection, and wipes it. */
const lims_error_t *lims_http_signing_verify(lims_exchange_t *x);

/* Counts the outcome, in a transaction of its own. LIMS_E_SIGNATURE_INVALID, with the
 * attempts that are left: the password was wrong. */
const lims_error_t *lims_http_signing_note(lims_exchange_t *x);

#endif /* LIMS_SERVICE_HTTP_SIGNING_H */
