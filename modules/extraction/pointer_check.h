/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pointer_check.h - checks of the model's pointers: the value is copied from the cell that
 * a pointer names, and checked against the file and the scheduled tests.
 *
 * The model is not trusted. A pointer that fails a hard check is rejected. The
 * confidence of the others is the product of the factors below, which rest on evidence
 * in the file; the model is not asked for its own certainty.
 */
#ifndef LIMS_EXTRACTION_POINTER_CHECK_H
#define LIMS_EXTRACTION_POINTER_CHECK_H

#include "extraction/answer.h"
#include "extraction/candidate.h"

/* In hundredths. */
#define LIMS_ID_EXACT 100      /* the cell is the tracking id */
#define LIMS_ID_WITHIN 97      /* the tracking id is a word of the cell */
#define LIMS_TEST_CODE 100     /* a header or a cell of the row is the test's code */
#define LIMS_TEST_WITHIN 97    /* the code is a word of one */
#define LIMS_TEST_NAME 95      /* a header or a cell of the row is the test's name */
#define LIMS_TEST_MODEL 70     /* only the model names the test */
#define LIMS_UNIT_EQUAL 100    /* identical, or neither the test nor the file has a unit */
#define LIMS_UNIT_SPELLING 98  /* another spelling of the same unit */
#define LIMS_UNIT_CONVERTED 95 /* another unit; the value was converted exactly */
#define LIMS_UNIT_MISSING 85
#define LIMS_LOOKS_AGREE 100   /* both looks at the file agree */
#define LIMS_LOOKS_DISAGREE 60 /* only one look has the value */

typedef enum {
    LIMS_MATCH_APPLIED,
    LIMS_MATCH_PROPOSED,
    LIMS_MATCH_BELOW_THRESHOLD,
    LIMS_MATCH_UNMATCHED,
    LIMS_MATCH_AMBIGUOUS,
    LIMS_MATCH_LOCKED,
    LIMS_MATCH_REJECTED_CHECK,
    LIMS_MATCH_COUNT
} lims_match_status_e;

/* Names of lims_match_status_e, then NULL. */
extern const char *const lims_match_names[];

typedef struct {
    lims_match_status_e status;
    const char *message;               /* for people, or NULL */
    const char *tracking_id;           /* or NULL */
    const lims_candidate_t *candidate; /* NULL: unmatched */
    const char *cell;                  /* text of the cell of the value, unchanged; NULL: none */
    lims_cell_e cell_kind;
    const char *cell_unit;     /* in the file's spelling, or NULL */
    const char *result, *unit; /* as in the cell, or converted to the test's unit */
    const char *qualifier;     /* or NULL */
    /* Hundredths; 0: not determined. */
    int id_factor, test_factor, unit_factor;
    int looks_factor;  /* 0: there was only one look */
    int confidence;    /* millionths */
    const char *sheet; /* with the value */
    int sheet_number;
    int row, column; /* in the numbering of the file */
} lims_finding_t;

/* Checks pointers (lims_pointer_t) against their grid. `second`, unless NULL, are the
 * pointers of a second look: a value that only one look has gets a lower confidence, and
 * a cell that the looks assign differently is ambiguous; no confidence is raised.
 * Returns findings (lims_finding_t) in the order of the file; those that may be entered
 * are PROPOSED. `threshold` is in millionths. */
apr_array_header_t *lims_pointers_check(const apr_array_header_t *pointers,
                                        const apr_array_header_t *second, const lims_grid_t *grid,
                                        const lims_candidates_t *candidates, int threshold,
                                        apr_pool_t *pool);

#endif /* LIMS_EXTRACTION_POINTER_CHECK_H */
