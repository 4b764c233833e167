/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lot_use.c - which sample tests used a lot (recall), and the signed override by which a
 * lot that is not released is accepted for one sample.
 */
#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/vocabulary.h"
#include "quality/quality.h"
#include "results/many.h"
#include "results/results.h"
#include "samples/samples.h"
#include "service/csv.h"
#include "service/service.h"
#include "service/signing.h"

const lims_field_t lims_lot_opening[] = {
    { .name = "openedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_CREATE | LIMS_F_NULLABLE,
      .doc = "When the first container was opened, UTC; by default now." },
    LIMS_FIELD_END,
};

const lims_error_e lims_lot_errors[] = { LIMS_E_INVALID_TRANSITION, LIMS_E_PERMISSION_REQUIRED,
                                         LIMS_E_REASON_REQUIRED, LIMS_E_COUNT };

const lims_error_e lims_lot_update_errors[] = { LIMS_E_FIELD_NOT_PATCHABLE,
                                                LIMS_E_NO_UPDATABLE_FIELDS,
                                                LIMS_E_PERMISSION_REQUIRED, LIMS_E_REASON_REQUIRED,
                                                LIMS_E_COUNT };

/* --- Recall --------------------------------------------------------------- */

static const lims_field_t recall_fields[] = {
    { .name = "sampleTestId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the sample test that names the lot; also the cursor value.",
      .example = "90211" },
    { .name = "sampleId", .type = LIMS_T_ID, .flags = LIMS_F_OUT, .doc = "Id of its sample." },
    { .name = "trackingId",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Tracking id of the sample.",
      .example = "LAB-26-0004217-K" },
    { .name = "testCode",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Code of the test.",
      .example = "ECOLI" },
    { .name = "result",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Result that stands; null if none." },
    { .name = "status",
      .type = LIMS_T_ENUM,
      .values = lims_test_statuses,
      .flags = LIMS_F_OUT,
      .doc = "Status of the sample test." },
    { .name = "certificateId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Id of the sample's certificate in force; null without one." },
    { .name = "certificateNumber",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Number of that certificate." },
    { .name = "version",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Version of that certificate." },
    LIMS_FIELD_END,
};

static const lims_field_t recall_paging[] = { LIMS_PAGING_FIELDS, LIMS_FIELD_END };

/* Reads the lot with its rows, to distinguish an unknown lot from one that was never
 * used. */
static const lims_error_t *read_uses(lims_result_t **rows, lims_request_t *rq, lims_stmt_e lot,
                                     lims_call_t uses)
{
    const lims_call_t calls[] = { { .statement = lot }, uses };
    lims_result_t *results[LIMS_LENGTH(calls)] = { NULL };
    const lims_error_t *error = lims_service_read(results, rq, calls, LIMS_LENGTH(calls));

    *rows = results[1];
    if (error || lims_result_count(results[0]) > 0) {
        return error;
    }
    return lims_client_error(rq->pool, LIMS_E_NOT_FOUND,
                             "There is no lot %s of that kind in your organization.",
                             lims_values_get(rq->values, "id"));
}

static const lims_error_t *recall(lims_request_t *rq, lims_stmt_e lot, lims_stmt_e uses)
{
    const lims_call_t call = { .statement = lims_service_in_order(rq, uses) };
    lims_result_t *rows = NULL;
    const lims_error_t *error = read_uses(&rows, rq, lot, call);

    if (!error) {
        lims_render_page(rq, rows);
    }
    return error;
}

static const lims_error_t *export_recall(lims_request_t *rq, lims_stmt_e lot, lims_stmt_e uses)
{
    lims_csv_t *csv = NULL;
    lims_result_t *rest = NULL;
    const lims_error_t *error =
        lims_csv_begin(&csv, rq, rq->resource->fields, LIMS_CSV_ROWS_MAX, "recall.csv");

    lims_csv_page(rq);
    if (!error) {
        const lims_call_t call = { .statement = uses, .each = lims_csv_row, .taker = csv };

        error = read_uses(&rest, rq, lot, call);
    }
    return error ? error : lims_csv_end(csv, rest);
}

static const lims_error_t *recall_reagent(lims_request_t *rq)
{
    return recall(rq, LIMS_STMT_REAGENT_LOT_GET, LIMS_STMT_REAGENT_LOT_RECALL);
}

static const lims_error_t *recall_media(lims_request_t *rq)
{
    return recall(rq, LIMS_STMT_MEDIA_LOT_GET, LIMS_STMT_MEDIA_LOT_RECALL);
}

static const lims_error_t *export_reagent(lims_request_t *rq)
{
    return export_recall(rq, LIMS_STMT_REAGENT_LOT_GET, LIMS_STMT_REAGENT_LOT_RECALL);
}

static const lims_error_t *export_media(lims_request_t *rq)
{
    return export_recall(rq, LIMS_STMT_MEDIA_LOT_GET, LIMS_STMT_MEDIA_LOT_RECALL);
}

static const lims_route_t recall_routes[] = {
    { .method = "GET",
      .path = "/reagent-lots/:id/recall",
      .command = "reagent-lot recall",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "recallReagentLot",
      .summary = "List the sample tests, samples and certificates that used a reagent lot",
      .permission = "data.read",
      .flags = LIMS_R_LIST,
      .query = recall_paging,
      .status = 200,
      .handler = recall_reagent },
    { .method = "GET",
      .path = "/media-lots/:id/recall",
      .command = "media-lot recall",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "recallMediaLot",
      .summary = "List the sample tests, samples and certificates that used a media lot",
      .permission = "data.read",
      .flags = LIMS_R_LIST,
      .query = recall_paging,
      .status = 200,
      .handler = recall_media },
    { .method = "GET",
      .path = "/reagent-lots/:id/recall/export",
      .command = "reagent-lot recall-export",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "exportRecallOfReagentLot",
      .summary = "Export what used a reagent lot as CSV",
      .description = "At most 50,000 tests. The file goes to standard output: "
                     "`limsctl ... > recall.csv`. With --json it is in base64.",
      .permission = "data.read",
      .flags = LIMS_R_NO_RECORD | LIMS_R_DOCUMENT | LIMS_R_BYTES,
      .status = 200,
      .handler = export_reagent },
    { .method = "GET",
      .path = "/media-lots/:id/recall/export",
      .command = "media-lot recall-export",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "exportRecallOfMediaLot",
      .summary = "Export what used a media lot as CSV",
      .description = "At most 50,000 tests. The file goes to standard output: "
                     "`limsctl ... > recall.csv`. With --json it is in base64.",
      .permission = "data.read",
      .flags = LIMS_R_NO_RECORD | LIMS_R_DOCUMENT | LIMS_R_BYTES,
      .status = 200,
      .handler = export_media },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_lot_recall = {
    .name = "lot recall",
    .title = "Lots",
    .schema = "LotRecall",
    .doc = "Sample test that used a lot.",
    .fields = recall_fields,
    .routes = recall_routes,
};

/* --- Override ------------------------------------------------------------- */

static const lims_field_t override_input[] = {
    { .name = "reagentLotId",
      .type = LIMS_T_ID,
      .doc = "Id of the reagent lot; either this or mediaLotId.",
      .example = "31" },
    { .name = "mediaLotId",
      .type = LIMS_T_ID,
      .doc = "Id of the media lot; either this or reagentLotId." },
    { .name = "lotContentHash",
      .type = LIMS_T_STRING,
      .min = 64,
      .max = 64,
      .doc =
          "The contentHash that the lot showed (GET /signed-contents): the quarantine or failure "
          "that was seen, and no later one. The application has to send it." },
    LIMS_REASON_FIELD,
    LIMS_FIELD_END,
};

static const lims_error_t *check_one_lot(lims_request_t *rq)
{
    bool reagent = lims_values_get(rq->values, "reagentLotId");
    bool media = lims_values_get(rq->values, "mediaLotId");

    return reagent != media ? NULL
                            : lims_client_error(rq->pool, LIMS_E_INVALID_BODY,
                                                "Name one lot: reagentLotId or mediaLotId.");
}

/* Refuses to accept a lot that was quarantined anew since it was seen. The lot is locked: its
 * override is written already, and is rolled back. */
static const lims_error_t *check_lot_seen(lims_request_t *rq)
{
    const char *reagent = lims_values_get(rq->values, "reagentLotId");
    const char *seen = lims_values_get(rq->values, "lotContentHash");

    if (rq->exchange && !seen) {
        return lims_client_error(rq->pool, LIMS_E_PRECONDITION_REQUIRED,
                                 "lotContentHash is missing: an override is of the quarantine that "
                                 "was seen, as the contentHash of the lot showed it.");
    }
    return reagent ? lims_signing_seen(rq, "reagent_lot", "reagent lot", reagent, seen)
                   : lims_signing_seen(rq, "media_lot", "media lot",
                                       lims_values_get(rq->values, "mediaLotId"), seen);
}

static const lims_error_t *override_lot(lims_request_t *rq)
{
    lims_result_t *row = NULL;
    const lims_error_t *error = lims_database_call(&row, rq, LIMS_STMT_LOT_OVERRIDE_ADD);

    if (!error) {
        error = check_lot_seen(rq);
    }
    /* The answer is the sample, with the fields of its own routes. */
    rq->resource = &lims_sample;
    return error;
}

static const lims_error_e override_errors[] = { LIMS_E_ESIGNATURE_REQUIRED,
                                                LIMS_E_INVALID_TRANSITION, LIMS_E_INVALID_REFERENCE,
                                                LIMS_E_COUNT };

static const lims_route_t override_routes[] = {
    { .method = "POST",
      .path = "/samples/:id/override-lot",
      .command = "sample override-lot",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "overrideLot",
      .summary = "Accept a lot that is not released for one sample, signed and with a reason",
      .description = "Ends the finding lot_not_released of the sample's results with this lot, and "
                     "lets them be entered with it again. A medium that failed its tests may then "
                     "be taken from them without naming another.",
      .permission = "qc.override",
      .flags = LIMS_R_SIGN | LIMS_R_REASON,
      .input = override_input,
      .status = 200,
      .meaning = "override",
      .signs = "sample",
      .check = check_one_lot,
      .handler = override_lot,
      .errors = override_errors },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_lot_override = {
    .name = "sample",
    .title = "Samples",
    .schema = "Sample",
    .doc = "Override of a lot that is not released.",
    .fields = lims_sample_fields,
    .routes = override_routes,
    .record = LIMS_STMT_SAMPLE_GET,
    .lock = LIMS_STMT_SAMPLE_LOCK,
    .nested = "tests",
    .nested_resource = &lims_sample_test,
    .nested_statement = LIMS_STMT_SAMPLE_TESTS,
};
