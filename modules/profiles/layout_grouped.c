/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout_grouped.c - a group of columns for each test: the upper header row
 * names the groups, the lower one the same columns in each.
 */
#include "profiles/fold.h"
#include "profiles/layout.h"

#include <apr_strings.h>
#include <string.h>

/* A group of columns with the name of a test, or with another name that
 * columns.test does not accept. */
typedef struct {
    int from, to; /* its columns [from, to) */
    lims_found_t name;
} group_t;

static const lims_source_t *name_source(const lims_layout_t *layout)
{
    static const lims_source_t group = { .kind = LIMS_SOURCE_FROM, .from = LIMS_FROM_GROUP };
    const lims_source_t *declared = &layout->profile->columns[LIMS_COLUMN_TEST];

    return declared->kind == LIMS_SOURCE_NONE ? &group : declared;
}

/* Finds the groups that name tests. A name is above the first column of its group;
 * columns before the first test are shared by all. */
static apr_array_header_t *groups_of(int *shared, const lims_layout_t *layout,
                                     const lims_table_t *table)
{
    apr_array_header_t *groups = apr_array_make(layout->pool, 16, sizeof(group_t));
    const lims_row_t *upper = &table->sheet->rows[table->header];
    lims_layout_scope_t scope = lims_table_scope(table, upper);
    group_t *open = NULL;

    for (int i = 0; i < upper->count || i < table->columns->count; i++) {
        lims_found_t cell = lims_found_cell(upper, i), name;
        apr_size_t left;

        lims_trim(&left, cell.raw, strlen(cell.raw));
        if (left == 0) {
            continue;
        }
        if (open) {
            open->to = i;
            open = NULL;
        }
        scope.places[LIMS_FROM_GROUP] = &cell;
        lims_source_read(&name, layout, &scope, name_source(layout));
        /* The text above the first column names the column of samples, not a test. */
        if (i > 0 && name.text && *name.text) {
            open = apr_array_push(groups);
            *open = (group_t){ .from = i, .name = name };
        }
    }
    if (open) {
        open->to = LIMS_FILE_COLUMNS_MAX;
    }
    *shared = groups->nelts > 0 ? APR_ARRAY_IDX(groups, 0, group_t).from : LIMS_FILE_COLUMNS_MAX;
    return groups;
}

/* Finds the header of a column that every group must have. */
static bool check_groups(lims_layout_t *layout, const lims_table_t *table,
                         const apr_array_header_t *groups, int shared)
{
    const lims_profile_t *profile = layout->profile;
    const lims_source_t *value = &profile->columns[LIMS_COLUMN_VALUE];
    const lims_source_t *tracking = &profile->columns[LIMS_COLUMN_TRACKING_ID];
    const lims_row_t *lower = &table->sheet->rows[table->header + 1];
    lims_layout_scope_t scope = lims_table_scope(table, lower);
    lims_found_t found = { .row = lower->number };

    scope.to = scope.shared = shared;
    if (tracking->kind == LIMS_SOURCE_HEADER &&
        lims_header_column(&scope, tracking->header, tracking->occurrence) < 0) {
        lims_layout_reason(layout, &scope, LIMS_REASON_STRUCTURE_MISMATCH, true, &found,
                           tracking->header, "The table has no column \"%s\" before the groups.",
                           tracking->header);
        return false;
    }
    scope.shared = 0;
    for (int i = 0; i < groups->nelts; i++) {
        const group_t *group = &APR_ARRAY_IDX(groups, i, group_t);
        const char *name = lims_fold(group->name.text, strlen(group->name.text), layout->pool);

        scope.from = group->from;
        scope.to = group->to;
        if (value->kind == LIMS_SOURCE_HEADER &&
            apr_hash_get(layout->tests, name, APR_HASH_KEY_STRING) &&
            lims_header_column(&scope, value->header, value->occurrence) < 0) {
            found.column = group->from + 1;
            found.text = group->name.text;
            lims_layout_reason(layout, &scope, LIMS_REASON_STRUCTURE_MISMATCH, true, &found,
                               value->header, "The group of columns \"%s\" has no column \"%s\".",
                               group->name.text, value->header);
            return false;
        }
    }
    if (groups->nelts == 0) {
        lims_layout_reason(layout, &scope, LIMS_REASON_STRUCTURE_MISMATCH, true, &found, NULL,
                           "No group of columns has the name of a test.");
    }
    return groups->nelts > 0;
}

/* For an optional test that is missing: looks for a group with nearly its name. */
static void check_misspelt_groups(lims_layout_t *layout, const lims_table_t *table,
                                  const apr_array_header_t *groups, const lims_test_t *test)
{
    const lims_row_t *upper = &table->sheet->rows[table->header];
    const lims_layout_scope_t scope = { .sheet = table->sheet };

    for (int i = 1, next = 0; i < upper->count; i++) {
        const lims_found_t cell = lims_found_cell(upper, i);

        if (next < groups->nelts && APR_ARRAY_IDX(groups, next, group_t).from == i) {
            const lims_found_t *name = &APR_ARRAY_IDX(groups, next++, group_t).name;
            lims_near_check(layout, &scope, test, name, name->text, strlen(name->text));
        } else if (lims_cell_says(upper, i)) {
            lims_near_group(layout, &scope, test, &cell, &APR_ARRAY_IDX(groups, 0, group_t).name);
        }
    }
}

/* Checks that each test of the profile has a group, as it has a column in a wide
 * table. */
static bool check_tests(lims_layout_t *layout, const lims_table_t *table,
                        const apr_array_header_t *groups)
{
    const apr_array_header_t *tests = layout->profile->tests;
    apr_hash_t *names = apr_hash_make(layout->pool);
    const lims_layout_scope_t scope = { .sheet = table->sheet };
    const lims_found_t found = { .row = table->sheet->rows[table->header].number };
    bool all = true;

    for (int i = 0; i < groups->nelts; i++) {
        const char *text = APR_ARRAY_IDX(groups, i, group_t).name.text;
        const char *name = lims_fold(text, strlen(text), layout->pool);
        apr_hash_set(names, name, APR_HASH_KEY_STRING, name);
    }
    for (int i = 0; i < tests->nelts; i++) {
        const lims_test_t *test = &APR_ARRAY_IDX(tests, i, lims_test_t);
        bool any = false;
        for (int j = 0; j < test->names->nelts; j++) {
            any = any || apr_hash_get(names, APR_ARRAY_IDX(test->names, j, const char *),
                                      APR_HASH_KEY_STRING);
        }
        if (!any && !test->optional && !layout->profile->table.header.repeats) {
            lims_layout_reason(layout, &scope, LIMS_REASON_STRUCTURE_MISMATCH, true, &found,
                               APR_ARRAY_IDX(test->names, 0, const char *),
                               "The table has no group of columns for the test %s.",
                               test->test_code);
            all = false;
        }
        if (!any && test->optional) {
            check_misspelt_groups(layout, table, groups, test);
        }
    }
    return all;
}

static void read_row(lims_layout_t *layout, lims_layout_scope_t *scope,
                     const apr_array_header_t *groups)
{
    for (int i = 0; i < groups->nelts; i++) {
        const group_t *group = &APR_ARRAY_IDX(groups, i, group_t);

        scope->from = group->from;
        scope->to = group->to;
        scope->places[LIMS_FROM_GROUP] = &group->name;
        lims_rules_value(layout, scope, NULL, &group->name, NULL);
    }
}

void lims_layout_grouped(lims_layout_t *layout)
{
    const apr_array_header_t *tables = lims_tables_find(layout);

    for (int i = 0; i < tables->nelts; i++) {
        const lims_table_t *table = &APR_ARRAY_IDX(tables, i, lims_table_t);
        int shared;
        const apr_array_header_t *groups = groups_of(&shared, layout, table);

        if (!check_groups(layout, table, groups, shared) || !check_tests(layout, table, groups)) {
            continue;
        }
        for (int j = table->begin; j < table->end; j++) {
            lims_layout_scope_t scope = lims_table_scope(table, &table->sheet->rows[j]);

            scope.shared = shared;
            scope.to = shared;
            if (lims_row_is_blank(scope.row) || !lims_rules_begin(layout, &scope)) {
                continue;
            }
            if (lims_table_row_fits(layout, table, scope.row)) {
                read_row(layout, &scope, groups);
            }
            lims_rules_end(layout);
        }
    }
}
