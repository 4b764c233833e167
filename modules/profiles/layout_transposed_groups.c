/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout_transposed_groups.c - transposed tables with several columns for each
 * sample: the sample's name is above the first of them, or within each of their
 * headers.
 */
#include "profiles/fold.h"
#include "profiles/layout.h"

#include <apr_strings.h>
#include <string.h>

/* The group of columns of a sample. */
typedef struct {
    lims_found_t name;
    int first;              /* its first column, from 0 */
    lims_header_t *columns; /* headers of its columns */
} group_t;

typedef struct {
    lims_layout_t *layout;
    const lims_table_t *table;
    const lims_row_t *upper,
        *lower; /* rows with the names and with the column headers; may be the same */
    apr_array_header_t *groups; /* array of group_t, ordered by .first */
    apr_hash_t *by_name;        /* name -> group_t *, if one header contains name and column */
    lims_header_t *common;      /* columns shared by all samples */
    apr_hash_t *labels;         /* label -> rows */
    bool good;
} groups_t;

static const char *trimmed(const lims_row_t *row, int column, apr_pool_t *pool)
{
    const lims_cell_t *cell = lims_row_cell(row, column);
    apr_size_t length;
    const char *text = lims_trim(&length, cell->text, cell->length);

    return apr_pstrmemdup(pool, text, length);
}

static void refuse(groups_t *g, const lims_row_t *row, int column, const char *expected,
                   const char *message)
{
    const lims_layout_scope_t scope = { .sheet = g->table->sheet };
    const lims_found_t found = lims_found_cell(row, column);

    lims_layout_reason(g->layout, &scope, LIMS_REASON_STRUCTURE_MISMATCH, true, &found, expected,
                       "%s", message);
    g->good = false;
}

static void add_column(lims_header_t *header, const char *name, int column, apr_pool_t *pool)
{
    const char *folded = lims_fold(name, strlen(name), pool);
    apr_array_header_t *list = apr_hash_get(header->columns, folded, APR_HASH_KEY_STRING);

    if (*folded == '\0') {
        return;
    }
    if (!list) {
        list = apr_array_make(pool, 1, sizeof(int));
        apr_hash_set(header->columns, folded, APR_HASH_KEY_STRING, list);
    }
    APR_ARRAY_PUSH(list, int) = column;
    header->count = column + 1;
}

static lims_header_t *header_create(apr_pool_t *pool)
{
    lims_header_t *header = apr_pcalloc(pool, sizeof(*header));

    header->columns = apr_hash_make(pool);
    return header;
}

static group_t *add_group(groups_t *g, const lims_found_t *name, int first)
{
    group_t *group = apr_palloc(g->layout->pool, sizeof(*group));

    *group = (group_t){ .name = *name, .first = first };
    group->columns = header_create(g->layout->pool);
    APR_ARRAY_PUSH(g->groups, group_t *) = group;
    return group;
}

/* --- Names above columns ------------------------------------------------------------ */

/* Reads the sample's name in a cell of the upper row; false if the cell names
 * none. */
static bool names_sample(groups_t *g, lims_found_t *name, int column)
{
    lims_layout_scope_t scope = { .sheet = g->table->sheet, .row = g->upper };
    const lims_found_t cell = lims_found_cell(g->upper, column);
    lims_found_t id;

    *name = lims_found_text(cell.raw, cell.row, cell.column, g->layout->pool);
    scope.labels = g->labels;
    scope.column = column;
    scope.places[LIMS_FROM_GROUP] = scope.places[LIMS_FROM_COLUMN_LABEL] = name;
    lims_source_read(&id, g->layout, &scope, &g->layout->profile->columns[LIMS_COLUMN_TRACKING_ID]);
    return id.text && *id.text;
}

/* Finds the groups by the upper row. Columns before the first sample are shared by
 * all; a group that names no sample is skipped, unless it has a column of values. */
static void find_above(groups_t *g)
{
    const lims_source_t *value = &g->layout->profile->columns[LIMS_COLUMN_VALUE];
    lims_header_t *open = g->common;
    bool is_sample = false;

    for (int i = 0; i < g->upper->count || i < g->lower->count; i++) {
        const char *label = trimmed(g->lower, i, g->layout->pool);
        lims_found_t name;

        if (*trimmed(g->upper, i, g->layout->pool) != '\0') {
            is_sample = i > 0 && names_sample(g, &name, i);
            if (is_sample) {
                open = add_group(g, &name, i)->columns;
            } else {
                open = g->groups->nelts > 0 ? header_create(g->layout->pool) : g->common;
            }
        }
        add_column(open, label, i, g->layout->pool);
        if (!is_sample && lims_fold_equals(label, strlen(label), value->header)) {
            refuse(g, g->upper, i, NULL,
                   "A column of values stands here under no name of a sample.");
        }
    }
}

/* --- Names within headers ------------------------------------------------------------ */

/* Whether a column is declared as a source shared by all samples. */
static bool is_declared(const groups_t *g, const char *label, int column)
{
    for (int i = 0; i < LIMS_COLUMN_COUNT; i++) {
        const lims_source_t *place;
        for (int j = 0; (place = lims_source_place(&g->layout->profile->columns[i], j)); j++) {
            if ((place->kind == LIMS_SOURCE_INDEX && place->index == column + 1) ||
                (place->kind == LIMS_SOURCE_HEADER &&
                 lims_fold_equals(label, strlen(label), place->header))) {
                return true;
            }
        }
    }
    return false;
}

static void find_within(groups_t *g)
{
    const lims_regex_t *regex = g->layout->profile->table.header.group;
    apr_pool_t *pool = g->layout->pool;

    for (int i = 0; i < g->upper->count; i++) {
        const char *label = trimmed(g->upper, i, pool), *part;
        apr_size_t length;
        lims_found_t name;
        group_t *group;

        if (!lims_regex_capture(&part, &length, g->layout->out->matcher, regex, label,
                                strlen(label))) {
            if (*label && g->groups->nelts > 0 && !is_declared(g, label, i)) {
                refuse(g, g->upper, i, lims_regex_pattern(regex),
                       "This column is neither one of a sample nor named by the profile.");
            }
            add_column(g->common, label, i, pool);
            continue;
        }
        name = lims_found_text(apr_pstrmemdup(pool, part, length), g->upper->number, i + 1, pool);
        group = apr_hash_get(g->by_name, name.text, APR_HASH_KEY_STRING);
        if (!group) {
            group = add_group(g, &name, i);
            apr_hash_set(g->by_name, name.text, APR_HASH_KEY_STRING, group);
        }
        add_column(group->columns,
                   apr_pstrcat(pool, apr_pstrmemdup(pool, label, (apr_size_t)(part - label)),
                               part + length, NULL),
                   i, pool);
    }
}

static bool is_same_or_near(const char *a, apr_size_t a_length, const char *b, apr_size_t b_length)
{
    return (a_length == b_length && strncmp(a, b, b_length) == 0) ||
           lims_name_is_near(a, a_length, b, b_length);
}

/* Whether a label begins and ends like a column of values, up to one letter in
 * each. */
static bool resembles_pattern(const char *label, const char *before, const char *behind)
{
    apr_size_t length = strlen(label), head = strlen(before), tail = strlen(behind);
    bool begins = head == 0, ends = tail == 0;

    for (apr_size_t more = 0; more < 3 && length + 1 > head + tail; more++) {
        apr_size_t from = head + more - 1, to = tail + more - 1;

        begins = begins || (from <= length && is_same_or_near(label, from, before, head));
        ends = ends || (to <= length && is_same_or_near(label + length - to, to, behind, tail));
    }
    return begins && ends;
}

/* Refuses a column of values before the first sample: its header may be damaged,
 * and its sample would be ignored silently. */
static void check_before(groups_t *g)
{
    const lims_source_t *value = &g->layout->profile->columns[LIMS_COLUMN_VALUE];
    const group_t *first = APR_ARRAY_IDX(g->groups, 0, const group_t *);
    const apr_array_header_t *list =
        apr_hash_get(first->columns->columns, value->header, APR_HASH_KEY_STRING);
    apr_pool_t *pool = g->layout->pool;
    const char *model = list ? trimmed(g->upper, APR_ARRAY_IDX(list, 0, int), pool) : "";
    const char *at = strstr(model, first->name.text);

    for (int i = 1; at && i < first->first; i++) {
        const char *label = trimmed(g->upper, i, pool);

        if (!is_declared(g, label, i) &&
            resembles_pattern(label, apr_pstrmemdup(pool, model, (apr_size_t)(at - model)),
                              at + strlen(first->name.text))) {
            refuse(g, g->upper, i, model,
                   "This column looks like one of a sample's values, and names no sample.");
        }
    }
}

/* --- What has to be there -------------------------------------------------------------- */

static void check_source(groups_t *g, const group_t *group, const lims_source_t *source, bool own)
{
    const lims_layout_scope_t scope = { .header = group->columns,
                                        .common = own ? NULL : g->common };
    const lims_source_t *place;

    for (int i = 0; (place = lims_source_place(source, i)); i++) {
        if (place->kind == LIMS_SOURCE_HEADER && !place->optional &&
            lims_header_column(&scope, place->header, place->occurrence) < 0) {
            refuse(g, g->upper, group->first, place->header,
                   apr_psprintf(g->layout->pool, "The sample \"%s\" has no column \"%s\".",
                                group->name.text, place->header));
        }
    }
}

/* Refuses a second column of values for a sample, which would be ignored silently. */
static void check_single(groups_t *g, const group_t *group)
{
    const lims_source_t *value = &g->layout->profile->columns[LIMS_COLUMN_VALUE];
    const apr_array_header_t *list =
        apr_hash_get(group->columns->columns, value->header, APR_HASH_KEY_STRING);

    if (list && list->nelts > value->occurrence && value->occurrence == 1) {
        refuse(g, g->lower, APR_ARRAY_IDX(list, 1, int), value->header,
               apr_psprintf(g->layout->pool, "The sample \"%s\" has several columns \"%s\".",
                            group->name.text, value->header));
    }
}

static bool is_complete(groups_t *g)
{
    if (g->groups->nelts == 0) {
        refuse(g, g->upper, 0, NULL, "No column has the name of a sample.");
    }
    if (g->groups->nelts > 0 && g->upper == g->lower) {
        check_before(g);
    }
    for (int i = 0; i < g->groups->nelts; i++) {
        const group_t *group = APR_ARRAY_IDX(g->groups, i, const group_t *);

        for (int j = 0; j < LIMS_COLUMN_COUNT; j++) {
            check_source(g, group, &g->layout->profile->columns[j], j == LIMS_COLUMN_VALUE);
        }
        check_single(g, group);
    }
    return g->good;
}

/* --- Values ---------------------------------------------------------------------------- */

static void read_row(const groups_t *g, const lims_row_t *row)
{
    lims_layout_scope_t scope = lims_table_scope(g->table, row);
    const lims_found_t label = lims_found_cell(row, 0);

    scope.labels = g->labels;
    scope.common = g->common;
    scope.places[LIMS_FROM_ROW_LABEL] = &label;
    for (int i = 0; i < g->groups->nelts; i++) {
        const group_t *group = APR_ARRAY_IDX(g->groups, i, const group_t *);

        scope.header = group->columns;
        scope.column = group->first;
        scope.places[LIMS_FROM_GROUP] = scope.places[LIMS_FROM_COLUMN_LABEL] = &group->name;
        lims_rules_value(g->layout, &scope, NULL, NULL, NULL);
    }
}

void lims_layout_sample_groups(lims_layout_t *layout, const lims_table_t *table, apr_hash_t *labels)
{
    groups_t g = { .layout = layout, .table = table, .labels = labels, .good = true };
    bool within = layout->profile->table.header.group;

    g.upper = &table->sheet->rows[table->header];
    g.lower = within ? g.upper : g.upper + 1;
    g.groups = apr_array_make(layout->pool, 16, sizeof(group_t *));
    g.by_name = apr_hash_make(layout->pool);
    g.common = header_create(layout->pool);
    if (within) {
        find_within(&g);
    } else {
        find_above(&g);
    }
    if (!is_complete(&g)) {
        return;
    }
    for (int i = table->begin; i < table->end; i++) {
        const lims_row_t *row = &table->sheet->rows[i];
        const char *label = trimmed(row, 0, layout->pool);

        if (lims_row_is_blank(row) ||
            lims_layout_is_key(layout->profile, lims_fold(label, strlen(label), layout->pool))) {
            continue;
        }
        if (!lims_rules_begin(layout, NULL)) {
            return;
        }
        if (lims_table_row_fits(layout, table, row)) {
            read_row(&g, row);
        }
        lims_rules_end(layout);
    }
}
