/* SPDX-License-Identifier: Apache-2.0 */
/*
 * document_key.h - the key by which the documents of certificates are signed, with its
 * certificate and those that lead to its authority. Knows neither httpd nor the database.
 */
#ifndef LIMS_DOCUMENTS_DOCUMENT_KEY_H
#define LIMS_DOCUMENTS_DOCUMENT_KEY_H

#include <openssl/evp.h>
#include <openssl/x509.h>

#include "lims.h"

struct lims_document_key_t {
    EVP_PKEY *key; /* RSA or EC */
    X509 *certificate;
    STACK_OF(X509) *chain; /* others of the file; may be empty */
    int days_left;         /* until the certificate ends; below 0: it has ended */
};

/* Reads a file that only its owner may read: PKCS#12, or PEM with the private key, its
 * certificate and others. `passphrase_file`: a file of the same kind whose first line opens
 * the key; NULL: it needs none. Returns NULL, or the problem; the key is wiped when the pool
 * is destroyed, and threads may share it. */
const char *lims_document_key_read(const lims_document_key_t **key, const char *file,
                                   const char *passphrase_file, apr_pool_t *pool);

#endif /* LIMS_DOCUMENTS_DOCUMENT_KEY_H */
