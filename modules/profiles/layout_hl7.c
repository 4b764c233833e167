/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout_hl7.c - HL7 version 2 messages with results: a value in each OBX, its
 * order in the OBR before it. The position of the specimen depends on the message:
 * after the order's results in ORU^R01, before its orders in OUL^R22.
 *
 * Source: HL7 v2.5.1, 7.3.1 (ORU^R01), 7.3.10 (OUL^R22), 7.4.2 (OBX).
 */
#include "profiles/layout.h"

#include <apr_strings.h>
#include <string.h>

static bool is_segment(const lims_row_t *row, const char *name)
{
    return strcmp(lims_row_cell(row, 0)->text, name) == 0;
}

/* Whether a segment belongs to an order: it is never taken from the previous
 * order. */
static bool is_of_order(const char *name)
{
    static const char *const names[] = { "OBR", "ORC", "TQ1", "NTE", "OBX" };

    for (apr_size_t i = 0; i < LIMS_LENGTH(names); i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Finds the segment with this name that belongs to the OBX at scope->index. */
static const lims_row_t *find_segment(const lims_layout_scope_t *scope, const char *name)
{
    const lims_row_t *latest = apr_hash_get(scope->latest, name, APR_HASH_KEY_STRING);
    const lims_row_t *specimen = apr_hash_get(scope->latest, "SPM", APR_HASH_KEY_STRING);
    const lims_row_t *order = &scope->rows[scope->begin];

    if (is_segment(scope->row, name)) {
        return scope->row;
    }
    /* Notes and devices follow the result itself. */
    for (int i = scope->index + 1; i < scope->end && !is_segment(&scope->rows[i], "OBX"); i++) {
        if (is_segment(&scope->rows[i], name)) {
            return &scope->rows[i];
        }
    }
    if (strcmp(name, "NTE") == 0) {
        return NULL;
    }
    if (strcmp(name, "SPM") == 0 && scope->specimen_behind) {
        return scope->specimen < scope->end ? &scope->rows[scope->specimen] : NULL;
    }
    if (latest && ((is_of_order(name) && latest < order) ||
                   (strcmp(name, "SAC") == 0 && specimen && latest < specimen))) {
        return NULL; /* it belongs to another order or specimen */
    }
    return latest;
}

/* Formats a structured numeric (SN), such as "<^90", "^100^-^200", "^1^:^128", as
 * it is read by people (HL7 v2.5.1, 2.A.68). */
static const char *structured_numeric(const lims_row_t *segment, int field,
                                      const lims_hl7_signs_t *signs, apr_pool_t *pool)
{
    const char *text = "";

    for (int i = 1; i <= 4; i++) {
        text = apr_pstrcat(pool, text, lims_hl7_component(segment, field, i, signs, pool), NULL);
    }
    return text;
}

/* Returns the text of a whole field; if it is the value, formatted by its type. */
static const char *whole_field(const lims_row_t *segment, int field, const lims_hl7_signs_t *signs,
                               apr_pool_t *pool)
{
    const char *first = lims_hl7_component(segment, field, 1, signs, pool);
    const char *type = is_segment(segment, "OBX") && field == 5
                           ? lims_hl7_component(segment, 2, 1, signs, pool)
                           : "";

    if (strcmp(type, "SN") == 0) {
        return structured_numeric(segment, field, signs, pool);
    }
    if (strcmp(type, "CE") == 0 || strcmp(type, "CWE") == 0 || strcmp(type, "CNE") == 0) {
        const char *words = lims_hl7_component(segment, field, 2, signs, pool);
        const char *original = lims_hl7_component(segment, field, 9, signs, pool);
        return *words ? words : *original ? original : first;
    }
    return first;
}

/* Returns the text of a field, or of one of its repetitions. */
static lims_found_t field_of(const lims_layout_t *layout, const lims_row_t *segment,
                             const lims_source_t *source)
{
    const lims_hl7_signs_t *signs = &layout->document->hl7->signs;
    lims_found_t found = lims_found_cell(segment, source->field.number);
    const char *text = source->field.component > 0
                           ? lims_hl7_component(segment, source->field.number,
                                                source->field.component, signs, layout->pool)
                           : whole_field(segment, source->field.number, signs, layout->pool);

    found.column = source->field.number;
    found.text = lims_found_text(text, 0, 0, layout->pool).text;
    return found;
}

/* A result may have several note and device segments. */
static void compare_segments(const lims_layout_t *layout, const lims_layout_scope_t *scope,
                             lims_found_t *found, const lims_row_t *segment,
                             const lims_source_t *source)
{
    if (segment <= scope->row) {
        return;
    }
    for (const lims_row_t *row = segment + 1;
         row < &scope->rows[scope->end] && !is_segment(row, "OBX") && !is_segment(row, "SPM");
         row++) {
        lims_found_t again;

        if (!is_segment(row, source->field.record)) {
            continue;
        }
        again = field_of(layout, row, source);
        if (!lims_source_again(
                layout, scope, found, &again,
                apr_psprintf(layout->pool, "%s-%d", source->field.record, source->field.number))) {
            return;
        }
    }
}

static bool find(lims_found_t *found, const lims_layout_t *layout, const lims_layout_scope_t *scope,
                 const lims_source_t *source)
{
    lims_repetitions_t repetitions = { .cell = source->field.number, .field_of = field_of };
    const lims_row_t *segment = NULL;

    if (source->kind == LIMS_SOURCE_FIELD) {
        segment = find_segment(scope, source->field.record);
    }
    if (!segment) {
        return false;
    }
    *found = field_of(layout, segment, source);
    /* MSH-2 declares the delimiter. */
    if (!is_segment(segment, "MSH") || source->field.number > 2) {
        repetitions.sign = layout->document->hl7->signs.repeat;
    }
    lims_source_repeated(layout, scope, found, segment, source, &repetitions);
    if (!is_segment(segment, "SPM")) {
        compare_segments(layout, scope, found, segment, source);
    }
    return true;
}

/* Returns the end of the order that begins at `begin`: the next OBR, or the ORC
 * before it. */
static int order_end(const lims_sheet_t *sheet, int begin, int end, bool specimen_behind)
{
    for (int i = begin + 1; i < end; i++) {
        const lims_row_t *row = &sheet->rows[i];
        if (is_segment(row, "OBR") || (is_segment(row, "ORC") && specimen_behind) ||
            (is_segment(row, "SPM") && !specimen_behind)) {
            return i;
        }
    }
    return end;
}

/* Reads the results of an order, which ends before scope->end. */
static void read_order(lims_layout_t *layout, lims_layout_scope_t *scope)
{
    scope->specimen = scope->begin;
    while (scope->specimen < scope->end && !is_segment(&scope->rows[scope->specimen], "SPM")) {
        scope->specimen++;
    }
    for (scope->index = scope->begin; scope->index < scope->end; scope->index++) {
        scope->row = &scope->rows[scope->index];
        /* An OBX after the specimen describes the specimen. */
        if (is_segment(scope->row, "SPM")) {
            return;
        }
        apr_hash_set(scope->latest, lims_row_cell(scope->row, 0)->text, APR_HASH_KEY_STRING,
                     scope->row);
        if (is_segment(scope->row, "OBX") && lims_rules_begin(layout, NULL)) {
            lims_rules_value(layout, scope, NULL, NULL, NULL);
            lims_rules_end(layout);
        }
    }
}

/* Reads a message: rows [begin, end). */
static void read_message(lims_layout_t *layout, const lims_sheet_t *sheet, int begin, int end)
{
    lims_layout_scope_t scope = { .sheet = sheet,
                                  .rows = sheet->rows,
                                  .latest = apr_hash_make(layout->pool),
                                  .find = find,
                                  .specimen_behind = true };

    for (int i = begin; i < end && !is_segment(&sheet->rows[i], "OBR"); i++) {
        scope.specimen_behind = scope.specimen_behind && !is_segment(&sheet->rows[i], "SPM");
    }
    for (int i = begin; i < end; i++) {
        const lims_row_t *row = &sheet->rows[i];

        apr_hash_set(scope.latest, lims_row_cell(row, 0)->text, APR_HASH_KEY_STRING, row);
        if (is_segment(row, "OBR")) {
            bool led = i > begin && is_segment(row - 1, "ORC") && scope.specimen_behind;
            scope.begin = led ? i - 1 : i;
            scope.end = order_end(sheet, i, end, scope.specimen_behind);
            read_order(layout, &scope);
            i = scope.end - 1;
        }
    }
}

void lims_layout_hl7(lims_layout_t *layout)
{
    for (int i = 0; i < layout->document->count; i++) {
        const lims_sheet_t *sheet = &layout->document->sheets[i];

        for (int begin = 0, end; begin < sheet->count; begin = end) {
            for (end = begin + 1;
                 end < sheet->count && sheet->rows[end].message == sheet->rows[begin].message;
                 end++) {
            }
            read_message(layout, sheet, begin, end);
        }
    }
}
