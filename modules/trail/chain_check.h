/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chain_check.h - verifying the chain of the audit trail.
 */
#ifndef LIMS_TRAIL_CHAIN_CHECK_H
#define LIMS_TRAIL_CHAIN_CHECK_H

#include <apr_hash.h>

#include "trail/trail.h"

/* The kinds of failures of the verification. */
typedef enum {
    LIMS_TRAIL_SOUND,
    LIMS_TRAIL_CHANGED,
    LIMS_TRAIL_REMOVED,
    LIMS_TRAIL_INSERTED,
    LIMS_TRAIL_BACKDATED,
    LIMS_TRAIL_BLOCK_MISSING,
    LIMS_TRAIL_KEY_MISSING,
    LIMS_TRAIL_OTHER_HEAD,
    LIMS_TRAIL_CUT_OFF,
    LIMS_TRAIL_KINDS
} lims_trail_e;

/* The names of the kinds, NULL first and last. */
extern const char *const lims_trail_kinds[LIMS_TRAIL_KINDS + 1];

/* The outcome of the verification. Texts live in the pool of the request. */
typedef struct {
    lims_trail_e kind;   /* of the first that does not fit */
    const char *block;   /* its block; NULL: it is in none */
    const char *entry;   /* its id; NULL: no entry is at fault */
    const char *message; /* in words */
    apr_int64_t blocks;  /* verified */
    apr_int64_t entries;
    const char *last_block; /* NULL: there is none */
    const char *last_head;
    apr_int64_t open;       /* entries not yet closed */
    const char *first_open; /* the id of the first, or NULL */
    apr_int64_t heads;      /* compared with those kept outside */
    const char *next;       /* first block that was not verified, because the time was up; else
                             * NULL */
} lims_verdict_t;

/* Verifies the chain of the organization from the block `from` on ("1": from the
 * beginning); the blocks before are taken as verified. `heads`: a text with heads that were
 * kept outside, or NULL. Stops at the first entry that does not fit, and when it took
 * longer than `most` (0: takes any time). */
const lims_error_t *lims_trail_verify(lims_verdict_t *verdict, lims_request_t *rq, const char *from,
                                      const char *heads, apr_interval_time_t most);

#endif /* LIMS_TRAIL_CHAIN_CHECK_H */
