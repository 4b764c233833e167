/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worksheet_templates.c - the worksheet of a method: what has to be written
 * down, and who signs it, in which order.
 *
 * A template that worksheets were filled on is never changed: creating another
 * for the same test definition makes its next version, which new worksheets
 * are filled on.
 */
#include "quality/quality.h"
#include "reference/reference.h"

static const char *const kinds[] = { "text", "number", "date", "timestamp", "boolean", NULL };
static const char *const roles[] = { "system_administrator", "administrator", "lab_manager",
                                     "qa_officer",           "analyst",       "microbiologist",
                                     "receiving_clerk",      "client_viewer", NULL };

static const lims_field_t field_members[] = {
    { .name = "name",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_REQUIRED,
      .min = 1,
      .max = 64,
      .doc = "Name, unique within the template.",
      .example = "initialVolume" },
    { .name = "label",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_NULLABLE,
      .doc = "As printed; the name when absent.",
      .example = "Initial volume" },
    { .name = "unit", .type = LIMS_T_STRING, .flags = LIMS_F_NULLABLE, .max = 64, .doc = "Unit." },
    { .name = "kind",
      .type = LIMS_T_ENUM,
      .values = kinds,
      .fallback = "text",
      .doc = "What its values are." },
    { .name = "required",
      .type = LIMS_T_BOOLEAN,
      .fallback = "true",
      .doc = "Without it the worksheet is incomplete." },
    LIMS_FIELD_END,
};

static const lims_field_t step_members[] = {
    { .name = "name",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_REQUIRED,
      .min = 1,
      .max = 64,
      .doc = "Name, unique within the template.",
      .example = "Analyst" },
    { .name = "role",
      .type = LIMS_T_ENUM,
      .values = roles,
      .flags = LIMS_F_NULLABLE,
      .doc = "Who may sign it; anybody when absent." },
    LIMS_FIELD_END,
};

static const lims_field_t fields[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Assigned by the service; also the cursor value." },
    { .name = "testDefinitionId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_CREATE | LIMS_F_REQUIRED,
      .doc = "The test definition whose method it is." },
    { .name = "name",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_KEPT | LIMS_F_REQUIRED,
      .min = 1,
      .doc = "Name.",
      .example = "HEM extraction" },
    { .name = "version",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Of the definition's templates; the highest active one is used." },
    { .name = "active",
      .type = LIMS_T_BOOLEAN,
      .flags = LIMS_F_OUT | LIMS_F_UPDATE,
      .doc = "Whether new worksheets may be filled on it." },
    { .name = "fields",
      .type = LIMS_T_OBJECT_LIST,
      .flags = LIMS_F_OUT | LIMS_F_CREATE | LIMS_F_REQUIRED | LIMS_F_UNIQUE,
      .min = 1,
      .max = 200,
      .members = field_members,
      .unique = "name",
      .doc = "What is written down, in order." },
    { .name = "signoffSteps",
      .type = LIMS_T_OBJECT_LIST,
      .flags = LIMS_F_OUT | LIMS_F_CREATE | LIMS_F_UNIQUE,
      .max = 20,
      .members = step_members,
      .unique = "name",
      .doc = "Who signs it, in order." },
    { .name = "createdAt", .type = LIMS_T_TIMESTAMP, .flags = LIMS_F_OUT, .doc = "Creation." },
    { .name = "updatedAt", .type = LIMS_T_TIMESTAMP, .flags = LIMS_F_OUT, .doc = "Last change." },
    LIMS_FIELD_END,
};

static const lims_field_t filters[] = {
    LIMS_PAGING_FIELDS,
    { .name = "testDefinitionId", .type = LIMS_T_ID, .doc = "Only of this test definition." },
    { .name = "active",
      .type = LIMS_T_BOOLEAN,
      .doc = "Only active (true) or inactive (false) ones." },
    LIMS_FIELD_END,
};

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/worksheet-templates",
      .command = "worksheet-template list",
      .operation = "listWorksheetTemplates",
      .summary = "List worksheet templates",
      .flags = LIMS_R_TOOL | LIMS_R_LIST,
      .query = filters,
      .status = 200,
      .statement = LIMS_STMT_WORKSHEET_TEMPLATE_LIST },
    { .method = "GET",
      .path = "/worksheet-templates/:id",
      .command = "worksheet-template show",
      .operation = "getWorksheetTemplate",
      .summary = "One worksheet template",
      .flags = LIMS_R_TOOL,
      .status = 200,
      .statement = LIMS_STMT_WORKSHEET_TEMPLATE_GET },
    { .method = "POST",
      .path = "/worksheet-templates",
      .command = "worksheet-template create",
      .operation = "createWorksheetTemplate",
      .summary = "Create a worksheet template, or the next version of one",
      .flags = LIMS_R_TOOL,
      .body = LIMS_F_CREATE,
      .status = 201,
      .statement = LIMS_STMT_WORKSHEET_TEMPLATE_CREATE,
      .errors = lims_reference_create_errors },
    { .method = "PATCH",
      .path = "/worksheet-templates/:id",
      .command = "worksheet-template update",
      .operation = "updateWorksheetTemplate",
      .summary = "Rename a worksheet template, or take it out of use",
      .flags = LIMS_R_TOOL,
      .body = LIMS_F_UPDATE,
      .status = 200,
      .statement = LIMS_STMT_WORKSHEET_TEMPLATE_UPDATE,
      .errors = lims_reference_update_errors },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_worksheet_template = {
    .name = "worksheet template",
    .title = "Worksheet templates",
    .schema = "WorksheetTemplate",
    .doc = "The worksheet of a method: its fields and its sign-off steps.",
    .fields = fields,
    .routes = routes,
    .record = LIMS_STMT_WORKSHEET_TEMPLATE_GET,
    .lock = LIMS_STMT_WORKSHEET_TEMPLATE_LOCK,
};
