/* SPDX-License-Identifier: Apache-2.0 */
/* layout_source.c - evaluation of sources: finding the text that a profile refers
 * to. */
#include "profiles/fold.h"
#include "profiles/layout.h"

#include <apr_strings.h>
#include <string.h>

/* --- Cells --------------------------------------------------------------------- */

static const char *trimmed(const char *text, apr_size_t length, apr_pool_t *pool)
{
    apr_size_t left;
    const char *begin = lims_trim(&left, text, length);

    return left == length || begin[left] == '\0' ? begin : apr_pstrmemdup(pool, begin, left);
}

lims_found_t lims_found_cell(const lims_row_t *row, int column)
{
    const lims_cell_t *cell = lims_row_cell(row, column);

    return (lims_found_t){ .raw = cell->text,
                           .cell = cell,
                           .row = row->number,
                           .column = column + 1,
                           .number = cell->kind == LIMS_CELL_NUMBER };
}

lims_found_t lims_found_text(const char *text, int row, int column, apr_pool_t *pool)
{
    return (lims_found_t){
        .raw = text, .text = trimmed(text, strlen(text), pool), .row = row, .column = column
    };
}

bool lims_cell_says(const lims_row_t *row, int column)
{
    const lims_cell_t *cell = lims_row_cell(row, column);
    apr_size_t left;

    lims_trim(&left, cell->text, cell->length);
    return left > 0;
}

bool lims_row_is_blank(const lims_row_t *row)
{
    for (int i = 0; i < row->count; i++) {
        if (lims_cell_says(row, i)) {
            return false;
        }
    }
    return true;
}

const char *lims_layout_line(apr_size_t *length, lims_layout_t *layout, const lims_row_t *row)
{
    apr_size_t needed = 1;
    char *end;

    for (int i = 0; i < row->count; i++) {
        needed += row->cells[i].length + 1;
    }
    if (needed > layout->line_size) {
        layout->line_size = 2 * needed;
        layout->line = apr_palloc(layout->pool, layout->line_size);
    }
    end = layout->line;
    for (int i = 0; i < row->count; i++) {
        if (i > 0) {
            *end++ = '\t';
        }
        memcpy(end, row->cells[i].text, row->cells[i].length);
        end += row->cells[i].length;
    }
    *end = '\0';
    *length = (apr_size_t)(end - layout->line);
    return layout->line;
}

/* --- Headers ------------------------------------------------------------------- */

const lims_header_t *lims_header_of(const lims_row_t *rows, int count, apr_pool_t *pool)
{
    lims_header_t *header = apr_pcalloc(pool, sizeof(*header));
    bool *named;
    int width = 0;

    header->columns = apr_hash_make(pool);
    for (int i = 0; i < count; i++) {
        width = rows[i].count > width ? rows[i].count : width;
    }
    named = apr_pcalloc(pool, (apr_size_t)(width + 1) * sizeof(*named));
    header->named = named;
    for (int column = 0; column < width; column++) {
        const char *name = "";
        apr_array_header_t *list;

        for (int i = 0; i < count; i++) {
            const lims_cell_t *cell = lims_row_cell(&rows[i], column);
            name = count == 1 ? cell->text : apr_pstrcat(pool, name, " ", cell->text, NULL);
        }
        name = lims_fold(name, strlen(name), pool);
        if (*name == '\0') {
            continue;
        }
        header->count = column + 1;
        named[column] = true;
        list = apr_hash_get(header->columns, name, APR_HASH_KEY_STRING);
        if (!list) {
            list = apr_array_make(pool, 1, sizeof(int));
            apr_hash_set(header->columns, name, APR_HASH_KEY_STRING, list);
        }
        APR_ARRAY_PUSH(list, int) = column;
    }
    return header;
}

/* Binary search, since a header with many groups has long lists. */
static int nth_between(const apr_array_header_t *list, int occurrence, int from, int to)
{
    int low = 0, high = list->nelts;

    while (low < high) {
        int middle = (low + high) / 2;
        if (APR_ARRAY_IDX(list, middle, int) < from) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low += occurrence - 1;
    return low < list->nelts && APR_ARRAY_IDX(list, low, int) < to ? APR_ARRAY_IDX(list, low, int)
                                                                   : -1;
}

int lims_header_column(const lims_layout_scope_t *scope, const char *header, int occurrence)
{
    const apr_array_header_t *list =
        scope->header ? apr_hash_get(scope->header->columns, header, APR_HASH_KEY_STRING) : NULL;
    int column;

    if (!list) {
        const lims_layout_scope_t common = { .header = scope->common };
        return scope->common ? lims_header_column(&common, header, occurrence) : -1;
    }
    if (scope->to == 0) {
        return nth_between(list, occurrence, 0, LIMS_FILE_COLUMNS_MAX);
    }
    column = nth_between(list, occurrence, scope->from, scope->to);
    return column >= 0 ? column : nth_between(list, occurrence, 0, scope->shared);
}

int lims_header_next(const lims_layout_scope_t *scope, const char *header, int column)
{
    const apr_array_header_t *list =
        scope->header ? apr_hash_get(scope->header->columns, header, APR_HASH_KEY_STRING) : NULL;
    bool own = scope->to == 0 || (column >= scope->from && column < scope->to);

    if (!list) {
        const lims_layout_scope_t common = { .header = scope->common };
        return scope->common ? lims_header_next(&common, header, column) : -1;
    }
    return nth_between(list, 1, column + 1,
                       scope->to == 0 ? LIMS_FILE_COLUMNS_MAX
                       : own          ? scope->to
                                      : scope->shared);
}

/* --- What stands several times ---------------------------------------------------- */

static const char *quoted(const char *of, const char *name, apr_pool_t *pool)
{
    return apr_pstrcat(pool, of, " \"", name, "\"", NULL);
}

/* Compares further columns with the same header, if the profile names it without a
 * number. */
static void compare_columns(const lims_layout_t *layout, const lims_layout_scope_t *scope,
                            const lims_source_t *source, lims_found_t *found)
{
    if (source->numbered || apr_hash_get(layout->counted, source->header, APR_HASH_KEY_STRING)) {
        return;
    }
    for (int i = lims_header_next(scope, source->header, found->column - 1); i >= 0;
         i = lims_header_next(scope, source->header, i)) {
        const lims_found_t again = lims_found_cell(scope->row, i);
        if (!lims_source_again(layout, scope, found, &again,
                               quoted("the column", source->header, layout->pool))) {
            return;
        }
    }
}

/* --- Keys ---------------------------------------------------------------------- */

struct lims_keys_t {
    apr_hash_t *entries;         /* key -> lims_found_t, its first value */
    apr_hash_t *again;           /* key -> lims_found_t, a different second value */
    apr_array_header_t *written; /* array of name_t: the keys as written, in order */
    apr_hash_t *below;           /* label -> array of lims_found_t, in order */
};

typedef struct {
    const char *text;
    apr_size_t length;
    int row, column;
} name_t;

static bool is_separator(const char *text, apr_size_t length, const char *separator)
{
    return length == strlen(separator) && memcmp(text, separator, length) == 0;
}

static void add_key(const lims_layout_t *layout, lims_keys_t *keys, const char *key,
                    apr_size_t length, int column, const lims_found_t *value)
{
    const char *folded = lims_fold(key, length, layout->pool);
    const lims_found_t *first = apr_hash_get(keys->entries, folded, APR_HASH_KEY_STRING);

    if (*folded == '\0') {
        return;
    }
    if (!first) {
        APR_ARRAY_PUSH(keys->written, name_t) =
            (name_t){ .text = key, .length = length, .row = value->row, .column = column + 1 };
    }
    if (!first || strcmp(first->text, value->text) != 0) {
        apr_hash_set(first ? keys->again : keys->entries, folded, APR_HASH_KEY_STRING,
                     apr_pmemdup(layout->pool, value, sizeof(*value)));
    }
}

/* Adds a "key: value" pair in one cell. */
static bool add_within(const lims_layout_t *layout, lims_keys_t *keys, const lims_row_t *row,
                       int column, const char *separator)
{
    const lims_cell_t *cell = &row->cells[column];
    const char *at = strstr(cell->text, separator);
    lims_found_t value = lims_found_cell(row, column);

    if (!at || at == cell->text) {
        return false;
    }
    value.raw = at + strlen(separator);
    value.text = trimmed(value.raw, strlen(value.raw), layout->pool);
    if (*value.text == '\0' && column + 1 < row->count) {
        return false; /* the value is in a later cell */
    }
    add_key(layout, keys, cell->text, (apr_size_t)(at - cell->text), column, &value);
    return true;
}

/* Adds a cell as key, with the next cell that is not blank as its value. */
static void add_pair(const lims_layout_t *layout, lims_keys_t *keys, const lims_row_t *row,
                     int column, const char *separator)
{
    apr_size_t length, left;
    const char *key = lims_trim(&length, row->cells[column].text, row->cells[column].length);

    if (length >= strlen(separator) &&
        is_separator(key + length - strlen(separator), strlen(separator), separator)) {
        length -= strlen(separator);
    }
    if (length == 0) {
        return;
    }
    for (int i = column + 1; i < row->count; i++) {
        const char *text = lims_trim(&left, row->cells[i].text, row->cells[i].length);
        lims_found_t value;

        if (left == 0 || is_separator(text, left, separator)) {
            continue;
        }
        value = lims_found_cell(row, i);
        value.text = trimmed(value.raw, row->cells[i].length, layout->pool);
        add_key(layout, keys, key, length, column, &value);
        return;
    }
}

/* Rejoins a line that was cut into fixed columns, since keys do not align with
 * them. */
static const lims_row_t *rejoined(const lims_layout_t *layout, const lims_row_t *row)
{
    apr_array_header_t *parts = apr_array_make(layout->pool, row->count + 1, sizeof(const char *));
    lims_row_t *line = apr_pmemdup(layout->pool, row, sizeof(*row));
    lims_cell_t *cell;

    if (!layout->profile->dialect.columns || row->count == 0) {
        return row;
    }
    for (int i = 0; i < row->count; i++) {
        APR_ARRAY_PUSH(parts, const char *) = row->cells[i].text;
    }
    cell = apr_pmemdup(layout->pool, &row->cells[0], sizeof(*cell));
    cell->text = apr_array_pstrcat(layout->pool, parts, 0);
    cell->length = (apr_uint16_t)strlen(cell->text);
    line->cells = cell;
    line->count = 1;
    return line;
}

/* Finds the cells below the labels of a row that the profile names. */
static void add_below(const lims_layout_t *layout, lims_keys_t *keys, const lims_row_t *row,
                      const lims_row_t *next)
{
    for (int i = 0; i < row->count; i++) {
        const char *label = lims_fold(row->cells[i].text, row->cells[i].length, layout->pool);
        apr_array_header_t *list;

        if (!apr_hash_get(layout->below, label, APR_HASH_KEY_STRING)) {
            continue;
        }
        list = apr_hash_get(keys->below, label, APR_HASH_KEY_STRING);
        if (!list) {
            list = apr_array_make(layout->pool, 2, sizeof(lims_found_t));
            apr_hash_set(keys->below, label, APR_HASH_KEY_STRING, list);
        }
        APR_ARRAY_PUSH(list, lims_found_t) = lims_found_cell(next, i);
    }
}

bool lims_row_is_next(const lims_layout_t *layout, const lims_row_t *row, const lims_row_t *next)
{
    return layout->document->container == LIMS_CONTAINER_TEXT || next->number == row->number + 1;
}

const lims_keys_t *lims_keys_of(const lims_layout_t *layout, const lims_sheet_t *sheet, int from,
                                int to, int except, int until)
{
    lims_keys_t *keys = apr_pcalloc(layout->pool, sizeof(*keys));
    const char *separator = layout->profile->table.key_separator;

    if (!layout->uses_keys && !layout->below) {
        return NULL;
    }
    keys->entries = apr_hash_make(layout->pool);
    keys->again = apr_hash_make(layout->pool);
    keys->written = apr_array_make(layout->pool, 8, sizeof(name_t));
    keys->below = apr_hash_make(layout->pool);
    for (int i = from; i < to; i++) {
        const lims_row_t *row = rejoined(layout, &sheet->rows[i]);
        bool outside = i < except || i >= until;
        if (outside && layout->below && i + 1 < to && i + 1 != except &&
            lims_row_is_next(layout, row, &sheet->rows[i + 1])) {
            add_below(layout, keys, &sheet->rows[i], &sheet->rows[i + 1]);
        }
        for (int j = 0; layout->uses_keys && outside && j < row->count; j++) {
            if (!add_within(layout, keys, row, j, separator ? separator : ":") &&
                (separator || !add_within(layout, keys, row, j, "="))) {
                add_pair(layout, keys, row, j, separator ? separator : ":");
            }
        }
    }
    return keys;
}

bool lims_keys_find(lims_found_t *found, const lims_layout_t *layout, const lims_keys_t *keys,
                    const char *key)
{
    const lims_found_t *entry = apr_hash_get(keys->entries, key, APR_HASH_KEY_STRING);
    const lims_found_t *again = apr_hash_get(keys->again, key, APR_HASH_KEY_STRING);

    if (!entry) {
        return false;
    }
    *found = *entry;
    if (again) {
        lims_layout_reason(layout, NULL, LIMS_REASON_STRUCTURE_MISMATCH, true, again, entry->text,
                           "\"%s\" stands in rows %d and %d with different values.", key,
                           entry->row, again->row);
        apr_hash_set(keys->again, key, APR_HASH_KEY_STRING, NULL); /* report it only once */
    }
    return true;
}

void lims_keys_near(lims_layout_t *layout, const lims_layout_scope_t *scope,
                    const lims_test_t *test)
{
    for (apr_size_t i = 0; i < LIMS_LENGTH(scope->keys); i++) {
        const apr_array_header_t *names = scope->keys[i] ? scope->keys[i]->written : NULL;

        for (int j = 0; names && j < names->nelts; j++) {
            const name_t *name = &APR_ARRAY_IDX(names, j, name_t);
            const lims_found_t found =
                lims_found_text(apr_pstrmemdup(layout->pool, name->text, name->length), name->row,
                                name->column, layout->pool);
            lims_near_check(layout, scope, test, &found, name->text, name->length);
        }
    }
}

bool lims_keys_below(lims_found_t *found, const lims_layout_t *layout, const lims_keys_t *keys,
                     const lims_source_t *source)
{
    apr_array_header_t *list = apr_hash_get(keys->below, source->header, APR_HASH_KEY_STRING);
    int number = source->occurrence > 0 ? source->occurrence - 1 : 0;

    if (!list || number >= list->nelts) {
        return false;
    }
    *found = APR_ARRAY_IDX(list, number, lims_found_t);
    for (int i = 1; source->occurrence == 0 && i < list->nelts; i++) {
        const lims_found_t *again = &APR_ARRAY_IDX(list, i, lims_found_t);

        if (strcmp(trimmed(found->raw, strlen(found->raw), layout->pool),
                   trimmed(again->raw, strlen(again->raw), layout->pool)) != 0) {
            lims_layout_reason(layout, NULL, LIMS_REASON_STRUCTURE_MISMATCH, true, again,
                               found->raw,
                               "Below \"%s\" stands something else in row %d than in row %d: the "
                               "profile has to say which, as in \"%s#2\".",
                               source->header, again->row, found->row, source->header);
            list->nelts = 1; /* report it only once */
        }
    }
    return true;
}

/* --- Sources ------------------------------------------------------------------- */

static bool find_key(lims_found_t *found, const lims_layout_t *layout,
                     const lims_layout_scope_t *scope, const char *key)
{
    if (scope->labels) {
        const apr_array_header_t *rows = apr_hash_get(scope->labels, key, APR_HASH_KEY_STRING);
        for (int i = 0; rows && i < rows->nelts; i++) {
            const lims_found_t cell =
                lims_found_cell(APR_ARRAY_IDX(rows, i, const lims_row_t *), scope->column);
            if (i == 0) {
                *found = cell;
            } else if (!lims_source_again(layout, scope, found, &cell,
                                          quoted("the row", key, layout->pool))) {
                break;
            }
        }
        if (rows) {
            return true;
        }
    }
    for (apr_size_t i = 0; i < LIMS_LENGTH(scope->keys); i++) {
        if (scope->keys[i] && lims_keys_find(found, layout, scope->keys[i], key)) {
            return true;
        }
    }
    return false;
}

static bool find_below(lims_found_t *found, const lims_layout_t *layout,
                       const lims_layout_scope_t *scope, const lims_source_t *source)
{
    for (apr_size_t i = 0; i < LIMS_LENGTH(scope->keys); i++) {
        if (scope->keys[i] && lims_keys_below(found, layout, scope->keys[i], source)) {
            return true;
        }
    }
    return false;
}

/* A joined text has the position of its first part, and is blank if any part is. */
static bool find_join(lims_found_t *found, const lims_layout_t *layout,
                      const lims_layout_scope_t *scope, const lims_source_t *source)
{
    const char *text = NULL;

    for (int i = 0; i < source->join->nelts; i++) {
        lims_found_t part;

        lims_source_read(&part, layout, scope, &APR_ARRAY_IDX(source->join, i, lims_source_t));
        if (i == 0) {
            *found = part;
        }
        if (!part.text || *part.text == '\0') {
            found->raw = found->text = "";
            return true;
        }
        text = text ? apr_pstrcat(layout->pool, text, source->separator ? source->separator : "",
                                  part.text, NULL)
                    : part.text;
    }
    found->raw = found->text = text;
    found->cell = NULL;
    found->number = false;
    return true;
}

static bool find_from(lims_found_t *found, const lims_layout_t *layout,
                      const lims_layout_scope_t *scope, lims_from_e from)
{
    int row = scope->row ? scope->row->number : scope->line;

    if (from == LIMS_FROM_FILE_NAME && layout->out->file_name) {
        *found = lims_found_text(layout->out->file_name, row, 0, layout->pool);
        return true;
    }
    if (from == LIMS_FROM_SHEET_NAME && scope->sheet) {
        *found = lims_found_text(scope->sheet->name, row, 0, layout->pool);
        return true;
    }
    if (scope->places[from]) {
        *found = *scope->places[from];
        return true;
    }
    return false;
}

static bool find(lims_found_t *found, const lims_layout_t *layout, const lims_layout_scope_t *scope,
                 const lims_source_t *source)
{
    int column;

    switch (source->kind) {
    case LIMS_SOURCE_HEADER:
        column = lims_header_column(scope, source->header, source->occurrence);
        if (column < 0 || !scope->row) {
            return false;
        }
        *found = lims_found_cell(scope->row, column);
        compare_columns(layout, scope, source, found);
        return true;
    case LIMS_SOURCE_INDEX:
        if (scope->row) {
            *found = lims_found_cell(scope->row, source->index - 1);
        }
        return scope->row;
    case LIMS_SOURCE_KEY:
        return find_key(found, layout, scope, source->key);
    case LIMS_SOURCE_BELOW:
        return find_below(found, layout, scope, source);
    case LIMS_SOURCE_JOIN:
        return find_join(found, layout, scope, source);
    case LIMS_SOURCE_FIELD:
    case LIMS_SOURCE_PATH:
        return scope->find && scope->find(found, layout, scope, source);
    case LIMS_SOURCE_TEXT:
        *found = (lims_found_t){ .raw = source->text,
                                 .text = source->text,
                                 .row = scope->row ? scope->row->number : scope->line };
        return true;
    case LIMS_SOURCE_FROM:
        return find_from(found, layout, scope, source->from);
    case LIMS_SOURCE_NONE:
        break;
    }
    return false;
}

void lims_source_read(lims_found_t *found, const lims_layout_t *layout,
                      const lims_layout_scope_t *scope, const lims_source_t *source)
{
    const char *part;
    apr_size_t length;

    *found = (lims_found_t){ .text = NULL };
    if (source->kind == LIMS_SOURCE_NONE || !find(found, layout, scope, source)) {
        return;
    }
    if (!found->text) {
        length = found->cell ? found->cell->length : strlen(found->raw);
        found->text = trimmed(found->raw, length, layout->pool);
    }
    if (!source->regex) {
        return;
    }
    length = strlen(found->text);
    if (!lims_regex_capture(&part, &length, layout->out->matcher, source->regex, found->text,
                            length)) {
        found->text = NULL;
        return;
    }
    part = lims_trim(&length, part, length);
    found->text = apr_pstrmemdup(layout->pool, part, length);
}
