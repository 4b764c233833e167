/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pdf_report.h - lists, worklists and charts as PDF: the job "report" of lims-print, with the
 * laboratory, the filters in words, and who made it when, in the laboratory's time.
 *
 * A handler reads the rows and makes the job; lims_print_and_answer(), the route's .work, has it
 * printed when the connection is given back.
 */
#ifndef LIMS_DOCUMENTS_PDF_REPORT_H
#define LIMS_DOCUMENTS_PDF_REPORT_H

#include "database/database.h"
#include "documents/documents.h"
#include "lims.h"

/* Most rows of a list as PDF: more are for a file of CSV. */
#define LIMS_REPORT_ROWS_MAX 2000

/* A report that is being made. */
typedef struct lims_report_t lims_report_t;

/* Begins the report that answers the request, which becomes the file `name`. */
const lims_error_t *lims_report_begin(lims_report_t **report, lims_request_t *rq, const char *title,
                                      const char *name);

/* Appends facts: pairs of label and value, of which a NULL label is the last. Those without a
 * value are left out. */
void lims_report_facts(lims_report_t *report, const char *const *pairs);

/* Appends a block that is JSON already. */
void lims_report_block(lims_report_t *report, const char *json);

/* Appends a table of rows. `columns`: names of its fields, NULL at the end. LIMS_E_INVALID_QUERY:
 * there are more than LIMS_REPORT_ROWS_MAX. */
const lims_error_t *lims_report_table(lims_report_t *report, const lims_field_t *fields,
                                      const char *const *columns, const lims_result_t *rows);

/* Ends the job, which lims_print_and_answer() takes. */
const lims_error_t *lims_report_end(lims_report_t *report);

/* Makes the job of the route's list, of the rows of this statement, with the columns that
 * report_lists.c names. */
const lims_error_t *lims_report_of(lims_request_t *rq, lims_stmt_e list);

/* Makes the job of the route's list, as it is filtered. */
lims_handler_fn lims_report_list;

/* Errors of the routes of reports. */
extern const lims_error_e lims_report_errors[];

/* Columns of a list on paper. */
typedef struct {
    const char *path;        /* of the list */
    const char *title;       /* of the document */
    const char *columns[14]; /* fields, NULL at the end */
} lims_report_list_t;

/* Returns what the list of a path has on paper (report_lists.c). */
const lims_report_list_t *lims_report_list_of(const char *path);

/* clang-format off */
/* The members of the route by which a list is printed; its permission and filters are those of
 * the list. */
#define LIMS_REPORT(records_of, word, name, records, makes)                          \
    .method = "GET",                                                                 \
    .path = records_of "/export.pdf",                                                \
    .list = records_of,                                                              \
    .command = word,                                                                 \
    .surfaces = LIMS_SURFACES_PEOPLE,                                                \
    .operation = name,                                                               \
    .summary = "Print the list of " records " as PDF",                               \
    .description = "At most 2,000 " records ", as filtered; more are for the CSV "   \
                   "file. The bytes go to standard output: `limsctl ... > list.pdf`.", \
    .status = 200,                                                                   \
    .handler = makes,                                                                \
    .work = lims_print_and_answer,                                                   \
    .errors = lims_report_errors
#define LIMS_REPORT_LIST(records_of, word, name, records)                            \
    LIMS_REPORT(records_of, word, name, records, lims_report_list)
/* clang-format on */

#endif /* LIMS_DOCUMENTS_PDF_REPORT_H */
