/* SPDX-License-Identifier: Apache-2.0 */
/* digest.h - SHA-256 (FIPS 180-4), and the older hashes that instruments write. */
#ifndef LIMS_KERNEL_DIGEST_H
#define LIMS_KERNEL_DIGEST_H

#include <apr_want.h>

#include "lims.h"

#define LIMS_SHA256_LENGTH 32

/* Computes the SHA-256 of some bytes. False: OpenSSL failed, for lack of memory; return
 * lims_no_digest() then. */
bool lims_sha256(unsigned char digest[LIMS_SHA256_LENGTH], const void *bytes, apr_size_t length);

/* The same of several pieces, concatenated. */
bool lims_sha256_pieces(unsigned char digest[LIMS_SHA256_LENGTH], const struct iovec *pieces,
                        int count);

/* The same in lower-case hexadecimal, of which `shown` bytes are kept. In `pool`;
 * NULL where OpenSSL cannot compute it. */
const char *lims_sha256_hex(const void *bytes, apr_size_t length, apr_size_t shown,
                            apr_pool_t *pool);

/* A digest in lower-case hexadecimal, by OpenSSL's name of the algorithm: "MD5",
 * "SHA1", "SHA256". In `pool`; NULL also where the system's policy forbids it. */
const char *lims_digest_hex(const char *algorithm, const void *bytes, apr_size_t length,
                            apr_pool_t *pool);

#endif /* LIMS_KERNEL_DIGEST_H */
