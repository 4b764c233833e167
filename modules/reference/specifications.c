/* SPDX-License-Identifier: Apache-2.0 */
/*
 * specifications.c - specifications: the limits of a test for one material
 * type, or for one project's samples of it. The most specific one applies:
 * first project and material type, then material type, then the limits of the
 * test definition. Results keep the limits that were applied to them.
 */
#include "kernel/error.h"
#include "kernel/field.h"
#include "reference/reference.h"
#include "service/service.h"

enum { SCOPE = LIMS_F_OUT | LIMS_F_CREATE };

static const lims_field_t fields[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the specification, assigned by the service; also its cursor value." },
    { .name = "testDefinitionId",
      .type = LIMS_T_ID,
      .flags = SCOPE | LIMS_F_REQUIRED,
      .doc = "Id of the test definition." },
    { .name = "materialTypeId",
      .type = LIMS_T_ID,
      .flags = SCOPE | LIMS_F_REQUIRED,
      .doc = "Id of the material type." },
    { .name = "projectId",
      .type = LIMS_T_ID,
      .flags = SCOPE | LIMS_F_NULLABLE,
      .doc = "Id of the project whose samples it is for; null: samples of any project." },
    { .name = "low",
      .type = LIMS_T_DECIMAL,
      .flags = LIMS_F_KEPT_NULLABLE,
      .doc = "Lowest value within specification, in the unit of the test definition." },
    { .name = "high",
      .type = LIMS_T_DECIMAL,
      .flags = LIMS_F_KEPT_NULLABLE,
      .doc = "Highest value within specification, in the unit of the test definition.",
      .example = "30" },
    { .name = "expectedText",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_KEPT_NULLABLE,
      .doc = "Required result of a text or presence test.",
      .example = "Absent" },
    { .name = "decisionRule",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_KEPT_NULLABLE,
      .max = 1000,
      .doc = "Decision rule of statements of conformity, in words: how the uncertainty of the "
             "measurement is taken into account. It is printed on certificates.",
      .example = "simple acceptance, w = 0" },
    { .name = "createdAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "When the specification was created, UTC." },
    { .name = "updatedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "When the record was last changed, UTC." },
    LIMS_FIELD_END,
};

static const lims_field_t filters[] = {
    LIMS_PAGING_FIELDS,
    { .name = "testDefinitionId",
      .type = LIMS_T_ID,
      .doc = "Only specifications of this test definition." },
    { .name = "materialTypeId",
      .type = LIMS_T_ID,
      .doc = "Only specifications of this material type." },
    { .name = "projectId", .type = LIMS_T_ID, .doc = "Only specifications of this project." },
    LIMS_FIELD_END,
};

static const lims_error_t *delete_one(lims_request_t *rq)
{
    return lims_service_delete(rq, LIMS_STMT_SPECIFICATION_DELETE);
}

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/specifications",
      .command = "specification list",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "listSpecifications",
      .summary = "List specifications",
      .permission = "data.read",
      .flags = LIMS_R_LIST,
      .query = filters,
      .status = 200,
      .statement = LIMS_STMT_SPECIFICATION_LIST },
    { .method = "GET",
      .path = "/specifications/:id",
      .command = "specification show",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "getSpecification",
      .summary = "One specification",
      .permission = "data.read",
      .status = 200,
      .statement = LIMS_STMT_SPECIFICATION_GET },
    { .method = "POST",
      .path = "/specifications",
      .command = "specification create",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "createSpecification",
      .summary = "Create a specification",
      .permission = "reference.manage",
      .body = LIMS_F_CREATE,
      .status = 201,
      .statement = LIMS_STMT_SPECIFICATION_CREATE,
      .errors = lims_reference_create_errors },
    { .method = "PATCH",
      .path = "/specifications/:id",
      .command = "specification update",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "updateSpecification",
      .summary = "Change the limits of a specification",
      .description = "Results that were entered before keep the limits that were applied to them.",
      .permission = "reference.manage",
      .body = LIMS_F_UPDATE,
      .status = 200,
      .statement = LIMS_STMT_SPECIFICATION_UPDATE,
      .errors = lims_reference_update_errors },
    { .method = "DELETE",
      .path = "/specifications/:id",
      .command = "specification delete",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "deleteSpecification",
      .summary = "Delete a specification, so that the more general one applies again",
      .permission = "reference.manage",
      .flags = LIMS_R_REASON,
      .input = lims_reason_input,
      .status = 200,
      .handler = delete_one },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_specification = {
    .name = "specification",
    .title = "Specifications",
    .schema = "Specification",
    .doc = "Limits of a test for a material type, or for samples of one project.",
    .fields = fields,
    .routes = routes,
    .record = LIMS_STMT_SPECIFICATION_GET,
    .lock = LIMS_STMT_SPECIFICATION_LOCK,
};
