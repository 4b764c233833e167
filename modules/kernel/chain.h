/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chain.h - the MACs of the audit trail's chain: HMAC-SHA-256 (RFC 2104, FIPS 180-4) under
 * a key of the key file (seal.h), which the database does not have.
 *
 *     M(0) = HMAC(key, header of the block)
 *     M(i) = HMAC(key, M(i-1) followed by the SHA-256 of the i-th entry)
 *
 * The header names organization, block, positions, time, number of entries and the head of
 * the block before. The mark of an entry is the first 16 bytes of its M(i), so that the
 * first entry that does not fit can be named; the head of a block is the last M(i), whole.
 */
#ifndef LIMS_KERNEL_CHAIN_H
#define LIMS_KERNEL_CHAIN_H

#include <apr_hash.h>

#include "kernel/digest.h"
#include "lims.h"

#define LIMS_CHAIN_MARK 16

typedef struct lims_chain_t lims_chain_t;

/* Returns a chain under the key of that id, in `pool`; the key is wiped with it. NULL: the
 * key ring has no such key, or OpenSSL failed. */
lims_chain_t *lims_chain_create(const lims_keyring_t *ring, const char *key_id, apr_pool_t *pool);

/* Returns the chain under the key of that id from `chains` (lims_chain_t by the key's id), where
 * it is kept from the first call on; in the pool of the hash. NULL as above. */
lims_chain_t *lims_chain_of(apr_hash_t *chains, const lims_keyring_t *ring, const char *key_id);

/* Begins a block. False: OpenSSL failed. */
bool lims_chain_begin(lims_chain_t *chain, const char *header);

/* Adds the SHA-256 of an entry. False: OpenSSL failed. */
bool lims_chain_add(lims_chain_t *chain, const unsigned char digest[LIMS_SHA256_LENGTH]);

/* Returns the present MAC: LIMS_SHA256_LENGTH bytes, whose first LIMS_CHAIN_MARK are the
 * mark of the entry that was added last. */
const unsigned char *lims_chain_mac(const lims_chain_t *chain);

/* Whether the mark of the entry that was added last stands at a place, from 0 on, among marks in
 * hexadecimal. */
bool lims_chain_fits_mark(const lims_chain_t *chain, const char *marks, int place);

/* Whether a head in hexadecimal is the present MAC. */
bool lims_chain_fits_head(const lims_chain_t *chain, const char *head);

#endif /* LIMS_KERNEL_CHAIN_H */
