/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout_transposed.c - transposed tables: a column for each sample, a row for
 * each test. Rows that the profile names as keys (date, type) are attributes of
 * the samples.
 */
#include "profiles/fold.h"
#include "profiles/layout.h"

#include <apr_strings.h>
#include <string.h>

/* Column of the row labels, from 0. */
#define LABELS 0

/* Whether the profile uses a column for something other than a sample. */
static bool is_declared(const lims_profile_t *profile, const lims_layout_scope_t *scope, int column)
{
    for (int i = 0; i < LIMS_COLUMN_COUNT; i++) {
        const lims_source_t *source;
        for (int j = 0; (source = lims_source_place(&profile->columns[i], j)); j++) {
            if ((source->kind == LIMS_SOURCE_INDEX && source->index == column + 1) ||
                (source->kind == LIMS_SOURCE_HEADER &&
                 lims_header_column(scope, source->header, source->occurrence) == column)) {
                return true;
            }
        }
    }
    return false;
}

bool lims_layout_is_key(const lims_profile_t *profile, const char *label)
{
    for (int i = 0; i < LIMS_COLUMN_COUNT; i++) {
        const lims_source_t *source;
        for (int j = 0; (source = lims_source_place(&profile->columns[i], j)); j++) {
            if (source->kind == LIMS_SOURCE_KEY && strcmp(source->key, label) == 0) {
                return true;
            }
        }
    }
    return false;
}

static const char *label_of(const lims_layout_t *layout, const lims_row_t *row)
{
    const lims_cell_t *cell = lims_row_cell(row, LABELS);

    return lims_fold(cell->text, cell->length, layout->pool);
}

/* Returns the rows by their labels, including those before the table. */
static apr_hash_t *labels_of(const lims_layout_t *layout, const lims_table_t *table)
{
    apr_hash_t *labels = apr_hash_make(layout->pool);

    for (int i = table->begin; i < table->end; i++) {
        const char *label = label_of(layout, &table->sheet->rows[i]);
        apr_array_header_t *list = apr_hash_get(labels, label, APR_HASH_KEY_STRING);

        if (*label && !list) {
            list = apr_array_make(layout->pool, 1, sizeof(const lims_row_t *));
            apr_hash_set(labels, label, APR_HASH_KEY_STRING, list);
        }
        if (*label) {
            APR_ARRAY_PUSH(list, const lims_row_t *) = &table->sheet->rows[i];
        }
    }
    return labels;
}

/* A column of the table, and what it is. */
typedef struct {
    lims_found_t name; /* name in the header */
    bool declared;     /* the profile uses it for something other than a sample */
} sample_t;

static const sample_t *samples_of(const lims_layout_t *layout, const lims_table_t *table)
{
    const lims_layout_scope_t scope = lims_table_scope(table, NULL);
    int count = table->columns->count;
    sample_t *samples = apr_pcalloc(layout->pool, (apr_size_t)(count + 1) * sizeof(*samples));

    for (int i = LABELS + 1; i < count; i++) {
        samples[i].name = lims_found_cell(&table->sheet->rows[table->header], i);
        samples[i].declared = is_declared(layout->profile, &scope, i);
    }
    return samples;
}

/* Reads the values of a test. A value below a blank header is refused, not
 * ignored. */
static void read_row(lims_layout_t *layout, const lims_table_t *table, lims_layout_scope_t *scope,
                     const sample_t *samples)
{
    lims_found_t label = lims_found_cell(scope->row, LABELS);

    for (int j = LABELS + 1; j < table->columns->count; j++) {
        const lims_found_t value = lims_found_cell(scope->row, j);

        if (samples[j].declared || (!table->columns->named[j] && !lims_cell_says(scope->row, j))) {
            continue;
        }
        scope->column = j;
        scope->places[LIMS_FROM_COLUMN_LABEL] = &samples[j].name;
        scope->places[LIMS_FROM_ROW_LABEL] = &label;
        lims_rules_value(layout, scope, NULL, &label, &value);
    }
}

static void read_table(lims_layout_t *layout, const lims_table_t *table, const sample_t *samples)
{
    apr_hash_t *labels = labels_of(layout, table);

    for (int i = table->begin; i < table->end; i++) {
        lims_layout_scope_t scope = lims_table_scope(table, &table->sheet->rows[i]);
        bool fits;

        if (lims_row_is_blank(scope.row)) {
            continue;
        }
        layout->record = layout->out->counts.rows + 1; /* the reason that it does not fit is its */
        fits = lims_table_row_fits(layout, table, scope.row);
        layout->record = 0;
        if (fits && lims_layout_is_key(layout->profile, label_of(layout, scope.row))) {
            continue;
        }
        scope.labels = labels;
        if (!lims_rules_begin(layout, NULL)) {
            return;
        }
        if (fits) {
            read_row(layout, table, &scope, samples);
        }
        lims_rules_end(layout);
    }
}

/* If no header names are declared, the first row that is not blank names the
 * samples. */
static void find_samples(lims_table_t *table, apr_pool_t *pool)
{
    while (table->header < 0 && table->begin < table->end) {
        table->header = lims_row_is_blank(&table->sheet->rows[table->begin]) ? -1 : table->begin;
        table->begin++;
    }
    if (table->header >= 0 && !table->columns) {
        table->columns = lims_header_of(&table->sheet->rows[table->header], 1, pool);
    }
}

void lims_layout_transposed(lims_layout_t *layout)
{
    const apr_array_header_t *tables = lims_tables_find(layout);
    bool grouped = layout->profile->columns[LIMS_COLUMN_VALUE].kind != LIMS_SOURCE_NONE;

    for (int i = 0; i < tables->nelts; i++) {
        lims_table_t table = APR_ARRAY_IDX(tables, i, lims_table_t);

        find_samples(&table, layout->pool);
        if (table.header >= 0 && grouped) {
            lims_layout_sample_groups(layout, &table, labels_of(layout, &table));
        } else if (table.header >= 0 && lims_table_complete(layout, &table, false)) {
            read_table(layout, &table, samples_of(layout, &table));
        }
    }
}
