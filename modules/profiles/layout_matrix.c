/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout_matrix.c - a plate: a value in each well, where rows A, B, … meet the
 * columns 1, 2, …; a second plate may say which sample is in which well.
 */
#include "profiles/fold.h"
#include "profiles/layout.h"

#include <apr_strings.h>
#include <string.h>

/* A plate by the index of its rows. */
typedef struct {
    const lims_sheet_t *sheet;
    int header, end; /* the row of column labels; behind the last row */
} plate_t;

static bool says_something(const lims_row_t *row, int column)
{
    const lims_cell_t *cell = lims_row_cell(row, column);
    apr_size_t left;

    lims_trim(&left, cell->text, cell->length);
    return left > 0;
}

/* A blank row ends a plate. A row without a label goes on with the one above: what
 * else a map says of the same wells, or another reading of them. */
static plate_t plate_of(const lims_sheet_t *sheet, int header, int end)
{
    plate_t plate = { .sheet = sheet, .header = header, .end = header + 1 };

    while (plate.end < end && !lims_row_is_blank(&sheet->rows[plate.end])) {
        plate.end++;
    }
    return plate;
}

static const char *well_name(const lims_found_t *row, const lims_found_t *column, apr_pool_t *pool)
{
    return apr_pstrcat(pool, row->text, column->text, NULL);
}

static lims_found_t label(const lims_layout_t *layout, const lims_row_t *row, int column)
{
    lims_found_t found = lims_found_cell(row, column);
    lims_found_t text = lims_found_text(found.raw, found.row, found.column, layout->pool);

    return text;
}

/* Samples by wells; NULL without a map. */
static apr_hash_t *map_of(lims_layout_t *layout, const lims_sheet_t *sheet)
{
    const lims_regex_t *section = layout->profile->table.map.section;
    apr_hash_t *map = apr_hash_make(layout->pool);
    int header = 0;
    plate_t plate;

    for (bool found = false; header < sheet->count && !found; header++) {
        apr_size_t length;
        const char *line = lims_layout_line(&length, layout, &sheet->rows[header]);
        found = lims_regex_matches(layout->out->matcher, section, line, length);
    }
    while (header < sheet->count && lims_row_is_blank(&sheet->rows[header])) {
        header++;
    }
    plate = plate_of(sheet, header, sheet->count);
    for (int i = plate.header + 1; i < plate.end; i++) {
        const lims_row_t *columns = &sheet->rows[plate.header], *row = &sheet->rows[i];
        lims_found_t name = label(layout, row, 0);
        for (int j = 1; j < row->count; j++) {
            lims_found_t column = label(layout, columns, j), *sample;
            if (*name.text && *column.text && says_something(row, j)) {
                sample = apr_palloc(layout->pool, sizeof(*sample));
                *sample = lims_found_cell(row, j);
                apr_hash_set(map, well_name(&name, &column, layout->pool), APR_HASH_KEY_STRING,
                             sample);
            }
        }
    }
    if (apr_hash_count(map) == 0) {
        const lims_scope_t scope = { .sheet = sheet };
        lims_layout_reason(layout, &scope, LIMS_REASON_STRUCTURE_MISMATCH, true, NULL,
                           lims_regex_pattern(section),
                           "There is no plate that says which sample is in which well.");
    }
    return map;
}

static void read_plate(lims_layout_t *layout, const lims_table_t *table, apr_hash_t *map)
{
    const plate_t plate = plate_of(table->sheet, table->header, table->end);
    const lims_row_t *columns = &table->sheet->rows[plate.header];
    lims_found_t row = { .text = "" };

    for (int i = table->begin; i < plate.end; i++) {
        lims_scope_t scope = lims_table_scope(table, &table->sheet->rows[i]);

        row = says_something(scope.row, 0) ? label(layout, scope.row, 0) : row;
        if (!lims_rules_begin(layout, NULL)) {
            return;
        }
        for (int j = 1; j < columns->count; j++) {
            lims_found_t column = label(layout, columns, j);
            lims_found_t value = lims_found_cell(scope.row, j), well;

            if (*column.text == '\0') {
                continue;
            }
            well = lims_found_text(well_name(&row, &column, layout->pool), value.row, value.column,
                                   layout->pool);
            scope.places[LIMS_FROM_ROW_LABEL] = &row;
            scope.places[LIMS_FROM_COLUMN_LABEL] = &column;
            scope.places[LIMS_FROM_WELL] = &well;
            scope.places[LIMS_FROM_MAP] =
                map ? apr_hash_get(map, well.text, APR_HASH_KEY_STRING) : NULL;
            /* A well that the map leaves out is empty, whatever was measured. */
            if (!map || scope.places[LIMS_FROM_MAP]) {
                lims_rules_value(layout, &scope, NULL, NULL, &value);
            }
        }
        lims_rules_end(layout);
    }
}

void lims_layout_matrix(lims_layout_t *layout)
{
    const apr_array_header_t *tables = lims_tables_find(layout);

    for (int i = 0; i < tables->nelts; i++) {
        const lims_table_t *table = &APR_ARRAY_IDX(tables, i, lims_table_t);
        apr_hash_t *map = layout->profile->table.map.section ? map_of(layout, table->sheet) : NULL;

        if (table->header >= 0 && lims_table_complete(layout, table, false)) {
            read_plate(layout, table, map);
        }
    }
}
