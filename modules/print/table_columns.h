/* SPDX-License-Identifier: Apache-2.0 */
/* table_columns.h - how wide the columns of a table are, and where their numbers align. */
#ifndef LIMS_PRINT_TABLE_COLUMNS_H
#define LIMS_PRINT_TABLE_COLUMNS_H

#include "print/blocks.h"

#define LIMS_TABLE_COLUMNS_MAX 24

/* Space between columns, and of a shape before its text. */
#define LIMS_COLUMN_GAP 8
#define LIMS_SHAPE_SIZE 7.0
#define LIMS_SHAPE_ROOM 10.0

typedef struct {
    double x, width;
    double point; /* of a decimal column: width in front of the decimal points; below 0: the column
                     is too narrow to align them */
} lims_place_t;

/* Returns the style of a cell. */
lims_type_style_e lims_cell_style(const lims_table_column_t *column, const lims_table_cell_t *cell);

/* Returns the number of bytes of a cell's text that stand in front of the decimal point. */
apr_size_t lims_whole_part(const char *text);

/* Works out the places of all columns between the edges of the paper. */
void lims_table_places(lims_place_t *places, const lims_paper_t *paper,
                       const lims_print_table_t *table);

#endif /* LIMS_PRINT_TABLE_COLUMNS_H */
