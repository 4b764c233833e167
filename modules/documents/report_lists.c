/* SPDX-License-Identifier: Apache-2.0 */
/* report_lists.c - lists on paper: their titles, and the columns that fit a page. */
#include <apr_strings.h>
#include <string.h>

#include "documents/pdf_report.h"
#include "kernel/field.h"
#include "service/service.h"

static const lims_report_list_t lists[] = {
    { "/samples",
      "Samples",
      { "trackingId", "sampleIdentifier", "clientName", "materialTypeId", "collectionDate",
        "receivedAt", "priority", "status", "releaseState", "holdingStatus", "dueDate", NULL } },
    { "/sample-tests",
      "Sample tests",
      { "sampleId", "testCode", "testName", "status", "result", "qualifier", "unit",
        "specification", "outOfSpecification", "enteredBy", "enteredAt", "verifiedBy", "verifiedAt",
        NULL } },
    { "/worklist",
      "Worklist",
      { "trackingId", "clientName", "materialType", "priority", "testCode", "method",
        "specification", "status", "holdingExpiresAt", "dueDate", "storageLocation",
        "qcBatchNumber", "assignedTo", NULL } },
    { "/orders",
      "Orders",
      { "orderNumber", "clientId", "contact", "sampleCount", "createdAt", NULL } },
    { "/approval-records",
      "Approvals",
      { "name", "role", "round", "status", "sampleId", "requestedAt", "decidedAt", "decidedBy",
        "comment", NULL } },
    { "/certificates",
      "Certificates",
      { "certificateNumber", "version", "trackingId", "clientName", "status", "issuedAt",
        "issuedBy", NULL } },
    { "/qc-batches",
      "QC batches",
      { "batchNumber", "method", "analysisDate", "qcStatus", "instrumentId", "evaluatedAt",
        "evaluatedBy", "overrideBy", "createdBy", NULL } },
    { "/worksheets",
      "Worksheets",
      { "trackingId", "testCode", "templateName", "status", "needsSignoff", "createdBy",
        "createdAt", NULL } },
    { "/confirmations",
      "Confirmations",
      { "trackingId", "testCode", "testName", "result", "presumptiveSince", "confirmationStatus",
        "nextStep", "nextReadDue", NULL } },
    { "/investigations",
      "Investigations",
      { "investigationNumber", "kind", "title", "trackingId", "testCode", "status", "openedAt",
        "openedBy", "dueOn", "closedAt", "closedBy", NULL } },
    { "/reagent-lots",
      "Reagent lots",
      { "code", "lotNumber", "name", "supplier", "expiresOn", "openedAt", "usableUntil", "qcStatus",
        "quarantined", "quarantineReason", NULL } },
    { "/media-lots",
      "Media lots",
      { "code", "name", "medium", "lotNumber", "supplier", "preparedOn", "expiresOn", "usableUntil",
        "growthPromotionStatus", "sterilityStatus", "qcStatus", "quarantined", NULL } },
    { "/qc-templates",
      "QC templates",
      { "method", "name", "version", "required", "perSamples", "active", "updatedAt", NULL } },
    { "/worksheet-templates",
      "Worksheet templates",
      { "testDefinitionId", "name", "version", "active", "updatedAt", NULL } },
    { "/instrument-files",
      "Instrument files",
      { "fileName", "size", "status", "instrumentId", "profileCode", "profileVersion", "receivedAt",
        "receivedBy", "sentBy", "processedAt", "resolvedAt", "resolvedBy", NULL } },
    { "/users",
      "Users",
      { "displayName", "email", "roles", "canSign", "active", "lastSignInAt", "lockedUntil",
        "createdAt", NULL } },
    { "/keys",
      "API keys",
      { "name", "keyPrefix", "scopes", "uploadOnly", "actsFor", "createdBy", "createdAt",
        "lastUsedAt", "expiresAt", "revokedAt", NULL } },
    { "/webhook-endpoints",
      "Webhook endpoints",
      { "name", "url", "events", "enabled", "disabledAt", "disabledReason", "createdBy",
        "createdAt", "deletedAt", NULL } },
};

const lims_report_list_t *lims_report_list_of(const char *path)
{
    for (apr_size_t i = 0; i < LIMS_LENGTH(lists); i++) {
        if (strcmp(lists[i].path, path) == 0) {
            return &lists[i];
        }
    }
    return NULL;
}

const lims_error_t *lims_report_of(lims_request_t *rq, lims_stmt_e statement)
{
    const char *path = rq->route->list;
    const lims_report_list_t *list = lims_report_list_of(path);
    const lims_call_t call = { .statement = statement };
    lims_report_t *report = NULL;
    lims_result_t *rows = NULL;
    const lims_error_t *error =
        lims_report_begin(&report, rq, list->title, apr_pstrcat(rq->pool, path + 1, ".pdf", NULL));

    lims_values_set(rq->values, "cursor", "0");
    lims_values_set(rq->values, "limit", APR_STRINGIFY(LIMS_REPORT_ROWS_MAX));
    if (!error) {
        error = lims_service_read(&rows, rq, &call, 1);
    }
    if (!error) {
        error = lims_report_table(report, rq->resource->fields, list->columns, rows);
    }
    return error ? error : lims_report_end(report);
}

const lims_error_t *lims_report_list(lims_request_t *rq)
{
    return lims_report_of(rq, lims_service_listed(rq));
}
