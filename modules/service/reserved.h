/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reserved.h - the members that a body of the application may have besides its route's own:
 *
 *     "reason"     why, where the route has no such member itself
 *     "signature"  { "password", "contentHash" }, where the act can be signed
 *
 * They are taken out before anything else sees the body. A password is in no message, no
 * fingerprint and no statement.
 */
#ifndef LIMS_SERVICE_RESERVED_H
#define LIMS_SERVICE_RESERVED_H

#include "kernel/json.h"
#include "service/exchange.h"

/* Takes the reserved members out of the body `root`, into x->password, rq.content_hash and
 * rq.reason. Where there was a signature, the body's bytes are wiped, and `*body` becomes
 * the text without it. LIMS_E_INVALID_BODY: a member has not its form. */
const lims_error_t *lims_reserved_take(lims_exchange_t *x, lims_json_t *root, const char **body,
                                       apr_size_t *length);

#endif /* LIMS_SERVICE_RESERVED_H */
