/* SPDX-License-Identifier: Apache-2.0 */
/* document.c - reasons, and the writer of sheets. */
#include "formats/document.h"

#include <apr_strings.h>
#include <stdarg.h>
#include <string.h>

#include "kernel/time.h"

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
    [LIMS_REASON_READ_TIMEOUT] = "read_timeout",
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
    [LIMS_REASON_LOT_NOT_RELEASED] = "lot_not_released",
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
    reasons->until = lims_time_worked() + apr_time_from_sec(LIMS_FILE_SECONDS_MAX);
    return reasons;
}

bool lims_reasons_in_time(lims_reasons_t *reasons)
{
    if (reasons->until == 0) {
        return false; /* exceeded before: the reason is there already */
    }
    if (lims_time_worked() > reasons->until) {
        reasons->until = 0;
        lims_reasons_block(reasons, LIMS_REASON_READ_TIMEOUT, 0, 0,
                           "The file takes longer than %d seconds to read.", LIMS_FILE_SECONDS_MAX);
        return false;
    }
    return true;
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

/* Cells are stored in blocks that never move. The cells of a row are contiguous,
 * so a new block is at least as large as the row can become. */
#define BLOCK_CELLS 8192
_Static_assert(BLOCK_CELLS >= LIMS_FILE_COLUMNS_MAX, "a row fits into a block");

/* Number of rows between two checks of the time limit. */
#define ROWS_BETWEEN_LOOKS 256

struct lims_sheet_writer_t {
    const char *name;
    lims_reasons_t *reasons;
    apr_array_header_t *rows; /* array of lims_row_t */
    lims_row_t *row;          /* last row; NULL before the first */
    lims_cell_t *block;
    int used, size; /* cells of the block: used, including the last row's, and allocated */
    apr_pool_t *pool;
};

static const lims_cell_t empty_cell = { .text = "" };

const char *lims_text_keep(lims_reasons_t *reasons, const char *text, apr_size_t length,
                           apr_pool_t *pool)
{
    if (length > LIMS_FILE_TEXT_MAX - reasons->text) {
        lims_reasons_block(reasons, LIMS_REASON_ARCHIVE_LIMITS, 0, 0,
                           "The file holds more than %d MB of text.", LIMS_FILE_TEXT_MAX / 1048576);
        return NULL;
    }
    reasons->text += length;
    return apr_pstrmemdup(pool, text, length);
}

void lims_text_append(apr_array_header_t *array, const char *text, int length)
{
    /* The array grows to the needed size in one step, since arrays never shrink. */
    if (array->nelts + length > array->nalloc) {
        int needed = array->nelts + length;
        int size = array->nalloc * 2 > needed ? array->nalloc * 2 : needed;
        char *larger = apr_palloc(array->pool, (apr_size_t)size);
        memcpy(larger, array->elts, (apr_size_t)array->nelts);
        array->elts = larger;
        array->nalloc = size;
    }
    memcpy(array->elts + array->nelts, text, (apr_size_t)length);
    array->nelts += length;
}

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
    w->pool = pool;
    return w;
}

bool lims_sheet_row(lims_sheet_writer_t *w, int number, int message)
{
    if (w->reasons->rows >= LIMS_FILE_ROWS_MAX) {
        lims_reasons_block(w->reasons, LIMS_REASON_TOO_MANY_ROWS, number, 0,
                           "The file has more than %d rows.", LIMS_FILE_ROWS_MAX);
        return false;
    }
    if (w->reasons->rows++ % ROWS_BETWEEN_LOOKS == 0 && !lims_reasons_in_time(w->reasons)) {
        return false;
    }
    w->row = apr_array_push(w->rows);
    *w->row = (lims_row_t){
        .number = number,
        .message = message,
        .cells = w->block ? w->block + w->used : NULL,
    };
    return true;
}

void lims_sheet_hide(lims_sheet_writer_t *w)
{
    w->row->hidden = true;
}

/* Allocates a larger block and moves the current row into it. */
static void next_block(lims_sheet_writer_t *w)
{
    int twice = w->size ? w->size * 2 : 64;
    lims_cell_t *block;

    w->size = twice < BLOCK_CELLS ? twice : BLOCK_CELLS;
    w->size = w->row->count < w->size ? w->size : BLOCK_CELLS;
    block = apr_palloc(w->pool, (apr_size_t)w->size * sizeof(*block));
    if (w->row->count) {
        memcpy(block, w->row->cells, (apr_size_t)w->row->count * sizeof(*block));
    }
    w->row->cells = block;
    w->block = block;
    w->used = w->row->count;
}

/* Counts the text of a cell. Whoever reads the rows goes through a text that cells share
 * for each of them, so a small workbook could keep them busy for minutes. */
static bool count_text(lims_sheet_writer_t *w, apr_size_t length)
{
    if (length > LIMS_FILE_CELL_MAX) {
        lims_reasons_block(w->reasons, LIMS_REASON_STRUCTURE_MISMATCH, w->row->number,
                           w->row->count + 1, "A cell is longer than %d bytes.",
                           LIMS_FILE_CELL_MAX);
        return false;
    }
    if (length > LIMS_FILE_TEXT_MAX - w->reasons->shown) {
        lims_reasons_block(w->reasons, LIMS_REASON_ARCHIVE_LIMITS, w->row->number, 0,
                           "The cells of the file hold more than %d MB of text. A text that "
                           "several cells have counts for each of them.",
                           LIMS_FILE_TEXT_MAX / 1048576);
        return false;
    }
    w->reasons->shown += length;
    return true;
}

bool lims_sheet_cell(lims_sheet_writer_t *w, const char *text, apr_size_t length, apr_size_t offset)
{
    if (w->row->count >= LIMS_FILE_COLUMNS_MAX || w->reasons->cells >= LIMS_FILE_CELLS_MAX) {
        lims_reasons_block(w->reasons, LIMS_REASON_TOO_MANY_ROWS, w->row->number, 0,
                           "The file has more than %d columns, or %d cells in all.",
                           LIMS_FILE_COLUMNS_MAX, LIMS_FILE_CELLS_MAX);
        return false;
    }
    if (!count_text(w, length)) {
        return false;
    }
    if (w->used == w->size) {
        next_block(w);
    }
    w->block[w->used++] = (lims_cell_t){
        .text = text,
        .offset = (apr_uint32_t)offset,
        .length = (apr_uint16_t)length,
        .kind = LIMS_CELL_TEXT,
    };
    w->reasons->cells++;
    w->row->count++;
    return true;
}

void lims_sheet_kind(lims_sheet_writer_t *w, lims_cell_e kind)
{
    w->block[w->used - 1].kind = (apr_byte_t)kind;
}

bool lims_sheet_skip_to(lims_sheet_writer_t *w, int column)
{
    while (w->row->count < column) {
        if (!lims_sheet_cell(w, "", 0, 0)) {
            return false;
        }
    }
    return true;
}

const lims_sheet_t *lims_sheet_end(lims_sheet_writer_t *w)
{
    lims_sheet_t *sheet = apr_pcalloc(w->pool, sizeof(*sheet));

    sheet->name = w->name;
    sheet->count = w->rows->nelts;
    sheet->rows = (const lims_row_t *)w->rows->elts;
    return sheet;
}
