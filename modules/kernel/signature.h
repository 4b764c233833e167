/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signature.h - signatures of webhooks, which prove their origin and integrity.
 *
 * HMAC-SHA256 (RFC 2104), in the contract's form and, for endpoints that ask
 * for it, in that of Standard Webhooks 1.0.
 */
#ifndef LIMS_KERNEL_SIGNATURE_H
#define LIMS_KERNEL_SIGNATURE_H

#include <apr_pools.h>

/* Returns "sha256=<hex>", the signature in the contract's form: over `timestamp` "."
 * `body`, with the whole text of the secret, "whsec_" included, as the key. NULL: OpenSSL
 * failed. */
const char *lims_signature(const char *secret, const char *timestamp, const char *body,
                           apr_pool_t *pool);

/* Returns "v1,<base64>", the signature of Standard Webhooks: over `id` "." `timestamp`
 * "." `body`, with the bytes that follow "whsec_" in base64 as the key. NULL: OpenSSL
 * failed, or the secret does not have this form. */
const char *lims_signature_standard(const char *secret, const char *id, const char *timestamp,
                                    const char *body, apr_pool_t *pool);

#endif /* LIMS_KERNEL_SIGNATURE_H */
