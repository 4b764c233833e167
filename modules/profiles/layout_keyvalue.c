/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout_keyvalue.c - reports of "key : value": each block of them is a sample,
 * each key that names a test a value.
 */
#include "profiles/layout.h"

#include <apr_strings.h>

/* The value of a test, by whichever of its names stands there. */
static bool find_test(lims_found_t *value, lims_found_t *name, const lims_layout_t *layout,
                      const lims_scope_t *scope, const lims_test_t *test)
{
    bool any = false;

    for (int i = 0; i < test->names->nelts; i++) {
        const lims_source_t source = { .kind = LIMS_SOURCE_KEY,
                                       .key = APR_ARRAY_IDX(test->names, i, const char *) };
        lims_found_t found;

        lims_source_read(&found, layout, scope, &source);
        if (found.raw && any) {
            lims_source_again(layout, scope, value, &found,
                              apr_psprintf(layout->pool, "the test %s", test->test_code));
        } else if (found.raw) {
            *value = found;
            *name = lims_found_text(source.key, value->row, 0, layout->pool);
            any = true;
        }
    }
    return any;
}

static void read_block(lims_layout_t *layout, const lims_table_t *table)
{
    const apr_array_header_t *tests = layout->profile->tests;
    lims_scope_t scope = lims_table_scope(table, NULL);
    bool any = false;

    scope.line = table->begin < table->sheet->count ? table->sheet->rows[table->begin].number : 0;
    if (!lims_rules_begin(layout, &scope)) {
        return;
    }
    for (int i = 0; i < tests->nelts; i++) {
        const lims_test_t *test = &APR_ARRAY_IDX(tests, i, lims_test_t);
        lims_found_t value, name = { .text = APR_ARRAY_IDX(test->names, 0, const char *) };
        const lims_found_t place = { .row = scope.line };

        if (test->columns[LIMS_COLUMN_VALUE]) {
            lims_rules_value(layout, &scope, test, &name, NULL);
            any = true;
        } else if (find_test(&value, &name, layout, &scope, test)) {
            lims_rules_value(layout, &scope, test, &name, &value);
            any = true;
        } else if (!test->optional || (i + 1 == tests->nelts && !any)) {
            lims_layout_reason(layout, &scope, LIMS_REASON_STRUCTURE_MISMATCH, true, &place,
                               name.text, "There is no such key, of the test %s.", test->test_code);
        }
    }
    lims_rules_end(layout);
}

void lims_layout_keyvalue(lims_layout_t *layout)
{
    const apr_array_header_t *tables = lims_tables_find(layout);

    for (int i = 0; i < tables->nelts; i++) {
        lims_table_t table = APR_ARRAY_IDX(tables, i, lims_table_t);

        /* What would be data is keys here. */
        if (table.header < 0) {
            int begin = table.block.text && table.begin > 0 ? table.begin - 1 : table.begin;
            table.keys[0] = lims_keys_of(layout, table.sheet, begin, table.end, 0, 0);
        }
        read_block(layout, &table);
    }
}
