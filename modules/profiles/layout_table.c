/* SPDX-License-Identifier: Apache-2.0 */
/* layout_table.c - finding the tables of results in a document. */
#include "profiles/fold.h"
#include "profiles/layout.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

/* A range of rows of a sheet: a block, or the whole sheet. */
typedef struct {
    const lims_sheet_t *sheet;
    int begin, end;           /* rows [begin, end), by index */
    lims_found_t block;       /* text captured by table.block.start */
    const lims_keys_t *outer; /* keys before the first block, or NULL */
} stretch_t;

/* Checks the file's time for each row that is searched: a row may be as long as the file. */
static bool in_time(const lims_layout_t *layout)
{
    return lims_reasons_in_time(layout->out->reasons);
}

static bool matches(lims_layout_t *layout, const lims_regex_t *regex, const lims_row_t *row)
{
    apr_size_t length;
    const char *line;

    if (!in_time(layout)) {
        return false;
    }
    line = lims_layout_line(&length, layout, row);
    return lims_regex_matches(layout->out->matcher, regex, line, length);
}

static void mismatch(lims_layout_t *layout, const lims_sheet_t *sheet, int row,
                     const char *expected, const char *message)
{
    const lims_layout_scope_t scope = { .sheet = sheet };
    const lims_found_t found = { .row = row };

    /* A search that was stopped knows nothing of what is missing. */
    if (in_time(layout)) {
        lims_layout_reason(layout, &scope, LIMS_REASON_STRUCTURE_MISMATCH, true, &found, expected,
                           "%s", message);
    }
}

/* --- The header row --------------------------------------------------------------- */

static const apr_array_header_t *header_names(const lims_profile_t *profile)
{
    return profile->table.header.find ? profile->table.header.find : profile->match.headers;
}

static bool has_name(const lims_row_t *row, const char *name)
{
    for (int i = 0; i < row->count; i++) {
        if (lims_fold_equals(row->cells[i].text, row->cells[i].length, name)) {
            return true;
        }
    }
    return false;
}

/* Whether a header begins at the row `index`: all wanted names are in it, or in it
 * together with the rows that are joined to it. */
static bool is_header(const lims_layout_t *layout, const stretch_t *stretch, int index)
{
    const lims_profile_t *profile = layout->profile;
    const apr_array_header_t *names = header_names(profile);
    const lims_row_t *rows = &stretch->sheet->rows[index];
    int count = profile->table.header.rows > 1 ? profile->table.header.rows : 1;
    const lims_header_t *joined = NULL;

    if (index + count > stretch->end || !in_time(layout)) {
        return false;
    }
    if (!names || names->nelts == 0) {
        return !lims_row_is_blank(rows);
    }
    for (int i = 0; i < names->nelts; i++) {
        const char *name = APR_ARRAY_IDX(names, i, const char *);
        if (has_name(&rows[count - 1], name)) {
            continue;
        }
        if (count == 1 || lims_profile_groups(profile)) {
            return false;
        }
        joined = joined ? joined : lims_header_of(rows, count, layout->pool);
        if (!apr_hash_get(joined->columns, name, APR_HASH_KEY_STRING)) {
            return false;
        }
    }
    return true;
}

static int find_header(const lims_layout_t *layout, const stretch_t *stretch)
{
    int within = layout->profile->table.header.within;
    int end = within > 0 && stretch->begin + within < stretch->end ? stretch->begin + within
                                                                   : stretch->end;

    for (int i = stretch->begin; i < end; i++) {
        if (is_header(layout, stretch, i)) {
            return i;
        }
    }
    return -1;
}

static const char *names_text(const lims_layout_t *layout)
{
    const apr_array_header_t *names = header_names(layout->profile);
    const char *text = "";

    for (int i = 0; names && i < names->nelts && i < 20; i++) {
        text = apr_pstrcat(layout->pool, text, i > 0 ? ", " : "",
                           APR_ARRAY_IDX(names, i, const char *), NULL);
    }
    return text;
}

/* --- The data ----------------------------------------------------------------------- */

/* Returns the end of the data that begin at `begin`. `*again`: a repeated header
 * ends them. */
static int find_end(bool *again, lims_layout_t *layout, const stretch_t *stretch, int begin)
{
    const lims_profile_table_t *table = &layout->profile->table;
    bool any = false;

    *again = false;
    for (int i = begin; i < stretch->end; i++) {
        const lims_row_t *row = &stretch->sheet->rows[i];
        bool blank = lims_row_is_blank(row);
        bool gap = any && !lims_row_is_next(layout, row - 1, row);

        if ((((blank && any) || gap) && table->end.blank) ||
            (table->end.row && matches(layout, table->end.row, row))) {
            return i;
        }
        if (!blank && table->has_header && table->header.repeats && is_header(layout, stretch, i)) {
            *again = true;
            return i;
        }
        any = any || !blank;
    }
    return stretch->end;
}

/* Whether the layout has a header: layouts of keys have none, even if the profile
 * matches by headers. */
static bool has_header(const lims_layout_t *layout)
{
    return layout->profile->table.has_header && layout->profile->layout != LIMS_LAYOUT_KEYVALUE;
}

/* Refuses a second table after the end of the first, which would be ignored
 * silently. A section in the profile selects one of several tables, so it allows
 * others. */
static void refuse_second(lims_layout_t *layout, const stretch_t *stretch, int end)
{
    for (int i = end; has_header(layout) && !layout->profile->table.section && i < stretch->end;
         i++) {
        if (is_header(layout, stretch, i)) {
            mismatch(layout, stretch->sheet, stretch->sheet->rows[i].number, names_text(layout),
                     "Another table with these headers begins here, behind the end of the first, "
                     "which is the one that the profile reads.");
            return;
        }
    }
}

/* Adds the tables of a range: one, or one for each repeated header. False: there
 * is no header. */
static bool add_tables(apr_array_header_t *tables, lims_layout_t *layout, const stretch_t *stretch)
{
    const lims_profile_table_t *declared = &layout->profile->table;
    int header = -1, begin = stretch->begin, first;
    bool again = false;

    if (has_header(layout)) {
        header = find_header(layout, stretch);
        if (header < 0) {
            return false;
        }
    }
    first = tables->nelts;
    do {
        lims_table_t table = { .sheet = stretch->sheet, .header = header, .block = stretch->block };
        int rows = declared->header.rows > 1 ? declared->header.rows : 1;
        int skip = declared->skip > declared->unit_row ? declared->skip : declared->unit_row;

        if (header >= 0) {
            const lims_row_t *row = &stretch->sheet->rows[header];
            bool grouped = lims_profile_groups(layout->profile);
            begin = header + rows;
            table.columns = grouped ? lims_header_of(row + rows - 1, 1, layout->pool)
                                    : lims_header_of(row, rows, layout->pool);
            table.units = declared->unit_row > 0 && begin + declared->unit_row <= stretch->end
                              ? &stretch->sheet->rows[begin + declared->unit_row - 1]
                              : NULL;
        }
        table.begin = begin + skip < stretch->end ? begin + skip : stretch->end;
        table.end = header = find_end(&again, layout, stretch, table.begin);
        APR_ARRAY_PUSH(tables, lims_table_t) = table;
    } while (again);
    refuse_second(layout, stretch, header);
    for (int i = first; i < tables->nelts; i++) {
        lims_table_t *table = &APR_ARRAY_IDX(tables, i, lims_table_t);
        table->keys[0] =
            i > first ? APR_ARRAY_IDX(tables, first, lims_table_t).keys[0]
                      : lims_keys_of(layout, stretch->sheet, stretch->begin, stretch->end,
                                     table->header < 0 ? table->begin : table->header, header);
        table->keys[1] = stretch->outer;
    }
    return true;
}

/* --- Sections and blocks -------------------------------------------------------------- */

/* Returns the text captured in a block's first row; absent if the group captures
 * nothing, but the block counts. */
static lims_found_t block_of(lims_layout_t *layout, const lims_row_t *row)
{
    apr_size_t length, captured;
    const char *line = lims_layout_line(&length, layout, row), *part;
    lims_found_t block = { .row = row->number };

    if (lims_regex_capture(&part, &captured, layout->out->matcher,
                           layout->profile->table.block.start, line, length)) {
        return lims_found_text(apr_pstrmemdup(layout->pool, part, captured), row->number, 0,
                               layout->pool);
    }
    block.raw = apr_pstrmemdup(layout->pool, line, length);
    block.text = "";
    return block;
}

/* Refuses a table before the first block, which would be ignored silently: the row
 * that begins its block may be damaged. */
static void refuse_before(lims_layout_t *layout, const stretch_t *stretch, int first)
{
    for (int i = stretch->begin; has_header(layout) && i < first; i++) {
        if (is_header(layout, stretch, i)) {
            mismatch(layout, stretch->sheet, stretch->sheet->rows[i].number,
                     lims_regex_pattern(layout->profile->table.block.start),
                     "The headers of the table stand here before the first block.");
            return;
        }
    }
}

/* Adds the blocks; each ends where the next one begins. */
static bool add_blocks(apr_array_header_t *tables, lims_layout_t *layout, stretch_t *stretch)
{
    const lims_regex_t *start = layout->profile->table.block.start;
    int end = stretch->end, next;
    bool any = false;

    for (next = stretch->begin; next < end && !matches(layout, start, &stretch->sheet->rows[next]);
         next++) {
    }
    stretch->outer = lims_keys_of(layout, stretch->sheet, stretch->begin, next, 0, 0);
    if (next < end) {
        refuse_before(layout, stretch, next);
    }
    while (next < end) {
        const lims_row_t *row = &stretch->sheet->rows[next];

        stretch->block = block_of(layout, row);
        stretch->begin = next++;
        while (next < end && !matches(layout, start, &stretch->sheet->rows[next])) {
            next++;
        }
        stretch->end = next;
        any = true;
        if (!has_header(layout)) {
            stretch->begin++;
        }
        if (!add_tables(tables, layout, stretch)) {
            mismatch(layout, stretch->sheet, row->number, names_text(layout),
                     apr_psprintf(layout->pool,
                                  "The block that begins here has no row with the headers of the "
                                  "table among its first %d rows (table.header.within).",
                                  layout->profile->table.header.within));
        }
    }
    return any;
}

/* Refuses a second section of the same name, since the profile reads the first one
 * only. */
static void refuse_section(lims_layout_t *layout, const stretch_t *stretch)
{
    const lims_regex_t *section = layout->profile->table.section;

    for (int i = stretch->begin; i < stretch->end; i++) {
        if (matches(layout, section, &stretch->sheet->rows[i])) {
            mismatch(layout, stretch->sheet, stretch->sheet->rows[i].number,
                     lims_regex_pattern(section),
                     "The section begins here again. The profile reads the first: a file must not "
                     "have several.");
            return;
        }
    }
}

/* Adds the tables of a sheet. False, without a reason: it has none. */
static bool add_sheet(apr_array_header_t *tables, lims_layout_t *layout, const lims_sheet_t *sheet)
{
    const lims_profile_table_t *table = &layout->profile->table;
    stretch_t stretch = { .sheet = sheet, .end = sheet->count };

    if (table->section) {
        int i = 0;
        while (i < sheet->count && !matches(layout, table->section, &sheet->rows[i])) {
            i++;
        }
        if (i == sheet->count) {
            return false;
        }
        stretch.outer = lims_keys_of(layout, sheet, 0, i, 0, 0);
        stretch.begin = i + 1;
        refuse_section(layout, &stretch);
    }
    if (table->block.start) {
        return add_blocks(tables, layout, &stretch);
    }
    return sheet->count > 0 && add_tables(tables, layout, &stretch);
}

static const char *what_is_missing(lims_layout_t *layout, const char **expected)
{
    const lims_profile_table_t *table = &layout->profile->table;

    *expected = NULL;
    if (table->section) {
        *expected = lims_regex_pattern(table->section);
        return apr_psprintf(layout->pool,
                            "No row looks like \"%s\", or no table with its headers is behind it.",
                            *expected);
    }
    if (table->block.start) {
        *expected = lims_regex_pattern(table->block.start);
        return apr_psprintf(layout->pool, "No row looks like \"%s\", which begins a block.",
                            *expected);
    }
    *expected = names_text(layout);
    return apr_psprintf(layout->pool, "There is no row with the headers of the table: %s.",
                        *expected);
}

const apr_array_header_t *lims_tables_find(lims_layout_t *layout)
{
    const lims_profile_t *profile = layout->profile;
    const char *name = profile->table.sheet ? profile->table.sheet : profile->match.sheet;
    apr_array_header_t *tables = apr_array_make(layout->pool, 4, sizeof(lims_table_t));
    const char *expected, *message;
    bool any = false, named = false;

    for (int i = 0; i < layout->document->count; i++) {
        const lims_sheet_t *sheet = &layout->document->sheets[i];
        if (name ? lims_fold_equals(sheet->name, strlen(sheet->name), name) : !sheet->hidden) {
            named = true;
            any = add_sheet(tables, layout, sheet) || any;
        }
    }
    if (!named) {
        mismatch(layout, NULL, 0, name, "There is no sheet of that name.");
    } else if (!any) {
        message = what_is_missing(layout, &expected);
        mismatch(layout, NULL, 0, expected, message);
    }
    if (tables->nelts > 0) {
        lims_layout_scope_t *once = apr_palloc(layout->pool, sizeof(*once));
        *once = lims_table_scope(&APR_ARRAY_IDX(tables, 0, lims_table_t), NULL);
        layout->once = once;
    }
    return tables;
}

/* --- Rows and columns of a table -------------------------------------------------------- */

lims_layout_scope_t lims_table_scope(const lims_table_t *table, const lims_row_t *row)
{
    lims_layout_scope_t scope = { .sheet = table->sheet,
                                  .row = row,
                                  .header = table->columns,
                                  .units = table->units,
                                  .keys = { table->keys[0], table->keys[1] } };

    if (table->block.text) {
        scope.places[LIMS_FROM_BLOCK] = &table->block;
    }
    return scope;
}

static bool has_one(lims_layout_t *layout, const lims_table_t *table,
                    const lims_layout_scope_t *scope, const lims_source_t *source)
{
    const char *name;

    if (source->kind != LIMS_SOURCE_HEADER || source->optional || !table->columns ||
        lims_header_column(scope, source->header, source->occurrence) >= 0) {
        return true;
    }
    name = source->occurrence > 1
               ? apr_psprintf(layout->pool, "%s#%d", source->header, source->occurrence)
               : source->header;
    mismatch(layout, table->sheet, table->sheet->rows[table->header].number, name,
             apr_psprintf(layout->pool, "The table has no column \"%s\".", name));
    return false;
}

static bool has_column(lims_layout_t *layout, const lims_table_t *table,
                       const lims_layout_scope_t *scope, const lims_source_t *source)
{
    const lims_source_t *place;
    bool all = true;

    for (int i = 0; (place = lims_source_place(source, i)); i++) {
        all = has_one(layout, table, scope, place) && all;
    }
    return all;
}

static void add_columns(apr_array_header_t *columns, const lims_layout_t *layout,
                        const lims_layout_scope_t *scope, const char *name)
{
    const char *mark = strrchr(name, '#');
    int column = lims_header_column(scope, name, 1);

    if (column < 0 && mark && mark > name && apr_isdigit(mark[1])) {
        name = apr_pstrmemdup(layout->pool, name, (apr_size_t)(mark - name));
        column = lims_header_column(scope, name, (int)strtol(mark + 1, NULL, 10));
    }
    while (column >= 0) {
        APR_ARRAY_PUSH(columns, int) = column;
        column = apr_hash_get(layout->counted, name, APR_HASH_KEY_STRING)
                     ? -1
                     : lims_header_next(scope, name, column);
    }
}

const apr_array_header_t *lims_test_columns(const lims_layout_t *layout,
                                            const lims_layout_scope_t *scope,
                                            const lims_test_t *test)
{
    apr_array_header_t *columns = apr_array_make(layout->pool, 1, sizeof(int));

    for (int i = 0; i < test->names->nelts; i++) {
        add_columns(columns, layout, scope, APR_ARRAY_IDX(test->names, i, const char *));
    }
    return columns->nelts > 0 ? columns : NULL;
}

/* Whether the table has the column of a test, by the test's own source or by its
 * names. */
static bool has_test(const lims_layout_t *layout, const lims_layout_scope_t *scope,
                     const lims_test_t *test)
{
    const lims_source_t *own = test->columns[LIMS_COLUMN_VALUE];

    if (own) {
        return own->kind != LIMS_SOURCE_HEADER ||
               lims_header_column(scope, own->header, own->occurrence) >= 0;
    }
    return lims_test_columns(layout, scope, test);
}

/* Checks that each test of a wide table has a column. If the header is optional,
 * or repeats with other columns, one test is enough. */
static bool complete_tests(lims_layout_t *layout, const lims_table_t *table,
                           const lims_layout_scope_t *scope)
{
    const lims_profile_t *profile = layout->profile;
    int row = table->sheet->rows[table->header].number;
    bool complete = true, any = false;

    for (int i = 0; i < profile->tests->nelts; i++) {
        const lims_test_t *test = &APR_ARRAY_IDX(profile->tests, i, lims_test_t);

        if (has_test(layout, scope, test)) {
            any = true;
        } else if (!test->optional && !profile->table.header.repeats) {
            mismatch(layout, table->sheet, row, APR_ARRAY_IDX(test->names, 0, const char *),
                     apr_psprintf(layout->pool, "The table has no column for the test %s.",
                                  test->test_code));
            complete = false;
        } else if (test->optional) {
            lims_near_header(layout, table, test);
        }
    }
    if (complete && !any) {
        mismatch(layout, table->sheet, row, NULL, "The table has no column of any test.");
    }
    return complete && any;
}

bool lims_table_complete(lims_layout_t *layout, const lims_table_t *table, bool tests)
{
    const lims_profile_t *profile = layout->profile;
    lims_layout_scope_t scope = lims_table_scope(table, NULL);
    bool complete = true;

    for (int i = 0; i < LIMS_COLUMN_COUNT; i++) {
        complete = has_column(layout, table, &scope, &profile->columns[i]) && complete;
    }
    for (int i = 0; i < profile->tests->nelts; i++) {
        const lims_test_t *test = &APR_ARRAY_IDX(profile->tests, i, lims_test_t);
        for (int j = 0; j < LIMS_COLUMN_COUNT; j++) {
            if (j != LIMS_COLUMN_VALUE && !test->optional) {
                complete = has_column(layout, table, &scope, test->columns[j]) && complete;
            }
        }
    }
    return (!tests || !table->columns || complete_tests(layout, table, &scope)) && complete;
}
