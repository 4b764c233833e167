/* SPDX-License-Identifier: Apache-2.0 */
/*
 * grid.h - a file as a grid of numbered cells: the model points at cells, and values are
 * copied from them.
 *
 * A cell has two texts. One is the file's own, unchanged: results, units and qualifiers
 * are copied from it. The other is sent to the model service, with tokens instead of
 * tracking ids. A cell with personal data or a location is not sent, and nothing is
 * copied from a cell that was not sent.
 */
#ifndef LIMS_EXTRACTION_GRID_H
#define LIMS_EXTRACTION_GRID_H

#include "formats/container.h"

/* Longest cell that is sent, bytes; longer ones are prose. */
#define LIMS_GRID_CELL_MAX 200

typedef struct {
    const char *text;        /* trimmed; "": an empty cell */
    const char *shown;       /* text that is sent; NULL: none */
    const char *tracking_id; /* of a candidate in the cell, or NULL */
    lims_cell_e kind;        /* of the file's cell */
} lims_grid_cell_t;

typedef struct {
    int number;  /* of the line, row or segment in the file */
    int message; /* number of the message in the file */
    int count;
    bool named; /* a cell contains a tracking id */
    lims_grid_cell_t *cells;
} lims_grid_row_t;

typedef struct {
    const char *name; /* "": sheets have no names */
    int count;
    lims_grid_row_t *rows;
} lims_grid_sheet_t;

typedef struct {
    lims_container_e container;
    int count;
    lims_grid_sheet_t *sheets; /* without hidden ones */
    int rows, cells;           /* totals; only cells that are not empty */
} lims_grid_t;

/* Reads a file; its type is detected by content. LIMS_E_INVALID_BODY with the first
 * reason if it cannot be read, LIMS_E_PAYLOAD_TOO_LARGE if it has too many rows or cells. */
const lims_error_t *lims_grid_read(lims_grid_t **grid, const char *bytes, apr_size_t length,
                                   int rows_max, int cells_max, apr_pool_t *pool);

/* Returns the cell at a sheet, row and column, counted from 1; NULL: there is none. */
lims_grid_cell_t *lims_grid_cell(const lims_grid_t *grid, int sheet, int row, int column);

/* --- Words, of which tracking ids are some ---------------------------------- */

/* Finds the next word of a text: letters and digits, with - _ . / between them. False: no
 * more; else `*word` points at it and `*rest` behind it. */
bool lims_grid_word(const char **word, apr_size_t *length, const char **rest);

/* Returns the words in the form of tracking ids, each once, as a PostgreSQL array. */
const char *lims_grid_words(const lims_grid_t *grid, apr_pool_t *pool);

#endif /* LIMS_EXTRACTION_GRID_H */
