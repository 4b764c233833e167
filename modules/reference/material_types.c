/* SPDX-License-Identifier: Apache-2.0 */
/* material_types.c - material types: the kinds of material of samples. */
#include "reference/reference.h"

static const lims_field_t fields[] = {
    LIMS_REFERENCE_HEAD_FIELDS,
    LIMS_REFERENCE_TAIL_FIELDS,
    LIMS_FIELD_END,
};

static const lims_field_t filters[] = { LIMS_REFERENCE_FILTERS, LIMS_FIELD_END };

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/material-types",
      .command = "material-type list",
      .surfaces = LIMS_SURFACES_ALL,
      .operation = "listMaterialTypes",
      .summary = "List material types",
      .scope = "reference:read",
      .permission = "data.read",
      .flags = LIMS_R_LIST,
      .query = filters,
      .status = 200,
      .statement = LIMS_STMT_MATERIAL_TYPE_LIST },
    { .method = "GET",
      .path = "/material-types/:id",
      .command = "material-type show",
      .surfaces = LIMS_SURFACES_ALL,
      .operation = "getMaterialType",
      .summary = "One material type",
      .scope = "reference:read",
      .permission = "data.read",
      .status = 200,
      .statement = LIMS_STMT_MATERIAL_TYPE_GET },
    { .method = "POST",
      .path = "/material-types",
      .command = "material-type create",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "createMaterialType",
      .summary = "Create a material type",
      .permission = "reference.manage",
      .body = LIMS_F_CREATE,
      .status = 201,
      .statement = LIMS_STMT_MATERIAL_TYPE_CREATE,
      .errors = lims_reference_create_errors },
    { .method = "PATCH",
      .path = "/material-types/:id",
      .command = "material-type update",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "updateMaterialType",
      .summary = "Change a material type",
      .permission = "reference.manage",
      .body = LIMS_F_UPDATE,
      .status = 200,
      .statement = LIMS_STMT_MATERIAL_TYPE_UPDATE,
      .errors = lims_reference_update_errors },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_material_type = {
    .name = "material type",
    .title = "Material types",
    .schema = "MaterialType",
    .doc = "Type of the material that samples consist of.",
    .fields = fields,
    .routes = routes,
    .record = LIMS_STMT_MATERIAL_TYPE_GET,
    .lock = LIMS_STMT_MATERIAL_TYPE_LOCK,
};
