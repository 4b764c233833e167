/* SPDX-License-Identifier: Apache-2.0 */
/* projects.c - projects: samples that belong together, such as a permit. */
#include "reference/reference.h"

static const lims_field_t fields[] = {
    LIMS_REFERENCE_HEAD_FIELDS,
    { .name = "clientId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_KEPT_NULLABLE,
      .doc = "Id of the client whose project it is." },
    { .name = "compositeSampleIdentifier",
      .type = LIMS_T_BOOLEAN,
      .flags = LIMS_F_KEPT,
      .fallback = "false",
      .doc = "Whether samples are identified by project code, plant location and date." },
    LIMS_REFERENCE_TAIL_FIELDS,
    LIMS_FIELD_END,
};

static const lims_field_t filters[] = { LIMS_REFERENCE_FILTERS, LIMS_FIELD_END };

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/projects",
      .command = "project list",
      .operation = "listProjects",
      .summary = "List projects",
      .scope = "reference:read",
      .flags = LIMS_R_LIST,
      .query = filters,
      .status = 200,
      .statement = LIMS_STMT_PROJECT_LIST },
    { .method = "GET",
      .path = "/projects/:id",
      .command = "project show",
      .operation = "getProject",
      .summary = "One project",
      .scope = "reference:read",
      .status = 200,
      .statement = LIMS_STMT_PROJECT_GET },
    { .method = "POST",
      .path = "/projects",
      .command = "project create",
      .operation = "createProject",
      .summary = "Create a project",
      .scope = "reference:write",
      .body = LIMS_F_CREATE,
      .status = 201,
      .statement = LIMS_STMT_PROJECT_CREATE,
      .errors = lims_reference_create_errors },
    { .method = "PATCH",
      .path = "/projects/:id",
      .command = "project update",
      .operation = "updateProject",
      .summary = "Change a project",
      .scope = "reference:write",
      .body = LIMS_F_UPDATE,
      .status = 200,
      .statement = LIMS_STMT_PROJECT_UPDATE,
      .errors = lims_reference_update_errors },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_project = {
    .name = "project",
    .title = "Projects",
    .schema = "Project",
    .doc = "Samples that belong together, such as those of a permit.",
    .fields = fields,
    .routes = routes,
    .record = LIMS_STMT_PROJECT_GET,
    .lock = LIMS_STMT_PROJECT_LOCK,
};
