/* SPDX-License-Identifier: Apache-2.0 */
/*
 * password.h - password hashes of users who sign (21 CFR 11.300): scrypt (RFC 7914) with
 * N = 2^15, r = 8, p = 1, which costs 32 MiB and about 100 ms for each check. Encoded
 * "scrypt$N$r$p$salt$hash", salt and hash in base64.
 */
#ifndef LIMS_KERNEL_PASSWORD_H
#define LIMS_KERNEL_PASSWORD_H

#include "lims.h"

/* Returns the encoded hash of a password with a fresh salt, in `pool`; NULL: OpenSSL
 * failed. */
const char *lims_password_hash(const char *password, apr_pool_t *pool);

/* Whether a password has this hash; compares in constant time. False also if the encoding
 * is malformed or has cost parameters higher than this service writes. */
bool lims_password_verify(const char *encoded, const char *password, apr_pool_t *pool);

/* Whether a hash was made at a lower cost than this service writes: once its password was
 * right, it is to be hashed anew. */
bool lims_password_is_cheap(const char *encoded, apr_pool_t *pool);

/* The hash of a password that nobody has: checking against it takes as long as against
 * somebody's. */
extern const char lims_password_nobodys[];

#endif /* LIMS_KERNEL_PASSWORD_H */
