/* SPDX-License-Identifier: Apache-2.0 */
/* findings.h - places that do not fit in the chain of the audit trail, in words. */
#ifndef LIMS_TRAIL_FINDINGS_H
#define LIMS_TRAIL_FINDINGS_H

#include <apr_tables.h>

#include "lims.h"

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
    LIMS_TRAIL_ARCHIVE_FORGED,
    LIMS_TRAIL_KINDS
} lims_trail_e;

/* The names of the kinds, NULL first and last. */
extern const char *const lims_trail_kinds[LIMS_TRAIL_KINDS + 1];

/* Most findings that are told. */
#define LIMS_FINDINGS_MAX 1000

/* A finding: one place that does not fit. Texts live in the pool of the request. */
typedef struct {
    lims_trail_e kind;
    const char *block;   /* NULL: it is in none */
    const char *entry;   /* its id; NULL: no entry is at fault */
    const char *message; /* in words */
} lims_trail_finding_t;

/* Returns an empty list of findings, in `pool`. */
apr_array_header_t *lims_findings_create(apr_pool_t *pool);

/* Adds a finding with its sentence, unless there are LIMS_FINDINGS_MAX. `block` and `entry` are
 * copied; NULL: it is about none. */
void lims_findings_add(apr_array_header_t *findings, lims_trail_e kind, const char *block,
                       const char *entry);

#endif /* LIMS_TRAIL_FINDINGS_H */
