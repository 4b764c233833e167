/* SPDX-License-Identifier: Apache-2.0 */
/* document_key.c - reading a PKCS#12 or PEM file, and judging whether its key can sign. */
#include "documents/document_key.h"

#include <apr_strings.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/x509v3.h>
#include <string.h>

#include "kernel/seal.h"

#define PEM_BEGIN "-----BEGIN "

static apr_status_t free_key(void *data)
{
    lims_document_key_t *key = data;

    EVP_PKEY_free(key->key);
    X509_free(key->certificate);
    sk_X509_pop_free(key->chain, X509_free);
    return APR_SUCCESS;
}

/* Returns a problem with what OpenSSL says of it. */
static const char *failure(const char *file, const char *what, apr_pool_t *pool)
{
    const char *reason = ERR_reason_error_string(ERR_peek_last_error());

    ERR_clear_error();
    return apr_pstrcat(pool, file, " ", what, reason ? ": " : "", reason ? reason : "", NULL);
}

/* Gives OpenSSL the passphrase; never asks a terminal. */
static int give_passphrase(char *buffer, int size, int writes, void *passphrase)
{
    int length = (int)strlen(passphrase);

    (void)writes;
    if (length > size) {
        return -1;
    }
    memcpy(buffer, passphrase, (size_t)length);
    return length;
}

static const char *read_pkcs12(lims_document_key_t *key, BIO *bio, const char *passphrase,
                               const char *file, apr_pool_t *pool)
{
    PKCS12 *store = d2i_PKCS12_bio(bio, NULL);
    int parsed = store ? PKCS12_parse(store, passphrase, &key->key, &key->certificate, &key->chain)
                       : 0;
    const char *problem =
        parsed ? NULL
               : failure(file,
                         store ? "cannot be opened with the passphrase of "
                                 "LimsDocumentPassphraseFile"
                               : "is neither PKCS#12 nor PEM",
                         pool);

    PKCS12_free(store);
    return problem;
}

/* Reads all certificates: the key's own, wherever it stands, and the others. */
static void read_certificates(lims_document_key_t *key, BIO *bio)
{
    X509 *found;

    while ((found = PEM_read_bio_X509(bio, NULL, NULL, NULL))) {
        if (!key->certificate && X509_check_private_key(found, key->key) == 1) {
            key->certificate = found;
        } else if (!sk_X509_push(key->chain, found)) {
            X509_free(found);
        }
    }
    ERR_clear_error();
}

static const char *read_pem(lims_document_key_t *key, BIO *bio, const char *passphrase,
                            const char *file, apr_pool_t *pool)
{
    key->key = PEM_read_bio_PrivateKey(bio, NULL, give_passphrase,
                                       (void *)(apr_uintptr_t)(passphrase ? passphrase : ""));
    if (!key->key) {
        return failure(file, "has no private key that the passphrase opens", pool);
    }
    key->chain = sk_X509_new_null();
    if (!key->chain || BIO_reset(bio) < 0) {
        return failure(file, "could not be read", pool);
    }
    read_certificates(key, bio);
    return NULL;
}

/* Judges whether what was read can sign documents. */
static const char *judge(lims_document_key_t *key, const char *file, apr_pool_t *pool)
{
    int type = key->key ? EVP_PKEY_get_base_id(key->key) : EVP_PKEY_NONE, seconds = 0;

    if (type == EVP_PKEY_NONE) {
        return apr_pstrcat(pool, file, " has no private key", NULL);
    }
    if (type != EVP_PKEY_RSA && type != EVP_PKEY_EC) {
        return apr_pstrcat(pool, file, " has a key that is neither RSA nor EC", NULL);
    }
    if (type == EVP_PKEY_RSA && EVP_PKEY_get_bits(key->key) < 2048) {
        return apr_pstrcat(pool, file, " has an RSA key of less than 2048 bits", NULL);
    }
    if (!key->certificate || X509_check_private_key(key->certificate, key->key) != 1) {
        ERR_clear_error();
        return apr_pstrcat(pool, file, " has no certificate of its private key", NULL);
    }
    if ((X509_get_key_usage(key->certificate) & (KU_DIGITAL_SIGNATURE | KU_NON_REPUDIATION)) == 0) {
        return apr_pstrcat(pool, file, " has a certificate that is not for signing (keyUsage)",
                           NULL);
    }
    if (!ASN1_TIME_diff(&key->days_left, &seconds, NULL, X509_get0_notAfter(key->certificate))) {
        return failure(file, "has a certificate without an end", pool);
    }
    key->days_left = seconds < 0 && key->days_left == 0 ? -1 : key->days_left;
    return NULL;
}

/* Returns the first line of a text. */
static const char *first_line(const char *text, apr_pool_t *pool)
{
    apr_size_t length = strcspn(text, "\r\n");
    char *line = lims_wiped_alloc(length + 1, pool);

    memcpy(line, text, length);
    line[length] = '\0';
    return line;
}

static const char *read_passphrase(const char **passphrase, const char *file, apr_pool_t *pool)
{
    const char *text = NULL, *problem;

    *passphrase = NULL;
    if (!file) {
        return NULL;
    }
    problem = lims_secret_file_read(&text, file, pool);
    if (!problem && !text) {
        return apr_psprintf(pool, "there is no file %s", file);
    }
    *passphrase = problem ? NULL : first_line(text, pool);
    return problem;
}

const char *lims_document_key_read(const lims_document_key_t **out, const char *file,
                                   const char *passphrase_file, apr_pool_t *pool)
{
    lims_document_key_t *key = apr_pcalloc(pool, sizeof(*key));
    const char *bytes = NULL, *passphrase = NULL;
    apr_size_t length = 0;
    const char *problem = lims_secret_bytes_read(&bytes, &length, file, pool);
    BIO *bio;

    if (!problem && !bytes) {
        problem = apr_psprintf(pool, "there is no file %s", file);
    }
    problem = problem ? problem : read_passphrase(&passphrase, passphrase_file, pool);
    if (problem) {
        return problem;
    }
    apr_pool_cleanup_register(pool, key, free_key, apr_pool_cleanup_null);
    bio = BIO_new_mem_buf(bytes, (int)length);
    if (!bio) {
        return failure(file, "could not be read", pool);
    }
    problem = strstr(bytes, PEM_BEGIN) ? read_pem(key, bio, passphrase, file, pool)
                                       : read_pkcs12(key, bio, passphrase, file, pool);
    BIO_free(bio);
    *out = key;
    return problem ? problem : judge(key, file, pool);
}
