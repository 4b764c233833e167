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

/* Text of the named column of a row; NULL is SQL null. */
typedef const char *(lims_record_value_fn)(void *row, const char *name);

/* Text of a cell; NULL is SQL null. */
typedef const char *(lims_record_cell_fn)(void *result, int row, int column);

void lims_record_write(lims_writer_t *w, const lims_field_t *fields, lims_record_value_fn *value,
                       void *row);

/* The same with columns looked up once for many rows: columns[i] belongs to
 * fields[i] of the whole table (also those that are not LIMS_F_OUT, which are
 * passed over); a negative column is written as null. */
void lims_record_write_columns(lims_writer_t *w, const lims_field_t *fields, const int *columns,
                               lims_record_cell_fn *cell, void *result, int row);

/* The same of texts in the order of the table: texts[i] belongs to fields[i]. */
void lims_record_write_texts(lims_writer_t *w, const lims_field_t *fields,
                             const char *const *texts);

/* Writes one value of PostgreSQL text in the JSON form of the field's type. */
void lims_record_write_value(lims_writer_t *w, const lims_field_t *field, const char *text);

#endif /* LIMS_KERNEL_RECORD_H */
