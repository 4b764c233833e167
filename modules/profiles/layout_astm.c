/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout_astm.c - messages of ASTM E1394: a value in each R record, its sample in
 * the O record before it. M records (the manufacturer's own) and whatever else
 * stands between are looked at only where the profile names them.
 *
 * Source: CLSI LIS02-A2, 5 (hierarchy of records), 9.4 (result record).
 */
#include "profiles/layout.h"

#include <apr_strings.h>
#include <string.h>

static bool is_record(const lims_row_t *row, const char *type)
{
    return strcmp(lims_row_cell(row, 0)->text, type) == 0;
}

static bool is_parent(const char *type)
{
    return strcmp(type, "H") == 0 || strcmp(type, "P") == 0 || strcmp(type, "O") == 0;
}

/* Finds the record of a type that belongs to the result at scope->index: the
 * result itself, a record below it, or the nearest one above it in the hierarchy. */
static const lims_row_t *find_record(const lims_layout_scope_t *scope, const char *type)
{
    if (is_record(scope->row, type)) {
        return scope->row;
    }
    if (is_parent(type)) {
        return apr_hash_get(scope->latest, type, APR_HASH_KEY_STRING);
    }
    for (int i = scope->index + 1; i < scope->end; i++) {
        const lims_row_t *row = &scope->rows[i];
        const char *other = lims_row_cell(row, 0)->text;
        if (is_record(row, type)) {
            return row;
        }
        if (is_parent(other) || strcmp(other, "R") == 0) {
            break;
        }
    }
    return NULL;
}

/* Stores the latest record of its type; records of lower levels end with it. */
static void store_latest(apr_hash_t *latest, const lims_row_t *row)
{
    static const char *const levels[] = { "H", "P", "O" };
    bool below = false;

    for (apr_size_t i = 0; i < LIMS_LENGTH(levels); i++) {
        bool is = is_record(row, levels[i]);
        if (is || below) {
            apr_hash_set(latest, levels[i], APR_HASH_KEY_STRING, is ? row : NULL);
        }
        below = below || is;
    }
}

/* Returns the only component that has a value; 0: several have. Devices write
 * "^0.0" and "9.34^^^^" for 0.0 and 9.34. */
static int only_component(const lims_row_t *record, int field, const lims_astm_signs_t *signs,
                          apr_pool_t *pool)
{
    const char *text = lims_row_cell(record, field - 1)->text;
    int count = 1, only = 0;

    for (const char *p = text; *p && *p != signs->repeat; p++) {
        count += *p == signs->component;
    }
    for (int i = 1; i <= count && count < 100; i++) {
        if (*lims_astm_component(record, field, i, signs, pool)) {
            if (only) {
                return 0;
            }
            only = i;
        }
    }
    return only ? only : 1;
}

/* Returns the text of a field. */
static lims_found_t field_of(const lims_layout_t *layout, const lims_row_t *record,
                             const lims_source_t *source)
{
    const lims_astm_signs_t *signs = &layout->document->astm->signs;
    lims_found_t found = lims_found_cell(record, source->field.number - 1);
    int component = source->field.component;

    if (component == 0) {
        component = only_component(record, source->field.number, signs, layout->pool);
    }
    if (component > 0) {
        const char *text =
            lims_astm_component(record, source->field.number, component, signs, layout->pool);
        found.text = lims_found_text(text, 0, 0, layout->pool).text;
    }
    return found;
}

/* A result may have several comment and manufacturer records. */
static void compare_records(const lims_layout_t *layout, const lims_layout_scope_t *scope,
                            lims_found_t *found, const lims_row_t *record,
                            const lims_source_t *source)
{
    const char *type;

    for (const lims_row_t *row = record + 1; record > scope->row && row < &scope->rows[scope->end];
         row++) {
        type = lims_row_cell(row, 0)->text;
        if (is_parent(type) || strcmp(type, "R") == 0) {
            return;
        }
        if (strcmp(type, source->field.record) == 0) {
            lims_found_t again = field_of(layout, row, source);
            if (!lims_source_again(layout, scope, found, &again,
                                   apr_psprintf(layout->pool, "%s-%d", source->field.record,
                                                source->field.number))) {
                return;
            }
        }
    }
}

static bool find(lims_found_t *found, const lims_layout_t *layout, const lims_layout_scope_t *scope,
                 const lims_source_t *source)
{
    lims_repetitions_t repetitions = { .cell = source->field.number - 1, .field_of = field_of };
    const lims_row_t *record = NULL;

    if (source->kind == LIMS_SOURCE_FIELD) {
        record = find_record(scope, source->field.record);
    }
    if (!record) {
        return false;
    }
    *found = field_of(layout, record, source);
    /* H-2 declares the delimiter. */
    if (!is_record(record, "H") || source->field.number > 2) {
        repetitions.sign = layout->document->astm->signs.repeat;
    }
    lims_source_repeated(layout, scope, found, record, source, &repetitions);
    compare_records(layout, scope, found, record, source);
    return true;
}

void lims_layout_astm(lims_layout_t *layout)
{
    for (int i = 0; i < layout->document->count; i++) {
        const lims_sheet_t *sheet = &layout->document->sheets[i];
        lims_layout_scope_t scope = { .sheet = sheet,
                                      .rows = sheet->rows,
                                      .end = sheet->count,
                                      .latest = apr_hash_make(layout->pool),
                                      .find = find };

        for (scope.index = 0; scope.index < sheet->count; scope.index++) {
            scope.row = &sheet->rows[scope.index];
            store_latest(scope.latest, scope.row);
            if (is_record(scope.row, "R") && lims_rules_begin(layout, NULL)) {
                lims_rules_value(layout, &scope, NULL, NULL, NULL);
                lims_rules_end(layout);
            }
        }
    }
}
