/* SPDX-License-Identifier: Apache-2.0 */
/* signature.c - how a receiver knows that a webhook is ours and unchanged. */
#include "kernel/signature.h"

#include <apr_escape.h>
#include <apr_strings.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <string.h>

#include "lims.h"

#define PREFIX "whsec_"
#define DIGEST 32
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

/* Bytes of base64 text, or -1. OpenSSL counts padding as bytes. */
static int decode(unsigned char bytes[KEY_MAX], const char *text)
{
    apr_size_t length = strlen(text);
    int decoded;

    if (length == 0 || length > KEY_MAX) {
        return -1;
    }
    decoded = EVP_DecodeBlock(bytes, (const unsigned char *)text, (int)length);
    for (const char *end = text + length; decoded > 0 && end > text && end[-1] == '='; end--) {
        decoded--;
    }
    return decoded;
}

const char *lims_signature_standard(const char *secret, const char *id, const char *timestamp,
                                    const char *body, apr_pool_t *pool)
{
    const char *text = strncmp(secret, PREFIX, strlen(PREFIX)) == 0 ? secret + strlen(PREFIX) : "";
    unsigned char key[KEY_MAX], digest[DIGEST], base64[4 * (DIGEST + 2) / 3 + 1];
    int length = decode(key, text);
    bool made = length > 0 && sign(digest, key, (apr_size_t)length,
                                   apr_pstrcat(pool, id, ".", timestamp, ".", body, NULL));

    OPENSSL_cleanse(key, sizeof(key));
    if (!made) {
        return NULL;
    }
    EVP_EncodeBlock(base64, digest, DIGEST);
    return apr_pstrcat(pool, "v1,", (const char *)base64, NULL);
}
