/* SPDX-License-Identifier: Apache-2.0 */
/*
 * document.h - the content of a file: sheets of rows of cells with their
 * positions, the same for every container.
 *
 * Reading is a function of the bytes and of the profile's declarations, never of
 * the file name. Faults are collected as reasons, all of them instead of only the
 * first, for the person who has to correct the file. Every dimension has a limit
 * (LIMS_FILE_*), so that a file can be refused but cannot exhaust the process.
 *
 * This folder knows neither httpd nor the database.
 */
#ifndef LIMS_FORMATS_DOCUMENT_H
#define LIMS_FORMATS_DOCUMENT_H

#include "lims.h"

#include <apr_tables.h>

/* Limits of a file. Real result files stay below a tenth of each. */
#define LIMS_FILE_ROWS_MAX 100000
#define LIMS_FILE_COLUMNS_MAX 4096
#define LIMS_FILE_CELLS_MAX 1000000
#define LIMS_FILE_CELL_MAX 32768 /* bytes, of one cell */
#define LIMS_FILE_SHEETS_MAX 256
#define LIMS_FILE_TEXT_MAX                                                                         \
    (64 * 1024 * 1024) /* bytes of all texts of a workbook or of XML, and of all cells */
#define LIMS_FILE_SECONDS_MAX 10              /* processor time for reading a file, seconds */

/* Number of reasons that are stored; further ones are only counted. */
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
    /* Sample and test. */
    LIMS_REASON_MISSING_TRACKING_ID,
    LIMS_REASON_UNKNOWN_TRACKING_ID,
    LIMS_REASON_AMBIGUOUS_TRACKING_ID,
    LIMS_REASON_SAMPLE_STATUS_NOT_ALLOWED,
    LIMS_REASON_UNKNOWN_TEST_CODE,
    LIMS_REASON_TEST_NOT_SCHEDULED,
    LIMS_REASON_AMBIGUOUS_TEST,
    /* Permission to enter the result. */
    LIMS_REASON_TEST_VERIFIED_LOCKED,
    LIMS_REASON_REAGENT_LOT_EXPIRED,
    LIMS_REASON_LOT_NOT_RELEASED,
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

/* A reason why a file, or a row of it, cannot be imported unchanged. */
typedef struct {
    lims_reason_e code;
    bool blocking; /* prevents the import; false: for information */
    const char *message;
    const char *sheet;    /* or NULL */
    int row;              /* 1-based, 0: the whole file */
    int column;           /* 1-based, 0: the whole row */
    const char *cell;     /* actual text, or NULL */
    const char *expected; /* expected text, or NULL */
    /* Number of the record (lims_reading_t) that it is about; 0: of none, since it
     * concerns the file, a table, or a cell that several records share. */
    int record;
    /* Only for a reason about a single value: its sample, its test and its place, which
     * need not be that of the reason; else NULL, 0. */
    const char *tracking_id, *test;
    int value_row, value_column;
} lims_reason_t;

/* The reasons against a file, and its use of the limits, which hold for the file
 * as a whole, however many sheets it has. */
typedef struct {
    apr_array_header_t *list; /* of lims_reason_t */
    int count;                /* number of reasons, including those not stored */
    int blocking;
    int rows, cells;  /* number read so far in all sheets */
    apr_size_t text;  /* bytes copied by lims_text_keep() */
    apr_size_t shown; /* bytes of all cells: a text that they share counts for each */
    apr_time_t until; /* deadline in the thread's processor time; 0: it was passed */
} lims_reasons_t;

/* Creates the reasons of one file in `pool`, and starts the time limit, which
 * counts the processor time of the calling thread. */
lims_reasons_t *lims_reasons_create(apr_pool_t *pool);

/* Checks the time limit. False, with a reason the first time, when it is exceeded:
 * then the reader must stop. For loops whose length the file determines. */
bool lims_reasons_in_time(lims_reasons_t *reasons);

/* Returns the name of a code as the API writes it; static. */
const char *lims_reason_name(lims_reason_e code);

/* Adds a copy of a reason; the texts are not copied and must live as long as
 * `reasons`. */
void lims_reasons_add(lims_reasons_t *reasons, const lims_reason_t *reason);

/* Adds a blocking reason at a row and column (0: none); `message` is a printf
 * format. */
void lims_reasons_block(lims_reasons_t *reasons, lims_reason_e code, int row, int column,
                        const char *message, ...) __attribute__((format(printf, 5, 6)));

/* Type of a cell; cells of text files have type LIMS_CELL_TEXT. */
typedef enum {
    LIMS_CELL_TEXT,
    LIMS_CELL_NUMBER, /* with decimal point, in the shortest exact form; "12.5%" */
    LIMS_CELL_SHOWN,  /* a number that is displayed as another: in thousands, as "<0.5" */
    LIMS_CELL_DATE,   /* 2026-11-21, 2026-11-21T07:48:00 or 07:48:00 */
    LIMS_CELL_BOOLEAN,
    LIMS_CELL_ERROR, /* error of a formula: #N/A, #DIV/0!; or LIMS_CELL_UNCALCULATED */
    LIMS_CELL_COUNT
} lims_cell_e;

/* Text of a formula that no program has calculated yet: the workbook has no value of it. */
#define LIMS_CELL_UNCALCULATED "#NOT CALCULATED"

/* A cell: UTF-8, exactly as in the file, not trimmed. 16 bytes in size, since a
 * file may have a million cells. */
typedef struct {
    const char *text;    /* NUL-terminated */
    apr_uint32_t offset; /* position of the first byte in the decoded text; 0 in a workbook */
    apr_uint16_t length;
    apr_byte_t kind; /* lims_cell_e */
} lims_cell_t;

typedef struct {
    int number;  /* from 1: line where the row begins, or row of the sheet */
    int message; /* number of the message in the file (HL7, ASTM), from 1; else 1 */
    int count;   /* number of cells */
    bool hidden; /* the sheet does not show it: hidden, or filtered out */
    const lims_cell_t *cells;
} lims_row_t;

typedef struct {
    const char *name; /* "" in files without named sheets */
    bool hidden;
    int count;
    const lims_row_t *rows;
} lims_sheet_t;

/* Copies a text into `pool` and counts it against LIMS_FILE_TEXT_MAX; NULL with a
 * reason beyond that. */
const char *lims_text_keep(lims_reasons_t *reasons, const char *text, apr_size_t length,
                           apr_pool_t *pool);

/* Appends `length` bytes to an array of char. */
void lims_text_append(apr_array_header_t *array, const char *text, int length);

/* Returns a cell of a row, counted from 0; beyond the end an empty one. */
const lims_cell_t *lims_row_cell(const lims_row_t *row, int column);

/* Writer of a sheet: collects rows and cells, and enforces the limits. */
typedef struct lims_sheet_writer_t lims_sheet_writer_t;

/* Begins a sheet; reasons about it are added to `reasons`. */
lims_sheet_writer_t *lims_sheet_begin(const char *name, lims_reasons_t *reasons, apr_pool_t *pool);

/* Begins a row. False, with a reason, when a limit is exceeded: then the reader must
 * stop. */
bool lims_sheet_row(lims_sheet_writer_t *w, int number, int message);

/* Marks the row as one that the sheet does not show. */
void lims_sheet_hide(lims_sheet_writer_t *w);

/* Appends a cell to the row. False as above. `text` is not copied and must live as long
 * as the sheet. */
bool lims_sheet_cell(lims_sheet_writer_t *w, const char *text, apr_size_t length,
                     apr_size_t offset);

/* Sets the type of the last cell; without it the type is LIMS_CELL_TEXT. */
void lims_sheet_kind(lims_sheet_writer_t *w, lims_cell_e kind);

/* Appends empty cells up to a column, counted from 0. False as above. */
bool lims_sheet_skip_to(lims_sheet_writer_t *w, int column);

/* Returns the finished sheet. */
const lims_sheet_t *lims_sheet_end(lims_sheet_writer_t *w);

#endif /* LIMS_FORMATS_DOCUMENT_H */
