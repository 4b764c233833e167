/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout_fit.c - check that a row has the columns of its table. A missing or
 * surplus cell shifts the cells after it to other columns, that is to other tests
 * or samples.
 */
#include "profiles/layout.h"

#include <apr_strings.h>

bool lims_column_is_numbered(const lims_layout_t *layout, int column)
{
    const int number = column + 1;

    return apr_hash_get(layout->numbered, &number, sizeof(number));
}

static bool refuse_cell(lims_layout_t *layout, const lims_table_t *table, const lims_row_t *row,
                        int column, const char *message)
{
    const lims_layout_scope_t scope = { .sheet = table->sheet };
    const lims_found_t found = lims_found_cell(row, column);

    lims_layout_reason(layout, &scope, LIMS_REASON_STRUCTURE_MISMATCH, true, &found, NULL, "%s",
                       message);
    return false;
}

static bool refuse_row(lims_layout_t *layout, const lims_table_t *table, const lims_row_t *row,
                       const char *message)
{
    const lims_layout_scope_t scope = { .sheet = table->sheet };
    const lims_found_t found = { .row = row->number };

    lims_layout_reason(layout, &scope, LIMS_REASON_STRUCTURE_MISMATCH, true, &found, NULL, "%s",
                       message);
    return false;
}

/* Whether a lost cell shifts those after it; not in a workbook, where each cell
 * has a reference. */
static bool shifts_cells(const lims_layout_t *layout)
{
    return layout->document->container == LIMS_CONTAINER_TEXT ||
           layout->document->container == LIMS_CONTAINER_HTML;
}

/* Checks that a row has enough cells, since it cannot be determined which one is
 * missing. Rows of fixed columns are an exception: they end with their last
 * character. */
static bool is_long_enough(lims_layout_t *layout, const lims_table_t *table, const lims_row_t *row,
                           int least)
{
    const lims_profile_dialect_t *dialect = &layout->profile->dialect;

    if (dialect->ragged || dialect->columns || row->count >= least || !shifts_cells(layout)) {
        return true;
    }
    return refuse_row(layout, table, row,
                      apr_psprintf(layout->pool, "The row has %d cells where the header has %d.",
                                   row->count, least));
}

/* Compares a row with the first row of a table without header: a missing or
 * surplus cell shifts those after it. */
static bool has_columns_of_first(lims_layout_t *layout, const lims_table_t *table,
                                 const lims_row_t *row)
{
    const lims_profile_dialect_t *dialect = &layout->profile->dialect;
    int first;

    if (layout->measured != table->sheet || layout->measured_from != table->begin) {
        layout->measured = table->sheet;
        layout->measured_from = table->begin;
        layout->measured_cells = row->count;
    }
    first = layout->measured_cells;
    if (dialect->ragged || dialect->columns ||
        (dialect->delimiter == '\0' && layout->document->container == LIMS_CONTAINER_TEXT) ||
        !shifts_cells(layout) || row->count == first) {
        return true;
    }
    return refuse_row(layout, table, row,
                      apr_psprintf(layout->pool, "The row has %d cells where the first one has %d.",
                                   row->count, first));
}

bool lims_table_row_fits(lims_layout_t *layout, const lims_table_t *table, const lims_row_t *row)
{
    bool ragged;

    if (!table->columns) {
        return has_columns_of_first(layout, table, row);
    }
    if (!is_long_enough(layout, table, row, table->columns->count)) {
        return false;
    }
    /* Ragged text tables may also have rows with more cells than the header. */
    ragged = layout->profile->dialect.ragged && shifts_cells(layout);
    for (int i = table->columns->count; !ragged && i < row->count; i++) {
        if (lims_cell_says(row, i) && !lims_column_is_numbered(layout, i)) {
            return refuse_cell(layout, table, row, i,
                               apr_psprintf(layout->pool,
                                            "A cell stands behind the last header, in column %d.",
                                            i + 1));
        }
    }
    for (int i = 0; table->lacks && i < table->columns->count; i++) {
        if (lims_cell_says(row, i) && !table->columns->named[i] &&
            !lims_column_is_numbered(layout, i)) {
            return refuse_cell(layout, table, row, i,
                               apr_psprintf(layout->pool,
                                            "A cell stands in column %d, which has no header; and "
                                            "the table has no column for the test %s.",
                                            i + 1, table->lacks));
        }
    }
    return true;
}
