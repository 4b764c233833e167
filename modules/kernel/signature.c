/* SPDX-License-Identifier: Apache-2.0 */
/* signature.c - signatures of webhooks. */
#include "kernel/signature.h"

#include <apr_escape.h>
#include <apr_strings.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <string.h>

#include "kernel/base64.h"
#include "kernel/digest.h"

#define PREFIX "whsec_"
#define DIGEST LIMS_SHA256_LENGTH
#define KEY_MAX 768

static bool sign(unsigned char digest[DIGEST], const void *key, apr_size_t length, const char *text)
{
    unsigned int made = 0;

    return HMAC(EVP_sha256(), key, (int)length, (const unsigned char *)text, strlen(text), digest,
                &made) &&
           made == DIGEST;
}

const char *lims_signature(const char *secret, const char *timestamp, const char *body,
                           apr_pool_t *pool)
{
    unsigned char digest[DIGEST];

    if (!sign(digest, secret, strlen(secret), apr_pstrcat(pool, timestamp, ".", body, NULL))) {
        return NULL;
    }
    return apr_pstrcat(pool, "sha256=", apr_pescape_hex(pool, digest, DIGEST, 0), NULL);
}

const char *lims_signature_standard(const char *secret, const char *id, const char *timestamp,
                                    const char *body, apr_pool_t *pool)
{
    const char *text = strncmp(secret, PREFIX, strlen(PREFIX)) == 0 ? secret + strlen(PREFIX) : "";
    unsigned char key[KEY_MAX], digest[DIGEST];
    apr_size_t length = 0, size = strlen(text);
    bool made = size <= KEY_MAX && lims_base64_read(key, &length, text, size) && length > 0 &&
                sign(digest, key, length, apr_pstrcat(pool, id, ".", timestamp, ".", body, NULL));

    OPENSSL_cleanse(key, sizeof(key));
    return made ? apr_pstrcat(pool, "v1,", lims_base64_encode(digest, DIGEST, pool), NULL) : NULL;
}
