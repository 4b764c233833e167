/* SPDX-License-Identifier: Apache-2.0 */
/*
 * results.c - sample tests: entering, verifying and locking results.
 *
 * A result is text, kept exactly as entered. Its numeric value, the comparison
 * with its specification, the presumptive reading and the lock of a verified
 * result are rules of the database (sql/130_sample_tests.sql and the files
 * after it), the same for results from files and from people.
 */
#include "results/results.h"

#include <apr_strings.h>
#include <string.h>

#include "documents/pdf_report.h"
#include "kernel/vocabulary.h"
#include "kernel/blocker.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "results/many.h"
#include "results/review.h"
#include "results/test_search.h"
#include "results/verify.h"
#include "results/work.h"
#include "service/service.h"

enum { ENTERED = LIMS_F_OUT | LIMS_F_UPDATE | LIMS_F_NULLABLE, SHOWN = LIMS_F_OUT };

const lims_field_t lims_returned_fields[] = {
    { .name = "by",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the user who sent it back." },
    { .name = "at",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "When it was sent back, UTC." },
    { .name = "reason",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .max = 1000,
      .doc = "Reason why it was sent back." },
    LIMS_FIELD_END,
};

/* Fields of the sample, in lists of tests. */
static const lims_field_t sample_members[] = {
    { .name = "trackingId",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Tracking identifier of the sample." },
    { .name = "sampleIdentifier",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Identifier of the sample." },
    { .name = "clientName",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Name of the client." },
    { .name = "priority",
      .type = LIMS_T_ENUM,
      .values = lims_sample_priorities,
      .flags = LIMS_F_OUT,
      .doc = "Priority of the sample." },
    { .name = "receivedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "When the sample was received, UTC; null until then." },
    LIMS_FIELD_END,
};

const lims_field_t lims_sample_test_fields[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = SHOWN | LIMS_F_UNTAGGED,
      .doc = "Id of the sample test; in bulk input and in events it is called sampleTestId.",
      .example = "90211" },
    { .name = "sampleId",
      .type = LIMS_T_ID,
      .flags = SHOWN | LIMS_F_UNTAGGED,
      .doc = "Id of the sample." },
    { .name = "testDefinitionId",
      .type = LIMS_T_ID,
      .flags = SHOWN,
      .doc = "Id of the test definition." },
    { .name = "testCode",
      .type = LIMS_T_STRING,
      .flags = SHOWN | LIMS_F_UNTAGGED,
      .doc = "Code of the test definition.",
      .example = "NO3N" },
    { .name = "testName",
      .type = LIMS_T_STRING,
      .flags = SHOWN | LIMS_F_UNTAGGED,
      .doc = "Name of the test definition.",
      .example = "Nitrate-N" },
    { .name = "status",
      .type = LIMS_T_ENUM,
      .values = lims_test_statuses,
      .flags = SHOWN,
      .doc = "Status of the test: pending without a result, entered with one, verified when its "
             "result is locked." },
    { .name = "result",
      .type = LIMS_T_STRING,
      .flags = ENTERED,
      .max = 1000,
      .doc = "Result of the test, kept exactly as entered. An empty text, white space or null "
             "withdraws it: the test is pending again.",
      .example = "7.10" },
    { .name = "unit",
      .type = LIMS_T_STRING,
      .flags = SHOWN | LIMS_F_NULLABLE,
      .doc = "Unit of the test definition.",
      .example = "mg/L" },
    { .name = "qualifier",
      .type = LIMS_T_ENUM,
      .values = lims_result_qualifiers,
      .flags = ENTERED,
      .doc = "Censoring or data qualifier of this result. Another result that is entered without a "
             "qualifier has none." },
    { .name = "notes",
      .type = LIMS_T_STRING,
      .flags = ENTERED,
      .max = 4000,
      .doc = "Remarks on the test." },
    { .name = "outOfSpecification",
      .type = LIMS_T_BOOLEAN,
      .flags = SHOWN | LIMS_F_NULLABLE,
      .doc = "Whether the result is outside its specification. It is evaluated when the result is "
             "entered, and again when the sample's material type or project changes; null when no "
             "limit applies or the result cannot be compared with it." },
    { .name = "specification",
      .type = LIMS_T_STRING,
      .flags = SHOWN | LIMS_F_NULLABLE,
      .doc = "Limit that applies to the result, as text.",
      .example = "at most 10 mg/L" },
    { .name = "reagentLotId",
      .type = LIMS_T_ID,
      .flags = ENTERED,
      .doc = "Id of the reagent lot that was used." },
    { .name = "mediaLotId",
      .type = LIMS_T_ID,
      .flags = ENTERED,
      .doc = "Id of the media lot that was used. A failed lot can be replaced only by one that has "
             "not failed, with another result, and never by null (409 media_qc_failed)." },
    { .name = "qcBatchId",
      .type = LIMS_T_ID,
      .flags = SHOWN | LIMS_F_NULLABLE,
      .doc = "Id of the QC batch that covers the test; of several batches, each of which counts, "
             "the latest." },
    { .name = "confirmationStatus",
      .type = LIMS_T_ENUM,
      .values = lims_confirmation_statuses,
      .flags = SHOWN | LIMS_F_NULLABLE,
      .doc = "Status of the confirmation: pending for a presumptive positive, which is every "
             "result that does not plainly prove a negative (presumptiveMinimum of the test "
             "definition); null when no confirmation is needed." },
    { .name = "worksheetStatus",
      .type = LIMS_T_ENUM,
      .values = lims_worksheet_statuses,
      .flags = SHOWN | LIMS_F_NULLABLE,
      .doc = "Status of the method worksheet; null when the method needs none. Its sign-offs end "
             "when the result that they were made for is replaced or reopened." },
    { .name = "holdingStatus",
      .type = LIMS_T_ENUM,
      .values = lims_holding_statuses,
      .flags = SHOWN | LIMS_F_NULLABLE | LIMS_F_UNTAGGED,
      .doc = "Holding status of the test: at analyzedAt, or else at the time when its result was "
             "first entered, which a correction does not change." },
    { .name = "holdingExpiresAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = SHOWN | LIMS_F_NULLABLE,
      .doc = "When the holding time ends, UTC: collection plus the holding time that the test "
             "definition had when the test was scheduled." },
    { .name = "analyzedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = ENTERED,
      .doc = "When the analysis was done, UTC; not in the future and not before the collection. "
             "Withdrawing the result clears it." },
    LIMS_REASON(LIMS_F_UPDATE, "Reason for the change, kept in the audit trail; needed where the "
                               "organization's policy reasonOnChange asks for it."),
    { .name = "enteredBy",
      .type = LIMS_T_ID,
      .flags = SHOWN | LIMS_F_NULLABLE,
      .doc = "Id of the user who entered the result." },
    { .name = "enteredAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = SHOWN | LIMS_F_NULLABLE | LIMS_F_UNTAGGED,
      .doc = "When the result was entered, UTC." },
    { .name = "verifiedBy",
      .type = LIMS_T_ID,
      .flags = SHOWN | LIMS_F_NULLABLE,
      .doc = "Id of the user who verified the result." },
    { .name = "verifiedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = SHOWN | LIMS_F_NULLABLE,
      .doc = "When the result was verified, UTC." },
    { .name = "warnings",
      .type = LIMS_T_STRING_LIST,
      .flags = SHOWN,
      .doc = "Warnings for the reviewer, such as an expired lot." },
    { .name = "entryWarnings",
      .type = LIMS_T_OBJECT_LIST,
      .flags = SHOWN,
      .members = lims_entry_warning_fields,
      .doc = "Warnings about the result that stands: about its value, judged by the test "
             "definition when it was entered, and about its lots." },
    { .name = "etag",
      .type = LIMS_T_STRING,
      .flags = SHOWN | LIMS_F_DIGEST,
      .doc = "Tag of what the record says, for ifMatch of bulk-results. Neither time alone "
             "changes it, nor a name.",
      .example = "9f86d081884c7d659a2feaa0c55ad015" },
    { .name = "disposition",
      .type = LIMS_T_ENUM,
      .values = lims_test_dispositions,
      .flags = SHOWN,
      .doc = "Disposition of the test, beside its status. Only active tests count, in gates, "
             "completeness and certificates; set_aside: another result of a repeated test was "
             "chosen." },
    { .name = "retestOf",
      .type = LIMS_T_ID,
      .flags = SHOWN | LIMS_F_NULLABLE,
      .doc = "Id of the first test of the family, of which this one is a repetition; null for the "
             "first itself." },
    { .name = "reported",
      .type = LIMS_T_BOOLEAN,
      .flags = SHOWN,
      .doc = "Whether the report carries this result: the only active one of its family. While "
             "several are active and none is chosen, none is." },
    { .name = "returned",
      .type = LIMS_T_JSON,
      .flags = SHOWN | LIMS_F_NULLABLE,
      .members = lims_returned_fields,
      .doc = "Return of the result, to be entered again before it is verified; null: it was not "
             "sent back, or was entered again." },
    { .name = "noteOnReport",
      .type = LIMS_T_BOOLEAN,
      .flags = LIMS_F_OUT | LIMS_F_UPDATE,
      .doc = "Whether the notes are printed on the certificate. Where an API key replaces the "
             "notes without sending it, it becomes false." },
    { .name = "review",
      .type = LIMS_T_JSON,
      .flags = LIMS_F_INCLUDED | LIMS_F_PEOPLE,
      .include = "review",
      .members = lims_review_fields,
      .doc = "Review of the result, with include=review." },
    { .name = "sample",
      .type = LIMS_T_JSON,
      .flags = LIMS_F_INCLUDED,
      .include = "sample",
      .members = sample_members,
      .doc = "Some facts of the sample; in lists with include=sample, or include=review." },
    { .name = "assignedTo",
      .type = LIMS_T_ID,
      .flags = LIMS_F_INCLUDED,
      .include = "sample",
      .doc = "Id of the user to whom the work is assigned, if it is; in lists with "
             "include=sample." },
    { .name = "createdAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = SHOWN | LIMS_F_UNTAGGED,
      .doc = "When the test was scheduled, UTC." },
    { .name = "updatedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = SHOWN | LIMS_F_UNTAGGED,
      .doc = "When the record was last changed, UTC." },
    LIMS_FIELD_END,
};

/* --- Actions -------------------------------------------------------------- */

const lims_error_t *lims_results_locked(lims_request_t *rq, const char *ids)
{
    const char *slug = lims_error_kinds[LIMS_E_TEST_VERIFIED_LOCKED].slug;
    bool many = strchr(ids, ',');
    const char *message =
        apr_psprintf(rq->pool, "The result%s of sample test%s %s %s verified and locked.",
                     many ? "s" : "", many ? "s" : "", ids, many ? "are" : "is");
    const char *members = apr_psprintf(rq->pool,
                                       "\"blockers\":[{\"slug\":\"%s\",\"message\":\"%s\","
                                       "\"clearedBy\":\"%s\",\"testIds\":[%s]}]",
                                       slug, message, lims_blocker_cleared_by(slug), ids);

    return lims_client_error_with(
        rq->pool, LIMS_E_TEST_VERIFIED_LOCKED, members,
        "%s Nothing was entered; %s can be reopened in the application, with a "
        "reason and a signature.",
        message, many ? "they" : "it");
}

const lims_error_t *lims_results_inactive(lims_request_t *rq, const char *id)
{
    return lims_client_error(rq->pool, LIMS_E_INVALID_TRANSITION,
                             "Sample test %s is not active: it was cancelled, or another result "
                             "was chosen. Nothing was entered.",
                             id);
}

/* Refused even if nothing would change: a verified result cannot be entered. A result that
 * was sent back is entered also by the same value. */
static const lims_error_t *guard_enter(lims_request_t *rq)
{
    const char *id = lims_values_get(rq->values, "id");

    if (strcmp(lims_result_get(rq->locked, 0, "disposition"), "active") != 0) {
        return lims_results_inactive(rq, id);
    }
    if (strcmp(lims_result_get(rq->locked, 0, "status"), "verified") == 0) {
        return lims_results_locked(rq, id);
    }
    return lims_values_get(rq->values, "result") && lims_result_true(rq->locked, 0, "returned")
               ? lims_results_enter_again(rq)
               : NULL;
}

/* --- Routes --------------------------------------------------------------- */

static const lims_error_e enter_errors[] = {
    LIMS_E_INVALID_REFERENCE,   LIMS_E_FIELD_NOT_PATCHABLE,
    LIMS_E_NO_UPDATABLE_FIELDS, LIMS_E_REAGENT_LOT_EXPIRED,
    LIMS_E_MEDIA_QC_FAILED,     LIMS_E_TEST_VERIFIED_LOCKED,
    LIMS_E_INVALID_TRANSITION,  LIMS_E_REASON_REQUIRED,
    LIMS_E_LOT_NOT_RELEASED,    LIMS_E_COUNT
};
static const lims_error_e verify_errors[] = { LIMS_E_ESIGNATURE_REQUIRED,
                                              LIMS_E_QC_FAILED,
                                              LIMS_E_CONFIRMATION_REQUIRED,
                                              LIMS_E_MEDIA_QC_FAILED,
                                              LIMS_E_WORKSHEET_INCOMPLETE,
                                              LIMS_E_BLANK_RESULT,
                                              LIMS_E_TEST_VERIFIED_LOCKED,
                                              LIMS_E_INVALID_TRANSITION,
                                              LIMS_E_SELF_VERIFICATION,
                                              LIMS_E_QC_PENDING,
                                              LIMS_E_COUNT };
static const lims_error_e bulk_errors[] = {
    LIMS_E_INVALID_REFERENCE,    LIMS_E_REAGENT_LOT_EXPIRED, LIMS_E_MEDIA_QC_FAILED,
    LIMS_E_TEST_VERIFIED_LOCKED, LIMS_E_PRECONDITION_FAILED, LIMS_E_INVALID_TRANSITION,
    LIMS_E_REASON_REQUIRED,      LIMS_E_LOT_NOT_RELEASED,    LIMS_E_COUNT
};

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/sample-tests",
      .command = "sample-test list",
      .surfaces = LIMS_SURFACES_ALL,
      .operation = "listSampleTests",
      .summary = "List sample tests",
      .scope = "results:read",
      .permission = "data.read",
      .flags = LIMS_R_LIST,
      .query = lims_sample_test_filters,
      .status = 200,
      .statement = LIMS_STMT_SAMPLE_TEST_LIST,
      .handler = lims_sample_tests_list },
    { .method = "GET",
      .path = "/sample-tests/export",
      .command = "sample-test export",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "exportSampleTests",
      .summary = "Export the list of sample tests as CSV",
      .description = "At most 50,000 tests; with include=sample facts of their samples stand "
                     "beside them. The file goes to standard output: `limsctl ... > tests.csv`. "
                     "With --json it is in base64.",
      .permission = "data.read",
      .flags = LIMS_R_NO_RECORD | LIMS_R_DOCUMENT | LIMS_R_BYTES,
      .query = lims_sample_test_filters + LIMS_PAGING_COUNT,
      .status = 200,
      .handler = lims_sample_tests_export },
    { LIMS_REPORT("/sample-tests", "sample-test list-pdf", "printSampleTests", "sample tests",
                  lims_sample_tests_print),
      .permission = "data.read", .flags = LIMS_PDF_FLAGS,
      .query = lims_sample_test_filters + LIMS_PAGING_COUNT },
    { .method = "GET",
      .path = "/sample-tests/:id",
      .command = "sample-test show",
      .surfaces = LIMS_SURFACES_ALL,
      .operation = "getSampleTest",
      .summary = "One sample test",
      .scope = "results:read",
      .permission = "data.read",
      .query = lims_sample_test_includes,
      .status = 200,
      .handler = lims_sample_test_show },
    { .method = "PATCH",
      .path = "/sample-tests/:id",
      .command = "sample-test enter",
      .surfaces = LIMS_SURFACES_ALL,
      .operation = "enterResult",
      .summary = "Enter or update a result",
      .description = "Emits result.entered when the value changes.",
      .scope = "results:write",
      .permission = "result.enter",
      .body = LIMS_F_UPDATE,
      .status = 200,
      .guard = guard_enter,
      .statement = LIMS_STMT_RESULT_ENTER,
      .errors = enter_errors },
    { .method = "POST",
      .path = "/sample-tests/:id/verify",
      .command = "sample-test verify",
      .surfaces = LIMS_SURFACES_ALL,
      .operation = "verifyResult",
      .summary = "Verify and lock a result",
      .description = "A signing act. Emits result.verified.",
      .scope = "results:verify",
      .permission = "result.verify",
      .flags = LIMS_R_NO_BODY,
      .status = 200,
      .meaning = "verified",
      .signs = "sample_test",
      .guard = lims_results_verify_gates,
      .statement = LIMS_STMT_SAMPLE_TEST_VERIFY,
      .errors = verify_errors },
    { .method = "POST",
      .path = "/sample-tests/verify",
      .command = "sample-test verify-many",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "verifyResults",
      .summary = "Verify and lock many results",
      .description = "One password, and a signature for each result. By default all are verified "
                     "or none; otherwise each that can be.",
      .permission = "result.verify",
      .flags = LIMS_R_NO_RECORD | LIMS_R_EACH,
      .input = lims_results_verify_input,
      .output = lims_results_verify_output,
      .status = 200,
      .meaning = "verified",
      .signs = "sample_test",
      .handler = lims_results_verify_many,
      .errors = verify_errors },
    { .method = "POST",
      .path = "/sample-tests/bulk-results",
      .command = "sample-test bulk-enter",
      .surfaces = LIMS_SURFACES_ALL,
      .operation = "enterResults",
      .summary = "Enter many results, either all or none",
      .scope = "results:write",
      .permission = "result.enter",
      .flags = LIMS_R_NO_RECORD,
      .input = lims_results_bulk_input,
      .output = lims_results_updated,
      .status = 200,
      .handler = lims_results_enter_many,
      .errors = bulk_errors },
    { .method = "POST",
      .path = "/sample-tests/judge",
      .command = "sample-test judge",
      .surfaces = LIMS_SURFACES_ALL,
      .operation = "judgeResults",
      .summary = "Judge results without entering them",
      .description = "What the service would say of each result; nothing is written. Members that "
                     "are absent mean what they mean in bulk-results.",
      .scope = "results:read",
      .permission = "result.enter",
      .flags = LIMS_R_NO_RECORD,
      .input = lims_results_judge_input,
      .output = lims_results_judge_output,
      .status = 200,
      .handler = lims_results_judge_many },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_sample_test = {
    .name = "sample test",
    .title = "Sample tests",
    .schema = "SampleTest",
    .doc = "Test scheduled on a sample, with its result.",
    .fields = lims_sample_test_fields,
    .routes = routes,
    .record = LIMS_STMT_SAMPLE_TEST_GET,
    .lock = LIMS_STMT_SAMPLE_TEST_LOCK,
};
