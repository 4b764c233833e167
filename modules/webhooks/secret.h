/* SPDX-License-Identifier: Apache-2.0 */
/*
 * secret.h - the secrets that deliveries are signed with.
 *
 * "whsec_" and 32 random bytes in base64. The contract's signature is keyed with
 * that text as it stands, prefix and all; the one of Standard Webhooks with the
 * 32 bytes that the part behind the prefix encodes.
 */
#ifndef LIMS_WEBHOOKS_SECRET_H
#define LIMS_WEBHOOKS_SECRET_H

#include "kernel/seal.h"
#include "lims.h"

#define LIMS_WEBHOOK_SECRET_PREFIX "whsec_"

/* A new secret, wiped with the pool; NULL when there is no randomness. */
const char *lims_webhook_secret_create(apr_pool_t *pool);

/* Seals the secret of an endpoint for webhook_endpoint.secret, so that it opens
 * for that endpoint alone. Ids as decimal text. NULL when OpenSSL fails. */
const char *lims_webhook_secret_seal(const lims_keyring_t *ring, const char *secret,
                                     const char *organization, const char *endpoint,
                                     apr_pool_t *pool);

/* Opens secret or previous_secret of an endpoint. NULL and the secret, wiped
 * with the pool, or why it does not open (for the log). */
const char *lims_webhook_secret_open(const char **secret, const lims_keyring_t *ring,
                                     const char *sealed, const char *organization,
                                     const char *endpoint, apr_pool_t *pool);

#endif /* LIMS_WEBHOOKS_SECRET_H */
