/* SPDX-License-Identifier: Apache-2.0 */
/* document.c - reasons, and collecting the rows of a sheet. */
#include "formats/document.h"

#include <apr_strings.h>
#include <stdarg.h>
#include <string.h>

/* --- Reasons --------------------------------------------------------------- */

static const char *const reason_names[] = {
    [LIMS_REASON_EMPTY_FILE] = "empty_file",
    [LIMS_REASON_UNSUPPORTED_CONTAINER] = "unsupported_container",
    [LIMS_REASON_ENCRYPTED_FILE] = "encrypted_file",
    [LIMS_REASON_ARCHIVE_LIMITS] = "archive_limits",
    [LIMS_REASON_ENCODING_ERROR] = "encoding_error",
    [LIMS_REASON_STRUCTURE_MISMATCH] = "structure_mismatch",
    [LIMS_REASON_TRUNCATED_FILE] = "truncated_file",
    [LIMS_REASON_CHECKSUM_ERROR] = "checksum_error",
    [LIMS_REASON_TOO_MANY_ROWS] = "too_many_rows",
    [LIMS_REASON_UNKNOWN_PROFILE] = "unknown_profile",
    [LIMS_REASON_AMBIGUOUS_PROFILE] = "ambiguous_profile",
    [LIMS_REASON_PROFILE_ERROR] = "profile_error",
    [LIMS_REASON_NO_RESULT_ROWS] = "no_result_rows",
    [LIMS_REASON_MISSING_TRACKING_ID] = "missing_tracking_id",
    [LIMS_REASON_UNKNOWN_TRACKING_ID] = "unknown_tracking_id",
    [LIMS_REASON_AMBIGUOUS_TRACKING_ID] = "ambiguous_tracking_id",
    [LIMS_REASON_SAMPLE_STATUS_NOT_ALLOWED] = "sample_status_not_allowed",
    [LIMS_REASON_UNKNOWN_TEST_CODE] = "unknown_test_code",
    [LIMS_REASON_TEST_NOT_SCHEDULED] = "test_not_scheduled",
    [LIMS_REASON_AMBIGUOUS_TEST] = "ambiguous_test",
    [LIMS_REASON_TEST_VERIFIED_LOCKED] = "test_verified_locked",
    [LIMS_REASON_REAGENT_LOT_EXPIRED] = "reagent_lot_expired",
    [LIMS_REASON_RESULT_CONFLICT] = "result_conflict",
    [LIMS_REASON_DUPLICATE_ROW] = "duplicate_row",
    [LIMS_REASON_REPLICATE_UNRESOLVED] = "replicate_unresolved",
    [LIMS_REASON_MISSING_VALUE] = "missing_value",
    [LIMS_REASON_NON_NUMERIC] = "non_numeric",
    [LIMS_REASON_AMBIGUOUS_NUMBER] = "ambiguous_number",
    [LIMS_REASON_UNKNOWN_QUALIFIER] = "unknown_qualifier",
    [LIMS_REASON_UNIT_MISSING] = "unit_missing",
    [LIMS_REASON_UNIT_MISMATCH] = "unit_mismatch",
    [LIMS_REASON_UNIT_NOT_CONVERTIBLE] = "unit_not_convertible",
    [LIMS_REASON_DILUTION_MISSING] = "dilution_missing",
    [LIMS_REASON_INSTRUMENT_ERROR_FLAG] = "instrument_error_flag",
    [LIMS_REASON_FORMULA_ERROR] = "formula_error",
    [LIMS_REASON_TIMESTAMP_INVALID] = "timestamp_invalid",
    [LIMS_REASON_TIMESTAMP_IN_FUTURE] = "timestamp_in_future",
};
_Static_assert(LIMS_LENGTH(reason_names) == LIMS_REASON_COUNT, "a name for every reason");

const char *lims_reason_name(lims_reason_e code)
{
    return reason_names[code];
}

lims_reasons_t *lims_reasons_create(apr_pool_t *pool)
{
    lims_reasons_t *reasons = apr_pcalloc(pool, sizeof(*reasons));

    reasons->list = apr_array_make(pool, 4, sizeof(lims_reason_t));
    return reasons;
}

void lims_reasons_add(lims_reasons_t *reasons, const lims_reason_t *reason)
{
    reasons->count++;
    reasons->blocking += reason->blocking;
    if (reasons->list->nelts < LIMS_FILE_REASONS_MAX) {
        APR_ARRAY_PUSH(reasons->list, lims_reason_t) = *reason;
    }
}

void lims_reasons_block(lims_reasons_t *reasons, lims_reason_e code, int row, int column,
                        const char *message, ...)
{
    lims_reason_t reason = { .code = code, .blocking = true, .row = row, .column = column };
    va_list arguments;

    va_start(arguments, message);
    reason.message = apr_pvsprintf(reasons->list->pool, message, arguments);
    va_end(arguments);
    lims_reasons_add(reasons, &reason);
}

/* --- Sheets ---------------------------------------------------------------- */

struct lims_sheet_writer_t {
    const char *name;
    lims_reasons_t *reasons;
    apr_array_header_t *rows;  /* of lims_row_t */
    apr_array_header_t *cells; /* of lims_cell_t, of all rows */
    apr_pool_t *pool;
};

static const lims_cell_t empty_cell = { .text = "" };

const lims_cell_t *lims_row_cell(const lims_row_t *row, int column)
{
    return column >= 0 && column < row->count ? &row->cells[column] : &empty_cell;
}

lims_sheet_writer_t *lims_sheet_begin(const char *name, lims_reasons_t *reasons, apr_pool_t *pool)
{
    lims_sheet_writer_t *w = apr_pcalloc(pool, sizeof(*w));

    w->name = name;
    w->reasons = reasons;
    w->rows = apr_array_make(pool, 64, sizeof(lims_row_t));
    w->cells = apr_array_make(pool, 512, sizeof(lims_cell_t));
    w->pool = pool;
    return w;
}

static lims_row_t *last_row(const lims_sheet_writer_t *w)
{
    return &APR_ARRAY_IDX(w->rows, w->rows->nelts - 1, lims_row_t);
}

bool lims_sheet_row(lims_sheet_writer_t *w, int number, int message)
{
    lims_row_t *row;

    if (w->rows->nelts >= LIMS_FILE_ROWS_MAX) {
        lims_reasons_block(w->reasons, LIMS_REASON_TOO_MANY_ROWS, number, 0,
                           "The file has more than %d rows.", LIMS_FILE_ROWS_MAX);
        return false;
    }
    row = apr_array_push(w->rows);
    *row = (lims_row_t){ .number = number, .message = message };
    return true;
}

bool lims_sheet_cell(lims_sheet_writer_t *w, const char *text, apr_size_t length, apr_size_t offset)
{
    lims_row_t *row = last_row(w);

    if (row->count >= LIMS_FILE_COLUMNS_MAX || w->cells->nelts >= LIMS_FILE_CELLS_MAX) {
        lims_reasons_block(w->reasons, LIMS_REASON_TOO_MANY_ROWS, row->number, 0,
                           "The file has more than %d columns, or %d cells in all.",
                           LIMS_FILE_COLUMNS_MAX, LIMS_FILE_CELLS_MAX);
        return false;
    }
    if (length > LIMS_FILE_CELL_MAX) {
        lims_reasons_block(w->reasons, LIMS_REASON_STRUCTURE_MISMATCH, row->number, row->count + 1,
                           "A cell is longer than %d bytes.", LIMS_FILE_CELL_MAX);
        return false;
    }
    APR_ARRAY_PUSH(w->cells, lims_cell_t) =
        (lims_cell_t){ .text = text, .length = length, .offset = offset };
    row->count++;
    return true;
}

void lims_sheet_kind(lims_sheet_writer_t *w, lims_cell_e kind)
{
    APR_ARRAY_IDX(w->cells, w->cells->nelts - 1, lims_cell_t).kind = kind;
}

bool lims_sheet_skip_to(lims_sheet_writer_t *w, int column)
{
    while (last_row(w)->count < column) {
        if (!lims_sheet_cell(w, "", 0, 0)) {
            return false;
        }
    }
    return true;
}

const lims_sheet_t *lims_sheet_end(lims_sheet_writer_t *w)
{
    lims_sheet_t *sheet = apr_pcalloc(w->pool, sizeof(*sheet));
    const lims_cell_t *cells = (const lims_cell_t *)w->cells->elts;

    /* The array of cells has moved while it grew: only now it stays. */
    for (int i = 0; i < w->rows->nelts; i++) {
        lims_row_t *row = &APR_ARRAY_IDX(w->rows, i, lims_row_t);
        row->cells = cells;
        cells += row->count;
    }
    sheet->name = w->name;
    sheet->count = w->rows->nelts;
    sheet->rows = (const lims_row_t *)w->rows->elts;
    return sheet;
}
