/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csv.h - a list as a file: RFC 4180, a line for each record, UTF-8.
 *
 * A file has the list's own records, so it is read by the list's own statement, as one
 * page of all of them. Rows are written to a spool file as they arrive: memory holds one.
 */
#ifndef LIMS_SERVICE_CSV_H
#define LIMS_SERVICE_CSV_H

#include "database/database.h"
#include "lims.h"
#include "service/spool.h"

/* Most rows of a file. */
#define LIMS_CSV_ROWS_MAX 50000

typedef struct lims_csv_t lims_csv_t;

/* Appends a cell to the line of a file, an array of char, quoted (RFC 4180, 2.5 to 2.7) and
 * guarded as said below; NULL is an empty cell. */
void lims_csv_cell(apr_array_header_t *line, const char *text);

/* Sets the page of a list to all its rows, as many as a file may have. */
void lims_csv_page(lims_request_t *rq);

/* Begins the file `name` that answers the request. Columns are `fields`, a member of a member
 * that include asks for as "sample.priority"; null is an empty cell. A text that a spreadsheet
 * would compute (it begins with =, +, -, @, tab or carriage return, and is not a number)
 * stands behind an apostrophe, as OWASP's "CSV Injection" has it. `most`: maximum number of
 * rows, of which one more is LIMS_E_INVALID_QUERY; 0: none. Further errors are those of a
 * spool file (spool.h). */
const lims_error_t *lims_csv_begin(lims_csv_t **csv, lims_request_t *rq, const lims_field_t *fields,
                                   int most, const char *name);

/* Appends a row; to be given to a call as its .each, with the file as its .taker. */
lims_row_fn lims_csv_row;

/* Returns the file's spool file, to watch it or to append to it. */
lims_spool_t *lims_csv_spool(const lims_csv_t *csv);

/* Writes the line of columns, which stands in front of the rows, where there was no row. */
const lims_error_t *lims_csv_head(lims_csv_t *csv, const lims_result_t *rest);

/* Ends the file and makes it the answer. `rest` is the result of the call. */
const lims_error_t *lims_csv_end(lims_csv_t *csv, const lims_result_t *rest);

/* Answers all rows of the statement `list` as the file `name`. */
const lims_error_t *lims_csv_list(lims_request_t *rq, lims_stmt_e list, const char *name);

/* Answers all rows of the route's list, as filtered, as a file that is called after it. */
lims_handler_fn lims_csv_export;

/* clang-format off */
/* The members of the route by which a list is downloaded; its permission and filters are those
 * of the list. */
#define LIMS_CSV_EXPORT(records_of, word, name, records)                             \
    .method = "GET",                                                                 \
    .path = records_of "/export",                                                    \
    .list = records_of,                                                              \
    .command = word,                                                                 \
    .surfaces = LIMS_SURFACES_PEOPLE,                                                \
    .operation = name,                                                               \
    .summary = "Export the list of " records " as CSV",                              \
    .description = "At most 50,000 " records ", as filtered. The file goes to "       \
                   "standard output: `limsctl ... > list.csv`. With --json it is in " \
                   "base64.",                                                        \
    .status = 200,                                                                   \
    .handler = lims_csv_export
/* clang-format on */

#define LIMS_CSV_FLAGS (LIMS_R_NO_RECORD | LIMS_R_DOCUMENT | LIMS_R_BYTES)

#endif /* LIMS_SERVICE_CSV_H */
