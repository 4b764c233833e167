/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chain_check.h - verifying the chain of the audit trail.
 */
#ifndef LIMS_TRAIL_CHAIN_CHECK_H
#define LIMS_TRAIL_CHAIN_CHECK_H

#include "trail/findings.h"
#include "trail/trail.h"

/* The outcome of the verification. Texts live in the pool of the request. */
typedef struct {
    apr_array_header_t
        *findings;        /* lims_trail_finding_t in the order of the chain, of each block the
                                     first; none: the trail is sound */
    apr_int64_t blocks;   /* verified */
    apr_int64_t archived; /* blocks whose entries are archived */
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
 * kept outside, or NULL. A block that does not fit is left at its first entry that does not;
 * the blocks behind it follow its head as it is kept. Stops when it took longer than `most`
 * (0: takes any time). */
const lims_error_t *lims_trail_verify(lims_verdict_t *verdict, lims_request_t *rq, const char *from,
                                      const char *heads, apr_interval_time_t most);

/* Compares heads that were kept outside with those of the chain, without looking at entries
 * (chain_compare.c). Sets .findings, .heads and .last_block, the last of them. */
const lims_error_t *lims_trail_compare(lims_verdict_t *verdict, lims_request_t *rq,
                                       const char *heads);

#endif /* LIMS_TRAIL_CHAIN_CHECK_H */
