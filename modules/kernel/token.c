/* SPDX-License-Identifier: Apache-2.0 */
/* token.c - tokens of sessions and one-time links. */
#include "kernel/token.h"

#include <apr_escape.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <string.h>

const char *lims_token_generate(apr_pool_t *pool)
{
    unsigned char random[LIMS_TOKEN_BYTES];
    const char *token;

    if (RAND_bytes(random, sizeof(random)) != 1) {
        return NULL;
    }
    token = apr_pescape_hex(pool, random, sizeof(random), 0);
    OPENSSL_cleanse(random, sizeof(random));
    return token;
}

bool lims_token_well_formed(const char *text)
{
    return strlen(text) == (apr_size_t)2 * LIMS_TOKEN_BYTES &&
           strspn(text, "0123456789abcdef") == (apr_size_t)2 * LIMS_TOKEN_BYTES;
}
