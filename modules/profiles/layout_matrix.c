/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout_matrix.c - plates: a value in each well, where rows A, B, … meet the
 * columns 1, 2, …; a plate map may name the sample in each well.
 */
#include "profiles/fold.h"
#include "profiles/layout.h"

#include <apr_strings.h>
#include <string.h>

/* A plate or a plate map: a table with labelled rows and columns. */
typedef struct {
    lims_table_t table; /* its data end at the first blank row */
    apr_hash_t *rows;   /* label -> const lims_row_t * */
    apr_hash_t *columns;
    bool whole; /* the labels identify each well without doubt */
} plate_t;

static lims_found_t read_label(const lims_layout_t *layout, const lims_row_t *row, int column)
{
    lims_found_t found = lims_found_cell(row, column);
    lims_found_t text = lims_found_text(found.raw, found.row, found.column, layout->pool);

    return text;
}

static const char *well_name(const lims_found_t *row, const lims_found_t *column, apr_pool_t *pool)
{
    return apr_pstrcat(pool, row->text, column->text, NULL);
}

static void refuse(lims_layout_t *layout, plate_t *plate, const lims_found_t *found,
                   const char *message)
{
    const lims_layout_scope_t scope = { .sheet = plate->table.sheet };

    plate->whole = false;
    lims_layout_reason(layout, &scope, LIMS_REASON_STRUCTURE_MISMATCH, true, found, NULL, "%s",
                       message);
}

/* --- Labels ------------------------------------------------------------------------- */

static void add_label(lims_layout_t *layout, plate_t *plate, apr_hash_t *labels,
                      const lims_found_t *found, const void *value)
{
    if (apr_hash_get(labels, found->text, APR_HASH_KEY_STRING)) {
        refuse(layout, plate, found,
               apr_psprintf(layout->pool, "The label \"%s\" stands there twice.", found->text));
    }
    apr_hash_set(labels, found->text, APR_HASH_KEY_STRING, value);
}

static void read_columns(lims_layout_t *layout, plate_t *plate)
{
    const lims_row_t *header = &plate->table.sheet->rows[plate->table.header];

    for (int i = 1; i < header->count; i++) {
        const lims_found_t found = read_label(layout, header, i);

        if (*found.text) {
            add_label(layout, plate, plate->columns, &found, header);
        }
    }
}

/* Checks that each label has as many rows as the first one: unlabelled rows below
 * it are further lines of the same wells. */
static void check_lines(lims_layout_t *layout, plate_t *plate, const lims_found_t *name, int lines,
                        int *first)
{
    if (*first == 0) {
        *first = lines;
    } else if (lines != *first) {
        refuse(layout, plate, name,
               apr_psprintf(layout->pool, "The label \"%s\" has %d rows, the first one has %d.",
                            name->text, lines, *first));
    }
}

static void read_rows(lims_layout_t *layout, plate_t *plate)
{
    const lims_table_t *table = &plate->table;
    lims_found_t name = { .text = NULL };
    int lines = 0, first = 0;

    for (int i = table->begin; i < table->end; i++) {
        const lims_row_t *row = &table->sheet->rows[i];
        const lims_found_t found = read_label(layout, row, 0);

        if (*found.text) {
            if (name.text) {
                check_lines(layout, plate, &name, lines, &first);
            }
            add_label(layout, plate, plate->rows, &found, row);
            name = found;
            lines = 0;
        } else if (!name.text) {
            refuse(layout, plate, &found, "The first row of wells has no label.");
        }
        lines++;
    }
    if (name.text) {
        check_lines(layout, plate, &name, lines, &first);
    }
}

/* Finds the plate below a row of column labels; it ends at a blank row. */
static plate_t plate_of(lims_layout_t *layout, const lims_table_t *found)
{
    plate_t plate = { .table = *found,
                      .rows = apr_hash_make(layout->pool),
                      .columns = apr_hash_make(layout->pool),
                      .whole = true };
    int end = found->begin;

    while (end < found->end && !lims_row_is_blank(&found->sheet->rows[end]) &&
           lims_row_is_next(layout, &found->sheet->rows[end - 1], &found->sheet->rows[end])) {
        end++;
    }
    plate.table.end = end;
    read_columns(layout, &plate);
    read_rows(layout, &plate);
    return plate;
}

/* Checks that no cell is in an unlabelled column, and none can be shifted to
 * another. */
static bool row_fits(lims_layout_t *layout, plate_t *plate, const lims_row_t *row)
{
    bool fits = lims_table_row_fits(layout, &plate->table, row);

    for (int i = 1; fits && i < plate->table.columns->count; i++) {
        const lims_found_t found = lims_found_cell(row, i);

        if (!plate->table.columns->named[i] && lims_cell_says(row, i) &&
            !lims_column_is_numbered(layout, i)) {
            refuse(layout, plate, &found,
                   "A cell stands in a column of the plate without a label.");
            fits = false;
        }
    }
    return fits;
}

/* --- The map ------------------------------------------------------------------------ */

/* The plate map: which sample is in which well. */
typedef struct {
    plate_t plate;
    apr_hash_t *wells;         /* well -> lims_found_t *, the sample */
    apr_array_header_t *names; /* array of const char *: the wells in the file's order */
} map_t;

static bool find_map(lims_table_t *table, lims_layout_t *layout, const lims_sheet_t *sheet)
{
    const lims_regex_t *section = layout->profile->table.map.section;
    int header = 0;

    for (bool found = false; header < sheet->count && !found; header++) {
        apr_size_t length;
        const char *line = lims_layout_line(&length, layout, &sheet->rows[header]);
        found = lims_regex_matches(layout->out->matcher, section, line, length);
    }
    while (header < sheet->count && lims_row_is_blank(&sheet->rows[header])) {
        header++;
    }
    if (header == sheet->count) {
        return false;
    }
    *table = (lims_table_t){ .sheet = sheet,
                             .header = header,
                             .begin = header + 1,
                             .end = sheet->count,
                             .columns = lims_header_of(&sheet->rows[header], 1, layout->pool) };
    return true;
}

/* Reads the plate map. Rows without a label may have other information about
 * the same wells. */
static void read_map(lims_layout_t *layout, map_t *map)
{
    const lims_table_t *table = &map->plate.table;

    for (int i = table->begin; i < table->end; i++) {
        const lims_row_t *columns = &table->sheet->rows[table->header],
                         *row = &table->sheet->rows[i];
        lims_found_t name = read_label(layout, row, 0);

        if (!row_fits(layout, &map->plate, row)) {
            continue;
        }
        for (int j = 1; *name.text && j < row->count; j++) {
            lims_found_t column = read_label(layout, columns, j);
            if (*column.text && lims_cell_says(row, j)) {
                lims_found_t *sample = apr_palloc(layout->pool, sizeof(*sample));

                *sample = lims_found_cell(row, j);
                const char *well = well_name(&name, &column, layout->pool);
                apr_hash_set(map->wells, well, APR_HASH_KEY_STRING, sample);
                APR_ARRAY_PUSH(map->names, const char *) = well;
            }
        }
    }
}

/* Finds the plate map of a sheet; adds a reason if there is none. */
static map_t map_of(lims_layout_t *layout, const lims_sheet_t *sheet)
{
    map_t map = { .wells = apr_hash_make(layout->pool),
                  .names = apr_array_make(layout->pool, 96, sizeof(const char *)) };
    lims_table_t table;

    if (find_map(&table, layout, sheet)) {
        map.plate = plate_of(layout, &table);
        read_map(layout, &map);
    }
    if (apr_hash_count(map.wells) == 0) {
        const lims_layout_scope_t scope = { .sheet = sheet };
        lims_layout_reason(layout, &scope, LIMS_REASON_STRUCTURE_MISMATCH, true, NULL,
                           lims_regex_pattern(layout->profile->table.map.section),
                           "There is no plate that says which sample is in which well.");
    }
    return map;
}

/* Checks that map and plate have the same rows and columns; otherwise a well
 * missing in the map would not be known to be empty. */
static void check_shape(lims_layout_t *layout, plate_t *plate, const map_t *map)
{
    const lims_table_t *table = &plate->table;
    const lims_row_t *header = &table->sheet->rows[table->header];

    for (int i = 1; map->plate.columns && i < header->count; i++) {
        const lims_found_t found = read_label(layout, header, i);
        if (*found.text && !apr_hash_get(map->plate.columns, found.text, APR_HASH_KEY_STRING)) {
            refuse(layout, plate, &found, "The plate's map has no column of this label.");
        }
    }
    for (int i = table->begin; map->plate.rows && i < table->end; i++) {
        const lims_found_t found = read_label(layout, &table->sheet->rows[i], 0);
        if (*found.text && !apr_hash_get(map->plate.rows, found.text, APR_HASH_KEY_STRING)) {
            refuse(layout, plate, &found, "The plate's map has no row of this label.");
        }
    }
}

/* Adds a reason for each sample of the map whose well is in no plate. */
static void report_unread(lims_layout_t *layout, const map_t *map, apr_hash_t *read)
{
    const lims_layout_scope_t scope = { .sheet = map->plate.table.sheet };

    for (int i = 0; apr_hash_count(read) > 0 && i < map->names->nelts; i++) {
        const char *well = APR_ARRAY_IDX(map->names, i, const char *);
        if (!apr_hash_get(read, well, APR_HASH_KEY_STRING)) {
            const lims_found_t *name = apr_hash_get(map->wells, well, APR_HASH_KEY_STRING);
            const lims_reason_t reason = {
                .code = LIMS_REASON_MISSING_VALUE,
                .blocking = true,
                .message = apr_psprintf(
                    layout->pool, "The map has a sample in the well %s, which no plate has.", well),
                .value_row = name->row, /* in place of the value, which there is not */
                .value_column = name->column,
            };
            lims_layout_add_reason(layout, &scope, reason, name);
        }
    }
}

/* Whether a row has the labels of a plate's columns, and so begins another plate. */
static bool begins_plate(const lims_layout_t *layout, const plate_t *plate, const lims_row_t *row)
{
    const lims_row_t *header = &plate->table.sheet->rows[plate->table.header];
    bool any = false;

    for (int i = 1; i < header->count; i++) {
        const lims_found_t found = read_label(layout, header, i);

        if (*found.text && strcmp(found.text, read_label(layout, row, i).text) != 0) {
            return false;
        }
        any = any || *found.text;
    }
    return any;
}

/* Refuses a second plate after the end of the first, which would be ignored
 * silently. A section in the profile selects one of several plates, so it allows
 * others. */
static void refuse_second(lims_layout_t *layout, plate_t *plate, const lims_table_t *found,
                          const map_t *map)
{
    const lims_sheet_t *sheet = plate->table.sheet;

    for (int i = plate->table.end; !layout->profile->table.section && i < found->end; i++) {
        const lims_found_t place = { .row = sheet->rows[i].number };

        if (begins_plate(layout, plate, &sheet->rows[i]) &&
            !(map && map->plate.table.sheet == sheet && map->plate.table.header == i)) {
            refuse(layout, plate, &place,
                   "Another plate with these columns begins here, behind the end of the one that "
                   "the profile reads.");
            return;
        }
    }
}

/* --- Values ------------------------------------------------------------------------- */

/* Reads one well. A well missing in the map may only be blank. If rows or columns
 * differ from the map's, that was reported before. */
static void read_well(lims_layout_t *layout, lims_layout_scope_t *scope, const plate_t *plate,
                      const lims_found_t *row, const lims_found_t *column, const map_t *map)
{
    const lims_found_t value = lims_found_cell(scope->row, column->column - 1);
    lims_found_t well = lims_found_text(well_name(row, column, layout->pool), value.row,
                                        value.column, layout->pool);

    scope->places[LIMS_FROM_ROW_LABEL] = row;
    scope->places[LIMS_FROM_COLUMN_LABEL] = column;
    scope->places[LIMS_FROM_WELL] = &well;
    scope->places[LIMS_FROM_MAP] =
        map ? apr_hash_get(map->wells, well.text, APR_HASH_KEY_STRING) : NULL;
    scope->unmapped = map && !scope->places[LIMS_FROM_MAP];
    if (!scope->unmapped || (plate->whole && lims_cell_says(scope->row, column->column - 1))) {
        lims_rules_value(layout, scope, NULL, NULL, &value);
    }
}

static void read_plate(lims_layout_t *layout, plate_t *plate, const map_t *map, apr_hash_t *read)
{
    const lims_table_t *table = &plate->table;
    const lims_row_t *columns = &table->sheet->rows[table->header];
    lims_found_t row = { .text = "" };
    bool fits;

    for (int i = table->begin; i < table->end; i++) {
        lims_layout_scope_t scope = lims_table_scope(table, &table->sheet->rows[i]);

        row = lims_cell_says(scope.row, 0) ? read_label(layout, scope.row, 0) : row;
        if (!lims_rules_begin(layout, NULL)) {
            return;
        }
        fits = row_fits(layout, plate, scope.row);
        for (int j = 1; fits && j < columns->count; j++) {
            lims_found_t column = read_label(layout, columns, j);

            if (*column.text) {
                read_well(layout, &scope, plate, &row, &column, map);
                apr_hash_set(read, well_name(&row, &column, layout->pool), APR_HASH_KEY_STRING,
                             columns);
            }
        }
        lims_rules_end(layout);
    }
}

void lims_layout_matrix(lims_layout_t *layout)
{
    const apr_array_header_t *tables = lims_tables_find(layout);
    bool mapped = layout->profile->table.map.section;
    map_t map = { .wells = NULL };
    apr_hash_t *read = apr_hash_make(layout->pool);

    for (int i = 0; i < tables->nelts; i++) {
        const lims_table_t *table = &APR_ARRAY_IDX(tables, i, lims_table_t);

        if (mapped && map.plate.table.sheet != table->sheet) {
            map = map_of(layout, table->sheet);
        }
        if (table->header >= 0 && lims_table_complete(layout, table, false)) {
            plate_t plate = plate_of(layout, table);

            if (mapped) {
                check_shape(layout, &plate, &map);
            }
            refuse_second(layout, &plate, table, mapped ? &map : NULL);
            read_plate(layout, &plate, mapped ? &map : NULL, read);
        }
        if (mapped && (i + 1 == tables->nelts ||
                       APR_ARRAY_IDX(tables, i + 1, lims_table_t).sheet != table->sheet)) {
            report_unread(layout, &map, read);
            apr_hash_clear(read);
        }
    }
}
