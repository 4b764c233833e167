/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csv_import.h - a CSV file of reference data against what the laboratory has: the rows that
 * are new or different are written, each under a savepoint, so that the rules of the database
 * are met as by any other writer and every mistake of the file is found at once.
 *
 * Whether it stays is the caller's decision: a dry run does the same and is rolled back.
 */
#ifndef LIMS_REFERENCE_CSV_IMPORT_H
#define LIMS_REFERENCE_CSV_IMPORT_H

#include "lims.h"

/* Maximum number of rows of a file that may be new or different. */
#define LIMS_REFERENCE_CHANGES_MAX 2000

/* Maximum number of mistakes that are kept. */
#define LIMS_REFERENCE_MISTAKES_MAX 1000

/* A cell that differs. */
typedef struct {
    const char *column;
    const char *old; /* as the file would have it; "" of a new record */
    const char *new;
} lims_reference_change_t;

/* A row that is new or differs. */
typedef struct {
    int row;          /* line of the file where it begins */
    const char *name; /* of the record: its key, as the file writes it */
    bool created;
    const apr_array_header_t *changes; /* lims_reference_change_t */
} lims_reference_difference_t;

/* A mistake in the file. */
typedef struct {
    int row;
    const char *column; /* heading, or NULL: the row */
    lims_error_e kind;
    const char *message;
} lims_reference_mistake_t;

typedef struct {
    apr_array_header_t *differences; /* lims_reference_difference_t, in the order of the file */
    apr_array_header_t *mistakes;    /* lims_reference_mistake_t, likewise */
    int created;
    int changed;
    int unchanged;
} lims_reference_outcome_t;

/* Reads the file `bytes` of the noun and writes its differences in the open transaction of
 * the request. The delimiter is a comma, semicolon or tab, whichever the first line has most;
 * the encoding is that of formats/encoding.h. Columns that the file does not have stay as
 * they are, and so do records that it does not name. Returns errors of the file as a whole
 * (LIMS_E_INVALID_BODY) and of the database; mistakes of rows are in the outcome. */
const lims_error_t *lims_reference_import(lims_reference_outcome_t *outcome, lims_request_t *rq,
                                          const char *noun, const char *bytes, apr_size_t length);

#endif /* LIMS_REFERENCE_CSV_IMPORT_H */
