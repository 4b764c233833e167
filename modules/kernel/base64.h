/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base64.h - base64 with its padding and without line breaks (RFC 4648 section 4).
 *
 * The functions that use the caller's memory are for secrets, which must not remain in a
 * pool.
 */
#ifndef LIMS_KERNEL_BASE64_H
#define LIMS_KERNEL_BASE64_H

#include "lims.h"

/* Number of characters for so many bytes, without NUL. */
#define LIMS_BASE64_LENGTH(bytes) (((bytes) + 2) / 3 * 4)

/* Returns the bytes encoded, in `pool`. */
const char *lims_base64_encode(const void *bytes, apr_size_t length, apr_pool_t *pool);

/* Encodes bytes into the caller's memory: `text` takes LIMS_BASE64_LENGTH(length) + 1
 * characters, the last of them a NUL. */
void lims_base64_write(char *text, const void *bytes, apr_size_t length);

/* Decodes to bytes in `pool`, followed by a NUL that `*length` does not count. False: the
 * text is not base64. */
bool lims_base64_decode(const char **bytes, apr_size_t *length, const char *text, apr_pool_t *pool);

/* Decodes the first `size` characters of a text into the caller's memory, which has room
 * for size / 4 * 3 bytes. The caller wipes that memory, also after false. */
bool lims_base64_read(unsigned char *bytes, apr_size_t *length, const char *text, apr_size_t size);

#endif /* LIMS_KERNEL_BASE64_H */
