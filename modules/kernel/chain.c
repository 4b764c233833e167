/* SPDX-License-Identifier: Apache-2.0 */
/* chain.c - the MACs of the audit trail's chain. */
#include "kernel/chain.h"

#include <apr_escape.h>
#include <apr_strings.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <string.h>

#include "kernel/seal.h"

/* The label (info) of the key derivation, so that no key serves two algorithms. */
#define PURPOSE "mod_lims audit chain 1"

struct lims_chain_t {
    EVP_MAC *algorithm;
    EVP_MAC_CTX *context;
    unsigned char mac[LIMS_SHA256_LENGTH];
};

static apr_status_t destroy(void *data)
{
    lims_chain_t *chain = data;

    EVP_MAC_CTX_free(chain->context);
    EVP_MAC_free(chain->algorithm);
    return APR_SUCCESS;
}

lims_chain_t *lims_chain_create(const lims_keyring_t *ring, const char *key_id, apr_pool_t *pool)
{
    lims_chain_t *chain = apr_pcalloc(pool, sizeof(*chain));
    unsigned char key[LIMS_SEAL_KEY_LENGTH];
    char digest[] = "SHA256";
    const OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
        OSSL_PARAM_construct_end(),
    };
    bool done;

    if (!lims_keyring_derive(key, ring, key_id, PURPOSE)) {
        return NULL;
    }
    chain->algorithm = EVP_MAC_fetch(NULL, "HMAC", NULL);
    chain->context = chain->algorithm ? EVP_MAC_CTX_new(chain->algorithm) : NULL;
    apr_pool_cleanup_register(pool, chain, destroy, apr_pool_cleanup_null);
    done = chain->context && EVP_MAC_init(chain->context, key, sizeof(key), parameters) == 1;
    OPENSSL_cleanse(key, sizeof(key));
    return done ? chain : NULL;
}

lims_chain_t *lims_chain_of(apr_hash_t *chains, const lims_keyring_t *ring, const char *key_id)
{
    apr_pool_t *pool = apr_hash_pool_get(chains);
    lims_chain_t *chain = apr_hash_get(chains, key_id, APR_HASH_KEY_STRING);

    if (!chain) {
        chain = lims_chain_create(ring, key_id, pool);
        apr_hash_set(chains, apr_pstrdup(pool, key_id), APR_HASH_KEY_STRING, chain);
    }
    return chain;
}

/* Replaces the MAC by that of these bytes, under the key set at the beginning. */
static bool compute(lims_chain_t *chain, const void *bytes, apr_size_t length)
{
    size_t written = 0;

    return EVP_MAC_init(chain->context, NULL, 0, NULL) == 1 &&
           EVP_MAC_update(chain->context, bytes, length) == 1 &&
           EVP_MAC_final(chain->context, chain->mac, &written, sizeof(chain->mac)) == 1 &&
           written == sizeof(chain->mac);
}

bool lims_chain_begin(lims_chain_t *chain, const char *header)
{
    return compute(chain, header, strlen(header));
}

bool lims_chain_add(lims_chain_t *chain, const unsigned char digest[LIMS_SHA256_LENGTH])
{
    unsigned char link[2 * LIMS_SHA256_LENGTH];

    memcpy(link, chain->mac, LIMS_SHA256_LENGTH);
    memcpy(link + LIMS_SHA256_LENGTH, digest, LIMS_SHA256_LENGTH);
    return compute(chain, link, sizeof(link));
}

const unsigned char *lims_chain_mac(const lims_chain_t *chain)
{
    return chain->mac;
}

bool lims_chain_fits_mark(const lims_chain_t *chain, const char *marks, int place)
{
    char mark[2 * LIMS_CHAIN_MARK + 1];

    apr_escape_hex(mark, chain->mac, LIMS_CHAIN_MARK, 0, NULL);
    return strncmp(mark, marks + (apr_size_t)place * 2 * LIMS_CHAIN_MARK, 2 * LIMS_CHAIN_MARK) == 0;
}

bool lims_chain_fits_head(const lims_chain_t *chain, const char *head)
{
    char made[2 * LIMS_SHA256_LENGTH + 1];

    apr_escape_hex(made, chain->mac, LIMS_SHA256_LENGTH, 0, NULL);
    return strcmp(made, head) == 0;
}
