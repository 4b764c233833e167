/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ed25519.h - signatures by Ed25519 (RFC 8032) under a key that is derived from one of the
 * key file (seal.h): whoever has the public key verifies them, and cannot make them.
 */
#ifndef LIMS_KERNEL_ED25519_H
#define LIMS_KERNEL_ED25519_H

#include "lims.h"

/* Returns the signature of a text under the key of that id, in base64, in `pool`. NULL: the
 * key ring has no such key, or OpenSSL failed. */
const char *lims_ed25519_sign(const lims_keyring_t *ring, const char *key_id, const char *text,
                              apr_pool_t *pool);

/* Whether `signature`, in base64, is that of a text under the key of that id. */
bool lims_ed25519_verify(const lims_keyring_t *ring, const char *key_id, const char *signature,
                         const char *text, apr_pool_t *pool);

/* Returns the public key as PEM (RFC 8410), in `pool`. NULL as above. */
const char *lims_ed25519_public_key(const lims_keyring_t *ring, const char *key_id,
                                    apr_pool_t *pool);

#endif /* LIMS_KERNEL_ED25519_H */
