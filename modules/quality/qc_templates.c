/* SPDX-License-Identifier: Apache-2.0 */
/*
 * qc_templates.c - QC templates: which controls a batch of a method has, and how
 * many for how many samples.
 *
 * A template from which a batch was made is never changed: a change makes the
 * next version of its method, from which new batches are made.
 */
#include "database/database.h"
#include "documents/pdf_report.h"
#include "kernel/field.h"
#include "kernel/vocabulary.h"
#include "quality/quality.h"
#include "reference/reference.h"
#include "service/csv.h"

static const lims_field_t control_members[] = {
    { .name = "type",
      .type = LIMS_T_ENUM,
      .values = lims_control_types,
      .flags = LIMS_F_OUT | LIMS_F_REQUIRED,
      .doc = "Type of the control.",
      .example = "LFB" },
    { .name = "level",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .min = 1,
      .max = 64,
      .doc = "Level of the control material.",
      .example = "low" },
    { .name = "testDefinitionId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Id of the test definition that is controlled; null when the control is about the "
             "whole batch." },
    { .name = "criterion",
      .type = LIMS_T_ENUM,
      .values = lims_criteria + LIMS_CRITERION_NONE + 1,
      .flags = LIMS_F_OUT | LIMS_F_REQUIRED,
      .doc = "Acceptance criterion, as of a control.",
      .example = "recovery" },
    { .name = "expectedValue",
      .type = LIMS_T_DECIMAL,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "True value, or the amount added; null when it is given with the measured value." },
    { .name = "expectedText",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Expected outcome of a control without a number." },
    { .name = "lowerLimit",
      .type = LIMS_T_DECIMAL,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Lowest acceptable value; in percent for recovery." },
    { .name = "upperLimit",
      .type = LIMS_T_DECIMAL,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Highest acceptable value; in percent for recovery and rpd." },
    { .name = "unit",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .max = 64,
      .doc = "Unit of the control's values." },
    { .name = "count",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .min = 1,
      .max = 100,
      .fallback = "1",
      .doc = "Number of it in a batch, for each perSamples samples." },
    LIMS_FIELD_END,
};

static const lims_field_t fields[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the template's version, assigned by the service; also its cursor value." },
    { .name = "method",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_CREATE | LIMS_F_REQUIRED,
      .min = 1,
      .max = 255,
      .doc = "Method of the template, as in its test definitions.",
      .example = "EPA 200.8" },
    { .name = "name",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_KEPT | LIMS_F_REQUIRED,
      .min = 1,
      .max = 255,
      .doc = "Name of the template.",
      .example = "Metals by ICP-MS" },
    { .name = "required",
      .type = LIMS_T_BOOLEAN,
      .flags = LIMS_F_KEPT,
      .fallback = "true",
      .doc = "Whether results of the method need a batch with these controls, where the policy "
             "qcRequired says so." },
    { .name = "perSamples",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_KEPT_NULLABLE,
      .min = 1,
      .max = 1000,
      .doc = "Number of samples for which the controls suffice; for more, each is there as often "
             "again. Null: for any number.",
      .example = "20" },
    { .name = "controls",
      .type = LIMS_T_OBJECT_LIST,
      .flags = LIMS_F_KEPT | LIMS_F_REQUIRED,
      .min = 1,
      .max = 100,
      .members = control_members,
      .doc = "Controls of a batch, in order; of one type, criterion, level and test definition "
             "once." },
    { .name = "version",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Version of the template for its method, from 1." },
    { .name = "active",
      .type = LIMS_T_BOOLEAN,
      .flags = LIMS_F_OUT | LIMS_F_UPDATE,
      .doc = "Whether batches are made from this version: at most one of a method." },
    { .name = "createdAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "When the version was created, UTC." },
    { .name = "updatedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "When the record was last changed, UTC." },
    LIMS_FIELD_END,
};

static const lims_field_t filters[] = {
    LIMS_PAGING_FIELDS,
    { .name = "method", .type = LIMS_T_STRING, .doc = "Only templates of this method." },
    { .name = "active",
      .type = LIMS_T_BOOLEAN,
      .doc = "Only active (true) or inactive (false) versions." },
    { .name = "q",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_WORDS,
      .max = 64,
      .doc = "Only templates whose method and name, as \"method, name\", contain this text in any "
             "case." },
    LIMS_FIELD_END,
};

/* Answers the version that has the change, which may be another than the one named. */
static const lims_error_t *update(lims_request_t *rq)
{
    lims_result_t *row = NULL;
    const lims_error_t *error = lims_database_call(&row, rq, LIMS_STMT_QC_TEMPLATE_UPDATE);

    if (!error) {
        lims_values_set(rq->values, "id", lims_result_get(row, 0, "id"));
    }
    return error;
}

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/qc-templates",
      .command = "qc-template list",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "listQcTemplates",
      .summary = "List QC templates",
      .permission = "data.read",
      .flags = LIMS_R_LIST,
      .query = filters,
      .status = 200,
      .statement = LIMS_STMT_QC_TEMPLATE_LIST },
    { LIMS_CSV_EXPORT("/qc-templates", "qc-template export", "exportQcTemplates", "QC templates"),
      .permission = "data.read",
      .flags = LIMS_CSV_FLAGS,
      .query = filters + LIMS_PAGING_COUNT },
    { LIMS_REPORT_LIST("/qc-templates", "qc-template pdf", "printQcTemplates", "QC templates"),
      .permission = "data.read",
      .flags = LIMS_PDF_FLAGS,
      .query = filters + LIMS_PAGING_COUNT },
    { .method = "GET",
      .path = "/qc-templates/:id",
      .command = "qc-template show",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "getQcTemplate",
      .summary = "One QC template",
      .permission = "data.read",
      .status = 200,
      .statement = LIMS_STMT_QC_TEMPLATE_GET },
    { .method = "POST",
      .path = "/qc-templates",
      .command = "qc-template create",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "createQcTemplate",
      .summary = "Create the QC template of a method, or its next version",
      .permission = "reference.manage",
      .body = LIMS_F_CREATE,
      .status = 201,
      .statement = LIMS_STMT_QC_TEMPLATE_CREATE,
      .errors = lims_reference_create_errors },
    { .method = "PATCH",
      .path = "/qc-templates/:id",
      .command = "qc-template update",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "updateQcTemplate",
      .summary = "Change a QC template",
      .description = "A version from which batches were made stays as it is: the answer is then "
                     "the next version, which has the change.",
      .permission = "reference.manage",
      .body = LIMS_F_UPDATE,
      .status = 200,
      .handler = update,
      .errors = lims_reference_update_errors },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_qc_template = {
    .name = "QC template",
    .title = "QC templates",
    .schema = "QcTemplate",
    .doc = "Controls that a QC batch of a method has, and for how many samples they suffice.",
    .fields = fields,
    .routes = routes,
    .record = LIMS_STMT_QC_TEMPLATE_GET,
    .lock = LIMS_STMT_QC_TEMPLATE_LOCK,
};
