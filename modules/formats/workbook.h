/* SPDX-License-Identifier: Apache-2.0 */
/*
 * workbook.h - reading of spreadsheet workbooks: Office Open XML (ECMA-376) with
 * libzip and expat, BIFF by the reader in xls.c. Values are read; of the
 * formatting only what changes the meaning of a number: percent, dates, a "<"
 * before it, a superscript behind it.
 */
#ifndef LIMS_FORMATS_WORKBOOK_H
#define LIMS_FORMATS_WORKBOOK_H

#include "formats/archive.h"

typedef struct {
    int count;
    const lims_sheet_t *sheets; /* in the workbook's order */
} lims_workbook_t;

/* Reads all sheets of an XLSX workbook into `pool`; row and column numbers are those of the
 * sheet. NULL: it cannot be read, `reasons` say why. */
const lims_workbook_t *lims_xlsx_read(const char *bytes, apr_size_t length, lims_reasons_t *reasons,
                                      apr_pool_t *pool);

/* Reads all sheets of an XLS workbook, as lims_xlsx_read() does those of an XLSX one. */
const lims_workbook_t *lims_xls_read(const char *bytes, apr_size_t length, lims_reasons_t *reasons,
                                     apr_pool_t *pool);

/* Whether a superscript behind a character is an exponent, or the number of a note. It is
 * written as people write it in plain text, "10^5": 105 is another number. */
bool lims_is_exponent(char before, const char *superscript, apr_size_t length);

/* --- Cells of numbers ------------------------------------------------------ */

/* Meaning of a number by its cell's format. */
typedef enum {
    LIMS_SERIAL_NUMBER,
    LIMS_SERIAL_DATE, /* days since the calendar's epoch, with or without time */
    LIMS_SERIAL_TIME, /* fraction of a day */
    LIMS_SERIAL_COUNT
} lims_serial_e;

/* A number format: the meaning of numbers, and the code by which they are
 * displayed. */
typedef struct {
    lims_serial_e serial;
    const char *code; /* format code; NULL: numbers are displayed unchanged */
} lims_format_t;

/* Returns a format by its number and code; `code` NULL: a built-in format. */
lims_format_t lims_format_of(int number, const char *code);

/* Returns a number (as lims_serial_number() returns it) as the sheet displays it:
 * in percent times 100 with the sign. `*kind` becomes LIMS_CELL_SHOWN if the
 * format displays another number or a text (shown.c). */
const char *lims_format_shown(lims_cell_e *kind, const char *number, const char *code,
                              apr_pool_t *pool);

/* Returns text and kind of a cell with a number: the number as above, or its date or time.
 * LIMS_CELL_SHOWN for one that is no date in a cell of dates: a sheet displays 0 as
 * 00.01.1900. */
const char *lims_number_shown(lims_cell_e *kind, const char *number, const lims_format_t *format,
                              bool since_1904, apr_pool_t *pool);

/* Returns the meaning of a format: by its number if it is built in (ECMA-376 part
 * 1, 18.8.30), else by its code such as "dd/mm/yyyy hh:mm"; `code` may be NULL. */
lims_serial_e lims_serial_format(int number, const char *code);

/* Returns the text of a number: unchanged, or the shortest decimal text of the
 * same number where spreadsheets wrote 7.0999999999999996 for 7.1. Without
 * exponent if 30 characters suffice. NULL if `text` is not a number. */
const char *lims_serial_number(const char *text, apr_pool_t *pool);

/* Returns a double as text, likewise; NULL if it is infinite or NaN. */
const char *lims_serial_double(double number, apr_pool_t *pool);

/* Converts a serial number to 2026-11-21, 2026-11-21T07:48:00 or 07:48:00, to the
 * second; years 1900 to 9999. `since_1904`: the workbook counts from 1904-01-01.
 * NULL if it is not a valid date or time. */
const char *lims_serial_time(const char *text, lims_serial_e format, bool since_1904,
                             apr_pool_t *pool);

#endif /* LIMS_FORMATS_WORKBOOK_H */
