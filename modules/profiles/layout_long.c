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
            lims_layout_scope_t scope = lims_table_scope(table, &table->sheet->rows[j]);

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

/* Returns the columns of each test, as arrays of int; NULL: the test has a source
 * of its own, or a header is optional. */
static const apr_array_header_t **test_columns(const lims_layout_t *layout, lims_table_t *table)
{
    const apr_array_header_t *tests = layout->profile->tests;
    const lims_layout_scope_t scope = lims_table_scope(table, NULL);
    const apr_array_header_t **columns =
        apr_pcalloc(layout->pool, (apr_size_t)(tests->nelts + 1) * sizeof(*columns));

    for (int i = 0; i < tests->nelts; i++) {
        const lims_test_t *test = &APR_ARRAY_IDX(tests, i, lims_test_t);

        columns[i] = lims_test_columns(layout, &scope, test);
        if (!columns[i] && test->optional && !test->columns[LIMS_COLUMN_VALUE]) {
            table->lacks = test->test_code;
        }
    }
    return columns;
}

/* Reads a test's value from the first of its columns; further ones must be equal. */
static void read_columns(lims_layout_t *layout, const lims_layout_scope_t *scope,
                         const lims_test_t *test, const apr_array_header_t *columns)
{
    const lims_found_t name = { .text = APR_ARRAY_IDX(test->names, 0, const char *) };
    lims_found_t value = lims_found_cell(scope->row, APR_ARRAY_IDX(columns, 0, int));

    lims_rules_value(layout, scope, test, &name, &value);
    for (int i = 1; i < columns->nelts; i++) {
        const lims_found_t again = lims_found_cell(scope->row, APR_ARRAY_IDX(columns, i, int));
        lims_source_again(layout, scope, &value, &again,
                          apr_psprintf(layout->pool, "the test %s", test->test_code));
    }
}

static void read_tests(lims_layout_t *layout, const lims_layout_scope_t *scope,
                       const apr_array_header_t **columns)
{
    const apr_array_header_t *tests = layout->profile->tests;

    for (int i = 0; i < tests->nelts; i++) {
        const lims_test_t *test = &APR_ARRAY_IDX(tests, i, lims_test_t);
        const lims_source_t *own = test->columns[LIMS_COLUMN_VALUE];
        const lims_found_t name = { .text = APR_ARRAY_IDX(test->names, 0, const char *) };

        if (own) {
            /* A missing column has been allowed, or refused for the table as a
             * whole. */
            if (own->kind != LIMS_SOURCE_HEADER ||
                lims_header_column(scope, own->header, own->occurrence) >= 0) {
                lims_rules_value(layout, scope, test, &name, NULL);
            }
        } else if (columns[i]) {
            read_columns(layout, scope, test, columns[i]);
        }
    }
}

void lims_layout_wide(lims_layout_t *layout)
{
    const apr_array_header_t *tables = lims_tables_find(layout);

    for (int i = 0; i < tables->nelts; i++) {
        lims_table_t *table = &APR_ARRAY_IDX(tables, i, lims_table_t);
        bool complete = lims_table_complete(layout, table, true);
        const apr_array_header_t **columns = test_columns(layout, table);

        for (int j = table->begin; complete && j < table->end; j++) {
            lims_layout_scope_t scope = lims_table_scope(table, &table->sheet->rows[j]);

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
