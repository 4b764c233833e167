/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout_long.c - rows of values under a header: one value in each row (long),
 * or a column for each test (wide).
 */
#include "profiles/layout.h"

#include <apr_strings.h>

/* --- Long ----------------------------------------------------------------------- */

void lims_layout_long(lims_layout_t *layout)
{
    const apr_array_header_t *tables = lims_tables_find(layout);

    for (int i = 0; i < tables->nelts; i++) {
        const lims_table_t *table = &APR_ARRAY_IDX(tables, i, lims_table_t);
        bool complete = lims_table_complete(layout, table, false);

        for (int j = table->begin; complete && j < table->end; j++) {
            lims_scope_t scope = lims_table_scope(table, &table->sheet->rows[j]);

            if (lims_row_is_blank(scope.row) || !lims_rules_begin(layout, &scope)) {
                continue;
            }
            if (lims_table_row_fits(layout, table, scope.row)) {
                lims_rules_value(layout, &scope, NULL, NULL, NULL);
            }
            lims_rules_end(layout);
        }
    }
}

/* --- Wide ----------------------------------------------------------------------- */

/* The column of each test, or -1: its own declaration says where, or a header
 * that may come and go. */
static const int *test_columns(const lims_layout_t *layout, lims_table_t *table)
{
    const apr_array_header_t *tests = layout->profile->tests;
    const lims_scope_t scope = lims_table_scope(table, NULL);
    int *columns = apr_palloc(layout->pool, (apr_size_t)(tests->nelts + 1) * sizeof(int));

    for (int i = 0; i < tests->nelts; i++) {
        const lims_test_t *test = &APR_ARRAY_IDX(tests, i, lims_test_t);

        columns[i] = lims_test_column(layout, &scope, test);
        if (columns[i] < 0 && test->optional && !test->columns[LIMS_COLUMN_VALUE]) {
            table->lacks = test->test_code;
        }
    }
    return columns;
}

static void read_tests(lims_layout_t *layout, const lims_scope_t *scope, const int *columns)
{
    const apr_array_header_t *tests = layout->profile->tests;

    for (int i = 0; i < tests->nelts; i++) {
        const lims_test_t *test = &APR_ARRAY_IDX(tests, i, lims_test_t);
        const lims_source_t *own = test->columns[LIMS_COLUMN_VALUE];
        const lims_found_t name = { .text = APR_ARRAY_IDX(test->names, 0, const char *) };

        if (own) {
            /* One that this file lacks has been allowed, or refused for the table. */
            if (own->kind != LIMS_SOURCE_HEADER ||
                lims_header_column(scope, own->header, own->occurrence) >= 0) {
                lims_rules_value(layout, scope, test, &name, NULL);
            }
        } else if (columns[i] >= 0) {
            const lims_found_t value = lims_found_cell(scope->row, columns[i]);
            lims_rules_value(layout, scope, test, &name, &value);
        }
    }
}

void lims_layout_wide(lims_layout_t *layout)
{
    const apr_array_header_t *tables = lims_tables_find(layout);

    for (int i = 0; i < tables->nelts; i++) {
        lims_table_t *table = &APR_ARRAY_IDX(tables, i, lims_table_t);
        bool complete = lims_table_complete(layout, table, true);
        const int *columns = test_columns(layout, table);

        for (int j = table->begin; complete && j < table->end; j++) {
            lims_scope_t scope = lims_table_scope(table, &table->sheet->rows[j]);

            if (lims_row_is_blank(scope.row) || !lims_rules_begin(layout, &scope)) {
                continue;
            }
            if (lims_table_row_fits(layout, table, scope.row)) {
                read_tests(layout, &scope, columns);
            }
            lims_rules_end(layout);
        }
    }
}
