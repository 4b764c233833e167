/* SPDX-License-Identifier: Apache-2.0 */
/*
 * qc_series.c - control charts: the series of a control with its baseline, and
 * the Westgard rules that its points break.
 */
#include "documents/pdf_report.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/vocabulary.h"
#include "quality/quality.h"
#include "reference/reference.h"
#include "service/csv.h"
#include "service/service.h"

static const char *const kinds[] = { "first", "fixed", NULL };

static const lims_field_t baseline[] = {
    { .name = "kind",
      .type = LIMS_T_ENUM,
      .values = kinds,
      .flags = LIMS_F_OUT | LIMS_F_REQUIRED,
      .doc = "Kind of the baseline. first: mean and s of the first n accepted points; fixed: as "
             "given." },
    { .name = "n",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .max = 1000,
      .doc = "Number of points of which mean and s are, of a new series fewer than 5; null for a "
             "fixed baseline. Set, how many they are to be at most: from 5 on, 20 unless given.",
      .example = "20" },
    { .name = "mean",
      .type = LIMS_T_DECIMAL,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Mean of the baseline." },
    { .name = "s",
      .type = LIMS_T_DECIMAL,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Standard deviation of the baseline. With 0, or fewer than 5 points, no rule is "
             "broken." },
    LIMS_FIELD_END,
};

static const lims_field_t fields[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the series, assigned with its first point; also its cursor value." },
    { .name = "testDefinitionId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the test definition that is controlled." },
    { .name = "controlType",
      .type = LIMS_T_ENUM,
      .values = lims_control_types,
      .flags = LIMS_F_OUT,
      .doc = "Type of the control." },
    { .name = "criterion",
      .type = LIMS_T_ENUM,
      .values = lims_criteria + LIMS_CRITERION_NONE + 1,
      .flags = LIMS_F_OUT,
      .doc = "Acceptance criterion, which says what the points are: percent for recovery." },
    { .name = "level",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Level of the control material." },
    { .name = "lot",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Lot of the control material." },
    { .name = "instrumentId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Id of the instrument." },
    { .name = "baseline",
      .type = LIMS_T_OBJECT,
      .flags = LIMS_F_OUT | LIMS_F_UPDATE,
      .members = baseline,
      .doc = "Mean and standard deviation from which the points are judged." },
    { .name = "baselineSize",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Number of points of which mean and s are taken once there are so many, as set by n "
             "of the baseline; null for a fixed one.",
      .example = "20" },
    { .name = "rules",
      .type = LIMS_T_STRING_LIST,
      .flags = LIMS_F_OUT | LIMS_F_UPDATE,
      .max = 8,
      .doc = "Westgard rules of the series, out of 1-2s, 1-3s, 2-2s, R-4s, 3-1s, 4-1s, 7-T and "
             "10-x.",
      .example = "[\"1-3s\"]" },
    { .name = "createdAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "When the series was created, UTC." },
    { .name = "updatedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "When the record was last changed, UTC." },
    LIMS_FIELD_END,
};

static const lims_field_t point_fields[] = {
    { .name = "qcControlId", .type = LIMS_T_ID, .flags = LIMS_F_OUT, .doc = "Id of the control." },
    { .name = "qcBatchId", .type = LIMS_T_ID, .flags = LIMS_F_OUT, .doc = "Id of its QC batch." },
    { .name = "batchNumber",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Number of its QC batch." },
    { .name = "measuredAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "When it was measured, else the batch's analysisDate, UTC." },
    { .name = "value",
      .type = LIMS_T_DECIMAL,
      .flags = LIMS_F_OUT,
      .doc = "Value that is compared with the limits." },
    { .name = "lowerLimit",
      .type = LIMS_T_DECIMAL,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Lowest acceptable value." },
    { .name = "upperLimit",
      .type = LIMS_T_DECIMAL,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Highest acceptable value." },
    { .name = "passed",
      .type = LIMS_T_BOOLEAN,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Whether the control meets its criterion." },
    { .name = "z",
      .type = LIMS_T_DECIMAL,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Distance from the mean, in standard deviations." },
    { .name = "broken",
      .type = LIMS_T_STRING_LIST,
      .flags = LIMS_F_OUT,
      .doc = "Rules that the point breaks, itself or as one of a run." },
    { .name = "excluded",
      .type = LIMS_T_BOOLEAN,
      .flags = LIMS_F_OUT,
      .doc = "Whether the point is left out." },
    { .name = "reason",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Reason why it is left out." },
    LIMS_FIELD_END,
};

static const lims_resource_t point = { .name = "point",
                                       .title = "QC series",
                                       .schema = "QcPoint",
                                       .doc = "Point of a control chart.",
                                       .fields = point_fields };

static const lims_field_t filters[] = {
    LIMS_PAGING_FIELDS,
    { .name = "testDefinitionId",
      .type = LIMS_T_ID,
      .doc = "Only series of this test definition." },
    { .name = "controlType",
      .type = LIMS_T_ENUM,
      .values = lims_control_types,
      .doc = "Only series of this type of control." },
    LIMS_FIELD_END,
};

static const lims_field_t period[] = {
    { .name = "from", .type = LIMS_T_MOMENT, .doc = "Only points from this time on." },
    { .name = "to", .type = LIMS_T_MOMENT_END, .doc = "Only points until this time." },
    LIMS_FIELD_END,
};

static const lims_error_t *not_found(const lims_request_t *rq)
{
    return lims_client_error(rq->pool, LIMS_E_NOT_FOUND,
                             "There is no QC series %s in your organization.",
                             lims_values_get(rq->values, "id"));
}

/* The series with the points of the period. */
static const lims_error_t *show(lims_request_t *rq)
{
    const lims_call_t calls[] = { { .statement = LIMS_STMT_QC_SERIES_GET },
                                  { .statement = LIMS_STMT_QC_SERIES_POINTS } };
    lims_result_t *results[2] = { NULL, NULL };
    const lims_error_t *error = lims_service_read(results, rq, calls, 2);

    if (error) {
        return error;
    }
    if (lims_result_count(results[0]) == 0) {
        return not_found(rq);
    }
    lims_render_record(rq, results[0], results[1]);
    return NULL;
}

/* The points that the record has, as a file. */
static const lims_error_t *export_points(lims_request_t *rq)
{
    const lims_call_t look = { .statement = LIMS_STMT_QC_SERIES_GET };
    lims_csv_t *csv = NULL;
    lims_result_t *rows = NULL;
    const lims_error_t *error = lims_service_read(&rows, rq, &look, 1);

    if (!error && lims_result_count(rows) == 0) {
        error = not_found(rq);
    }
    if (!error) {
        error = lims_csv_begin(&csv, rq, point_fields, LIMS_CSV_ROWS_MAX, "control-chart.csv");
    }
    if (!error) {
        const lims_call_t call = { .statement = LIMS_STMT_QC_SERIES_POINTS,
                                   .each = lims_csv_row,
                                   .taker = csv };

        error = lims_service_read(&rows, rq, &call, 1);
    }
    return error ? error : lims_csv_end(csv, rows);
}

/* The chart with its points as a table, on paper. */
static const lims_error_t *print_chart(lims_request_t *rq)
{
    static const char *const columns[] = { "measuredAt", "batchNumber", "value",  "z",
                                           "lowerLimit", "upperLimit",  "passed", "broken",
                                           "excluded",   "reason",      NULL };
    const lims_call_t calls[] = { { .statement = LIMS_STMT_QC_SERIES_CHART },
                                  { .statement = LIMS_STMT_QC_SERIES_POINTS } };
    lims_result_t *results[2] = { NULL, NULL };
    lims_report_t *report = NULL;
    const lims_error_t *error = lims_service_read(results, rq, calls, 2);

    if (!error && lims_result_count(results[0]) == 0) {
        error = not_found(rq);
    }
    if (!error) {
        error = lims_report_begin(&report, rq, "Control chart", "control-chart.pdf");
    }
    if (!error) {
        const lims_result_t *series = results[0];
        const char *const facts[] = { "Series",     lims_result_get(series, 0, "of"),
                                      "Criterion",  lims_result_get(series, 0, "criterion"),
                                      "Level",      lims_result_get(series, 0, "level"),
                                      "Lot",        lims_result_get(series, 0, "lot"),
                                      "Instrument", lims_result_get(series, 0, "instrument"),
                                      "Baseline",   lims_result_get(series, 0, "baseline"),
                                      "Rules",      lims_result_get(series, 0, "rules"),
                                      NULL };

        lims_report_facts(report, facts);
        lims_report_block(report, lims_result_get(series, 0, "chart"));
        error = lims_report_table(report, point_fields, columns, results[1]);
    }
    return error ? error : lims_report_end(report);
}

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/qc-series",
      .command = "qc-series list",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "listQcSeries",
      .summary = "List the series of controls",
      .permission = "data.read",
      .flags = LIMS_R_LIST,
      .query = filters,
      .status = 200,
      .statement = LIMS_STMT_QC_SERIES_LIST },
    { .method = "GET",
      .path = "/qc-series/:id",
      .command = "qc-series show",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "getQcSeries",
      .summary = "One series with its points",
      .description = "At most 1,000 points, the latest of the period, in order of time.",
      .permission = "data.read",
      .query = period,
      .status = 200,
      .statement = LIMS_STMT_QC_SERIES_POINTS,
      .handler = show },
    { .method = "GET",
      .path = "/qc-series/:id/export",
      .command = "qc-series export",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "exportQcSeries",
      .summary = "Export the points of a series as CSV",
      .description = "At most 1,000 points, the latest of the period, in order of time. The "
                     "file goes to standard output: `limsctl ... > chart.csv`. With --json it is "
                     "in base64.",
      .permission = "data.read",
      .flags = LIMS_R_NO_RECORD | LIMS_R_DOCUMENT | LIMS_R_BYTES,
      .query = period,
      .status = 200,
      .handler = export_points },
    { .method = "GET",
      .path = "/qc-series/:id/chart.pdf",
      .command = "qc-series pdf",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "printQcSeries",
      .summary = "Print the control chart of a series as PDF",
      .description = "With its baseline, rules and at most 1,000 points, the latest of the period. "
                     "The bytes go to standard output: `limsctl ... > chart.pdf`.",
      .permission = "data.read",
      .flags = LIMS_PDF_FLAGS,
      .query = period,
      .status = 200,
      .handler = print_chart,
      .work = lims_print_and_answer,
      .errors = lims_report_errors },
    { .method = "PATCH",
      .path = "/qc-series/:id",
      .command = "qc-series update",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "updateQcSeries",
      .summary = "Choose the baseline and the rules of a series",
      .permission = "reference.manage",
      .body = LIMS_F_UPDATE,
      .status = 200,
      .statement = LIMS_STMT_QC_SERIES_UPDATE,
      .errors = lims_reference_update_errors },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_qc_series = {
    .name = "QC series",
    .title = "QC series",
    .schema = "QcSeries",
    .doc = "Control chart of a control: its points over time, their baseline and rules.",
    .fields = fields,
    .routes = routes,
    .record = LIMS_STMT_QC_SERIES_GET,
    .lock = LIMS_STMT_QC_SERIES_LOCK,
    .nested = "points",
    .nested_resource = &point,
    .nested_statement = LIMS_STMT_QC_SERIES_LATEST,
};
