/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evidence.h - what the file itself says for a pointer and against it. Each
 * function returns NULL, or why the pointer cannot be right.
 */
#ifndef LIMS_EXTRACTION_EVIDENCE_H
#define LIMS_EXTRACTION_EVIDENCE_H

#include "extraction/answer.h"
#include "extraction/candidate.h"

/* Whether the value stands in the record of the cell that names the sample: in
 * its row; in a message, below it before the next segment of that kind; in a
 * sheet, below it in its column or its block, with no other sample between. */
const char *lims_evidence_record(const lims_grid_t *grid, const lims_candidates_t *candidates,
                                 const lims_pointer_t *pointer);

/* How the file names the test of the value: in the row, in the column's header,
 * by code or name. Another test's name there is a contradiction. */
const char *lims_evidence_test(int *factor, const lims_grid_t *grid,
                               const lims_candidates_t *candidates,
                               const lims_candidate_t *candidate, const lims_pointer_t *pointer,
                               apr_pool_t *pool);

/* The unit, of its cell or of the header, against the test's. */
const char *lims_evidence_unit(int *factor, const char **unit, const lims_grid_t *grid,
                               const lims_candidate_t *candidate, const lims_pointer_t *pointer,
                               apr_pool_t *pool);

#endif /* LIMS_EXTRACTION_EVIDENCE_H */
