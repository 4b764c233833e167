/* SPDX-License-Identifier: Apache-2.0 */
/* xls_sheet.c - the cells of a sheet of a BIFF workbook. */
#include <stdlib.h>
#include <string.h>

#include "formats/xls.h"

/* Number of records between two checks of the time limit. */
#define RECORDS_BETWEEN_LOOKS 4096

/* Number of rows that a BIFF8 sheet can have. */
#define ROWS 65536

/* Types of a formula's non-numeric result. */
enum { RESULT_TEXT = 0, RESULT_BOOLEAN = 1, RESULT_ERROR = 2 };

/* Flag of a FORMULA record: calculate when the workbook is opened. Libraries set it, with a
 * result of 0 until then. */
#define CALCULATE_ON_LOAD 0x0002

/* A cell as it was read. Some writers do not order cells by row, so they are
 * sorted at the end. */
typedef struct {
    apr_uint16_t row, column;
    lims_cell_e kind;
    const char *text;
} found_t;

typedef struct {
    lims_xls_book_t *book;
    const char *name;
    apr_array_header_t *cells; /* array of found_t */
    bool *hidden;              /* by row: the sheet does not show it */
    bool sorted;
    bool awaiting; /* the next STRING record is the text of the formula at .place */
    found_t place; /* row and column of the current record */
    unsigned style;
} reader_t;

static bool refuse_cell(reader_t *r, const found_t *cell, const char *what)
{
    lims_reason_t reason = {
        .code = LIMS_REASON_STRUCTURE_MISMATCH,
        .blocking = true,
        .message = what,
        .sheet = r->name,
        .row = cell->row + 1,
        .column = cell->column + 1,
    };

    lims_reasons_add(r->book->reasons, &reason);
    return false;
}

static bool add_cell(reader_t *r, lims_cell_e kind, const char *text)
{
    const found_t *last =
        r->cells->nelts ? &APR_ARRAY_IDX(r->cells, r->cells->nelts - 1, found_t) : NULL;
    found_t cell = r->place;

    if (!text || !*text) {
        return text;
    }
    if (r->cells->nelts >= LIMS_FILE_CELLS_MAX - r->book->reasons->cells) {
        lims_reasons_block(r->book->reasons, LIMS_REASON_TOO_MANY_ROWS, cell.row + 1, 0,
                           "The file has more than %d cells in all.", LIMS_FILE_CELLS_MAX);
        return false;
    }
    cell.kind = kind;
    cell.text = text;
    r->sorted = r->sorted && (!last || last->row < cell.row ||
                              (last->row == cell.row && last->column < cell.column));
    APR_ARRAY_PUSH(r->cells, found_t) = cell;
    return true;
}

/* --- Values ---------------------------------------------------------------- */

static bool add_number(reader_t *r, double number)
{
    const apr_array_header_t *serials = r->book->serials;
    const lims_format_t format = (int)r->style < serials->nelts
                                     ? APR_ARRAY_IDX(serials, (int)r->style, lims_format_t)
                                     : (lims_format_t){ .serial = LIMS_SERIAL_NUMBER };
    const char *text = lims_serial_double(number, r->book->pool);
    lims_cell_e kind;

    if (!text) {
        return refuse_cell(r, &r->place, "A cell's number is infinite or NaN.");
    }
    text = lims_number_shown(&kind, text, &format, r->book->since_1904, r->book->pool);
    return add_cell(r, kind, text);
}

/* Reads an IEEE 754 double, little-endian. */
static double read_double(lims_xls_record_t *record)
{
    apr_uint64_t bits = lims_xls_u32(record);
    double number;

    bits |= (apr_uint64_t)lims_xls_u32(record) << 32;
    memcpy(&number, &bits, sizeof(number));
    return number;
}

/* Decodes an RK number: 30 bits of an integer, or the upper bits of a double; one
 * flag divides by 100. */
static double read_rk(lims_xls_record_t *record)
{
    apr_uint32_t rk = lims_xls_u32(record);
    apr_uint64_t bits = (apr_uint64_t)(rk & ~3U) << 32;
    double number;

    if (rk & 2) {
        number = (double)(rk >> 2) - (rk & 0x80000000U ? 1073741824.0 : 0.0);
    } else {
        memcpy(&number, &bits, sizeof(number));
    }
    return rk & 1 ? number / 100 : number;
}

static bool add_error(reader_t *r, unsigned code)
{
    static const struct {
        unsigned code;
        const char *text;
    } errors[] = {
        { 0x00, "#NULL!" }, { 0x07, "#DIV/0!" }, { 0x0f, "#VALUE!" }, { 0x17, "#REF!" },
        { 0x1d, "#NAME?" }, { 0x24, "#NUM!" },   { 0x2a, "#N/A" },
    };

    for (apr_size_t i = 0; i < LIMS_LENGTH(errors); i++) {
        if (errors[i].code == code) {
            return add_cell(r, LIMS_CELL_ERROR, errors[i].text);
        }
    }
    return add_cell(r, LIMS_CELL_ERROR, "#ERROR!");
}

static bool add_boolean(reader_t *r, unsigned value)
{
    return add_cell(r, LIMS_CELL_BOOLEAN, value ? "TRUE" : "FALSE");
}

/* --- Records --------------------------------------------------------------- */

static bool add_formula(reader_t *r, lims_xls_record_t *record)
{
    const unsigned char *result = record->at;
    double number = read_double(record);
    unsigned options = lims_xls_left(record, 2) ? lims_xls_u16(record) : 0;

    if (result[6] != 0xff || result[7] != 0xff) {
        return number == 0 && (options & CALCULATE_ON_LOAD)
                   ? add_cell(r, LIMS_CELL_ERROR, LIMS_CELL_UNCALCULATED)
                   : add_number(r, number);
    }
    switch (result[0]) {
    case RESULT_TEXT:
        r->awaiting = true; /* in the STRING record that follows */
        return true;
    case RESULT_BOOLEAN:
        return add_boolean(r, result[2]);
    case RESULT_ERROR:
        return add_error(r, result[2]);
    default:
        return true; /* an empty text */
    }
}

/* Reads a MULRK record: pairs of style and number, then the last column. */
static bool add_numbers(reader_t *r, lims_xls_record_t *record)
{
    record->at -= 2; /* go back to the style of the first pair, which was read already */
    while (lims_xls_left(record, 8)) {
        r->style = lims_xls_u16(record);
        if (!add_number(r, read_rk(record))) {
            return false;
        }
        r->place.column++;
    }
    return true;
}

static bool add_shared(reader_t *r, apr_uint32_t index)
{
    if (index >= (apr_uint32_t)r->book->strings->nelts) {
        return refuse_cell(r, &r->place, "A cell refers to a shared string that does not exist.");
    }
    return add_cell(r, LIMS_CELL_TEXT, APR_ARRAY_IDX(r->book->strings, (int)index, const char *));
}

static bool add_bool_or_error(reader_t *r, lims_xls_record_t *record)
{
    unsigned value = lims_xls_u8(record);
    return lims_xls_u8(record) ? add_error(r, value) : add_boolean(r, value);
}

/* Returns the minimum size of a cell record in bytes; 0 for other records. */
static apr_size_t minimum_size(unsigned type)
{
    switch (type) {
    case LIMS_XLS_NUMBER:
    case LIMS_XLS_FORMULA:
        return 14;
    case LIMS_XLS_MULRK:
        return 12;
    case LIMS_XLS_RK:
    case LIMS_XLS_LABELSST:
        return 10;
    case LIMS_XLS_LABEL:
    case LIMS_XLS_RSTRING:
    case LIMS_XLS_BOOLERR:
        return 8;
    default:
        return 0;
    }
}

static bool read_cell(reader_t *r, lims_xls_record_t *record)
{
    if (!lims_xls_left(record, minimum_size(record->type))) {
        return refuse_cell(r, &r->place, "The record behind this cell is too short.");
    }
    r->awaiting = false;
    r->place.row = (apr_uint16_t)lims_xls_u16(record);
    r->place.column = (apr_uint16_t)lims_xls_u16(record);
    r->style = lims_xls_u16(record);
    switch (record->type) {
    case LIMS_XLS_NUMBER:
        return add_number(r, read_double(record));
    case LIMS_XLS_FORMULA:
        return add_formula(r, record);
    case LIMS_XLS_MULRK:
        return add_numbers(r, record);
    case LIMS_XLS_RK:
        return add_number(r, read_rk(record));
    case LIMS_XLS_LABELSST:
        return add_shared(r, lims_xls_u32(record));
    case LIMS_XLS_BOOLERR:
        return add_bool_or_error(r, record);
    default:
        return add_cell(r, LIMS_CELL_TEXT, lims_xls_text(record, 2, r->book));
    }
}

/* Notes that a row is hidden: fDyZero of its ROW record. */
static void read_row(reader_t *r, lims_xls_record_t *record)
{
    if (lims_xls_left(record, 14)) {
        unsigned row = lims_xls_u16(record);
        r->hidden[row] = record->at[10] & 0x20;
    }
}

static bool read_record(reader_t *r, lims_xls_record_t *record)
{
    if (record->type == LIMS_XLS_ROW) {
        read_row(r, record);
        return true;
    }
    if (minimum_size(record->type) > 0) {
        return read_cell(r, record);
    }
    if (record->type == LIMS_XLS_STRING && r->awaiting) {
        r->awaiting = false;
        return add_cell(r, LIMS_CELL_TEXT, lims_xls_text(record, 2, r->book));
    }
    return true;
}

/* Reads up to the end of the sheet; embedded charts have BOF and EOF records of
 * their own. */
static bool read_records(reader_t *r, apr_size_t offset)
{
    lims_xls_record_t record;
    unsigned count = 0;
    int depth = 0;

    if (!lims_xls_record_at(&record, r->book, offset)) {
        return false;
    }
    if (record.type != LIMS_XLS_BOF) {
        return refuse_cell(r, &r->place, "There is no sheet at the declared offset.");
    }
    for (depth = 1; depth > 0; count++) {
        if ((count % RECORDS_BETWEEN_LOOKS == 0 && !lims_reasons_in_time(r->book->reasons)) ||
            !lims_xls_next(&record, r->book)) {
            return false;
        }
        depth += (record.type == LIMS_XLS_BOF) - (record.type == LIMS_XLS_EOF);
        if (depth == 1 && !read_record(r, &record)) {
            return false;
        }
    }
    return true;
}

/* --- The sheet ------------------------------------------------------------- */

static int compare_places(const void *one, const void *other)
{
    const found_t *a = one, *b = other;

    return a->row != b->row ? a->row - b->row : a->column - b->column;
}

static bool begin_row(lims_sheet_writer_t *w, const reader_t *r, apr_uint16_t row)
{
    if (!lims_sheet_row(w, row + 1, 1)) {
        return false;
    }
    if (r->hidden[row]) {
        lims_sheet_hide(w);
    }
    return true;
}

static const lims_sheet_t *write_cells(reader_t *r)
{
    lims_sheet_writer_t *w = lims_sheet_begin(r->name, r->book->reasons, r->book->pool);
    const found_t *last = NULL;

    for (int i = 0; i < r->cells->nelts; i++) {
        const found_t *cell = &APR_ARRAY_IDX(r->cells, i, found_t);

        if (last && compare_places(last, cell) == 0) {
            refuse_cell(r, cell, "The workbook has two values for one cell.");
            return NULL;
        }
        if (((!last || last->row != cell->row) && !begin_row(w, r, cell->row)) ||
            !lims_sheet_skip_to(w, cell->column) ||
            !lims_sheet_cell(w, cell->text, strlen(cell->text), 0)) {
            return NULL;
        }
        lims_sheet_kind(w, cell->kind);
        last = cell;
    }
    return lims_sheet_end(w);
}

const lims_sheet_t *lims_xls_read_sheet(lims_xls_book_t *book, const char *name, apr_size_t offset)
{
    reader_t r = {
        .book = book,
        .name = name,
        .cells = apr_array_make(book->pool, 256, sizeof(found_t)),
        .hidden = apr_pcalloc(book->pool, ROWS * sizeof(bool)),
        .sorted = true,
    };

    if (!read_records(&r, offset)) {
        return NULL;
    }
    if (!r.sorted) {
        qsort(r.cells->elts, (apr_size_t)r.cells->nelts, sizeof(found_t), compare_places);
    }
    return write_cells(&r);
}
