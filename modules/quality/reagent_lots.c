/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reagent_lots.c - reagent and standard lots. If the organization's policy is
 * to block, no result can be entered with an expired lot.
 */
#include "kernel/vocabulary.h"
#include "quality/quality.h"
#include "reference/reference.h"

static const lims_field_t fields[] = {
    LIMS_LOT_HEAD_FIELDS,
    { .name = "qcStatus",
      .type = LIMS_T_ENUM,
      .values = lims_lot_statuses,
      .flags = LIMS_F_KEPT,
      .fallback = "pending",
      .doc = "Status of the laboratory's own check of the lot." },
    LIMS_LOT_TAIL_FIELDS,
    LIMS_FIELD_END,
};

static const lims_field_t filters[] = {
    LIMS_PAGING_FIELDS,
    { .name = "code", .type = LIMS_T_STRING, .doc = "Only the lot with this code." },
    { .name = "qcStatus",
      .type = LIMS_T_ENUM,
      .values = lims_lot_statuses,
      .doc = "Only lots of this status." },
    LIMS_FIELD_END,
};

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/reagent-lots",
      .command = "reagent-lot list",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "listReagentLots",
      .summary = "List reagent lots",
      .permission = "data.read",
      .flags = LIMS_R_LIST,
      .query = filters,
      .status = 200,
      .statement = LIMS_STMT_REAGENT_LOT_LIST },
    { .method = "GET",
      .path = "/reagent-lots/:id",
      .command = "reagent-lot show",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "getReagentLot",
      .summary = "One reagent lot",
      .permission = "data.read",
      .status = 200,
      .statement = LIMS_STMT_REAGENT_LOT_GET },
    { .method = "POST",
      .path = "/reagent-lots",
      .command = "reagent-lot create",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "createReagentLot",
      .summary = "Create a reagent lot",
      .permission = "lot.manage",
      .body = LIMS_F_CREATE,
      .status = 201,
      .statement = LIMS_STMT_REAGENT_LOT_CREATE,
      .errors = lims_reference_create_errors },
    { .method = "PATCH",
      .path = "/reagent-lots/:id",
      .command = "reagent-lot update",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "updateReagentLot",
      .summary = "Change a reagent lot",
      .permission = "lot.manage",
      .body = LIMS_F_UPDATE,
      .status = 200,
      .statement = LIMS_STMT_REAGENT_LOT_UPDATE,
      .errors = lims_reference_update_errors },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_reagent_lot = {
    .name = "reagent lot",
    .title = "Reagent lots",
    .schema = "ReagentLot",
    .doc = "Lot of a reagent or standard.",
    .fields = fields,
    .routes = routes,
    .record = LIMS_STMT_REAGENT_LOT_GET,
    .lock = LIMS_STMT_REAGENT_LOT_LOCK,
};
