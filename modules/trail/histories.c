/* SPDX-License-Identifier: Apache-2.0 */
/*
 * histories.c - the history of a record in words, with what belongs to it: the audit trail
 * for those who work with the record (sql/237_histories.sql).
 */
#include "database/database.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "service/service.h"
#include "trail/trail.h"

static const lims_field_t fields[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the entry of the audit trail; also its cursor value." },
    { .name = "occurredAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "When it was done, UTC." },
    { .name = "person",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Name of the person who acted, or for whom the API key acted." },
    { .name = "sentence",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Sentence that says who did what, from which value to which, and why.",
      .example = "Dana Ruiz entered 12.4 for Arsenic" },
    { .name = "entries",
      .type = LIMS_T_ID_LIST,
      .flags = LIMS_F_OUT,
      .doc = "Ids of the entries of the audit trail that say it." },
    LIMS_FIELD_END,
};

static const lims_field_t query[] = { LIMS_CURSOR_FIELDS, LIMS_FIELD_END };

static const lims_error_e errors[] = { LIMS_E_NOT_FOUND, LIMS_E_COUNT };

static lims_handler_fn show;

/* clang-format off */
#define HISTORY(noun, word, name, needs)                                             \
    { .method = "GET",                                                               \
      .path = noun "/:id/history",                                                   \
      .command = word " history",                                                    \
      .surfaces = LIMS_SURFACES_PEOPLE,                                              \
      .operation = name,                                                             \
      .summary = "History of a record in words, oldest first",                       \
      .permission = needs,                                                           \
      .flags = LIMS_R_LIST,                                                          \
      .query = query,                                                                \
      .status = 200,                                                                 \
      .handler = show,                                                               \
      .errors = errors }
/* clang-format on */

static const lims_route_t routes[] = {
    HISTORY("/samples", "sample", "getSampleHistory", "data.read"),
    HISTORY("/sample-tests", "sample-test", "getSampleTestHistory", "data.read"),
    HISTORY("/orders", "order", "getOrderHistory", "data.read"),
    HISTORY("/approval-records", "approval", "getApprovalHistory", "data.read"),
    HISTORY("/certificates", "certificate", "getCertificateHistory", "data.read"),
    HISTORY("/amendments", "amendment", "getAmendmentHistory", "data.read"),
    HISTORY("/clients", "client", "getClientHistory", "data.read"),
    HISTORY("/projects", "project", "getProjectHistory", "data.read"),
    HISTORY("/material-types", "material-type", "getMaterialTypeHistory", "data.read"),
    HISTORY("/storage-locations", "storage-location", "getStorageLocationHistory", "data.read"),
    HISTORY("/test-definitions", "test-definition", "getTestDefinitionHistory", "data.read"),
    HISTORY("/specifications", "specification", "getSpecificationHistory", "data.read"),
    HISTORY("/panels", "panel", "getPanelHistory", "data.read"),
    HISTORY("/instruments", "instrument", "getInstrumentHistory", "data.read"),
    HISTORY("/instrument-profiles", "profile", "getProfileHistory", "data.read"),
    HISTORY("/instrument-files", "instrument-file", "getInstrumentFileHistory", "data.read"),
    HISTORY("/reagent-lots", "reagent-lot", "getReagentLotHistory", "data.read"),
    HISTORY("/media-lots", "media-lot", "getMediaLotHistory", "data.read"),
    HISTORY("/qc-batches", "qc-batch", "getQcBatchHistory", "data.read"),
    HISTORY("/qc-controls", "qc-control", "getQcControlHistory", "data.read"),
    HISTORY("/qc-series", "qc-series", "getQcSeriesHistory", "data.read"),
    HISTORY("/qc-templates", "qc-template", "getQcTemplateHistory", "data.read"),
    HISTORY("/worksheets", "worksheet", "getWorksheetHistory", "data.read"),
    HISTORY("/worksheet-templates", "worksheet-template", "getWorksheetTemplateHistory",
            "data.read"),
    HISTORY("/investigations", "investigation", "getInvestigationHistory", "data.read"),
    HISTORY("/sample-names", "sample-name", "getSampleNameHistory", "data.read"),
    HISTORY("/users", "user", "getUserHistory", "user.manage"),
    HISTORY("/keys", "key", "getKeyHistory", "key.manage"),
    HISTORY("/webhook-endpoints", "webhook", "getWebhookHistory", "webhook.manage"),
    HISTORY("/label-sizes", "label-size", "getLabelSizeHistory", "data.read"),
    LIMS_ROUTE_END,
};

/* The tables of the records, in the order of the routes. */
static const char *const tables[] = {
    "sample",          "sample_test",   "sample_order", "approval",           "certificate",
    "amendment",       "client",        "project",      "material_type",      "storage_location",
    "test_definition", "specification", "panel",        "instrument",         "instrument_profile",
    "instrument_file", "reagent_lot",   "media_lot",    "qc_batch",           "qc_control",
    "qc_series",       "qc_template",   "worksheet",    "worksheet_template", "investigation",
    "sample_name",     "user_account",  "api_key",      "webhook_endpoint",   "label_size",
};

_Static_assert(LIMS_LENGTH(tables) == LIMS_LENGTH(routes) - 1, "a table for each route");

static const lims_error_t *show(lims_request_t *rq)
{
    const lims_call_t call = { .statement = LIMS_STMT_HISTORY_OF };
    lims_result_t *rows = NULL;
    const lims_error_t *error;

    lims_values_set(rq->values, "table", tables[rq->route - routes]);
    error = lims_service_read(&rows, rq, &call, 1);
    if (!error && lims_result_count(rows) == 0 && *lims_values_get(rq->values, "cursor") == '0') {
        /* Every record has the entry of its creation. */
        error = lims_client_error(rq->pool, LIMS_E_NOT_FOUND, "There is no record %s.",
                                  lims_values_get(rq->values, "id"));
    }
    if (!error) {
        lims_render_page(rq, rows);
    }
    return error;
}

const lims_resource_t lims_history = {
    .name = "history",
    .title = "Histories",
    .schema = "HistoryEntry",
    .doc = "Entry of the history of a record and of what belongs to it, in a sentence.",
    .fields = fields,
    .routes = routes,
};
