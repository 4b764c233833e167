/* SPDX-License-Identifier: Apache-2.0 */
/*
 * samples.c - samples: registration, correction, receiving, status, reporting.
 *
 * Tracking id, sample identifier, client record, allowance, transitions and the
 * final state of a reported sample are rules of the database
 * (sql/122_sample_changes.sql), so that no surface can bypass them. This file
 * decides what a caller is told, and in which order.
 */
#include "samples/samples.h"

#include <apr_strings.h>
#include <string.h>

#include "documents/pdf_report.h"
#include "kernel/vocabulary.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "release/gates.h"
#include "results/results.h"
#include "samples/receipt.h"
#include "samples/search.h"
#include "service/permitted.h"
#include "service/service.h"

/* Statuses that the status route accepts: reporting has a route of its own. */
static const char *const settable_statuses[] = { "pending",   "received", "processing",
                                                 "completed", "verified", NULL };

static const lims_field_t amendment_fields[] = {
    { .name = "id", .type = LIMS_T_ID, .flags = LIMS_F_OUT, .doc = "Id of the amendment." },
    { .name = "openedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "When it was opened, UTC." },
    { .name = "reason",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Reason for the amendment." },
    LIMS_FIELD_END,
};

const lims_field_t lims_sample_fields[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the sample, assigned by the service; also its cursor value.",
      .example = "4217" },
    { .name = "trackingId",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Tracking identifier with a check character (ISO/IEC 7064, MOD 37,36).",
      .example = "LAB-26-0004217-K" },
    { .name = "status",
      .type = LIMS_T_ENUM,
      .values = lims_sample_statuses,
      .flags = LIMS_F_OUT | LIMS_F_CLOSED,
      .hint = "it is changed by PATCH /samples/{id}/status, and to reported by POST "
              "/samples/{id}/report",
      .doc = "Workflow status of the sample, changed by endpoints of its own." },
    { .name = "materialTypeId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_CREATE | LIMS_F_UPDATE | LIMS_F_REQUIRED,
      .doc = "Id of an active material type of the organization. When it changes, results are "
             "compared with their limits again; it cannot change once a result is verified (409 "
             "test_verified_locked).",
      .example = "3" },
    { .name = "projectId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_CREATE | LIMS_F_UPDATE | LIMS_F_NULLABLE,
      .doc = "Id of an active project of the organization. When it changes, results are compared "
             "with their limits again; it cannot change once a result is verified (409 "
             "test_verified_locked).",
      .example = "12" },
    { .name = "receivedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "When the sample was received, UTC; null until then." },
    { .name = "sampleIdentifier",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Identifier of the sample. In a project with composite identifiers it is <project "
             "code>-<plantLocation>-<YYYYMMDD>-<n>, otherwise the tracking id.",
      .example = "NPDES001-EFF-001-20261121-1" },
    { .name = "externalId",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_CREATE | LIMS_F_UPDATE | LIMS_F_NULLABLE,
      .min = 1,
      .max = 255,
      .doc = "Reference of the sample in the caller's system, unique within the organization.",
      .example = "WO-88123/4" },
    { .name = "clientId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Id of the client record whose name is clientName, compared without case." },
    { .name = "clientName",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_CREATE | LIMS_F_UPDATE | LIMS_F_WORDS,
      .min = 1,
      .max = 255,
      .doc = "Name of the client; required on creation unless the project names a client.",
      .example = "City of Riverbend" },
    { .name = "collectionDate",
      .type = LIMS_T_DATE,
      .flags = LIMS_F_OUT | LIMS_F_CREATE | LIMS_F_UPDATE | LIMS_F_NULLABLE,
      .doc = "Day of collection, not in the future and not after an analysis. Sent alone, it must "
             "be the day of collectedAt where the sample has one.",
      .example = "2026-11-20" },
    { .name = "collectedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT | LIMS_F_CREATE | LIMS_F_UPDATE | LIMS_F_NULLABLE,
      .doc = "Exact time of collection, UTC, which holding times of minutes and hours need. It "
             "sets collectionDate to its day in the organization's time zone, whatever "
             "collectionDate is sent with it.",
      .example = "2026-11-20T14:05:00.000Z" },
    { .name = "priority",
      .type = LIMS_T_ENUM,
      .values = lims_sample_priorities,
      .flags = LIMS_F_OUT | LIMS_F_CREATE | LIMS_F_UPDATE,
      .fallback = "routine",
      .doc = "Priority of the sample." },
    { .name = "notes",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_CREATE | LIMS_F_UPDATE | LIMS_F_NULLABLE,
      .max = 4000,
      .doc = "Remarks on the sample." },
    { .name = "plantLocation",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_CREATE | LIMS_F_UPDATE | LIMS_F_NULLABLE,
      .min = 1,
      .max = 64,
      .doc = "Sampling point; required when the project uses composite sample identifiers.",
      .example = "EFF-001" },
    { .name = "storageLocationId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_CREATE | LIMS_F_UPDATE | LIMS_F_NULLABLE,
      .doc = "Id of an active storage location of the organization." },
    LIMS_REASON(LIMS_F_UPDATE,
                "Reason for the change, kept in the audit trail; needed where the "
                "organization's policy reasonOnChange asks for it."),
    { .name = "releaseState",
      .type = LIMS_T_ENUM,
      .values = lims_release_states,
      .flags = LIMS_F_OUT,
      .doc = "Release state of the sample, derived from its release findings (readiness)." },
    { .name = "holdingStatus",
      .type = LIMS_T_ENUM,
      .values = lims_holding_statuses,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Worst holding status among the sample's open tests; null when none has a holding "
             "time." },
    { .name = "createdAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "When the sample was registered, UTC." },
    { .name = "updatedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "When the sample was last changed, UTC." },
    { .name = "reportedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "When the sample was reported, UTC; null until then." },
    { .name = "orderId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .hint = "a sample belongs to the order with which it is registered, by POST /orders",
      .doc = "Id of the order with which the sample was registered; null: by itself." },
    { .name = "dueDate",
      .type = LIMS_T_DATE,
      .flags = LIMS_F_OUT | LIMS_F_CREATE | LIMS_F_UPDATE | LIMS_F_NULLABLE,
      .doc = "Day on which the results are due. Where none is given, receipt sets it: the "
             "laboratory's day plus the largest turnaroundDays of the tests' definitions. It "
             "blocks nothing.",
      .example = "2026-11-27" },
    { .name = "receipt",
      .type = LIMS_T_JSON,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .members = lims_receipt_fields,
      .hint = "it is written by POST /samples/receive",
      .doc = "Findings at receipt; null until the sample is received." },
    { .name = "disposition",
      .type = LIMS_T_ENUM,
      .values = lims_sample_dispositions,
      .flags = LIMS_F_OUT,
      .hint = "it is changed by POST /samples/{id}/disposition",
      .doc = "Disposition of the sample, beside its status. On a cancelled or rejected one nothing "
             "is done: it is blocked, and its holding times have ended." },
    { .name = "dispositionReason",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .max = 1000,
      .doc = "Reason of the disposition; null of an active sample." },
    { .name = "noteOnReport",
      .type = LIMS_T_BOOLEAN,
      .flags = LIMS_F_OUT | LIMS_F_UPDATE,
      .doc = "Whether the notes are printed on the certificate. Where an API key replaces the "
             "notes without sending it, it becomes false." },
    { .name = "underReview",
      .type = LIMS_T_BOOLEAN,
      .flags = LIMS_F_OUT,
      .doc = "Whether the sample is reported with results of a QC batch that has failed since, "
             "until the investigation is closed." },
    { .name = "amendment",
      .type = LIMS_T_JSON,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .members = amendment_fields,
      .hint = "people open one by POST /samples/{id}/amend",
      .doc = "Open amendment of a reported sample; null: none. Its status stays reported." },
    { .name = "testDefinitionIds",
      .type = LIMS_T_ID_LIST,
      .flags = LIMS_F_CREATE,
      .max = 200,
      .doc = "Ids of the test definitions to schedule in the same call: active ones, each once.",
      .example = "[1, 2]",
      .hint = "tests are scheduled when a sample is registered, and later by "
              "POST /samples/{id}/tests" },
    { .name = "panelIds",
      .type = LIMS_T_ID_LIST,
      .flags = LIMS_F_CREATE,
      .max = 50,
      .doc = "Ids of panels whose test definitions are scheduled besides: active ones, each once. "
             "A definition that is named more than once is scheduled once.",
      .example = "[1]",
      .hint = "tests are scheduled when a sample is registered, and later by "
              "POST /samples/{id}/tests" },
    LIMS_SAMPLE_PROGRESS_FIELDS,
    LIMS_FIELD_END,
};

static const lims_field_t status_input[] = {
    { .name = "status",
      .type = LIMS_T_ENUM,
      .values = settable_statuses,
      .flags = LIMS_F_REQUIRED,
      .hint = "a sample is reported by POST /samples/{id}/report",
      .doc = "New status of the sample." },
    LIMS_REASON(0,
                "Reason for the change, kept in the audit trail; people give one for a step "
                "back."),
    LIMS_FIELD_END,
};

static const lims_field_t add_input[] = {
    { .name = "testDefinitionIds",
      .type = LIMS_T_ID_LIST,
      .max = 200,
      .doc = "Ids of the test definitions to schedule: active ones, each once.",
      .example = "[21]" },
    { .name = "panelIds",
      .type = LIMS_T_ID_LIST,
      .max = 50,
      .doc = "Ids of panels whose test definitions are scheduled besides: active ones, each "
             "once." },
    LIMS_REASON(0, "Reason for adding tests to a received sample, kept in the audit trail; "
                   "needed where the organization's policy reasonOnChange asks for it."),
    LIMS_FIELD_END,
};

/* --- Actions -------------------------------------------------------------- */

static bool has_status(const lims_request_t *rq, const char *status)
{
    return strcmp(lims_result_get(rq->locked, 0, "status"), status) == 0;
}

/* Refuses work on a sample that is reported, or closed by its disposition. */
static const lims_error_t *refuse_ended(lims_request_t *rq)
{
    return has_status(rq, "reported") ? lims_client_error(rq->pool, LIMS_E_INVALID_TRANSITION,
                                                          "Sample %s is reported, which is final.",
                                                          lims_values_get(rq->values, "id"))
                                      : lims_refuse_closed(rq);
}

/* Refused even if nothing would change: a reported sample cannot be edited, but by people
 * while it is amended. */
static const lims_error_t *guard_update(lims_request_t *rq)
{
    return lims_result_true(rq->locked, 0, "open") ? NULL : refuse_ended(rq);
}

static const lims_error_t *guard_unreceive(lims_request_t *rq)
{
    const lims_error_t *error = refuse_ended(rq);

    if (error) {
        return error;
    }
    return lims_result_get(rq->locked, 0, "receivedAt")
               ? NULL
               : lims_client_error(rq->pool, LIMS_E_INVALID_TRANSITION,
                                   "Sample %s is not received.", lims_values_get(rq->values, "id"));
}

/* An approver relies on the findings on receipt: they change before they are approved, and
 * under an amendment, which asks for the approvals again. */
static const lims_error_t *guard_receipt(lims_request_t *rq)
{
    const lims_error_t *error = guard_update(rq);

    if (error) {
        return error;
    }
    if (!lims_result_get(rq->locked, 0, "receivedAt") || has_status(rq, "pending")) {
        return lims_client_error(rq->pool, LIMS_E_INVALID_TRANSITION, "Sample %s is not received.",
                                 lims_values_get(rq->values, "id"));
    }
    if (has_status(rq, "received") || has_status(rq, "processing") || has_status(rq, "reported")) {
        return NULL;
    }
    return lims_client_error(rq->pool, LIMS_E_INVALID_TRANSITION,
                             "Sample %s is %s: its receipt is changed after its status is set back "
                             "to received or processing.",
                             lims_values_get(rq->values, "id"),
                             lims_result_get(rq->locked, 0, "status"));
}

static int rank_of(const char *status)
{
    int rank = 0;

    while (lims_sample_statuses[rank] && strcmp(lims_sample_statuses[rank], status) != 0) {
        rank++;
    }
    return rank;
}

/* A step back undoes what others relied on: people say why. */
static const lims_error_t *check_step_back(lims_request_t *rq)
{
    if (!rq->actor.key && rq->actor.user && !rq->reason) {
        return lims_client_error(rq->pool, LIMS_E_REASON_REQUIRED,
                                 "Setting an earlier status needs a reason.");
    }
    return lims_permit(rq, "result.verify");
}

/* Setting the present status changes nothing, so no gate is checked. */
static const lims_error_t *guard_status(lims_request_t *rq)
{
    const char *from = lims_result_get(rq->locked, 0, "status");
    const char *to = lims_values_get(rq->values, "status");
    const lims_error_t *error = NULL;

    if (strcmp(from, to) == 0) {
        return NULL;
    }
    error = refuse_ended(rq);
    if (!error && rank_of(to) < rank_of(from)) {
        error = check_step_back(rq);
    }
    return error ? error : lims_gates_check(rq, LIMS_STMT_SAMPLE_STATUS_BLOCKERS);
}

/* Reporting a reported sample changes nothing either. */
static const lims_error_t *guard_report(lims_request_t *rq)
{
    const lims_error_t *error = lims_refuse_closed(rq);

    if (error || has_status(rq, "reported")) {
        return error;
    }
    return lims_gates_check(rq, LIMS_STMT_SAMPLE_REPORT_BLOCKERS);
}

/* --- Routes --------------------------------------------------------------- */

static const lims_error_e create_errors[] = { LIMS_E_INVALID_REFERENCE, LIMS_E_FIELD_NOT_PATCHABLE,
                                              LIMS_E_SAMPLE_LIMIT_EXCEEDED, LIMS_E_COUNT };
static const lims_error_e update_errors[] = { LIMS_E_INVALID_REFERENCE,
                                              LIMS_E_FIELD_NOT_PATCHABLE,
                                              LIMS_E_NO_UPDATABLE_FIELDS,
                                              LIMS_E_TEST_VERIFIED_LOCKED,
                                              LIMS_E_INVALID_TRANSITION,
                                              LIMS_E_REASON_REQUIRED,
                                              LIMS_E_COUNT };
static const lims_error_e receive_errors[] = { LIMS_E_INVALID_REFERENCE, LIMS_E_INVALID_TRANSITION,
                                               LIMS_E_COUNT };
static const lims_error_e unreceive_errors[] = { LIMS_E_INVALID_TRANSITION, LIMS_E_COUNT };
static const lims_error_e receipt_errors[] = { LIMS_E_INVALID_TRANSITION, LIMS_E_REASON_REQUIRED,
                                               LIMS_E_COUNT };
/* The others need result.verify, and so does any step back. */
static const lims_permission_by_t status_permissions[] = {
    { "status", "received", "sample.receive" },
    { "status", "processing", "result.enter" },
    { "status", "completed", "result.enter" },
    { NULL, NULL, NULL }
};
static const lims_error_e status_errors[] = { LIMS_E_INCOMPLETE_SAMPLE, LIMS_E_QC_FAILED,
                                              LIMS_E_INVALID_TRANSITION, LIMS_E_COUNT };
static const lims_error_e report_errors[] = {
    LIMS_E_INCOMPLETE_SAMPLE,     LIMS_E_QC_FAILED,       LIMS_E_APPROVAL_REQUIRED,
    LIMS_E_CONFIRMATION_REQUIRED, LIMS_E_MEDIA_QC_FAILED, LIMS_E_INVALID_TRANSITION,
    LIMS_E_INVESTIGATION_OPEN,    LIMS_E_SAMPLE_ON_HOLD,  LIMS_E_LOT_NOT_RELEASED,
    LIMS_E_RETEST_UNDECIDED,      LIMS_E_QC_PENDING,      LIMS_E_COUNT
};

static const lims_error_e add_errors[] = { LIMS_E_INVALID_REFERENCE, LIMS_E_INVALID_TRANSITION,
                                           LIMS_E_REASON_REQUIRED, LIMS_E_COUNT };

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/samples",
      .command = "sample list",
      .surfaces = LIMS_SURFACES_ALL,
      .operation = "listSamples",
      .summary = "List samples",
      .scope = "samples:read",
      .permission = "data.read",
      .flags = LIMS_R_LIST,
      .query = lims_sample_filters,
      .status = 200,
      .statement = LIMS_STMT_SAMPLE_LIST,
      .handler = lims_samples_list },
    { .method = "GET",
      .path = "/samples/counts",
      .command = "sample counts",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "countSamples",
      .summary = "Count the samples of the list by state",
      .description = "By status, and by release state (as the lifecycle scan last found it) those "
                     "that are not reported. Exact up to 10,000; more are the text `10,000+`.",
      .permission = "data.read",
      .flags = LIMS_R_DOCUMENT,
      .query = lims_sample_filters + LIMS_PAGING_COUNT,
      .output = lims_sample_counts_output,
      .status = 200,
      .handler = lims_samples_count },
    { .method = "GET",
      .path = "/samples/export",
      .command = "sample export",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "exportSamples",
      .summary = "Export the list of samples as CSV",
      .description = "At most 50,000 samples. The file goes to standard output: "
                     "`limsctl ... > samples.csv`. With --json it is in base64.",
      .permission = "data.read",
      .flags = LIMS_R_NO_RECORD | LIMS_R_DOCUMENT | LIMS_R_BYTES,
      .query = lims_sample_filters + LIMS_PAGING_COUNT,
      .status = 200,
      .handler = lims_samples_export },
    { LIMS_REPORT("/samples", "sample list-pdf", "printSamples", "samples", lims_samples_print),
      .permission = "data.read",
      .flags = LIMS_PDF_FLAGS,
      .query = lims_sample_filters + LIMS_PAGING_COUNT },
    { .method = "GET",
      .path = "/samples/:id",
      .command = "sample show",
      .surfaces = LIMS_SURFACES_ALL,
      .operation = "getSample",
      .summary = "One sample with its scheduled tests",
      .scope = "samples:read",
      .permission = "data.read",
      .status = 200,
      .statement = LIMS_STMT_SAMPLE_GET },
    { .method = "POST",
      .path = "/samples",
      .command = "sample create",
      .surfaces = LIMS_SURFACES_ALL,
      .operation = "createSample",
      .summary = "Register a sample and schedule its tests",
      .description = "Counts against the monthly sample allowance, and emits sample.created.",
      .scope = "samples:write",
      .permission = "sample.register",
      .body = LIMS_F_CREATE,
      .status = 201,
      .statement = LIMS_STMT_SAMPLE_CREATE,
      .errors = create_errors },
    { .method = "POST",
      .path = "/samples/receive",
      .command = "sample receive",
      .surfaces = LIMS_SURFACES_ALL,
      .operation = "receiveSamples",
      .summary = "Receive many samples",
      .description = "Samples that are not awaiting receipt are listed under skipped and stay as "
                     "they are. One that is received anew keeps the findings of its first receipt: "
                     "others are refused where the receipt can no longer be undone. Emits "
                     "sample.received for each sample received.",
      .scope = "samples:write",
      .permission = "sample.receive",
      .flags = LIMS_R_NO_RECORD,
      .input = lims_receive_input,
      .output = lims_receive_output,
      .status = 200,
      .check = lims_receive_check,
      .handler = lims_receive,
      .errors = receive_errors },
    { .method = "POST",
      .path = "/samples/:id/unreceive",
      .command = "sample unreceive",
      .surfaces = LIMS_SURFACES_ALL,
      .operation = "unreceiveSample",
      .summary = "Undo a receipt in error",
      .description = "On the laboratory's day of the receipt, while there is no result. The sample "
                     "is pending again and receivedAt null; sample.received comes again with the "
                     "next receipt.",
      .scope = "samples:write",
      .permission = "sample.receive",
      .flags = LIMS_R_REASON,
      .input = lims_reason_input,
      .status = 200,
      .guard = guard_unreceive,
      .statement = LIMS_STMT_SAMPLE_UNRECEIVE,
      .errors = unreceive_errors },
    { .method = "PATCH",
      .path = "/samples/:id/receipt",
      .command = "sample receipt",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "changeReceipt",
      .summary = "Change what was found on receipt",
      .description = "Until the sample is completed, and while it is amended; members that are "
                     "left out stay. The sample is not received again: receivedAt stays, and no "
                     "event is sent.",
      .permission = "sample.receive",
      .input = lims_receipt_input,
      .status = 200,
      .guard = guard_receipt,
      .statement = LIMS_STMT_SAMPLE_SET_RECEIPT,
      .errors = receipt_errors },
    { .method = "PATCH",
      .path = "/samples/:id",
      .command = "sample update",
      .surfaces = LIMS_SURFACES_ALL,
      .operation = "updateSample",
      .summary = "Change fields of a sample other than its status",
      .scope = "samples:write",
      .permission = "sample.edit",
      .body = LIMS_F_UPDATE,
      .status = 200,
      .guard = guard_update,
      .statement = LIMS_STMT_SAMPLE_UPDATE,
      .errors = update_errors },
    { .method = "PATCH",
      .path = "/samples/:id/status",
      .command = "sample status",
      .surfaces = LIMS_SURFACES_ALL,
      .operation = "setSampleStatus",
      .summary = "Change the workflow status of a sample",
      .description = "Any move forward is allowed; a move back is an audited correction. completed "
                     "needs a result on every test, verified needs every test verified, and "
                     "neither is allowed while a failed QC batch is not overridden.",
      .scope = "samples:write",
      .permission = "result.verify",
      .permission_by = status_permissions,
      .input = status_input,
      .status = 200,
      .guard = guard_status,
      .statement = LIMS_STMT_SAMPLE_SET_STATUS,
      .errors = status_errors },
    { .method = "POST",
      .path = "/samples/:id/report",
      .command = "sample report",
      .surfaces = LIMS_SURFACES_ALL,
      .operation = "reportSample",
      .summary = "Mark a sample reported",
      .description = "Needs every test verified and every release gate satisfied; it is final. "
                     "Emits sample.reported.",
      .scope = "reports:write",
      .permission = "sample.report",
      .flags = LIMS_R_NO_BODY,
      .status = 200,
      .guard = guard_report,
      .statement = LIMS_STMT_SAMPLE_REPORT,
      .errors = report_errors },
    { .method = "POST",
      .path = "/samples/:id/tests",
      .command = "sample add-tests",
      .surfaces = LIMS_SURFACES_ALL,
      .operation = "addSampleTests",
      .summary = "Add tests to a sample",
      .description = "A definition of which the sample has an active test is refused: that test is "
                     "repeated by a retest. Approvals that were given are asked for again.",
      .scope = "samples:write",
      .permission = "sample.edit",
      .flags = LIMS_R_NO_RECORD,
      .input = add_input,
      .output = lims_tests_output,
      .status = 201,
      .handler = lims_add_tests,
      .errors = add_errors },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_sample = {
    .name = "sample",
    .title = "Samples",
    .schema = "Sample",
    .doc = "Sample sent by a client: registered, received, tested, verified and reported.",
    .fields = lims_sample_fields,
    .routes = routes,
    .record = LIMS_STMT_SAMPLE_GET,
    .lock = LIMS_STMT_SAMPLE_LOCK,
    .nested = "tests",
    .nested_resource = &lims_sample_test,
    .nested_statement = LIMS_STMT_SAMPLE_TESTS,
};
