/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csv_columns.h - reference data in a CSV file: the columns of a noun, and what their cells
 * mean.
 *
 * A column is a member of the noun's records that people maintain, under its name; where the
 * record has the id of another record, the file has that one's code, so that a file means
 * the same in every installation: "testDefinition" instead of "testDefinitionId". Several
 * codes in one cell stand between semicolons. The columns of a key name the record: its
 * code, of a specification the test, the material type and the project.
 */
#ifndef LIMS_REFERENCE_CSV_COLUMNS_H
#define LIMS_REFERENCE_CSV_COLUMNS_H

#include <apr_hash.h>

#include "database/database.h"
#include "kernel/field.h"
#include "lims.h"

/* The nouns that have a file, as their paths name them; NULL ends the list. */
extern const char *const lims_reference_nouns[];

/* Returns the resource of a noun of the list. */
const lims_resource_t *lims_reference_resource(const char *noun);

typedef struct {
    const lims_field_t *field;
    const char *heading;
    const char *referred; /* the noun whose codes the cells have; NULL: they have values */
    bool is_key;
} lims_reference_column_t;

/* Returns the columns of a noun (lims_reference_column_t), in the order of the file. */
const apr_array_header_t *lims_reference_columns(const lims_resource_t *resource, apr_pool_t *pool);

/* Codes and ids of the records that others refer to, both ways. */
typedef struct {
    apr_hash_t *ids;   /* "noun code" -> id */
    apr_hash_t *codes; /* "noun id" -> code */
} lims_reference_codes_t;

/* Reads them from the rows of reference_codes, into `pool`. */
lims_reference_codes_t *lims_reference_codes(const lims_result_t *rows, apr_pool_t *pool);

/* Adds a record. */
void lims_reference_codes_add(lims_reference_codes_t *codes, const char *noun, const char *id,
                              const char *code, apr_pool_t *pool);

/* Returns the text that a cell has for a record's member: `text` is the database's, NULL an
 * empty cell. */
const char *lims_reference_text(const lims_reference_column_t *column, const char *text,
                                const lims_reference_codes_t *codes, apr_pool_t *pool);

/* Validates the text of a cell against its member and adds it to `values` (field.h). White
 * space around it and the apostrophe before what looks like a formula are left out. An empty
 * cell is null, or no value where the member has a fallback. LIMS_E_INVALID_BODY,
 * LIMS_E_INVALID_REFERENCE: no record has this code. */
const lims_error_t *lims_reference_value(lims_values_t *values,
                                         const lims_reference_column_t *column, const char *text,
                                         const lims_reference_codes_t *codes, apr_pool_t *pool);

/* Whether two validated values of a column, or NULL, are the same: numbers by value. */
bool lims_reference_same(const lims_reference_column_t *column, const char *one, const char *other,
                         apr_pool_t *pool);

#endif /* LIMS_REFERENCE_CSV_COLUMNS_H */
