/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blocks.h - what documents are made of: headings, paragraphs, facts, tables, charts.
 *
 * Certificates and reports are turned into lists of these, which blocks.c sets one below the
 * other. All texts have gone through lims_visible().
 */
#ifndef LIMS_PRINT_BLOCKS_H
#define LIMS_PRINT_BLOCKS_H

#include "print/shapes.h"
#include "print/paper.h"

typedef struct {
    const char *label, *value; /* value "": a dash is printed */
    lims_type_style_e style;   /* of the value: LIMS_STYLE_BODY, LIMS_STYLE_CODE */
} lims_fact_t;

typedef struct {
    const char *text;   /* "" for an empty cell */
    lims_shape_e shape; /* before the text */
    bool strong;
} lims_table_cell_t;

typedef struct {
    lims_table_cell_t *cells; /* as many as there are columns */
    const char *note;         /* below the row, over all columns; or NULL */
} lims_table_row_t;

typedef enum {
    LIMS_COLUMN_TEXT,
    LIMS_COLUMN_CODE,
    LIMS_COLUMN_NUMBER,  /* at the right edge */
    LIMS_COLUMN_DECIMAL, /* numbers at the decimal point */
    LIMS_COLUMN_MARK,    /* in the middle */
    LIMS_COLUMN_COUNT
} lims_column_kind_e;

typedef struct {
    const char *title;
    lims_column_kind_e kind;
} lims_table_column_t;

typedef struct {
    const lims_table_column_t *columns;
    int column_count;
    lims_table_row_t *rows;
    int row_count;
} lims_print_table_t;

typedef struct lims_chart_t lims_chart_t; /* control_chart.h */

typedef enum {
    LIMS_BLOCK_HEADING,
    LIMS_BLOCK_PARAGRAPH,
    LIMS_BLOCK_FACTS,
    LIMS_BLOCK_TABLE,
    LIMS_BLOCK_CHART,
    LIMS_BLOCK_PAGE, /* a new page */
    LIMS_BLOCK_COUNT
} lims_block_e;

typedef struct lims_block_t lims_block_t;

struct lims_block_t {
    lims_block_e type;
    lims_block_t *next;
    const char *text;        /* of a heading or paragraph */
    lims_type_style_e style; /* of a paragraph */
    const lims_fact_t *facts;
    int fact_count;
    const lims_print_table_t *table;
    const lims_chart_t *chart;
};

/* A list of blocks, to which more are added at its end. */
typedef struct {
    lims_block_t *first, *last;
    int cells; /* of all tables */
    apr_pool_t *pool;
} lims_blocks_t;

/* Adds a block of that type, zeroed but for it. */
lims_block_t *lims_block_add(lims_blocks_t *blocks, lims_block_e type);

/* Adds a table. */
void lims_block_table(lims_blocks_t *blocks, const lims_print_table_t *table);

/* Adds a heading. */
void lims_block_heading(lims_blocks_t *blocks, const char *text);

/* Adds a paragraph in that style. */
void lims_block_paragraph(lims_blocks_t *blocks, lims_type_style_e style, const char *text);

/* LIMS_E_PAYLOAD_TOO_LARGE: there are more cells than LIMS_PRINT_CELLS_MAX, with those that
 * other parts of the document have. */
const lims_error_t *lims_blocks_check(const lims_blocks_t *blocks, int others);

/* Sets blocks from .y on. */
void lims_blocks_set(lims_paper_t *paper, const lims_block_t *first);

/* Sets a paragraph of any length between two edges, over pages. */
void lims_paragraph_set(lims_paper_t *paper, lims_type_style_e style, double x, double width,
                        const char *text);

/* Sets facts in a grid of three columns. */
void lims_facts_set(lims_paper_t *paper, const lims_fact_t *facts, int count);

/* Sets a table, with its head again on each page. */
void lims_table_set(lims_paper_t *paper, const lims_print_table_t *table);

/* Draws a control chart, whole on one page. */
void lims_chart_set(lims_paper_t *paper, const lims_chart_t *chart);

#endif /* LIMS_PRINT_BLOCKS_H */
