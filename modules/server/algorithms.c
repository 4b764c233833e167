/* SPDX-License-Identifier: Apache-2.0 */
/* algorithms.c - loads OpenSSL's algorithms before children are forked. */
#include "server/algorithms.h"

#include <openssl/core.h>
#include <openssl/decoder.h>
#include <openssl/encoder.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/rand.h>
#include <openssl/store.h>

void lims_algorithms_load(void)
{
    ERR_set_mark();
    EVP_MD_free(EVP_MD_fetch(NULL, "SHA256", NULL));
    EVP_CIPHER_free(EVP_CIPHER_fetch(NULL, "AES-256-GCM", NULL));
    EVP_MAC_free(EVP_MAC_fetch(NULL, "HMAC", NULL));
    EVP_KDF_free(EVP_KDF_fetch(NULL, "HKDF", NULL));
    EVP_RAND_free(EVP_RAND_fetch(NULL, "CTR-DRBG", NULL));
    EVP_KEYMGMT_free(EVP_KEYMGMT_fetch(NULL, "EC", NULL));
    EVP_KEYEXCH_free(EVP_KEYEXCH_fetch(NULL, "ECDH", NULL));
    EVP_SIGNATURE_free(EVP_SIGNATURE_fetch(NULL, "ECDSA", NULL));
    EVP_ASYM_CIPHER_free(EVP_ASYM_CIPHER_fetch(NULL, "RSA", NULL));
    EVP_KEM_free(EVP_KEM_fetch(NULL, "RSA", NULL));
    OSSL_ENCODER_free(OSSL_ENCODER_fetch(NULL, "EC", NULL));
    OSSL_DECODER_free(OSSL_DECODER_fetch(NULL, "EC", NULL));
    OSSL_STORE_LOADER_free(OSSL_STORE_LOADER_fetch(NULL, "file", NULL));
    ERR_pop_to_mark();
}
