/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signed_lines.h - signed files of the trail: lines of JSON (a head, or an entry, on each), the
 * last of which signs what stands before it:
 *
 *     {"signed":"SUBJECT:SHA256","keyId":"KEY","signature":"BASE64"}
 *
 * SHA256 is the digest of all bytes before this line, in hexadecimal, and the signature, by
 * Ed25519 (kernel/ed25519.h), is of the text of "signed". The public key is enough to verify it.
 */
#ifndef LIMS_TRAIL_SIGNED_LINES_H
#define LIMS_TRAIL_SIGNED_LINES_H

#include "lims.h"

/* Beginning of the last line. */
#define LIMS_SIGNED_LAST "{\"signed\":"

/* The digest of the lines so far. */
typedef struct lims_signed_lines_t lims_signed_lines_t;

/* Content of a last line. */
typedef struct {
    const char *subject; /* before the digest, such as "lims-audit-heads-1:7:1:120" */
    const char *sha256;  /* in hexadecimal */
    const char *key_id;
    const char *signature; /* in base64 */
} lims_signed_t;

/* Begins a file, in `pool`. */
lims_signed_lines_t *lims_signed_lines_begin(apr_pool_t *pool);

/* Adds bytes of its lines. */
void lims_signed_lines_add(lims_signed_lines_t *lines, const char *bytes, apr_size_t length);

/* Ends the file: returns its last line with its end, signed by the first key of the key ring, in
 * `pool`, and what that says. NULL: OpenSSL failed. */
const char *lims_signed_lines_end(lims_signed_t *said, lims_signed_lines_t *lines,
                                  const char *subject, const lims_keyring_t *ring,
                                  apr_pool_t *pool);

/* Ends a file that is read: checks its last line. Returns NULL, or what is wrong, as a
 * sentence without its end. */
const char *lims_signed_lines_check(lims_signed_t *said, lims_signed_lines_t *lines,
                                    const char *last, apr_size_t length, const lims_keyring_t *ring,
                                    apr_pool_t *pool);

#endif /* LIMS_TRAIL_SIGNED_LINES_H */
