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

/* Computes the SHA-256 of several pieces, concatenated. False as above. */
bool lims_sha256_pieces(unsigned char digest[LIMS_SHA256_LENGTH], const struct iovec *pieces,
                        int count);

/* Returns the first `shown` bytes of the SHA-256 in lower-case hexadecimal, in `pool`.
 * NULL: OpenSSL failed. */
const char *lims_sha256_hex(const void *bytes, apr_size_t length, apr_size_t shown,
                            apr_pool_t *pool);

/* Returns a digest in lower-case hexadecimal, in `pool`. `algorithm` is OpenSSL's name:
 * "MD5", "SHA1", "SHA256". NULL: OpenSSL failed, or the system's policy forbids the
 * algorithm. */
const char *lims_digest_hex(const char *algorithm, const void *bytes, apr_size_t length,
                            apr_pool_t *pool);

#endif /* LIMS_KERNEL_DIGEST_H */
