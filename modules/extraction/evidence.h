/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evidence.h - evidence in the file for and against a pointer. The functions that check
 * one return NULL, or why the pointer is contradicted.
 */
#ifndef LIMS_EXTRACTION_EVIDENCE_H
#define LIMS_EXTRACTION_EVIDENCE_H

#include <apr_hash.h>

#include "extraction/answer.h"
#include "extraction/candidate.h"

/* A grid, its candidates, and caches of what was found about its cells, so that the time
 * does not grow with the number of pointers. */
typedef struct {
    const lims_grid_t *grid;
    const lims_candidates_t *candidates;
    apr_hash_t *codes, *names; /* folded code or name -> code; "": ambiguous */
    apr_hash_t *named;         /* cell -> tests that it names */
    apr_hash_t *naming;        /* row -> its cells that name tests */
    apr_hash_t *controls;      /* row -> whether the file marks it as a control */
    apr_hash_t *units;         /* text and unit -> lims_unit_found_t */
    apr_hash_t *measures;      /* row -> its cells that contain only a unit */
    apr_pool_t *pool;
} lims_evidence_t;

/* Makes the index of what the grid says of these candidates, in `pool`. */
lims_evidence_t *lims_evidence_create(const lims_grid_t *grid, const lims_candidates_t *candidates,
                                      apr_pool_t *pool);

/* Returns the row of a place. */
const lims_grid_row_t *lims_evidence_row(const lims_evidence_t *evidence, int sheet, int row);

/* Whether the file is HL7 or ASTM, where cells above a value are unrelated to it. */
bool lims_evidence_is_message(const lims_evidence_t *evidence);

/* Whether a text is numeric: without letters that would make it a name. */
bool lims_evidence_is_numeric(const char *text);

/* Checks that the value is in the record of the cell that names the sample: in its row;
 * in a message, below it and before the next segment of that kind; in a sheet, below it
 * in its column or block without another sample in between. */
const char *lims_evidence_record(const lims_evidence_t *evidence, const lims_pointer_t *pointer);

/* Checks that the file does not mark the row as a control, whatever the model says:
 * duplicates and spikes have the tracking id of their sample. */
const char *lims_evidence_sample(lims_evidence_t *evidence, const lims_pointer_t *pointer);

/* Checks how the file names the test of the value: in the column's header or in the row,
 * by code or name. The name of another test of the file's samples is a contradiction,
 * also if this sample does not have that test. */
const char *lims_evidence_test(int *factor, lims_evidence_t *evidence,
                               const lims_candidate_t *candidate, const lims_pointer_t *pointer);

/* The unit of a value (evidence_unit.c). */
typedef struct {
    int factor;       /* hundredths; 0: none was found */
    const char *text; /* in the file's spelling; NULL: the file gives no unit */
    int power;        /* value * 10^power is in the unit of the test */
} lims_unit_found_t;

/* Finds the unit of the value and compares it with the test's: in the value's own cell
 * (`beside`, or NULL), the cell that the pointer names, the header, the row. A unit of
 * another quantity and two undecidable units are contradictions. */
const char *lims_evidence_unit(lims_unit_found_t *unit, lims_evidence_t *evidence,
                               const lims_candidate_t *candidate, const lims_pointer_t *pointer,
                               const char *beside);

/* Splits a number followed by a unit of the test's quantity, "7.1 mg/L". Returns the
 * length of the number and points `*unit` behind it; 0: the text has another form. */
apr_size_t lims_evidence_split(const char **unit, const char *text,
                               const lims_candidate_t *candidate, apr_pool_t *pool);

/* Returns the places of the values of pointers (lims_pointer_t), for
 * lims_evidence_qualifier(). */
apr_hash_t *lims_evidence_values(const apr_array_header_t *pointers, apr_pool_t *pool);

/* Copies the qualifier from the cell that the pointer names; NULL: it names none, or an
 * empty one. A qualifier of another value, and one beside this value that the pointer does
 * not name, are contradictions. `values` are those of all pointers of the same look. */
const char *lims_evidence_qualifier(const char **qualifier, const lims_evidence_t *evidence,
                                    apr_hash_t *values, const lims_pointer_t *pointer);

#endif /* LIMS_EXTRACTION_EVIDENCE_H */
