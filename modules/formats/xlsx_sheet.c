/* SPDX-License-Identifier: Apache-2.0 */
/* xlsx_sheet.c - the rows and cells of a sheet of an Office Open XML workbook. */
#include <apr_cstr.h>
#include <apr_lib.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "formats/xlsx.h"
#include "formats/xml.h"

/* Limit of spreadsheet programs; larger row numbers are invalid. */
#define ROW_NUMBER_MAX 1048576

/* Cell types, ST_CellType */
typedef enum { SHARED, BOOLEAN, ERROR, DATE, NUMBER, TEXT } type_e;

static const char *const type_names[] = {
    [SHARED] = "s", [BOOLEAN] = "b", [ERROR] = "e", [DATE] = "d", [NUMBER] = "n",
};
_Static_assert(LIMS_LENGTH(type_names) == TEXT, "a name for every type but str and inlineStr");

typedef struct {
    const lims_xlsx_context_t *context;
    lims_sheet_writer_t *sheet;
    int row;        /* number of the open or last row */
    int column;     /* column of the open or last cell, from 0 */
    bool row_begun; /* the row has a cell, and so is in the sheet */
    bool row_hidden;
    bool in_cell;
    bool formula; /* the cell has a formula */
    type_e type;  /* type of the cell */
    int style;
    lims_xlsx_text_t text; /* of the cell: of <v>, or of an inline string */
    lims_reasons_t *reasons;
    apr_pool_t *pool;
} reader_t;

static bool refuse_structure(reader_t *r, const char *what)
{
    lims_reason_t reason = {
        .code = LIMS_REASON_STRUCTURE_MISMATCH,
        .blocking = true,
        .message = what,
        .sheet = r->context->name,
        .row = r->row,
        .column = r->column + 1,
    };

    lims_reasons_add(r->reasons, &reason);
    return false;
}

/* Parses a cell reference: "AB12" to column 27 (from 0) and row 12. */
static bool read_reference(int *column, int *row, const char *reference)
{
    long number;
    char *end;

    for (*column = 0; apr_isupper(*reference) && *column < 100000; reference++) {
        *column = *column * 26 + (*reference - 'A' + 1);
    }
    (*column)--;
    number = strtol(reference, &end, 10);
    *row = number > 0 && number <= ROW_NUMBER_MAX ? (int)number : 0;
    return *column >= 0 && *row > 0 && !*end && apr_isdigit(*reference);
}

static bool open_row(reader_t *r, const char **attributes)
{
    const char *number = lims_xml_value(attributes, "r");
    long next = number ? strtol(number, NULL, 10) : r->row + 1;

    if (next <= r->row || next > ROW_NUMBER_MAX) {
        return refuse_structure(r, "The rows of the sheet do not ascend.");
    }
    r->row = (int)next;
    r->column = -1;
    r->row_begun = false;
    r->row_hidden = lims_xml_is_true(lims_xml_value(attributes, "hidden"));
    return true;
}

static type_e type_of(const char *name)
{
    type_e type = name ? SHARED : NUMBER;

    while (name && type < TEXT && strcmp(type_names[type], name) != 0) {
        type++;
    }
    return type;
}

static bool open_cell(reader_t *r, const char **attributes)
{
    const char *reference = lims_xml_value(attributes, "r");
    const char *style = lims_xml_value(attributes, "s");
    int column = r->column + 1;
    int row = r->row;

    if (reference && !read_reference(&column, &row, reference)) {
        return refuse_structure(r, "The reference of a cell is invalid.");
    }
    if (row != r->row || column <= r->column) {
        return refuse_structure(r, "The cells of a row do not ascend.");
    }
    r->column = column;
    r->in_cell = true;
    r->formula = false;
    r->type = type_of(lims_xml_value(attributes, "t"));
    if (!style || apr_cstr_atoi(&r->style, style) != APR_SUCCESS) {
        r->style = 0;
    }
    lims_xlsx_text_begin(&r->text);
    return true;
}

static bool on_start(void *data, const char *name, const char **attributes, int line)
{
    reader_t *r = data;

    (void)line;
    if (strcmp(name, "row") == 0) {
        return open_row(r, attributes);
    }
    if (strcmp(name, "c") == 0 && r->row > 0) {
        return open_cell(r, attributes);
    }
    if (r->in_cell) {
        r->formula = r->formula || strcmp(name, "f") == 0;
        lims_xlsx_text_start(&r->text, name, attributes);
        r->text.collecting = r->text.collecting || strcmp(name, "v") == 0;
    }
    return true;
}

static bool on_text(void *data, const char *text, int length)
{
    lims_xlsx_text_add(&((reader_t *)data)->text, text, length);
    return true;
}

static lims_format_t format_of(const reader_t *r)
{
    static const lims_format_t plain = { .serial = LIMS_SERIAL_NUMBER };

    return r->style >= 0 && r->style < r->context->formats->nelts
               ? APR_ARRAY_IDX(r->context->formats, r->style, lims_format_t)
               : plain;
}

static const char *shared_string(const reader_t *r, const char *text)
{
    char *end;
    long index = strtol(text, &end, 10);

    return *text && !*end && index >= 0 && index < r->context->strings->nelts
               ? APR_ARRAY_IDX(r->context->strings, (int)index, const char *)
               : NULL;
}

static const char *boolean_text(const char *text)
{
    return strcmp(text, "1") == 0 ? "TRUE" : strcmp(text, "0") == 0 ? "FALSE" : NULL;
}

/* Returns text and kind of the cell; NULL if its type and text contradict each
 * other, or with a reason when a limit is exceeded. */
static const char *cell_text(lims_cell_e *kind, reader_t *r, const char *text)
{
    static const lims_cell_e kinds[] = {
        [SHARED] = LIMS_CELL_TEXT, [BOOLEAN] = LIMS_CELL_BOOLEAN, [ERROR] = LIMS_CELL_ERROR,
        [DATE] = LIMS_CELL_DATE,   [NUMBER] = LIMS_CELL_NUMBER,   [TEXT] = LIMS_CELL_TEXT,
    };
    const lims_format_t format = format_of(r);

    *kind = kinds[r->type];
    if (r->type == SHARED || r->type == BOOLEAN) {
        return r->type == SHARED ? shared_string(r, text) : boolean_text(text);
    }
    if (r->type != NUMBER) {
        return lims_text_keep(r->reasons, text, strlen(text), r->pool);
    }
    text = lims_serial_number(text, r->pool);
    return text ? lims_number_shown(kind, text, &format, r->context->since_1904, r->pool) : NULL;
}

/* Whether the cell has a formula that no program has calculated: without a value, or with
 * the 0 that libraries write where the program that opens the workbook is to calculate. */
static bool is_uncalculated(const reader_t *r, const char *text)
{
    return r->formula && (*text == '\0' || (r->context->uncalculated && r->type == NUMBER &&
                                            text[strspn(text, "0.")] == '\0'));
}

/* Begins the row in the sheet at its first cell with a value. */
static bool begin_row(reader_t *r)
{
    if (r->row_begun) {
        return true;
    }
    r->row_begun = lims_sheet_row(r->sheet, r->row, 1);
    if (r->row_begun && r->row_hidden) {
        lims_sheet_hide(r->sheet);
    }
    return r->row_begun;
}

static bool close_cell(reader_t *r)
{
    lims_cell_e kind = LIMS_CELL_ERROR;
    const char *text = LIMS_CELL_UNCALCULATED, *value;

    r->in_cell = false;
    if (r->text.text->nelts == 0 && (!r->formula || r->type == TEXT)) {
        return true; /* a cell with a style and no value, or a formula whose value is "" */
    }
    value = lims_xlsx_text_done(&r->text);
    if (!is_uncalculated(r, value)) {
        text = cell_text(&kind, r, value);
    }
    if (!text) {
        return r->reasons->blocking == 0 &&
               refuse_structure(r, "A cell's value does not have the declared type.");
    }
    if (!begin_row(r) || !lims_sheet_skip_to(r->sheet, r->column) ||
        !lims_sheet_cell(r->sheet, text, strlen(text), 0)) {
        return false;
    }
    lims_sheet_kind(r->sheet, kind);
    return true;
}

static bool on_end(void *data, const char *name)
{
    reader_t *r = data;

    lims_xlsx_text_end(&r->text, name);
    return strcmp(name, "c") != 0 || !r->in_cell || close_cell(r);
}

const lims_sheet_t *lims_xlsx_read_sheet(const lims_xlsx_context_t *context, lims_stream_t *stream,
                                         lims_reasons_t *reasons, apr_pool_t *pool)
{
    reader_t r = {
        .context = context,
        .sheet = lims_sheet_begin(context->name, reasons, pool),
        .text = { .text = apr_array_make(pool, 64, sizeof(char)) },
        .reasons = reasons,
        .pool = pool,
    };
    const lims_xml_handlers_t handlers = { on_start, on_text, on_end, &r };

    return lims_xml_walk(&handlers, stream, reasons) ? lims_sheet_end(r.sheet) : NULL;
}
