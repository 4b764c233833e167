/* SPDX-License-Identifier: Apache-2.0 */
/*
 * qc_controls.c - the controls of a QC batch: blanks, spikes, duplicates,
 * checks.
 *
 * A control has an expected value, a measured value and limits. The database
 * computes the percentage, difference or value that is compared with the
 * limits, and the outcome.
 */
#include "database/database.h"
#include "kernel/error.h"
#include "kernel/vocabulary.h"
#include "quality/quality.h"
#include "reference/reference.h"
#include "service/service.h"

static const lims_field_t fields[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the control, assigned by the service; also its cursor value." },
    { .name = "qcBatchId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_CREATE | LIMS_F_REQUIRED,
      .doc = "Id of the QC batch in which the control was run.",
      .example = "102" },
    { .name = "controlType",
      .type = LIMS_T_ENUM,
      .values = lims_control_types,
      .flags = LIMS_F_KEPT | LIMS_F_REQUIRED,
      .doc = "Type of the control. MB/LRB: method or reagent blank; FB: field blank; LCS/LFB: "
             "control sample or fortified blank, LCSD: its duplicate; MS/LFM: matrix spike, MSD: "
             "its duplicate; DUP: sample duplicate; ICV/QCS: second source; CCV/IPC: continuing "
             "calibration; ICB/CCB: calibration blank; SUR: surrogate; IS: internal standard; CRM: "
             "certified reference material; PT: proficiency test; POS/NEG: positive and negative "
             "control; STR: sterility control.",
      .example = "LFB" },
    { .name = "testDefinitionId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_KEPT_NULLABLE,
      .doc = "Id of the test definition that is controlled; null when the control is about the "
             "whole batch." },
    { .name = "criterion",
      .type = LIMS_T_ENUM,
      .values = lims_criteria + LIMS_CRITERION_NONE + 1,
      .flags = LIMS_F_KEPT | LIMS_F_REQUIRED,
      .doc = "Acceptance criterion. recovery: 100 x (measured - native) / expected is within the "
             "limits; rpd: 100 x |measured - native| / mean is at most the upper limit; maximum: "
             "measured is at most the upper limit; range: measured is within the limits; expected: "
             "measuredText is the same as expectedText." },
    { .name = "expectedValue",
      .type = LIMS_T_DECIMAL,
      .flags = LIMS_F_KEPT_NULLABLE,
      .doc = "True value, or the amount added, in the control's unit." },
    LIMS_REASON(LIMS_F_UPDATE,
                "Reason for the correction, kept in the audit trail; the first value of an "
                "expected control needs none."),
    { .name = "measuredValue",
      .type = LIMS_T_DECIMAL,
      .flags = LIMS_F_KEPT_NULLABLE,
      .doc = "Measured value, in the control's unit." },
    { .name = "nativeValue",
      .type = LIMS_T_DECIMAL,
      .flags = LIMS_F_KEPT_NULLABLE,
      .doc = "Value of the unspiked sample of a matrix spike, or of the first of two duplicates, "
             "in the control's unit." },
    { .name = "lowerLimit",
      .type = LIMS_T_DECIMAL,
      .flags = LIMS_F_KEPT_NULLABLE,
      .doc = "Lowest acceptable value; in percent for recovery." },
    { .name = "upperLimit",
      .type = LIMS_T_DECIMAL,
      .flags = LIMS_F_KEPT_NULLABLE,
      .doc = "Highest acceptable value; in percent for recovery and rpd." },
    { .name = "expectedText",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_KEPT_NULLABLE,
      .doc = "Expected outcome of a control without a number.",
      .example = "No growth" },
    { .name = "measuredText",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_KEPT_NULLABLE,
      .doc = "Observed outcome of a control without a number." },
    { .name = "unit",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_KEPT_NULLABLE,
      .max = 64,
      .doc = "Unit of the control's values." },
    { .name = "level",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_KEPT_NULLABLE,
      .min = 1,
      .max = 64,
      .doc = "Level of the control material.",
      .example = "low" },
    { .name = "lot",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_KEPT_NULLABLE,
      .min = 1,
      .max = 64,
      .doc = "Lot of the control material." },
    { .name = "measuredAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_KEPT_NULLABLE,
      .doc = "When the control was measured; without it the chart has it at the batch's "
             "analysisDate." },
    { .name = "evaluatedValue",
      .type = LIMS_T_DECIMAL,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Value that was compared with the limits, in percent for recovery and rpd." },
    { .name = "passed",
      .type = LIMS_T_BOOLEAN,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Whether the control meets its criterion; null until it has its value." },
    { .name = "expected",
      .type = LIMS_T_BOOLEAN,
      .flags = LIMS_F_OUT,
      .doc = "Whether the template of the batch asks for the control." },
    { .name = "qcSeriesId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Id of the series whose chart has the control as a point; null for a control "
             "without a number or a test definition, and for rpd." },
    { .name = "broken",
      .type = LIMS_T_STRING_LIST,
      .flags = LIMS_F_OUT,
      .doc = "Westgard rules that the control breaks in its series, of those chosen for it." },
    { .name = "excluded",
      .type = LIMS_T_BOOLEAN,
      .flags = LIMS_F_OUT,
      .doc = "Whether the control is left out of its series." },
    { .name = "excludedReason",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Reason why it is left out." },
    { .name = "notes",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_KEPT_NULLABLE,
      .max = 4000,
      .doc = "Remarks on the control." },
    { .name = "createdAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "When the control was created, UTC." },
    { .name = "updatedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "When the record was last changed, UTC." },
    LIMS_FIELD_END,
};

static const lims_field_t filters[] = {
    LIMS_PAGING_FIELDS,
    { .name = "qcBatchId", .type = LIMS_T_ID, .doc = "Only controls of this batch." },
    LIMS_FIELD_END,
};

/* A control that is judged: the members of one, or what changes in an entered one. */
static const lims_field_t judged_fields[] = {
    { .name = "qcControlId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_NULLABLE,
      .doc = "Id of a control that is there, as one that a template expects: what is sent besides "
             "takes the place of its members." },
    { .name = "qcBatchId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_NULLABLE,
      .doc = "Id of the QC batch in which the control would be run." },
    { .name = "controlType",
      .type = LIMS_T_ENUM,
      .values = lims_control_types,
      .doc = "Type of the control." },
    { .name = "testDefinitionId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_NULLABLE,
      .doc = "Id of the test definition that is controlled." },
    { .name = "criterion",
      .type = LIMS_T_ENUM,
      .values = lims_criteria + LIMS_CRITERION_NONE + 1,
      .doc = "Acceptance criterion." },
    { .name = "expectedValue",
      .type = LIMS_T_DECIMAL,
      .flags = LIMS_F_NULLABLE,
      .doc = "True value, or the amount added." },
    { .name = "measuredValue",
      .type = LIMS_T_DECIMAL,
      .flags = LIMS_F_NULLABLE,
      .doc = "Measured value." },
    { .name = "nativeValue",
      .type = LIMS_T_DECIMAL,
      .flags = LIMS_F_NULLABLE,
      .doc = "Value of the unspiked sample, or of the first of two duplicates." },
    { .name = "lowerLimit",
      .type = LIMS_T_DECIMAL,
      .flags = LIMS_F_NULLABLE,
      .doc = "Lowest acceptable value." },
    { .name = "upperLimit",
      .type = LIMS_T_DECIMAL,
      .flags = LIMS_F_NULLABLE,
      .doc = "Highest acceptable value." },
    { .name = "expectedText",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_NULLABLE,
      .doc = "Expected outcome of a control without a number." },
    { .name = "measuredText",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_NULLABLE,
      .doc = "Observed outcome of a control without a number." },
    { .name = "level",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_NULLABLE,
      .min = 1,
      .max = 64,
      .doc = "Level of the control material." },
    { .name = "lot",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_NULLABLE,
      .min = 1,
      .max = 64,
      .doc = "Lot of the control material." },
    { .name = "measuredAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_NULLABLE,
      .doc = "When the control was measured; without it, it is the last point of its series." },
    LIMS_FIELD_END,
};

static const lims_field_t judge_input[] = {
    { .name = "controls",
      .type = LIMS_T_OBJECT_LIST,
      .flags = LIMS_F_REQUIRED,
      .min = 1,
      .max = 200,
      .members = judged_fields,
      .doc = "Controls to judge." },
    LIMS_FIELD_END,
};

static const lims_field_t refusal_fields[] = {
    { .name = "error",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Slug of the error with which the entry would be refused.",
      .example = "invalid_body" },
    { .name = "message",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Text of the refusal, for people." },
    LIMS_FIELD_END,
};

static const lims_field_t judgement_fields[] = {
    { .name = "qcControlId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Id that was sent." },
    { .name = "evaluatedValue",
      .type = LIMS_T_DECIMAL,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Value that is compared with the limits." },
    { .name = "passed",
      .type = LIMS_T_BOOLEAN,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Whether the control would meet its criterion; null where it would be refused." },
    { .name = "z",
      .type = LIMS_T_DECIMAL,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Distance from the mean of its series, in standard deviations; null without a "
             "series that has a baseline." },
    { .name = "broken",
      .type = LIMS_T_STRING_LIST,
      .flags = LIMS_F_OUT,
      .doc = "Westgard rules that it would break in its series." },
    { .name = "refusals",
      .type = LIMS_T_OBJECT_LIST,
      .flags = LIMS_F_OUT,
      .members = refusal_fields,
      .doc = "Refusals that entering the control would meet; empty: it can be entered." },
    LIMS_FIELD_END,
};

static const lims_field_t judge_output[] = {
    { .name = "results",
      .type = LIMS_T_OBJECT_LIST,
      .flags = LIMS_F_OUT,
      .members = judgement_fields,
      .doc = "Judgements, in the order sent." },
    LIMS_FIELD_END,
};

static const lims_field_t exclusion[] = {
    LIMS_REASON_FIELD,
    { .name = "excluded",
      .type = LIMS_T_BOOLEAN,
      .doc = "Whether the control is left out (true unless given), or taken in again." },
    LIMS_FIELD_END,
};

/* Refuses a correction without a reason. The first value of a control that the template of
 * its batch expects corrects nothing. */
static const lims_error_t *ask_reason(lims_request_t *rq)
{
    lims_result_t *row = NULL;
    const lims_error_t *error = lims_database_call(&row, rq, LIMS_STMT_QC_CONTROL_GET);

    if (!error && lims_result_count(row) > 0 && lims_result_get(row, 0, "passed") && !rq->reason) {
        error = lims_client_error(rq->pool, LIMS_E_INVALID_BODY,
                                  "reason is missing: it must say why the control is corrected.");
    }
    return error;
}

static const lims_error_t *judge(lims_request_t *rq)
{
    lims_result_t *rows = NULL;
    const lims_error_t *error = lims_database_call(&rows, rq, LIMS_STMT_QC_CONTROL_JUDGE);
    lims_writer_t *w;

    if (error) {
        return error;
    }
    w = lims_writer_create(rq->pool);
    lims_writer_object_begin(w);
    lims_writer_key(w, "results");
    lims_render_objects(w, judgement_fields, rows, lims_result_count(rows), rq->pool);
    lims_writer_object_end(w);
    lims_render_finish(rq, w);
    return NULL;
}

static const lims_error_e exclude_errors[] = { LIMS_E_INVALID_TRANSITION, LIMS_E_COUNT };

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/qc-controls",
      .command = "qc-control list",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "listQcControls",
      .summary = "List QC controls",
      .permission = "data.read",
      .flags = LIMS_R_LIST,
      .query = filters,
      .status = 200,
      .statement = LIMS_STMT_QC_CONTROL_LIST },
    { .method = "GET",
      .path = "/qc-controls/:id",
      .command = "qc-control show",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "getQcControl",
      .summary = "One QC control",
      .permission = "data.read",
      .status = 200,
      .statement = LIMS_STMT_QC_CONTROL_GET },
    { .method = "POST",
      .path = "/qc-controls",
      .command = "qc-control add",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "addQcControl",
      .summary = "Add a control to a QC batch",
      .description = "A batch that was already evaluated is evaluated again. In a batch that was "
                     "made from a template the control takes the place of an expected one if its "
                     "expected value is the template's, and its limits are at least as strict.",
      .permission = "qc.enter",
      .body = LIMS_F_CREATE,
      .status = 201,
      .statement = LIMS_STMT_QC_CONTROL_ADD,
      .errors = lims_reference_create_errors },
    { .method = "PATCH",
      .path = "/qc-controls/:id",
      .command = "qc-control update",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "updateQcControl",
      .summary = "Correct a QC control",
      .description = "A batch that was already evaluated is evaluated again, and one that was made "
                     "from a template when its last control has its value. What the template gives "
                     "of an expected control cannot be changed; what it leaves open can.",
      .permission = "qc.enter",
      .body = LIMS_F_UPDATE,
      .status = 200,
      .guard = ask_reason,
      .statement = LIMS_STMT_QC_CONTROL_UPDATE,
      .errors = lims_reference_update_errors },
    { .method = "POST",
      .path = "/qc-controls/:id/exclude",
      .command = "qc-control exclude",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "excludeQcControl",
      .summary = "Leave a control out of its series, or take it in again",
      .description = "The control stays, and so does its part in the evaluation of its batch.",
      .permission = "qc.override",
      .flags = LIMS_R_REASON,
      .input = exclusion,
      .status = 200,
      .statement = LIMS_STMT_QC_CONTROL_EXCLUDE,
      .errors = exclude_errors },
    { .method = "POST",
      .path = "/qc-controls/judge",
      .command = "qc-control judge",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "judgeQcControls",
      .summary = "Judge controls without entering them",
      .description = "What the service would say of each control, its series included; nothing is "
                     "written.",
      .permission = "qc.enter",
      .flags = LIMS_R_NO_RECORD,
      .input = judge_input,
      .output = judge_output,
      .status = 200,
      .handler = judge },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_qc_control = {
    .name = "QC control",
    .title = "QC controls",
    .schema = "QcControl",
    .doc = "Control of a QC batch, such as a blank, spike, duplicate or check standard.",
    .fields = fields,
    .routes = routes,
    .record = LIMS_STMT_QC_CONTROL_GET,
    .lock = LIMS_STMT_QC_CONTROL_LOCK,
};
