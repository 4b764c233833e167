/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pointer_check.h - what is made of the model's pointers: the value is copied out of the
 * cell that it points at, and everything that can be checked is checked.
 *
 * Nothing here trusts the model. A pointer that fails a hard check is worth
 * nothing; of the others the confidence is worked out from evidence in the file:
 * the factors below, multiplied. What the model says of its own certainty is not
 * asked for.
 */
#ifndef LIMS_EXTRACTION_POINTER_CHECK_H
#define LIMS_EXTRACTION_POINTER_CHECK_H

#include "extraction/answer.h"
#include "extraction/candidate.h"

/* In hundredths. */
#define LIMS_ID_EXACT 100      /* the cell is the tracking id */
#define LIMS_ID_WITHIN 97      /* it is a word of the cell */
#define LIMS_TEST_CODE 100     /* a header or a cell of the row is the test's code */
#define LIMS_TEST_WITHIN 97    /* it is a word of one */
#define LIMS_TEST_NAME 95      /* the test's name */
#define LIMS_TEST_MODEL 70     /* nothing but the model says so */
#define LIMS_UNIT_EQUAL 100    /* to the letter, or the test has none and the file neither */
#define LIMS_UNIT_SPELLING 98  /* another spelling of the same unit */
#define LIMS_UNIT_CONVERTED 95 /* another one, by which the number was moved exactly */
#define LIMS_UNIT_MISSING 85
#define LIMS_LOOKS_AGREE 100   /* two looks at the file say the same */
#define LIMS_LOOKS_DISAGREE 60 /* the value is in one of them alone */

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

/* By lims_match_status_e, NULL last. */
extern const char *const lims_match_names[];

typedef struct {
    lims_match_status_e status;
    const char *message;               /* for a person, or NULL */
    const char *tracking_id;           /* or NULL */
    const lims_candidate_t *candidate; /* NULL: unmatched */
    const char *cell;                  /* that holds the value, to the letter; NULL: none */
    const char *cell_unit;             /* as the file spells it, or NULL */
    const char *result, *unit;         /* the same, or both converted to the test's unit */
    const char *qualifier;             /* or NULL */
    /* Hundredths; 0: not judged. */
    int id_factor, test_factor, unit_factor;
    int looks_factor;  /* 0: there was but one look */
    int confidence;    /* millionths */
    const char *sheet; /* of the value */
    int sheet_number;
    int row, column; /* as the file counts them */
} lims_finding_t;

/* Judges pointers (lims_pointer_t) against the grid that they point into. With
 * `second` they come from two looks at the file: what only one of them has counts
 * for less, and what they take for different things is ambiguous. Nothing counts
 * for more than with one look. The findings (lims_finding_t) are in the order of
 * the file; those that may be entered are PROPOSED. `threshold` is in millionths. */
apr_array_header_t *lims_pointers_check(const apr_array_header_t *pointers,
                                        const apr_array_header_t *second, const lims_grid_t *grid,
                                        const lims_candidates_t *candidates, int threshold,
                                        apr_pool_t *pool);

#endif /* LIMS_EXTRACTION_POINTER_CHECK_H */
