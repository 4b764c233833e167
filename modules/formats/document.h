/* SPDX-License-Identifier: Apache-2.0 */
/*
 * document.h - what a file holds, once it is read: sheets of rows of cells,
 * each with its place, whatever the container was.
 *
 * Reading is a function of the bytes and of what a profile declares, never of
 * the file's name. What cannot be read is told as reasons, all of them and not
 * only the first, in words for the person who has to mend the file. Everything
 * is bounded (LIMS_FILE_*): a file can be refused, it cannot take the process
 * with it.
 *
 * This folder knows neither httpd nor the database.
 */
#ifndef LIMS_FORMATS_DOCUMENT_H
#define LIMS_FORMATS_DOCUMENT_H

#include "lims.h"

#include <apr_tables.h>

/* The largest that a file may be in each respect. Real result files stay below
 * a tenth of each. */
#define LIMS_FILE_ROWS_MAX 100000
#define LIMS_FILE_COLUMNS_MAX 4096
#define LIMS_FILE_CELLS_MAX 1000000
#define LIMS_FILE_CELL_MAX 32768 /* bytes of a cell */
#define LIMS_FILE_SHEETS_MAX 256
#define LIMS_FILE_TEXT_MAX (64 * 1024 * 1024) /* bytes, of a workbook or of XML */
#define LIMS_FILE_SECONDS_MAX 10              /* of a processor, for reading it */

/* Most reasons that are kept; more are only counted. */
#define LIMS_FILE_REASONS_MAX 500

typedef enum {
    LIMS_REASON_EMPTY_FILE,
    LIMS_REASON_UNSUPPORTED_CONTAINER,
    LIMS_REASON_ENCRYPTED_FILE,
    LIMS_REASON_ARCHIVE_LIMITS,
    LIMS_REASON_ENCODING_ERROR,
    LIMS_REASON_STRUCTURE_MISMATCH,
    LIMS_REASON_TRUNCATED_FILE,
    LIMS_REASON_CHECKSUM_ERROR,
    LIMS_REASON_TOO_MANY_ROWS,
    LIMS_REASON_READ_TIMEOUT,
    LIMS_REASON_UNKNOWN_PROFILE,
    LIMS_REASON_AMBIGUOUS_PROFILE,
    LIMS_REASON_PROFILE_ERROR,
    LIMS_REASON_NO_RESULT_ROWS,
    /* Which sample's which test. */
    LIMS_REASON_MISSING_TRACKING_ID,
    LIMS_REASON_UNKNOWN_TRACKING_ID,
    LIMS_REASON_AMBIGUOUS_TRACKING_ID,
    LIMS_REASON_SAMPLE_STATUS_NOT_ALLOWED,
    LIMS_REASON_UNKNOWN_TEST_CODE,
    LIMS_REASON_TEST_NOT_SCHEDULED,
    LIMS_REASON_AMBIGUOUS_TEST,
    /* Whether it may be written. */
    LIMS_REASON_TEST_VERIFIED_LOCKED,
    LIMS_REASON_REAGENT_LOT_EXPIRED,
    LIMS_REASON_RESULT_CONFLICT,
    LIMS_REASON_DUPLICATE_ROW,
    LIMS_REASON_REPLICATE_UNRESOLVED,
    /* The value. */
    LIMS_REASON_MISSING_VALUE,
    LIMS_REASON_NON_NUMERIC,
    LIMS_REASON_AMBIGUOUS_NUMBER,
    LIMS_REASON_UNKNOWN_QUALIFIER,
    LIMS_REASON_UNIT_MISSING,
    LIMS_REASON_UNIT_MISMATCH,
    LIMS_REASON_UNIT_NOT_CONVERTIBLE,
    LIMS_REASON_DILUTION_MISSING,
    LIMS_REASON_INSTRUMENT_ERROR_FLAG,
    LIMS_REASON_FORMULA_ERROR,
    LIMS_REASON_TIMESTAMP_INVALID,
    LIMS_REASON_TIMESTAMP_IN_FUTURE,
    LIMS_REASON_COUNT
} lims_reason_e;

/* Why a file, or a row of it, cannot be taken as it is. */
typedef struct {
    lims_reason_e code;
    bool blocking; /* or only to be known */
    const char *message;
    const char *sheet;    /* or NULL */
    int row;              /* 1-based, 0: the whole file */
    int column;           /* 1-based, 0: the whole row */
    const char *cell;     /* what stands there, or NULL */
    const char *expected; /* what should, or NULL */
    /* Of one value alone: whose, of which test, and its column; or NULL and 0. */
    const char *tracking_id, *test;
    int value_column;
} lims_reason_t;

/* The verdict on a file, and how much of its bounds is used up: those hold for
 * the file, however many sheets it has. */
typedef struct {
    apr_array_header_t *list; /* of lims_reason_t */
    int count;                /* with those that were not kept */
    int blocking;
    int rows, cells;  /* written so far, of all sheets */
    apr_size_t text;  /* bytes that lims_text_keep() has copied */
    apr_time_t until; /* the end of the time for it (lims_time_worked) */
} lims_reasons_t;

/* For one file; its time begins, which is that of the calling thread. */
lims_reasons_t *lims_reasons_create(apr_pool_t *pool);

/* Whether the time of the file lasts; false with a reason (once) when it is over,
 * and the reader stops. For loops whose length the file decides. */
bool lims_reasons_in_time(lims_reasons_t *reasons);

/* The name of a code as the API writes it. */
const char *lims_reason_name(lims_reason_e code);

/* Adds a copy; its texts have to live as long as the reasons. */
void lims_reasons_add(lims_reasons_t *reasons, const lims_reason_t *reason);

/* Adds a blocking reason at a place; `message` is a format. */
void lims_reasons_block(lims_reasons_t *reasons, lims_reason_e code, int row, int column,
                        const char *message, ...) __attribute__((format(printf, 5, 6)));

/* What a workbook says of a cell; text files know text alone. */
typedef enum {
    LIMS_CELL_TEXT,
    LIMS_CELL_NUMBER, /* decimal point, as few digits as give the same number; "12.5%" */
    LIMS_CELL_SHOWN,  /* a number that the sheet shows as another: in thousands, as "<0.5" */
    LIMS_CELL_DATE,   /* 2026-11-21, 2026-11-21T07:48:00 or 07:48:00 */
    LIMS_CELL_BOOLEAN,
    LIMS_CELL_ERROR, /* of a formula: #N/A, #DIV/0! */
    LIMS_CELL_COUNT
} lims_cell_e;

/* A cell: UTF-8 as it stands in the file, not trimmed. Sixteen bytes, since a
 * file may have a million. */
typedef struct {
    const char *text;    /* ends in NUL */
    apr_uint32_t offset; /* of its first byte, in the decoded text; 0 in a workbook */
    apr_uint16_t length;
    apr_byte_t kind; /* lims_cell_e */
} lims_cell_t;

typedef struct {
    int number;  /* 1-based: the line where it begins, or the row of the sheet */
    int message; /* 1-based, of several in a file (HL7, ASTM); else 1 */
    int count;   /* cells */
    const lims_cell_t *cells;
} lims_row_t;

typedef struct {
    const char *name; /* "" where sheets have none */
    bool hidden;
    int count;
    const lims_row_t *rows;
} lims_sheet_t;

/* A copy that counts against LIMS_FILE_TEXT_MAX; NULL with a reason beyond it. */
const char *lims_text_keep(lims_reasons_t *reasons, const char *text, apr_size_t length,
                           apr_pool_t *pool);

/* Appends to an array of char. */
void lims_text_append(apr_array_header_t *array, const char *text, int length);

/* A cell of a row, counted from 0; an empty one beyond its end. */
const lims_cell_t *lims_row_cell(const lims_row_t *row, int column);

/* Collects the rows of a sheet, and refuses what goes beyond the bounds. */
typedef struct lims_sheet_writer_t lims_sheet_writer_t;

lims_sheet_writer_t *lims_sheet_begin(const char *name, lims_reasons_t *reasons, apr_pool_t *pool);

/* Each false when a bound is passed: the reason is added, and the reader stops.
 * `text` is not copied. */
bool lims_sheet_row(lims_sheet_writer_t *w, int number, int message);
bool lims_sheet_cell(lims_sheet_writer_t *w, const char *text, apr_size_t length,
                     apr_size_t offset);

/* Says what the cell last written is; text unless told. */
void lims_sheet_kind(lims_sheet_writer_t *w, lims_cell_e kind);

/* Fills with empty cells up to a column, counted from 0. */
bool lims_sheet_skip_to(lims_sheet_writer_t *w, int column);

const lims_sheet_t *lims_sheet_end(lims_sheet_writer_t *w);

#endif /* LIMS_FORMATS_DOCUMENT_H */
