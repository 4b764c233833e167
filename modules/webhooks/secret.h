/* SPDX-License-Identifier: Apache-2.0 */
/*
 * secret.h - the secrets with which deliveries are signed.
 *
 * A secret is "whsec_" and 32 random bytes in base64. The contract's signature
 * uses the whole text, prefix included, as its key; the signature of Standard
 * Webhooks uses the 32 bytes that follow the prefix in base64.
 */
#ifndef LIMS_WEBHOOKS_SECRET_H
#define LIMS_WEBHOOKS_SECRET_H

#include "kernel/seal.h"
#include "lims.h"

#define LIMS_WEBHOOK_SECRET_PREFIX "whsec_"

/* Generates a secret, wiped with the pool; NULL if OpenSSL's random generator
 * fails. */
const char *lims_webhook_secret_create(apr_pool_t *pool);

/* Encrypts the secret of an endpoint for webhook_endpoint.secret, so that it
 * can be decrypted for this endpoint only. Ids as decimal text. NULL when
 * OpenSSL fails. */
const char *lims_webhook_secret_seal(const lims_keyring_t *ring, const char *secret,
                                     const char *organization, const char *endpoint,
                                     apr_pool_t *pool);

/* Decrypts secret or previous_secret of an endpoint. NULL and the secret, wiped
 * with the pool, or the reason why it cannot be decrypted (for the log). */
const char *lims_webhook_secret_open(const char **secret, const lims_keyring_t *ring,
                                     const char *sealed, const char *organization,
                                     const char *endpoint, apr_pool_t *pool);

#endif /* LIMS_WEBHOOKS_SECRET_H */
