/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seal.h - encryption of secrets at rest: AES-256-GCM (NIST SP 800-38D) with a key from a
 * file outside the database, so that the database or its backup reveals no secret.
 *
 * The key file has one key per line, `<id> <32 bytes in base64>`; empty lines and lines
 * that begin with # are skipped. The first key seals (encrypts), every key opens
 * (decrypts). To replace a key: put a new one first, seal all secrets again, remove the
 * old one. `limsctl secret-key` makes the line.
 *
 * A sealed secret contains the id of its key and is bound to a context, such as
 * "endpoint 7 of organization 1": copied to another row it cannot be opened.
 *
 *     1 byte     version, 1
 *     1 byte     length of the key's id
 *     n bytes    the key's id
 *     12 bytes   nonce, random: good for 2^32 secrets under one key
 *     m bytes    the secret, encrypted
 *     16 bytes   tag, over all of the above and the context
 */
#ifndef LIMS_KERNEL_SEAL_H
#define LIMS_KERNEL_SEAL_H

#include "lims.h"

/* Bytes of a key, longest id of one, and most keys in a file. */
#define LIMS_SEAL_KEY_LENGTH 32
#define LIMS_SEAL_ID_MAX 32
#define LIMS_SEAL_KEYS_MAX 16

/* Longest secret, in bytes. */
#define LIMS_SEAL_SECRET_MAX 1024

/* The text of a file that is its owner's alone, at most 16 KB, wiped with the
 * pool; NULL when there is no such file. NULL, or what is wrong with it. */
const char *lims_secret_file_read(const char **text, const char *file, apr_pool_t *pool);

/* Reads a key file: a regular file that belongs to root or to who reads it, and
 * that nobody else may read or write. NULL, or what is wrong with it and what to
 * do. The keys are wiped when the pool goes; `ring` may be used by many threads. */
const char *lims_keyring_read(const lims_keyring_t **ring, const char *file, apr_pool_t *pool);

/* Puts a new key of that id at the head of a key file, and makes the file if
 * there is none. Whoever reads it meanwhile, or after a crash, finds the old
 * file or the new one. NULL, or what is wrong; then nothing was changed. */
const char *lims_keyring_add(const char *file, const char *id, apr_pool_t *pool);

/* The keys of the text of such a file. `name` is what messages call it. */
const char *lims_keyring_parse(const lims_keyring_t **ring, const char *text, const char *name,
                               apr_pool_t *pool);

/* The key that seals. */
const char *lims_keyring_first(const lims_keyring_t *ring);

/* Whether there is a key of that id. */
bool lims_keyring_has(const lims_keyring_t *ring, const char *id);

/* A line for a key file, without the end of line: a new key with that id, which
 * is valid. NULL when the system has no randomness to give. Wiped with the pool. */
const char *lims_keyring_line(const char *id, apr_pool_t *pool);

/* Whether a text may be a key's id: 1 to LIMS_SEAL_ID_MAX of A-Z a-z 0-9 . _ - */
bool lims_keyring_id_valid(const char *id);

/* Seals a secret. Returns the text of a bytea, "\x0108…", ready to bind; NULL: OpenSSL
 * failed. */
const char *lims_seal(const lims_keyring_t *ring, const char *secret, const char *context,
                      apr_pool_t *pool);

/* Opens what lims_seal() made, given as the text of a bytea. NULL and the
 * secret, which is wiped when the pool goes, or why it does not open; the reason
 * is for the log and tells nothing of the secret. */
const char *lims_unseal(const char **secret, const lims_keyring_t *ring, const char *sealed,
                        const char *context, apr_pool_t *pool);

/* What everything sealed by the first key begins with, as the text of a bytea. */
const char *lims_seal_prefix(const lims_keyring_t *ring, apr_pool_t *pool);

/* Zeroed memory that is wiped before the pool gives it back. */
void *lims_wiped_alloc(apr_size_t length, apr_pool_t *pool);

#endif /* LIMS_KERNEL_SEAL_H */
