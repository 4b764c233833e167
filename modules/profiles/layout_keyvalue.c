/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout_keyvalue.c - reports of "key: value" pairs: each block is a sample, each
 * key that names a test has its value.
 */
#include "profiles/layout.h"

#include <apr_strings.h>
#include <string.h>

/* Finds the value of a test by any of its names. */
static bool find_test(lims_found_t *value, lims_found_t *name, const lims_layout_t *layout,
                      const lims_layout_scope_t *scope, const lims_test_t *test)
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

static bool is_number(const char *text)
{
    return *text && strspn(text, "0123456789.,+-eE<> ") == strlen(text) &&
           strpbrk(text, "0123456789");
}

/* Refuses a key with two numbers, since it is not declared which one counts. */
static void refuse_number_behind(lims_layout_t *layout, const lims_layout_scope_t *scope,
                                 const lims_table_t *table, const lims_found_t *value)
{
    for (int i = table->begin - (table->begin > 0); i < table->end; i++) {
        const lims_row_t *row = &table->sheet->rows[i];
        lims_found_t behind;

        if (row->number != value->row || !value->cell || !is_number(value->text)) {
            continue;
        }
        behind = lims_found_cell(row, value->column);
        behind.text = lims_found_text(behind.raw, 0, 0, layout->pool).text;
        if (is_number(behind.text)) {
            lims_layout_add_reason(
                layout, scope,
                (lims_reason_t){ .code = LIMS_REASON_STRUCTURE_MISMATCH,
                                 .blocking = true,
                                 .expected = value->text,
                                 .message = "Another number stands behind the value of the key.",
                                 .record = layout->record,
                                 .value_row = value->row,
                                 .value_column = value->column },
                &behind);
        }
    }
}

static void read_block(lims_layout_t *layout, const lims_table_t *table)
{
    const apr_array_header_t *tests = layout->profile->tests;
    lims_layout_scope_t scope = lims_table_scope(table, NULL);
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
            refuse_number_behind(layout, &scope, table, &value);
            lims_rules_value(layout, &scope, test, &name, &value);
            any = true;
        } else if (!test->optional || (i + 1 == tests->nelts && !any)) {
            lims_layout_reason(layout, &scope, LIMS_REASON_STRUCTURE_MISMATCH, true, &place,
                               name.text, "There is no such key, of the test %s.", test->test_code);
        } else {
            lims_keys_near(layout, &scope, test);
        }
    }
    lims_rules_end(layout);
}

/* Refuses a value before the first block: it has no sample, since the row that
 * begins its block may be damaged. */
static void refuse_before(lims_layout_t *layout, const lims_table_t *table)
{
    const apr_array_header_t *tests = layout->profile->tests;
    lims_layout_scope_t scope = { .sheet = table->sheet, .keys = { table->keys[1] } };

    for (int i = 0; table->block.text && table->keys[1] && i < tests->nelts; i++) {
        const lims_test_t *test = &APR_ARRAY_IDX(tests, i, lims_test_t);
        lims_found_t value, name;

        if (!test->columns[LIMS_COLUMN_VALUE] && find_test(&value, &name, layout, &scope, test)) {
            lims_layout_reason(layout, &scope, LIMS_REASON_STRUCTURE_MISMATCH, true, &value,
                               lims_regex_pattern(layout->profile->table.block.start),
                               "The test %s has a value here before the first block.",
                               test->test_code);
        }
    }
}

void lims_layout_keyvalue(lims_layout_t *layout)
{
    const apr_array_header_t *tables = lims_tables_find(layout);

    for (int i = 0; i < tables->nelts; i++) {
        lims_table_t table = APR_ARRAY_IDX(tables, i, lims_table_t);

        /* This layout has keys instead of a header. */
        if (table.header < 0) {
            int begin = table.block.text && table.begin > 0 ? table.begin - 1 : table.begin;
            table.keys[0] = lims_keys_of(layout, table.sheet, begin, table.end, 0, 0);
        }
        refuse_before(layout, &table);
        read_block(layout, &table);
    }
}
