/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evidence.h - what the file itself says for a pointer and against it. The
 * functions that look return NULL, or why the pointer cannot be right.
 */
#ifndef LIMS_EXTRACTION_EVIDENCE_H
#define LIMS_EXTRACTION_EVIDENCE_H

#include <apr_hash.h>

#include "extraction/answer.h"
#include "extraction/candidate.h"

/* A grid and its candidates, and what was found out about its cells: nothing is
 * worked out twice, however many pointers there are. */
typedef struct {
    const lims_grid_t *grid;
    const lims_candidates_t *candidates;
    apr_hash_t *codes, *names; /* folded, to the code; "" where several share it */
    apr_hash_t *named;         /* cell -> tests that it names */
    apr_hash_t *naming;        /* row -> its cells that name tests */
    apr_hash_t *controls;      /* row -> whether the file calls it a control's */
    apr_hash_t *units;         /* text and unit -> lims_unit_found_t */
    apr_hash_t *measures;      /* row -> its cells that hold a unit and nothing else */
    apr_pool_t *pool;
} lims_evidence_t;

lims_evidence_t *lims_evidence_create(const lims_grid_t *grid, const lims_candidates_t *candidates,
                                      apr_pool_t *pool);

/* The row that a pointer's place is in. */
const lims_grid_row_t *lims_evidence_row(const lims_evidence_t *evidence, int sheet, int row);

/* HL7 or ASTM, where what stands above a cell says nothing of it. */
bool lims_evidence_is_message(const lims_evidence_t *evidence);

/* Without a letter that would make it a name. */
bool lims_evidence_is_numeric(const char *text);

/* Whether the value stands in the record of the cell that names the sample: in
 * its row; in a message, below it before the next segment of that kind; in a
 * sheet, below it in its column or its block, with no other sample between. */
const char *lims_evidence_record(const lims_evidence_t *evidence, const lims_pointer_t *pointer);

/* Whether the file calls the row a control's, whatever the model calls it: a
 * duplicate and a spike have the tracking id of their sample. */
const char *lims_evidence_sample(lims_evidence_t *evidence, const lims_pointer_t *pointer);

/* How the file names the test of the value: in the column's header, in the row,
 * by code or name. The name of another test of the file's samples there, also of
 * one that this sample does not have, is a contradiction. */
const char *lims_evidence_test(int *factor, lims_evidence_t *evidence,
                               const lims_candidate_t *candidate, const lims_pointer_t *pointer);

/* The unit of a value (evidence_unit.c). */
typedef struct {
    int factor;       /* hundredths; 0: none was found */
    const char *text; /* as the file spells it; NULL: the file does not say */
    int power;        /* the value times 10^power is in the unit of the test */
} lims_unit_found_t;

/* The unit: of the value's own cell (`beside`, or NULL), of the cell pointed at, of
 * the header, of the row, against the test's. A unit of another quantity, and two
 * units between which nothing decides, are contradictions. */
const char *lims_evidence_unit(lims_unit_found_t *unit, lims_evidence_t *evidence,
                               const lims_candidate_t *candidate, const lims_pointer_t *pointer,
                               const char *beside);

/* A text that begins with a number and goes on with a unit of the test's quantity,
 * "7.1 mg/L": the length of the number; 0: it is none. `*unit` is behind it. */
apr_size_t lims_evidence_split(const char **unit, const char *text,
                               const lims_candidate_t *candidate, apr_pool_t *pool);

#endif /* LIMS_EXTRACTION_EVIDENCE_H */
