/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trail.h - the audit trail, as the auditor reads it, and the chain that proves that it is
 * whole.
 */
#ifndef LIMS_TRAIL_H
#define LIMS_TRAIL_H

#include "kernel/chain.h"
#include "lims.h"

extern const lims_resource_t lims_audit_entry;
extern const lims_resource_t lims_audit_block;
extern const lims_resource_t lims_audit_archive;
extern const lims_resource_t lims_electronic_signature;
extern const lims_resource_t lims_signed_content;
extern const lims_resource_t lims_history;

/* Prefix of a head written as one word, "lims-audit-1:ORGANIZATION:BLOCK:HEX": as the
 * error log and the export have it, so that any text with such words can be compared. */
#define LIMS_AUDIT_HEAD "lims-audit-1:"

/* The members of a block's header, as text; times are microseconds since 1970. */
typedef struct {
    const char *organization;
    const char *id;
    const char *from_position;
    const char *to_position;
    const char *closed_at;
    int entries;
    const char *last_head; /* of the block before, in hexadecimal; "-": it is the first */
} lims_block_header_t;

/* Begins a block of the chain. False: OpenSSL failed. */
bool lims_block_begin(lims_chain_t *chain, const lims_block_header_t *header, apr_pool_t *pool);

/* Reads a SHA-256 from the text of a bytea. False: it is none. */
bool lims_block_digest(unsigned char digest[LIMS_SHA256_LENGTH], const char *bytea);

/* Closes the chain of one organization that was not closed in this run: a step of the job
 * "audit". `*entries` is the number of entries of the block, and `*line`, in rq->pool, is a
 * line for the log with its head; NULL: there was nothing to close. `*more`: there may be
 * another. Without a key file nothing is closed. `rows`: most positions of a block. */
const lims_error_t *lims_audit_close(bool *more, int *entries, const char **line,
                                     lims_request_t *rq, int rows);

#endif /* LIMS_TRAIL_H */
