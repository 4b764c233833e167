/* SPDX-License-Identifier: Apache-2.0 */
/*
 * candidate.h - the candidates: scheduled tests of the samples whose tracking ids are in
 * the file. They come from the database; the model refers to them by number.
 */
#ifndef LIMS_EXTRACTION_CANDIDATE_H
#define LIMS_EXTRACTION_CANDIDATE_H

#include "extraction/grid.h"

/* Upper bound of candidates in a request. */
#define LIMS_CANDIDATES_MAX 2000

typedef struct {
    const char *tracking_id;
    const char *token; /* name of the sample for the model: S1, S2 … */
    const char *sample_test_id;
    const char *code;
    const char *name;
    const char *folded_code, *folded_name; /* for comparison */
    const char *unit;                      /* or NULL */
    const char *result;                    /* already entered, or NULL */
    const char *qualifier;                 /* of that result, or NULL */
    const char *locked;                    /* why it takes no entry, or NULL */
    bool numeric;
    bool several; /* the sample has several such tests, of which no file says which */
} lims_candidate_t;

typedef struct {
    int count;
    lims_candidate_t *items; /* by tracking id, then test */
} lims_candidates_t;

/* Folds codes and names, and assigns a token to each tracking id in random order, so that
 * a token does not tell number or age of a sample. */
void lims_candidates_name(lims_candidates_t *candidates, apr_pool_t *pool);

/* Shuffles numbers. */
void lims_shuffle(int *numbers, int count);

/* --- De-identification (privacy.c) ------------------------------------------ */

/* De-identifies a grid: replaces tracking ids by tokens, and hides personal data and
 * locations: segments and records of patients and comments, columns and fields of
 * operators, physicians, patients, paths. */
void lims_grid_hide(lims_grid_t *grid, const lims_candidates_t *candidates, apr_pool_t *pool);

/* De-identifies a text, such as the hint sent with the file. */
const char *lims_text_hide(const char *text, const lims_candidates_t *candidates, apr_pool_t *pool);

/* Returns the candidate's tracking id in a cell: the whole text (`*whole`) or one of its
 * words; NULL: none, or several. */
const char *lims_tracking_id_in(bool *whole, const char *text, const lims_candidates_t *candidates);

#endif /* LIMS_EXTRACTION_CANDIDATE_H */
