/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cells.h - the cells of a file as JSON, for pages that show it as its reader sees it.
 */
#ifndef LIMS_INSTRUMENTS_CELLS_H
#define LIMS_INSTRUMENTS_CELLS_H

#include "formats/read.h"
#include "kernel/field.h"
#include "kernel/writer.h"

/* Rows of a sheet that are written at most. */
#define LIMS_CELLS_ROWS_MAX 1000

/* The rows to write. */
typedef struct {
    const char *sheet; /* name; NULL: every sheet that is not hidden */
    int from, rows;    /* number of the first row, from 1, and how many of each sheet */
} lims_cells_t;

/* Members of a sheet in an answer. */
extern const lims_field_t lims_sheet_fields[];

/* Writes an array of the sheets of `document`; NULL: it is empty. */
void lims_cells_write(lims_writer_t *w, const lims_document_t *document, const lims_cells_t *which);

#endif /* LIMS_INSTRUMENTS_CELLS_H */
