/* SPDX-License-Identifier: Apache-2.0 */
/*
 * grid.h - a file as numbered cells: what the model points into and what is
 * copied from.
 *
 * A cell has two texts. One is the file's own, to the letter: results, units and
 * qualifiers are copied from it. The other is what leaves the house, with sample
 * tokens for tracking ids; a cell that says who or where is not shown at all, and
 * nothing is copied from a cell that was not shown.
 */
#ifndef LIMS_EXTRACTION_GRID_H
#define LIMS_EXTRACTION_GRID_H

#include "formats/container.h"

/* Longest cell, in bytes, that is shown: longer ones are prose. */
#define LIMS_GRID_CELL_MAX 200

typedef struct {
    const char *text;        /* without blanks around it; "" for an empty cell */
    const char *shown;       /* NULL: the cell is not shown */
    const char *tracking_id; /* that it holds, of a candidate; or NULL */
} lims_grid_cell_t;

typedef struct {
    int number;  /* of the line, row or segment in the file */
    int message; /* of several in a file */
    int count;
    bool named; /* a cell of it holds a tracking id */
    lims_grid_cell_t *cells;
} lims_grid_row_t;

typedef struct {
    const char *name; /* "" where sheets have none */
    int count;
    lims_grid_row_t *rows;
} lims_grid_sheet_t;

typedef struct {
    lims_container_e container;
    int count;
    lims_grid_sheet_t *sheets; /* without hidden ones */
    int rows, cells;           /* in all of them; cells that are not empty */
} lims_grid_t;

/* Reads a file by its content. LIMS_E_INVALID_BODY with the first reason when it
 * cannot be read, LIMS_E_PAYLOAD_TOO_LARGE when it has more rows or cells. */
const lims_error_t *lims_grid_read(lims_grid_t **grid, const char *bytes, apr_size_t length,
                                   int rows_max, int cells_max, apr_pool_t *pool);

/* The cell at a sheet, row and column, counted from 1; NULL: there is none. */
lims_grid_cell_t *lims_grid_cell(const lims_grid_t *grid, int sheet, int row, int column);

/* --- Words: where tracking ids can stand ----------------------------------- */

/* The next word of a text: letters, digits and the signs - _ . / between them.
 * False at the end; else `*word` points at it, and `*rest` behind it. */
bool lims_grid_word(const char **word, apr_size_t *length, const char **rest);

/* The words that have the form of tracking ids, each once, as an array of
 * PostgreSQL. */
const char *lims_grid_words(const lims_grid_t *grid, apr_pool_t *pool);

#endif /* LIMS_EXTRACTION_GRID_H */
