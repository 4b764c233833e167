/* SPDX-License-Identifier: Apache-2.0 */
/*
 * key.h - API keys: "lk_", 40 random base-62 characters (238 bits), and 6
 * base-62 characters of CRC-32 over those 40. The checksum lets a mistyped or
 * invented key be refused without the database, and secret scanners recognise
 * a real one. It proves nothing: the hash in the database does.
 */
#ifndef LIMS_KERNEL_KEY_H
#define LIMS_KERNEL_KEY_H

#include "kernel/digest.h"
#include "lims.h"

#define LIMS_KEY_PREFIX "lk_"
#define LIMS_KEY_RANDOM 40
#define LIMS_KEY_CHECKSUM 6
#define LIMS_KEY_LENGTH (3 + LIMS_KEY_RANDOM + LIMS_KEY_CHECKSUM)
#define LIMS_KEY_HASH_LENGTH LIMS_SHA256_LENGTH

/* Makes a key; NULL: the system has no randomness. */
const char *lims_key_generate(apr_pool_t *pool);

/* Whether form and checksum are right. */
bool lims_key_well_formed(const char *text);

/* SHA-256 of the whole key; false when OpenSSL fails. */
bool lims_key_hash(unsigned char hash[LIMS_KEY_HASH_LENGTH], const char *text);

/* Returns the part of a key that may be shown: "lk_AbCdE..." */
const char *lims_key_prefix(const char *text, apr_pool_t *pool);

/* Compares in a time that depends on the length alone. */
bool lims_equal_constant_time(const void *a, const void *b, apr_size_t length);

#endif /* LIMS_KERNEL_KEY_H */
