/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.h - rows of the database as JSON records.
 *
 * The functions write the members of a record, its LIMS_F_OUT fields in the order of the
 * table. The caller opens and closes the object, and can add members.
 */
#ifndef LIMS_KERNEL_RECORD_H
#define LIMS_KERNEL_RECORD_H

#include "kernel/writer.h"
#include "lims.h"

/* Returns the text of the named column of a row; NULL for SQL NULL. */
typedef const char *(lims_record_value_fn)(void *row, const char *name);

/* Returns the text of a cell; NULL for SQL NULL. */
typedef const char *(lims_record_cell_fn)(void *result, int row, int column);

/* Writes the members of a record; `value` is called with `row` for each field. */
void lims_record_write(lims_writer_t *w, const lims_field_t *fields, lims_record_value_fn *value,
                       void *row);

/* Writes the members of a record with columns that were looked up once for many rows:
 * columns[i] belongs to fields[i] of the whole table (fields without LIMS_F_OUT are
 * skipped); a negative column is written as null, a LIMS_F_DIGEST as the record's tag. */
void lims_record_write_columns(lims_writer_t *w, const lims_field_t *fields, const int *columns,
                               lims_record_cell_fn *cell, void *result, int row);

/* Returns the tag of a row that was rendered so: 32 hexadecimal digits of a SHA-1 over its
 * LIMS_F_OUT members without LIMS_F_UNTAGGED, in `pool`. */
const char *lims_record_tag(const lims_field_t *fields, const int *columns,
                            lims_record_cell_fn *cell, void *result, int row, apr_pool_t *pool);

/* Writes the members of a record from an array: texts[i] belongs to fields[i]; NULL is
 * written as null. */
void lims_record_write_texts(lims_writer_t *w, const lims_field_t *fields,
                             const char *const *texts);

/* Writes one value of PostgreSQL text in the JSON form of the field's type. */
void lims_record_write_value(lims_writer_t *w, const lims_field_t *field, const char *text);

#endif /* LIMS_KERNEL_RECORD_H */
