/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pades.h - signs a PDF of the printer (ETSI EN 319 142-1, PAdES baseline B-B): an update
 * behind its bytes with a field for the signature, which covers the whole file.
 *
 * The time of signing is what the caller says, as /M of the signature, so that with an RSA
 * key the same document gives the same bytes; with an EC key each signature is another.
 */
#ifndef LIMS_DOCUMENTS_PADES_H
#define LIMS_DOCUMENTS_PADES_H

#include "documents/document_key.h"

/* Signs `length` bytes of a PDF. `at`: "20261126140322", UTC. The signed bytes live in `pool`.
 * Returns NULL, or why it could not be signed. */
const char *lims_pades_sign(const char **signed_bytes, apr_size_t *signed_length,
                            const lims_document_key_t *key, const char *pdf, apr_size_t length,
                            const char *at, apr_pool_t *pool);

/* Makes a detached CMS signature (RFC 5652) of content with this SHA-256, with the attributes
 * content-type, message-digest and signing-certificate-v2 (RFC 5035). NULL: OpenSSL failed. */
const unsigned char *lims_pades_cms(int *length, const lims_document_key_t *key,
                                    const unsigned char *sha256, apr_pool_t *pool);

/* Most bytes that such a signature has. */
int lims_pades_cms_max(const lims_document_key_t *key);

#endif /* LIMS_DOCUMENTS_PADES_H */
