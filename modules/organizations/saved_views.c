/* SPDX-License-Identifier: Apache-2.0 */
/*
 * saved_views.c - saved views of the application's pages: a person's own, or shared with
 * everybody of the organization (sql/168_saved_views.sql).
 */
#include "database/database.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/record.h"
#include "organizations/organizations.h"
#include "reference/reference.h"
#include "service/service.h"

#define QUERY_MAX 8192

enum { KEPT = LIMS_F_OUT | LIMS_F_CREATE | LIMS_F_UPDATE };

static const lims_field_t fields[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the view, assigned by the service; also its cursor value." },
    { .name = "name",
      .type = LIMS_T_STRING,
      .flags = KEPT | LIMS_F_REQUIRED,
      .min = 1,
      .max = 100,
      .doc = "Name of the view, unique among the person's views of the page.",
      .example = "Rush, holding time ends today" },
    { .name = "page",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_CREATE | LIMS_F_REQUIRED,
      .min = 1,
      .max = 64,
      .doc = "Page of the application that the view is of.",
      .example = "samples" },
    { .name = "query",
      .type = LIMS_T_STRING,
      .flags = KEPT | LIMS_F_REQUIRED,
      .max = QUERY_MAX,
      .doc = "Filters and columns of the view, as the page writes them in its address; at most "
             "8,192 bytes.",
      .example = "?priority=rush&holdingStatus=expiring" },
    { .name = "shared",
      .type = LIMS_T_BOOLEAN,
      .flags = KEPT,
      .fallback = "false",
      .doc = "Whether everybody of the organization sees the view; sharing needs "
             "reference.manage." },
    { .name = "ownerId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the person who saved the view." },
    { .name = "createdAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "When the view was saved, UTC." },
    { .name = "updatedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "When the record was last changed, UTC." },
    LIMS_FIELD_END,
};

static const lims_field_t filters[] = {
    LIMS_PAGING_FIELDS,
    { .name = "page", .type = LIMS_T_STRING, .doc = "Only views of this page." },
    LIMS_FIELD_END,
};

static const lims_error_e change_errors[] = { LIMS_E_INVALID_BODY, LIMS_E_PERMISSION_REQUIRED,
                                              LIMS_E_INVALID_TRANSITION, LIMS_E_COUNT };

static const lims_error_t *delete_one(lims_request_t *rq)
{
    return lims_service_delete(rq, LIMS_STMT_SAVED_VIEW_DELETE);
}

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/saved-views",
      .command = "saved-view list",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "listSavedViews",
      .summary = "List one's own saved views and those shared with everybody",
      .permission = "self",
      .flags = LIMS_R_LIST,
      .query = filters,
      .status = 200,
      .statement = LIMS_STMT_SAVED_VIEW_LIST },
    { .method = "GET",
      .path = "/saved-views/:id",
      .command = "saved-view show",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "getSavedView",
      .summary = "One saved view",
      .permission = "self",
      .status = 200,
      .statement = LIMS_STMT_SAVED_VIEW_GET },
    { .method = "POST",
      .path = "/saved-views",
      .command = "saved-view create",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "createSavedView",
      .summary = "Save a view of a page",
      .permission = "self",
      .body = LIMS_F_CREATE,
      .status = 201,
      .statement = LIMS_STMT_SAVED_VIEW_CREATE,
      .errors = change_errors },
    { .method = "PATCH",
      .path = "/saved-views/:id",
      .command = "saved-view update",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "updateSavedView",
      .summary = "Change a saved view",
      .permission = "self",
      .body = LIMS_F_UPDATE,
      .status = 200,
      .statement = LIMS_STMT_SAVED_VIEW_UPDATE,
      .errors = change_errors },
    { .method = "DELETE",
      .path = "/saved-views/:id",
      .command = "saved-view delete",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "deleteSavedView",
      .summary = "Delete a saved view",
      .permission = "self",
      .status = 200,
      .handler = delete_one,
      .errors = change_errors },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_saved_view = {
    .name = "saved view",
    .title = "Saved views",
    .schema = "SavedView",
    .doc = "Filters and columns of a page of the application, under a name.",
    .fields = fields,
    .routes = routes,
    .record = LIMS_STMT_SAVED_VIEW_GET,
    .lock = LIMS_STMT_SAVED_VIEW_LOCK,
};
