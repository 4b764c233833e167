/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signing.h - electronic signatures of people (21 CFR 11.50, 11.200), whatever
 * surface their acts come by.
 *
 * The password is checked before a transaction holds any lock, since that takes a
 * tenth of a second; the record is signed in the transaction of the act.
 */
#ifndef LIMS_SERVICE_SIGNING_H
#define LIMS_SERVICE_SIGNING_H

#include "lims.h"

/* Whether an act of the route is signed: always, or since the organization's
 * `policy` asks for it, or since a password was `offered`. */
bool lims_signing_due(const lims_route_t *route, bool policy, bool offered);

/* Checks the password of the signer, who is called by `user`, against its `hash`
 * (NULL: the user has none). LIMS_E_ESIGNATURE_REQUIRED where it is another. */
const lims_error_t *lims_signing_check(const char *user, const char *hash, const char *password,
                                       apr_pool_t *pool);

/* Signs the record of the request as it stands, in the open transaction, and locks it
 * first, so that what is signed does not change until the act is done. The id goes
 * to rq->signature; it stays NULL where there is no such record, which the act says. */
const lims_error_t *lims_signing_sign(lims_request_t *rq);

#endif /* LIMS_SERVICE_SIGNING_H */
