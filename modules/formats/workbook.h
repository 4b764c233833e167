/* SPDX-License-Identifier: Apache-2.0 */
/*
 * workbook.h - workbooks of spreadsheet programs: Office Open XML (ECMA-376) by
 * libzip and expat, BIFF by a reader of our own. What cells say is read; of how they
 * look only what makes another number of it: percent, dates, "<" before it.
 */
#ifndef LIMS_FORMATS_WORKBOOK_H
#define LIMS_FORMATS_WORKBOOK_H

#include "formats/archive.h"

typedef struct {
    int count;
    const lims_sheet_t *sheets; /* in the workbook's order */
} lims_workbook_t;

/* Each reads every sheet. Row and column of a cell are those of the sheet. NULL
 * with reasons. */
const lims_workbook_t *lims_xlsx_read(const char *bytes, apr_size_t length, lims_reasons_t *reasons,
                                      apr_pool_t *pool);
const lims_workbook_t *lims_xls_read(const char *bytes, apr_size_t length, lims_reasons_t *reasons,
                                     apr_pool_t *pool);

/* --- Cells of numbers ------------------------------------------------------ */

/* What a number in a cell means by its format. */
typedef enum {
    LIMS_SERIAL_NUMBER,
    LIMS_SERIAL_DATE, /* days since the begin of the calendar, with or without time */
    LIMS_SERIAL_TIME, /* a part of a day */
    LIMS_SERIAL_COUNT
} lims_serial_e;

/* A format of cells: what a number means, and the code by which it is shown. */
typedef struct {
    lims_serial_e serial;
    const char *code; /* or NULL: as it is */
} lims_format_t;

/* By a format's number and its own code, or NULL for one that is built in. */
lims_format_t lims_format_of(int number, const char *code);

/* What a number (as lims_serial_number() has it) is to a reader of the sheet: in
 * percent the hundredfold with its sign. `*kind` becomes LIMS_CELL_SHOWN where the
 * format shows another number or a text (shown.c). */
const char *lims_format_shown(lims_cell_e *kind, const char *number, const char *code,
                              apr_pool_t *pool);

/* By a format's number where the format is built in (ECMA-376 part 1, 18.8.30),
 * else by its code, "dd/mm/yyyy hh:mm"; NULL for no code. */
lims_serial_e lims_serial_format(int number, const char *code);

/* The text of a number: as it stands, or the shortest decimal text that is the
 * same number, when spreadsheets wrote 7.0999999999999996 for 7.1. No exponent
 * where 30 characters do without. NULL for what is no number. */
const char *lims_serial_number(const char *text, apr_pool_t *pool);

/* The same of a number; NULL when it is infinite or none. */
const char *lims_serial_double(double number, apr_pool_t *pool);

/* A serial as 2026-11-21, 2026-11-21T07:48:00 or 07:48:00, to the second; years
 * 1900 to 9999. `since_1904`: the workbook counts from 1904-01-01. NULL when it
 * is no such time. */
const char *lims_serial_time(const char *text, lims_serial_e format, bool since_1904,
                             apr_pool_t *pool);

#endif /* LIMS_FORMATS_WORKBOOK_H */
