/* SPDX-License-Identifier: Apache-2.0 */
/*
 * qc_controls.c - the controls of a QC batch: blanks, spikes, duplicates,
 * checks.
 *
 * A control states what was expected, what was found and the limits; the
 * percentage, difference or value that the limits are held against, and the
 * outcome, are worked out in the database.
 */
#include "quality/quality.h"
#include "reference/reference.h"

static const char *const types[] = { "MB",  "LRB", "FB",  "LCS", "LFB", "LCSD", "MS",  "LFM",
                                     "MSD", "DUP", "ICV", "QCS", "CCV", "IPC",  "ICB", "CCB",
                                     "SUR", "IS",  "CRM", "PT",  "POS", "NEG",  "STR", NULL };
static const char *const criteria[] = { "recovery", "rpd", "maximum", "range", "expected", NULL };

static const lims_field_t fields[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Assigned by the service; also the cursor value." },
    { .name = "qcBatchId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_CREATE | LIMS_F_REQUIRED,
      .doc = "The batch it was run with.",
      .example = "102" },
    { .name = "controlType",
      .type = LIMS_T_ENUM,
      .values = types,
      .flags = LIMS_F_KEPT | LIMS_F_REQUIRED,
      .doc = "MB/LRB method or reagent blank, FB field blank, LCS/LFB control sample or fortified "
             "blank, MS/LFM matrix spike, D: duplicate of it, DUP sample duplicate, ICV/QCS "
             "second source, CCV/IPC continuing calibration, ICB/CCB calibration blank, SUR "
             "surrogate, IS internal standard, CRM certified reference material, PT proficiency "
             "test, POS/NEG positive and negative control, STR sterility control.",
      .example = "LFB" },
    { .name = "testDefinitionId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_KEPT_NULLABLE,
      .doc = "What it controls; null when it is about the whole batch." },
    { .name = "criterion",
      .type = LIMS_T_ENUM,
      .values = criteria,
      .flags = LIMS_F_KEPT | LIMS_F_REQUIRED,
      .doc = "recovery: 100 x (measured - native) / expected within the limits; rpd: 100 x "
             "|measured - native| / mean at most the upper limit; maximum: measured at most the "
             "upper limit; range: measured within the limits; expected: measuredText says what "
             "expectedText does." },
    { .name = "expectedValue",
      .type = LIMS_T_DECIMAL,
      .flags = LIMS_F_KEPT_NULLABLE,
      .doc = "True value, or the amount added." },
    { .name = "measuredValue",
      .type = LIMS_T_DECIMAL,
      .flags = LIMS_F_KEPT_NULLABLE,
      .doc = "What was found." },
    { .name = "nativeValue",
      .type = LIMS_T_DECIMAL,
      .flags = LIMS_F_KEPT_NULLABLE,
      .doc = "The unspiked sample of a matrix spike; the first of two duplicates." },
    { .name = "lowerLimit",
      .type = LIMS_T_DECIMAL,
      .flags = LIMS_F_KEPT_NULLABLE,
      .doc = "Lowest acceptable value, per cent for recovery." },
    { .name = "upperLimit",
      .type = LIMS_T_DECIMAL,
      .flags = LIMS_F_KEPT_NULLABLE,
      .doc = "Highest acceptable value, per cent for recovery and rpd." },
    { .name = "expectedText",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_KEPT_NULLABLE,
      .doc = "What a control without a number should show.",
      .example = "No growth" },
    { .name = "measuredText",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_KEPT_NULLABLE,
      .doc = "What it showed." },
    { .name = "unit",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_KEPT_NULLABLE,
      .max = 64,
      .doc = "Unit of the values." },
    { .name = "evaluatedValue",
      .type = LIMS_T_DECIMAL,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "What the limits are held against." },
    { .name = "passed", .type = LIMS_T_BOOLEAN, .flags = LIMS_F_OUT, .doc = "The outcome." },
    { .name = "notes",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_KEPT_NULLABLE,
      .max = 4000,
      .doc = "Remarks." },
    { .name = "createdAt", .type = LIMS_T_TIMESTAMP, .flags = LIMS_F_OUT, .doc = "Creation." },
    { .name = "updatedAt", .type = LIMS_T_TIMESTAMP, .flags = LIMS_F_OUT, .doc = "Last change." },
    LIMS_FIELD_END,
};

static const lims_field_t filters[] = {
    LIMS_PAGING_FIELDS,
    { .name = "qcBatchId", .type = LIMS_T_ID, .doc = "Only controls of this batch." },
    LIMS_FIELD_END,
};

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/qc-controls",
      .command = "qc-control list",
      .operation = "listQcControls",
      .summary = "List QC controls",
      .flags = LIMS_R_TOOL | LIMS_R_LIST,
      .query = filters,
      .status = 200,
      .statement = LIMS_STMT_QC_CONTROL_LIST },
    { .method = "GET",
      .path = "/qc-controls/:id",
      .command = "qc-control show",
      .operation = "getQcControl",
      .summary = "One QC control",
      .flags = LIMS_R_TOOL,
      .status = 200,
      .statement = LIMS_STMT_QC_CONTROL_GET },
    { .method = "POST",
      .path = "/qc-controls",
      .command = "qc-control add",
      .operation = "addQcControl",
      .summary = "Add a control to a QC batch",
      .description = "A batch that was evaluated already is evaluated anew.",
      .flags = LIMS_R_TOOL,
      .body = LIMS_F_CREATE,
      .status = 201,
      .statement = LIMS_STMT_QC_CONTROL_ADD,
      .errors = lims_reference_create_errors },
    { .method = "PATCH",
      .path = "/qc-controls/:id",
      .command = "qc-control update",
      .operation = "updateQcControl",
      .summary = "Correct a QC control",
      .description = "A batch that was evaluated already is evaluated anew.",
      .flags = LIMS_R_TOOL | LIMS_R_REASON,
      .body = LIMS_F_UPDATE,
      .status = 200,
      .statement = LIMS_STMT_QC_CONTROL_UPDATE,
      .errors = lims_reference_update_errors },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_qc_control = {
    .name = "QC control",
    .title = "QC controls",
    .schema = "QcControl",
    .doc = "A blank, spike, duplicate or check of a QC batch.",
    .fields = fields,
    .routes = routes,
    .record = LIMS_STMT_QC_CONTROL_GET,
    .lock = LIMS_STMT_QC_CONTROL_LOCK,
};
