/* SPDX-License-Identifier: Apache-2.0 */
/* secret.c - generating, encrypting and decrypting the secrets of endpoints. */
#include "webhooks/secret.h"

#include <apr_strings.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <string.h>

#include "kernel/base64.h"

#define RANDOM_BYTES 32
#define RANDOM_TEXT LIMS_BASE64_LENGTH(RANDOM_BYTES)

const char *lims_webhook_secret_create(apr_pool_t *pool)
{
    const apr_size_t prefix = strlen(LIMS_WEBHOOK_SECRET_PREFIX);
    char *secret = lims_wiped_alloc(prefix + RANDOM_TEXT + 1, pool);
    unsigned char bytes[RANDOM_BYTES];

    if (RAND_priv_bytes(bytes, sizeof(bytes)) != 1) {
        return NULL;
    }
    memcpy(secret, LIMS_WEBHOOK_SECRET_PREFIX, prefix);
    lims_base64_write(secret + prefix, bytes, sizeof(bytes));
    OPENSSL_cleanse(bytes, sizeof(bytes));
    return secret;
}

static const char *context_of(const char *organization, const char *endpoint, apr_pool_t *pool)
{
    return apr_psprintf(pool, "webhook endpoint %s of organization %s", endpoint, organization);
}

const char *lims_webhook_secret_seal(const lims_keyring_t *ring, const char *secret,
                                     const char *organization, const char *endpoint,
                                     apr_pool_t *pool)
{
    return lims_seal(ring, secret, context_of(organization, endpoint, pool), pool);
}

const char *lims_webhook_secret_open(const char **secret, const lims_keyring_t *ring,
                                     const char *sealed, const char *organization,
                                     const char *endpoint, apr_pool_t *pool)
{
    return lims_unseal(secret, ring, sealed, context_of(organization, endpoint, pool), pool);
}
