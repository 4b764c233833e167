/* SPDX-License-Identifier: Apache-2.0 */
/* ed25519.c - signatures by Ed25519 under a key derived from one of the key file. */
#include "kernel/ed25519.h"

#include <apr_strings.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <string.h>

#include "kernel/base64.h"
#include "kernel/seal.h"

#define SIGNATURE_LENGTH 64

/* The SubjectPublicKeyInfo of an Ed25519 key before its 32 bytes (RFC 8410, section 4). */
static const unsigned char prefix[] = { 0x30, 0x2a, 0x30, 0x05, 0x06, 0x03,
                                        0x2b, 0x65, 0x70, 0x03, 0x21, 0x00 };

/* The label of the key derivation, so that no key serves two algorithms. */
#define PURPOSE "mod_lims audit signature 1"

/* Returns the private key, which the caller frees; NULL: there is none, or OpenSSL failed. */
static EVP_PKEY *key_of(const lims_keyring_t *ring, const char *key_id)
{
    unsigned char seed[LIMS_SEAL_KEY_LENGTH];
    EVP_PKEY *key = NULL;

    if (lims_keyring_derive(seed, ring, key_id, PURPOSE)) {
        key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, seed, sizeof(seed));
    }
    OPENSSL_cleanse(seed, sizeof(seed));
    return key;
}

const char *lims_ed25519_sign(const lims_keyring_t *ring, const char *key_id, const char *text,
                              apr_pool_t *pool)
{
    EVP_PKEY *key = key_of(ring, key_id);
    EVP_MD_CTX *context = key ? EVP_MD_CTX_new() : NULL;
    unsigned char signature[SIGNATURE_LENGTH];
    size_t length = sizeof(signature);
    bool done = context && EVP_DigestSignInit(context, NULL, NULL, NULL, key) == 1 &&
                EVP_DigestSign(context, signature, &length, (const unsigned char *)text,
                               strlen(text)) == 1 &&
                length == sizeof(signature);

    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    return done ? lims_base64_encode(signature, sizeof(signature), pool) : NULL;
}

bool lims_ed25519_verify(const lims_keyring_t *ring, const char *key_id, const char *signature,
                         const char *text, apr_pool_t *pool)
{
    EVP_PKEY *key = key_of(ring, key_id);
    EVP_MD_CTX *context = key ? EVP_MD_CTX_new() : NULL;
    const char *bytes = NULL;
    apr_size_t length = 0;
    bool fits = context && lims_base64_decode(&bytes, &length, signature, pool) &&
                length == SIGNATURE_LENGTH &&
                EVP_DigestVerifyInit(context, NULL, NULL, NULL, key) == 1 &&
                EVP_DigestVerify(context, (const unsigned char *)bytes, length,
                                 (const unsigned char *)text, strlen(text)) == 1;

    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    return fits;
}

const char *lims_ed25519_public_key(const lims_keyring_t *ring, const char *key_id,
                                    apr_pool_t *pool)
{
    EVP_PKEY *key = key_of(ring, key_id);
    unsigned char encoded[sizeof(prefix) + LIMS_SEAL_KEY_LENGTH];
    size_t length = LIMS_SEAL_KEY_LENGTH;
    bool done = key && EVP_PKEY_get_raw_public_key(key, encoded + sizeof(prefix), &length) == 1 &&
                length == LIMS_SEAL_KEY_LENGTH;

    EVP_PKEY_free(key);
    memcpy(encoded, prefix, sizeof(prefix));
    return done ? apr_pstrcat(pool, "-----BEGIN PUBLIC KEY-----\n",
                              lims_base64_encode(encoded, sizeof(encoded), pool),
                              "\n-----END PUBLIC KEY-----\n", NULL)
                : NULL;
}
