/* SPDX-License-Identifier: Apache-2.0 */
/*
 * turnaround.c - how long reported samples took, by method and by client, in a period of the
 * laboratory's days.
 */
#include <string.h>

#include "documents/pdf_report.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/writer.h"
#include "samples/samples.h"
#include "service/csv.h"
#include "service/service.h"

static const char *const groups[] = { "method", "client", NULL };

/* A row: of the CSV file, of the PDF, and of the two lists of the answer. */
static const lims_field_t row_fields[] = {
    { .name = "by",
      .type = LIMS_T_ENUM,
      .values = groups,
      .flags = LIMS_F_OUT,
      .doc = "Subject of the row: a method, of which tests are counted from the receipt of "
             "their sample to their verification, or a client, of whom samples are counted from "
             "receipt to report." },
    { .name = "name",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Method or name of the client; null: tests without a method." },
    { .name = "samples", .type = LIMS_T_INTEGER, .flags = LIMS_F_OUT, .doc = "Number of samples." },
    { .name = "tests",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Number of tests, of a method; of a client 0." },
    { .name = "medianHours",
      .type = LIMS_T_DECIMAL,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Median of the turnaround in hours." },
    { .name = "p90Hours",
      .type = LIMS_T_DECIMAL,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Turnaround in hours that 90 % do not exceed: the 90th percentile." },
    { .name = "withDueDate",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Number of those that had a due date." },
    { .name = "withinDue",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Number of these that were done on that day or before it." },
    { .name = "withinDuePercent",
      .type = LIMS_T_DECIMAL,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "The same in percent; null: none had a due date." },
    LIMS_FIELD_END,
};

static const lims_field_t output[] = {
    { .name = "from", .type = LIMS_T_DATE, .flags = LIMS_F_OUT, .doc = "First day of the period." },
    { .name = "to", .type = LIMS_T_DATE, .flags = LIMS_F_OUT, .doc = "Last day of the period." },
    { .name = "rows",
      .type = LIMS_T_OBJECT_LIST,
      .members = row_fields,
      .flags = LIMS_F_OUT,
      .doc = "A row for each method, then one for each client." },
    LIMS_FIELD_END,
};

static const lims_field_t query[] = {
    { .name = "from",
      .type = LIMS_T_DATE,
      .doc = "First day, of the laboratory, on which the samples were reported; by default 29 days "
             "before `to`.",
      .example = "2026-01-01" },
    { .name = "to",
      .type = LIMS_T_DATE,
      .doc = "Last day, of the laboratory; by default today. A period has at most 366 days." },
    LIMS_FIELD_END,
};

static const lims_error_t *find_period(lims_request_t *rq)
{
    static const char *const columns[] = { "from", "to", NULL };
    const lims_call_t call = { .statement = LIMS_STMT_TURNAROUND_PERIOD };
    lims_result_t *row = NULL;
    const lims_error_t *error = lims_service_read(&row, rq, &call, 1);

    if (error) {
        return error;
    }
    if (lims_result_true(row, 0, "backward") || lims_result_true(row, 0, "tooLong")) {
        return lims_client_error(rq->pool, LIMS_E_INVALID_QUERY,
                                 "from, to: give a period of at most 366 days, from before to.");
    }
    lims_result_bind(rq->values, row, columns);
    return NULL;
}

static const lims_error_t *show(lims_request_t *rq)
{
    const lims_call_t call = { .statement = LIMS_STMT_TURNAROUND_ROWS };
    lims_result_t *rows = NULL;
    lims_writer_t *w = lims_writer_create(rq->pool);
    const lims_error_t *error = find_period(rq);

    if (!error) {
        error = lims_service_read(&rows, rq, &call, 1);
    }
    if (error) {
        return error;
    }
    lims_writer_object_begin(w);
    lims_writer_key(w, "from");
    lims_writer_string(w, lims_values_get(rq->values, "from"));
    lims_writer_key(w, "to");
    lims_writer_string(w, lims_values_get(rq->values, "to"));
    lims_writer_key(w, "rows");
    lims_render_objects(w, row_fields, rows, lims_result_count(rows), rq->pool);
    lims_writer_object_end(w);
    lims_render_finish(rq, w);
    return NULL;
}

static const lims_error_t *export(lims_request_t *rq)
{
    lims_csv_t *csv = NULL;
    lims_result_t *rest = NULL;
    const lims_error_t *error = find_period(rq);

    if (!error) {
        error = lims_csv_begin(&csv, rq, row_fields, LIMS_CSV_ROWS_MAX, "turnaround.csv");
    }
    if (!error) {
        const lims_call_t call = { .statement = LIMS_STMT_TURNAROUND_ROWS,
                                   .each = lims_csv_row,
                                   .taker = csv };

        error = lims_service_read(&rest, rq, &call, 1);
    }
    return error ? error : lims_csv_end(csv, rest);
}

static const lims_error_t *prepare_print(lims_request_t *rq)
{
    static const char *const columns[] = { "by",          "name",        "samples",
                                           "tests",       "medianHours", "p90Hours",
                                           "withDueDate", "withinDue",   "withinDuePercent",
                                           NULL };
    const lims_call_t call = { .statement = LIMS_STMT_TURNAROUND_ROWS };
    lims_result_t *rows = NULL;
    lims_report_t *report = NULL;
    const lims_error_t *error = find_period(rq);

    if (!error) {
        error = lims_report_begin(&report, rq, "Turnaround by method and client", "turnaround.pdf");
    }
    if (!error) {
        error = lims_service_read(&rows, rq, &call, 1);
    }
    if (!error) {
        error = lims_report_table(report, row_fields, columns, rows);
    }
    return error ? error : lims_report_end(report);
}

static const lims_error_e errors[] = { LIMS_E_INVALID_QUERY, LIMS_E_COUNT };

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/turnaround",
      .command = "turnaround",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "getTurnaround",
      .summary = "Turnaround of reported samples by method and by client",
      .description = "Of the samples that were reported in the period: number, median and 90th "
                     "percentile of the time from receipt, and how many were done by their due "
                     "date.",
      .permission = "data.read",
      .flags = LIMS_R_NO_RECORD,
      .query = query,
      .output = output,
      .status = 200,
      .handler = show,
      .errors = errors },
    { .method = "GET",
      .path = "/turnaround/export",
      .command = "turnaround export",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "exportTurnaround",
      .summary = "Export the turnaround as CSV",
      .permission = "data.read",
      .flags = LIMS_CSV_FLAGS,
      .query = query,
      .status = 200,
      .handler = export,
      .errors = errors },
    { .method = "GET",
      .path = "/turnaround/export.pdf",
      .command = "turnaround pdf",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "printTurnaround",
      .summary = "Print the turnaround as PDF",
      .permission = "data.read",
      .flags = LIMS_PDF_FLAGS,
      .query = query,
      .status = 200,
      .handler = prepare_print,
      .work = lims_print_and_answer,
      .errors = lims_report_errors },
    LIMS_ROUTE_END,
};

static const lims_field_t no_fields[] = { LIMS_FIELD_END };

const lims_resource_t lims_turnaround = {
    .name = "turnaround",
    .title = "Turnaround",
    .schema = "Turnaround",
    .doc = "Turnaround of reported samples.",
    .fields = no_fields,
    .routes = routes,
};
