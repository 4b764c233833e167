/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evidence_qualifier.c - the qualifier of a value in the file.
 *
 * 5 is another result than 5 with U beside it. A qualifier that the model passed over, or
 * took from another value, is a contradiction.
 */
#include <apr_strings.h>
#include <string.h>

#include "extraction/evidence.h"
#include "kernel/vocabulary.h"

static const char *place_of(int sheet, lims_at_t at, apr_pool_t *pool)
{
    return apr_psprintf(pool, "%d %d %d", sheet, at.row, at.column);
}

apr_hash_t *lims_evidence_values(const apr_array_header_t *pointers, apr_pool_t *pool)
{
    apr_hash_t *values = apr_hash_make(pool);

    for (int i = 0; i < pointers->nelts; i++) {
        const lims_pointer_t *pointer = &APR_ARRAY_IDX(pointers, i, lims_pointer_t);

        apr_hash_set(values, place_of(pointer->sheet, pointer->value, pool), APR_HASH_KEY_STRING,
                     pointer);
    }
    return values;
}

static bool is_qualifier(const char *text)
{
    const char *const *known = lims_result_qualifiers;

    while (*known && strcmp(text, *known) != 0) {
        known++;
    }
    return *known;
}

/* Whether a qualifier stands before its number, as < and > do. */
static bool is_sign(const char *text)
{
    return text[0] == '<' || text[0] == '>';
}

/* The row of a value. */
typedef struct {
    const lims_evidence_t *evidence;
    apr_hash_t *values;
    const lims_pointer_t *pointer;
    const lims_grid_row_t *row;
} around_t;

/* Whether the model says that a cell is the value of another result. */
static bool is_value(const around_t *around, int column)
{
    const lims_at_t at = { around->pointer->value.row, column };

    return apr_hash_get(around->values,
                        place_of(around->pointer->sheet, at, around->evidence->pool),
                        APR_HASH_KEY_STRING);
}

/* Returns the next column in a direction whose cell is not empty; 0: there is none. */
static int beside(const around_t *around, int column, int step)
{
    do {
        column += step;
    } while (column >= 1 && column <= around->row->count &&
             around->row->cells[column - 1].text[0] == '\0');
    return column <= around->row->count ? column : 0;
}

/* Whether the pointer names a cell as the unit, which may be written as a qualifier is, such as
 * U, or as that of the sample. */
static bool is_something_else(const around_t *around, int column)
{
    const lims_pointer_t *pointer = around->pointer;

    return (pointer->unit.row == pointer->value.row && pointer->unit.column == column) ||
           (pointer->id.row == pointer->value.row && pointer->id.column == column);
}

/* Finds a qualifier of the value: a sign before it, or any behind it before the next value; a
 * sign behind it that stands before another number is of that. Returns NULL: there is none. */
static const char *find_near(const around_t *around)
{
    const lims_grid_cell_t *cells = around->row->cells;
    int column = beside(around, around->pointer->value.column, -1);

    if (column > 0 && is_qualifier(cells[column - 1].text) && is_sign(cells[column - 1].text)) {
        return cells[column - 1].text;
    }
    for (column = beside(around, around->pointer->value.column, 1);
         column > 0 && !is_value(around, column); column = beside(around, column, 1)) {
        const char *text = cells[column - 1].text;
        int next = beside(around, column, 1);

        if (is_qualifier(text) && !is_something_else(around, column) &&
            !(is_sign(text) && next > 0 && lims_evidence_is_numeric(cells[next - 1].text))) {
            return text;
        }
    }
    return NULL;
}

/* Whether another value, or another qualifier, stands between the value and a column. */
static bool is_anothers(const around_t *around, int column)
{
    int value = around->pointer->value.column;
    int first = column < value ? column : value, last = column < value ? value : column;

    for (int c = first + 1; c < last; c++) {
        if (is_value(around, c) || is_qualifier(around->row->cells[c - 1].text)) {
            return true;
        }
    }
    return false;
}

const char *lims_evidence_qualifier(const char **qualifier, const lims_evidence_t *evidence,
                                    apr_hash_t *values, const lims_pointer_t *pointer)
{
    const around_t around = { evidence, values, pointer,
                              lims_evidence_row(evidence, pointer->sheet, pointer->value.row) };
    const lims_at_t at = pointer->qualifier;
    const lims_grid_cell_t *cell = NULL;

    *qualifier = NULL;
    if (at.row != 0) {
        cell = lims_grid_cell(evidence->grid, pointer->sheet, at.row, at.column);
        if (!cell || !cell->shown || at.row != pointer->value.row ||
            (cell->text[0] != '\0' && !is_qualifier(cell->text))) {
            return "The qualifier is none that a result can have (<, >, ND, J, U), or stands in "
                   "another row.";
        }
        if (is_anothers(&around, at.column)) {
            return "The qualifier is another value's.";
        }
        *qualifier = cell->text[0] != '\0' ? cell->text : NULL;
    }
    if (!*qualifier) {
        const char *near = find_near(&around);

        return near ? apr_psprintf(evidence->pool,
                                   "The file has the qualifier %s with the value: enter the "
                                   "result by hand.",
                                   near)
                    : NULL;
    }
    return NULL;
}
