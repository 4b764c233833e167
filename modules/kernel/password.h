/* SPDX-License-Identifier: Apache-2.0 */
/*
 * password.h - passwords of people who sign (21 CFR 11.300), as scrypt
 * (RFC 7914) with N = 2^15, r = 8, p = 1: 32 MiB and some 100 ms a try.
 * Encoded "scrypt$N$r$p$salt$hash", salt and hash in base64.
 */
#ifndef LIMS_KERNEL_PASSWORD_H
#define LIMS_KERNEL_PASSWORD_H

#include "lims.h"

/* Encoded hash with a fresh salt; NULL when OpenSSL fails. */
const char *lims_password_hash(const char *password, apr_pool_t *pool);

/* Compares in constant time. False also for an encoding that is malformed or
 * whose cost is beyond what this service ever writes. */
bool lims_password_verify(const char *encoded, const char *password, apr_pool_t *pool);

#endif /* LIMS_KERNEL_PASSWORD_H */
