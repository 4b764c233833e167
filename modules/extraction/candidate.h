/* SPDX-License-Identifier: Apache-2.0 */
/*
 * candidate.h - the scheduled tests that a file can be about: those of samples
 * whose tracking ids stand in it. They come from the database, never from the
 * model, which only says their numbers.
 */
#ifndef LIMS_EXTRACTION_CANDIDATE_H
#define LIMS_EXTRACTION_CANDIDATE_H

#include "extraction/grid.h"

/* Most tests that are laid before the model. */
#define LIMS_CANDIDATES_MAX 2000

typedef struct {
    const char *tracking_id;
    const char *token; /* what the model knows the sample by: S1, S2 … */
    const char *sample_test_id;
    const char *code;
    const char *name;
    const char *folded_code, *folded_name; /* as they are compared */
    const char *unit;                      /* or NULL */
    const char *result;                    /* that stands already, or NULL */
    const char *qualifier;                 /* of it, or NULL */
    bool numeric;
    bool locked; /* verified, or its sample is reported */
} lims_candidate_t;

typedef struct {
    int count;
    lims_candidate_t *items; /* by tracking id, then test */
} lims_candidates_t;

/* Folds codes and names, and gives each tracking id its token: in random order, so
 * that neither the number of a sample nor when it came can be read from it. */
void lims_candidates_name(lims_candidates_t *candidates, apr_pool_t *pool);

/* Puts numbers into random order. */
void lims_shuffle(int *numbers, int count);

/* --- De-identification (privacy.c) ------------------------------------------ */

/* Makes of a grid what may be shown: tracking ids become tokens wherever they
 * stand; what says who or where is taken out: segments and records of patients
 * and comments, columns and fields of operators, physicians, patients, paths. */
void lims_grid_hide(lims_grid_t *grid, const lims_candidates_t *candidates, apr_pool_t *pool);

/* The same for a text that comes beside the file. */
const char *lims_text_hide(const char *text, const lims_candidates_t *candidates, apr_pool_t *pool);

/* The tracking id that a cell holds: the whole of it, or one of its words; NULL
 * when there is none, or two. `*whole` says which. */
const char *lims_tracking_id_in(bool *whole, const char *text, const lims_candidates_t *candidates);

#endif /* LIMS_EXTRACTION_CANDIDATE_H */
