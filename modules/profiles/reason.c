/* SPDX-License-Identifier: Apache-2.0 */
/* reason.c - adding reasons of layouts and rules, with their positions. */
#include "profiles/layout.h"

#include <apr_strings.h>

/* Whether the same reason was added before for this cell. A cell may belong to
 * many values, such as a date above a table: then the reason is no longer about a
 * single value, nor about a single row. */
static bool is_repeated(const lims_layout_t *layout, const lims_reason_t *reason)
{
    const apr_array_header_t *list = layout->out->reasons->list;
    const char *key;
    int *place;

    if (list->nelts >= LIMS_FILE_REASONS_MAX) {
        return false; /* beyond the limit reasons are only counted */
    }
    key = apr_psprintf(layout->pool, "%d %d %d %s\n%s", (int)reason->code, reason->row,
                       reason->column, reason->sheet ? reason->sheet : "", reason->message);
    place = apr_hash_get(layout->known_reasons, key, APR_HASH_KEY_STRING);
    if (place) {
        lims_reason_t *earlier = &APR_ARRAY_IDX(list, *place, lims_reason_t);

        earlier->tracking_id = earlier->test = NULL;
        earlier->value_row = earlier->value_column = 0;
        earlier->record = earlier->record == reason->record ? earlier->record : 0;
        return true;
    }
    place = apr_palloc(layout->pool, sizeof(*place));
    *place = list->nelts;
    apr_hash_set(layout->known_reasons, key, APR_HASH_KEY_STRING, place);
    return false;
}

void lims_layout_add_reason(const lims_layout_t *layout, const lims_layout_scope_t *scope,
                            lims_reason_t reason, const lims_found_t *found)
{
    if (scope && scope->sheet && *scope->sheet->name) {
        reason.sheet = scope->sheet->name;
    }
    if (found) {
        reason.row = found->row;
        reason.column = found->column;
        reason.cell = found->raw ? found->raw : found->text;
    }
    if (reason.row == 0 && scope) {
        reason.row = scope->row ? scope->row->number : scope->line;
    }
    if (!is_repeated(layout, &reason)) {
        lims_reasons_add(layout->out->reasons, &reason);
    }
}

void lims_layout_reason(const lims_layout_t *layout, const lims_layout_scope_t *scope,
                        lims_reason_e code, bool blocking, const lims_found_t *found,
                        const char *expected, const char *message, ...)
{
    const char *text = message;
    va_list arguments;

    /* Reasons beyond the limit are only counted, so they need no message. */
    if (layout->out->reasons->list->nelts < LIMS_FILE_REASONS_MAX) {
        va_start(arguments, message);
        text = apr_pvsprintf(layout->pool, message, arguments);
        va_end(arguments);
    }
    lims_layout_add_reason(layout, scope,
                           (lims_reason_t){ .code = code,
                                            .blocking = blocking,
                                            .message = text,
                                            .expected = expected,
                                            .record = scope ? layout->record : 0 },
                           found);
}

/* Whether a column has a text for each value; others are shared by several values. */
static bool is_per_value(lims_column_e column)
{
    return column == LIMS_COLUMN_VALUE || column == LIMS_COLUMN_UNIT ||
           column == LIMS_COLUMN_QUALIFIER || column == LIMS_COLUMN_DILUTION ||
           column == LIMS_COLUMN_LIMIT;
}

/* Prefixes the value's name, since XML and JSON may be in one line. */
static const char *prefix_name(const lims_cell_value_t *value, const char *text)
{
    const char *sample = value->found[LIMS_COLUMN_TRACKING_ID].text;

    if (!value->layout->document->xml || !value->test ||
        value->layout->out->reasons->list->nelts >= LIMS_FILE_REASONS_MAX) {
        return text;
    }
    return apr_psprintf(value->layout->pool, "%s (Test %s of sample %s.)", text,
                        value->test->test_code, sample && *sample ? sample : "unknown");
}

int lims_value_row(const lims_cell_value_t *value)
{
    const lims_found_t *found = &value->found[LIMS_COLUMN_VALUE];

    return found->row          ? found->row
           : value->scope->row ? value->scope->row->number
                               : value->scope->line;
}

void lims_value_refuse(lims_cell_value_t *value, lims_reason_e code, lims_column_e column,
                       const char *expected, const char *message, ...)
{
    const lims_found_t *found = &value->found[column];
    lims_reason_t reason = {
        .code = code, .blocking = true, .expected = expected, .record = value->layout->record
    };
    const char *text = message;
    va_list arguments;

    if (value->layout->out->reasons->list->nelts < LIMS_FILE_REASONS_MAX) {
        va_start(arguments, message);
        text = apr_pvsprintf(value->layout->pool, message, arguments);
        va_end(arguments);
    }
    reason.message = prefix_name(value, text);
    if (is_per_value(column)) {
        reason.tracking_id = value->found[LIMS_COLUMN_TRACKING_ID].text;
        reason.test = value->test ? value->test->test_code : NULL;
        reason.value_row = lims_value_row(value);
        reason.value_column = value->found[LIMS_COLUMN_VALUE].column;
    }
    /* A missing text is reported at the value's position. */
    lims_layout_add_reason(value->layout, value->scope, reason,
                           found->raw ? found : &value->found[LIMS_COLUMN_VALUE]);
}
