/* SPDX-License-Identifier: Apache-2.0 */
/*
 * key.h - API keys: "lk_", 40 random base-62 characters (238 bits), and 6 base-62
 * characters of CRC-32 over those 40. By the checksum a mistyped or invented key is
 * refused without asking the database, and secret scanners recognise a real one. It is no
 * authentication: that is the comparison with the hash in the database.
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

/* Makes a key, in `pool`; NULL: the system's random generator failed. */
const char *lims_key_generate(apr_pool_t *pool);

/* Whether a text has the form of a key and the right checksum. */
bool lims_key_well_formed(const char *text);

/* Computes the SHA-256 of the whole key, by which the database knows it. False: OpenSSL
 * failed. */
bool lims_key_hash(unsigned char hash[LIMS_KEY_HASH_LENGTH], const char *text);

/* Returns the part of a key that may be shown, in `pool`: "lk_AbCdE..." */
const char *lims_key_prefix(const char *text, apr_pool_t *pool);

/* Compares two memory areas in constant time: it depends on the length alone. */
bool lims_equal_constant_time(const void *a, const void *b, apr_size_t length);

#endif /* LIMS_KERNEL_KEY_H */
