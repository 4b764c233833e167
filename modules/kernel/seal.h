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

/* Bytes of a key, longest id of a key in characters, most keys in a file. */
#define LIMS_SEAL_KEY_LENGTH 32
#define LIMS_SEAL_ID_MAX 32
#define LIMS_SEAL_KEYS_MAX 16

/* Longest secret, in bytes. */
#define LIMS_SEAL_SECRET_MAX 1024

/* Reads a file of at most 16 KB that only its owner may read or write. `*text` is wiped
 * when the pool is destroyed; it is NULL if the file does not exist. Returns NULL, or the
 * problem. */
const char *lims_secret_file_read(const char **text, const char *file, apr_pool_t *pool);

/* The same for a file that is no text; a byte 0 follows those of the file. */
const char *lims_secret_bytes_read(const char **bytes, apr_size_t *length, const char *file,
                                   apr_pool_t *pool);

/* Reads a key file: a regular file that belongs to root or to the user of this process,
 * and that nobody else may read or write. Returns NULL, or the problem and its remedy.
 * The keys are wiped when the pool is destroyed; threads may share `ring`. */
const char *lims_keyring_read(const lims_keyring_t **ring, const char *file, apr_pool_t *pool);

/* Inserts a new key with that id at the head of a key file, which is created if there is
 * none. The file is replaced atomically: another process, also after a crash, finds the
 * old file or the new one. Returns NULL, or the problem; nothing was changed then. */
const char *lims_keyring_add(const char *file, const char *id, apr_pool_t *pool);

/* Parses the text of a key file; messages call the file `name`. Returns NULL, or the
 * problem. */
const char *lims_keyring_parse(const lims_keyring_t **ring, const char *text, const char *name,
                               apr_pool_t *pool);

/* Returns the id of the first key, which seals. */
const char *lims_keyring_first(const lims_keyring_t *ring);

/* Whether the key ring has a key with that id. */
bool lims_keyring_has(const lims_keyring_t *ring, const char *id);

/* Derives a key for another purpose from the key of that id: HMAC-SHA-256 of `purpose`.
 * The caller wipes it. False: there is no such key, or OpenSSL failed. */
bool lims_keyring_derive(unsigned char derived[LIMS_SEAL_KEY_LENGTH], const lims_keyring_t *ring,
                         const char *id, const char *purpose);

/* Makes a line for a key file, without the end of line: a new key with that id, which
 * must be valid. The line is wiped when the pool is destroyed. NULL: the system's random
 * generator failed. */
const char *lims_keyring_line(const char *id, apr_pool_t *pool);

/* Whether a text may be a key's id: 1 to LIMS_SEAL_ID_MAX of A-Z a-z 0-9 . _ - */
bool lims_keyring_id_valid(const char *id);

/* Seals a secret. Returns the text of a bytea, "\x0108…", ready to bind; NULL: OpenSSL
 * failed. */
const char *lims_seal(const lims_keyring_t *ring, const char *secret, const char *context,
                      apr_pool_t *pool);

/* Opens (decrypts) a sealed secret, given as the text of a bytea. Returns NULL and sets
 * `*secret`, which is wiped when the pool is destroyed; or returns the reason why it
 * cannot be opened, for the log, which reveals nothing of the secret. */
const char *lims_unseal(const char **secret, const lims_keyring_t *ring, const char *sealed,
                        const char *context, apr_pool_t *pool);

/* Returns the prefix that all secrets sealed by the first key have in common, as the text
 * of a bytea. */
const char *lims_seal_prefix(const lims_keyring_t *ring, apr_pool_t *pool);

/* Allocates zeroed memory that is wiped when the pool is destroyed. */
void *lims_wiped_alloc(apr_size_t length, apr_pool_t *pool);

#endif /* LIMS_KERNEL_SEAL_H */
