/* SPDX-License-Identifier: Apache-2.0 */
/*
 * archive_file.h - archives of the audit trail: signed files (signed_lines.h) with the entries
 * of old blocks. The first line says whose they are; then comes a line for each block, as it
 * was closed, with a line for each of its entries behind it.
 *
 * A file is verified by itself, with the key file: the digest of each entry is computed from
 * its line, the MACs of the chain from the digests.
 */
#ifndef LIMS_TRAIL_ARCHIVE_FILE_H
#define LIMS_TRAIL_ARCHIVE_FILE_H

#include "lims.h"
#include "trail/signed_lines.h"

/* Format of the file, named in its first line and by its signature. */
#define LIMS_ARCHIVE_FORMAT "lims-audit-archive-1"

/* A file that is being written. */
typedef struct lims_archive_out_t lims_archive_out_t;

/* Content of a file, once it is verified. Texts live in the pool that was given. */
typedef struct {
    const char *organization; /* id */
    const char *from_block;
    const char *to_block;
    apr_int64_t blocks;
    apr_int64_t entries;
    apr_int64_t last_entry_at; /* time of the youngest, microseconds since 1970 */
    const char *head;          /* of the last block, in hexadecimal */
    apr_array_header_t *heads; /* const char *: of each block in order */
    lims_signed_t said;
} lims_archive_t;

/* Begins the file `name`, which must not exist, under another name beside it. Returns NULL, or
 * the problem. */
const char *lims_archive_begin(lims_archive_out_t **out, const char *name, apr_pool_t *pool);

/* Appends a line, without its end. Returns NULL, or the problem. */
const char *lims_archive_line(lims_archive_out_t *out, const char *line);

/* Signs the file and makes it durable (fsync), still under its other name, which becomes `*name`.
 * Returns NULL, or the problem. */
const char *lims_archive_end(const char **name, lims_archive_out_t *out, const char *subject,
                             const lims_keyring_t *ring);

/* Gives the file its own name, durably. Returns NULL, or the problem. */
const char *lims_archive_publish(lims_archive_out_t *out);

/* Removes the file that was not published. */
void lims_archive_discard(lims_archive_out_t *out);

/* Returns the text that the last line signs, without its digest: format, organization, blocks,
 * number of entries and the head of the last block (as audit_archive_signed has it in SQL). */
const char *lims_archive_subject(const lims_archive_t *archive, apr_pool_t *pool);

/* Reads and verifies a file. Returns NULL, or what is wrong with it, as a sentence without its
 * end. */
const char *lims_archive_verify(lims_archive_t *archive, const char *name,
                                const lims_keyring_t *ring, apr_pool_t *pool);

#endif /* LIMS_TRAIL_ARCHIVE_FILE_H */
