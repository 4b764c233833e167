/* SPDX-License-Identifier: Apache-2.0 */
/*
 * qc_batches.c - QC batches: samples analysed together under one set of
 * controls.
 *
 * Whether a batch passes is derived from its controls and never set by a
 * person. A failed batch blocks the release of every test that it covers, until
 * it is evaluated again with other controls, or overridden with a signature and
 * a reason.
 */
#include <apr_strings.h>

#include "documents/pdf_report.h"
#include "kernel/vocabulary.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "quality/quality.h"
#include "reference/reference.h"
#include "results/sequence.h"
#include "service/csv.h"
#include "service/service.h"

static const lims_field_t fields[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the QC batch; in sample tests and events it is called qcBatchId.",
      .example = "102" },
    { .name = "batchNumber",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_KEPT | LIMS_F_REQUIRED,
      .min = 1,
      .max = 64,
      .doc = "Number of the batch, unique within the organization.",
      .example = "QCB-0102" },
    { .name = "qcTemplateId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_CREATE | LIMS_F_NULLABLE,
      .doc = "Id of the active QC template from which the batch is made: its controls are there "
             "at once, without a value. When the last has its value, the batch is evaluated by "
             "itself." },
    { .name = "method",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_KEPT_NULLABLE,
      .max = 255,
      .doc = "Reference of the analytical method; with a template, the template's.",
      .example = "EPA 200.8" },
    { .name = "analysisDate",
      .type = LIMS_T_DATE,
      .flags = LIMS_F_KEPT_NULLABLE,
      .doc = "Day of the analysis.",
      .example = "2026-11-20" },
    { .name = "qcStatus",
      .type = LIMS_T_ENUM,
      .values = lims_qc_statuses,
      .flags = LIMS_F_OUT,
      .doc = "Status of the batch: open until it is evaluated. When a control changes afterwards, "
             "the batch is evaluated again." },
    { .name = "failing",
      .type = LIMS_T_BOOLEAN,
      .flags = LIMS_F_OUT,
      .doc = "Whether the batch is open and one of its controls has failed already." },
    { .name = "instrumentId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_KEPT_NULLABLE,
      .doc = "Id of the instrument on which the batch was run." },
    { .name = "fileId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Id of the instrument file that the controls come from; null for a batch entered by "
             "hand." },
    { .name = "sampleTestIds",
      .type = LIMS_T_ID_LIST,
      .flags = LIMS_F_OUT | LIMS_F_CREATE,
      .doc = "Ids of the sample tests that the batch covers.",
      .example = "[90211]" },
    { .name = "overriddenTestIds",
      .type = LIMS_T_ID_LIST,
      .flags = LIMS_F_OUT,
      .doc = "Ids of the covered sample tests whose present results the override was signed for. A "
             "result entered since is held by the failed batch." },
    { .name = "evaluatedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "When the batch was last evaluated, UTC." },
    { .name = "evaluatedBy",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Id of the user who evaluated the batch." },
    { .name = "overrideReason",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Reason why the failed batch was accepted." },
    { .name = "overrideBy",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Id of the user who signed the override." },
    { .name = "overrideAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "When the override was signed, UTC." },
    { .name = "notes",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_KEPT_NULLABLE,
      .max = 4000,
      .doc = "Remarks on the batch." },
    { .name = "createdBy",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Id of the user who created the batch." },
    { .name = "createdAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "When the batch was created, UTC." },
    { .name = "updatedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "When the record was last changed, UTC." },
    LIMS_FIELD_END,
};

static const lims_field_t filters[] = {
    LIMS_PAGING_FIELDS,
    { .name = "qcStatus",
      .type = LIMS_T_ENUM,
      .values = lims_qc_statuses,
      .doc = "Only batches of this status." },
    { .name = "batchNumber", .type = LIMS_T_STRING, .doc = "Only the batch with this number." },
    { .name = "instrumentId", .type = LIMS_T_ID, .doc = "Only batches run on this instrument." },
    { .name = "qcTemplateId", .type = LIMS_T_ID, .doc = "Only batches made of this template." },
    LIMS_FIELD_END,
};

static const lims_field_t coverage_input[] = {
    { .name = "sampleTestIds",
      .type = LIMS_T_ID_LIST,
      .flags = LIMS_F_REQUIRED,
      .min = 1,
      .doc = "Ids of the sample tests.",
      .example = "[90211]" },
    LIMS_FIELD_END,
};

static const lims_field_t uncover_input[] = {
    { .name = "sampleTestIds",
      .type = LIMS_T_ID_LIST,
      .flags = LIMS_F_REQUIRED,
      .min = 1,
      .doc = "Ids of the sample tests.",
      .example = "[90211]" },
    LIMS_REASON_FIELD,
    LIMS_FIELD_END,
};

static const lims_field_t affected_tests[] = {
    { .name = "sampleTestId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the sample test." },
    { .name = "testCode",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Code of the test." },
    { .name = "result",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Result that stands." },
    { .name = "status",
      .type = LIMS_T_ENUM,
      .values = lims_test_statuses,
      .flags = LIMS_F_OUT,
      .doc = "Status of the test." },
    LIMS_FIELD_END,
};

static const lims_field_t affected_samples[] = {
    { .name = "sampleId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the sample." },
    { .name = "trackingId",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Tracking identifier of the sample." },
    { .name = "releaseState",
      .type = LIMS_T_ENUM,
      .values = lims_release_states,
      .flags = LIMS_F_OUT,
      .doc = "Release state of the sample." },
    { .name = "certificateId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Id of its latest certificate; null when none was issued." },
    { .name = "tests",
      .type = LIMS_T_OBJECT_LIST,
      .flags = LIMS_F_OUT,
      .members = affected_tests,
      .doc = "Tests of the sample that the batch covers." },
    LIMS_FIELD_END,
};

static const lims_field_t impact_output[] = {
    { .name = "qcBatchId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the QC batch." },
    { .name = "samples",
      .type = LIMS_T_OBJECT_LIST,
      .flags = LIMS_F_OUT,
      .members = affected_samples,
      .doc = "Samples with results of the batch that were verified or reported." },
    LIMS_FIELD_END,
};

/* --- Actions -------------------------------------------------------------- */

/* Adds the batch to those that cover the tests of sampleTestIds. Removing a
 * test from a batch is a separate action with a reason, and refused while its
 * result belongs to a failed batch. */
static const lims_error_t *cover(lims_request_t *rq)
{
    lims_result_t *asked = NULL;
    const lims_error_t *error = lims_database_call(&asked, rq, LIMS_STMT_QC_COVERAGE_ASKED);

    for (int i = 0; !error && i < lims_result_count(asked); i++) {
        const char *id = lims_result_get(asked, i, "sampleTestId");
        if (!lims_result_true(asked, i, "found")) {
            error = lims_client_error(rq->pool, LIMS_E_INVALID_REFERENCE,
                                      "sampleTestIds[%d]: there is no sample test %s in your "
                                      "organization.",
                                      i, id);
        }
    }
    return error ? error : lims_database_call(&asked, rq, LIMS_STMT_QC_COVERAGE_ADD);
}

static const lims_error_t *uncover(lims_request_t *rq)
{
    lims_result_t *asked = NULL;
    const lims_error_t *error = lims_database_call(&asked, rq, LIMS_STMT_QC_COVERAGE_ASKED);

    for (int i = 0; !error && i < lims_result_count(asked); i++) {
        if (!lims_result_true(asked, i, "covered")) {
            error = lims_client_error(
                rq->pool, LIMS_E_INVALID_REFERENCE,
                "sampleTestIds[%d]: QC batch %s does not cover sample test %s.", i,
                lims_values_get(rq->values, "id"), lims_result_get(asked, i, "sampleTestId"));
        }
    }
    return error ? error : lims_database_call(&asked, rq, LIMS_STMT_QC_COVERAGE_REMOVE);
}

static const lims_error_t *create(lims_request_t *rq)
{
    lims_result_t *row = NULL;
    const lims_error_t *error = lims_database_call(&row, rq, LIMS_STMT_QC_BATCH_CREATE);

    if (error) {
        return error;
    }
    lims_values_set(rq->values, "id", lims_result_get(row, 0, "id"));
    return lims_values_get(rq->values, "sampleTestIds") ? cover(rq) : NULL;
}

static const lims_error_t *no_such_batch(lims_request_t *rq)
{
    return lims_client_error(rq->pool, LIMS_E_NOT_FOUND,
                             "There is no QC batch %s in your organization.",
                             lims_values_get(rq->values, "id"));
}

/* Answers controls and samples of the batch as a file for its instrument. */
static const lims_error_t *export_sequence(lims_request_t *rq)
{
    lims_csv_t *csv = NULL;
    lims_result_t *results[2] = { NULL, NULL };
    const lims_error_t *error =
        lims_csv_begin(&csv, rq, lims_sequence_fields, LIMS_CSV_ROWS_MAX, "sequence.csv");

    if (!error) {
        const lims_call_t calls[] = { { .statement = LIMS_STMT_QC_BATCH_GET },
                                      { .statement = LIMS_STMT_QC_BATCH_SEQUENCE,
                                        .each = lims_csv_row,
                                        .taker = csv } };

        error = lims_service_read(results, rq, calls, LIMS_LENGTH(calls));
    }
    if (!error && lims_result_count(results[0]) == 0) {
        error = no_such_batch(rq);
    }
    return error ? error : lims_csv_end(csv, results[1]);
}

/* The samples behind results of the batch that went on. */
static const lims_error_t *show_impact(lims_request_t *rq)
{
    const lims_call_t calls[] = { { .statement = LIMS_STMT_QC_BATCH_GET },
                                  { .statement = LIMS_STMT_QC_BATCH_IMPACT } };
    lims_result_t *results[2] = { NULL, NULL };
    const lims_error_t *error = lims_service_read(results, rq, calls, 2);
    lims_writer_t *w;

    if (error) {
        return error;
    }
    if (lims_result_count(results[0]) == 0) {
        return no_such_batch(rq);
    }
    w = lims_writer_create(rq->pool);
    lims_writer_object_begin(w);
    lims_writer_key(w, "qcBatchId");
    lims_writer_raw(w, lims_values_get(rq->values, "id"));
    lims_writer_key(w, "samples");
    lims_render_objects(w, affected_samples, results[1], lims_result_count(results[1]), rq->pool);
    lims_writer_object_end(w);
    lims_render_finish(rq, w);
    return NULL;
}

/* --- Routes --------------------------------------------------------------- */

static const lims_error_e create_errors[] = { LIMS_E_INVALID_REFERENCE, LIMS_E_FIELD_NOT_PATCHABLE,
                                              LIMS_E_TEST_VERIFIED_LOCKED,
                                              LIMS_E_INVALID_TRANSITION, LIMS_E_COUNT };
static const lims_error_e update_errors[] = { LIMS_E_INVALID_REFERENCE, LIMS_E_FIELD_NOT_PATCHABLE,
                                              LIMS_E_NO_UPDATABLE_FIELDS, LIMS_E_INVALID_TRANSITION,
                                              LIMS_E_COUNT };
static const lims_error_e coverage_errors[] = { LIMS_E_INVALID_REFERENCE, LIMS_E_QC_FAILED,
                                                LIMS_E_QC_PENDING, LIMS_E_TEST_VERIFIED_LOCKED,
                                                LIMS_E_INVALID_TRANSITION, LIMS_E_COUNT };
static const lims_error_e evaluate_errors[] = { LIMS_E_INVALID_BODY, LIMS_E_QC_PENDING,
                                                LIMS_E_COUNT };
static const lims_error_e override_errors[] = { LIMS_E_ESIGNATURE_REQUIRED,
                                                LIMS_E_INVALID_TRANSITION, LIMS_E_COUNT };

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/qc-batches",
      .command = "qc-batch list",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "listQcBatches",
      .summary = "List QC batches",
      .permission = "data.read",
      .flags = LIMS_R_LIST,
      .query = filters,
      .status = 200,
      .statement = LIMS_STMT_QC_BATCH_LIST },
    { LIMS_CSV_EXPORT("/qc-batches", "qc-batch export", "exportQcBatches", "QC batches"),
      .permission = "data.read",
      .flags = LIMS_CSV_FLAGS,
      .query = filters + LIMS_PAGING_COUNT },
    { LIMS_REPORT_LIST("/qc-batches", "qc-batch pdf", "printQcBatches", "QC batches"),
      .permission = "data.read",
      .flags = LIMS_PDF_FLAGS,
      .query = filters + LIMS_PAGING_COUNT },
    { .method = "GET",
      .path = "/qc-batches/:id",
      .command = "qc-batch show",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "getQcBatch",
      .summary = "One QC batch with its controls",
      .permission = "data.read",
      .status = 200,
      .statement = LIMS_STMT_QC_BATCH_GET },
    { .method = "GET",
      .path = "/qc-batches/:id/impact",
      .command = "qc-batch impact",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "getQcBatchImpact",
      .summary = "Samples with verified or reported results of a QC batch",
      .description = "When a batch fails after results of it were verified or reported, an "
                     "investigation of kind qc_failure is opened; reported samples stay reported, "
                     "and show underReview until it is closed.",
      .permission = "data.read",
      .flags = LIMS_R_NO_RECORD,
      .output = impact_output,
      .status = 200,
      .statement = LIMS_STMT_QC_BATCH_IMPACT,
      .handler = show_impact },
    { .method = "GET",
      .path = "/qc-batches/:id/sequence",
      .command = "qc-batch sequence",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "exportQcBatchSequence",
      .summary = "Export a QC batch as an instrument's sequence (CSV)",
      .description = "Position, name and type of each control and of each sample, as instruments "
                     "take them. The file goes to standard output: `limsctl ... > sequence.csv`. "
                     "With --json it is in base64.",
      .permission = "data.read",
      .flags = LIMS_R_NO_RECORD | LIMS_R_DOCUMENT | LIMS_R_BYTES,
      .status = 200,
      .handler = export_sequence },
    { .method = "POST",
      .path = "/qc-batches",
      .command = "qc-batch create",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "createQcBatch",
      .summary = "Create a QC batch with the sample tests that it covers",
      .permission = "qc.enter",
      .body = LIMS_F_CREATE,
      .status = 201,
      .handler = create,
      .errors = create_errors },
    { .method = "PATCH",
      .path = "/qc-batches/:id",
      .command = "qc-batch update",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "updateQcBatch",
      .summary = "Change the description of a QC batch",
      .permission = "qc.enter",
      .body = LIMS_F_UPDATE,
      .status = 200,
      .statement = LIMS_STMT_QC_BATCH_UPDATE,
      .errors = update_errors },
    { .method = "POST",
      .path = "/qc-batches/:id/evaluate",
      .command = "qc-batch evaluate",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "evaluateQcBatch",
      .summary = "Evaluate a QC batch by its controls",
      .description = "Emits qc.failed when the batch fails. An evaluation ends an override. It is "
                     "refused while an expected control has no value.",
      .permission = "qc.enter",
      .flags = LIMS_R_NO_BODY,
      .status = 200,
      .statement = LIMS_STMT_QC_BATCH_EVALUATE,
      .errors = evaluate_errors },
    { .method = "POST",
      .path = "/qc-batches/:id/override",
      .command = "qc-batch override",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "overrideQcBatch",
      .summary = "Override a QC batch that failed, signed and with a reason",
      .description = "The override holds for the results that the batch covers at this moment. A "
                     "result that is entered or changed later is held by the batch again, until it "
                     "is overridden once more; the others keep their override. Where the policy "
                     "qcRequired asks for quality control, an open batch whose controls can no "
                     "longer be run is overridden too.",
      .permission = "qc.override",
      .flags = LIMS_R_SIGN | LIMS_R_REASON,
      .input = lims_reason_input,
      .status = 200,
      .meaning = "override",
      .signs = "qc_batch",
      .statement = LIMS_STMT_QC_BATCH_OVERRIDE,
      .errors = override_errors },
    LIMS_ROUTE_END,
};

static const lims_route_t coverage_routes[] = {
    { .method = "POST",
      .path = "/qc-batches/:id/cover",
      .command = "qc-batch cover",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "coverSampleTests",
      .summary = "Add sample tests to those that a QC batch covers",
      .description =
          "A test may be covered by several batches, each of which counts. An overridden batch "
          "takes no more tests: its override was signed for the results that it covered. One that "
          "was made from a template takes them, once it is evaluated, only as far as its controls "
          "suffice.",
      .permission = "qc.enter",
      .input = coverage_input,
      .status = 200,
      .handler = cover,
      .errors = coverage_errors },
    { .method = "POST",
      .path = "/qc-batches/:id/uncover",
      .command = "qc-batch uncover",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "uncoverSampleTests",
      .summary = "Remove sample tests from those that a QC batch covers",
      .description = "For tests that are analysed again in another batch. A test with a result is "
                     "removed from a failed batch, overridden or not, only after the result was "
                     "withdrawn and another batch covers the test, and from that one only when a "
                     "further one does. A file that measures a test again, with controls, removes "
                     "it from the batches of earlier files; a copy of the same run (no later "
                     "time, or without times no other result) does not remove it from one that "
                     "failed.",
      .permission = "qc.enter",
      .flags = LIMS_R_REASON,
      .input = uncover_input,
      .status = 200,
      .handler = uncover,
      .errors = coverage_errors },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_qc_batch = {
    .name = "QC batch",
    .title = "QC batches",
    .schema = "QcBatch",
    .doc = "Samples analysed together under one set of controls.",
    .fields = fields,
    .routes = routes,
    .record = LIMS_STMT_QC_BATCH_GET,
    .lock = LIMS_STMT_QC_BATCH_LOCK,
    .nested = "controls",
    .nested_resource = &lims_qc_control,
    .nested_statement = LIMS_STMT_QC_BATCH_CONTROLS,
};

const lims_resource_t lims_qc_coverage = {
    .name = "QC coverage",
    .title = "QC batches",
    .schema = "QcBatch",
    .doc = "Sample tests that a QC batch covers.",
    .fields = fields,
    .routes = coverage_routes,
    .record = LIMS_STMT_QC_BATCH_GET,
    .lock = LIMS_STMT_QC_COVERAGE_HOLD,
    .nested = "controls",
    .nested_resource = &lims_qc_control,
    .nested_statement = LIMS_STMT_QC_BATCH_CONTROLS,
};
