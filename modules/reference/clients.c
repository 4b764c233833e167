/* SPDX-License-Identifier: Apache-2.0 */
/* clients.c - clients: who sends samples in. */
#include "reference/reference.h"

const lims_error_e lims_reference_create_errors[] = { LIMS_E_INVALID_REFERENCE,
                                                      LIMS_E_FIELD_NOT_PATCHABLE, LIMS_E_COUNT };
const lims_error_e lims_reference_update_errors[] = { LIMS_E_INVALID_REFERENCE,
                                                      LIMS_E_FIELD_NOT_PATCHABLE,
                                                      LIMS_E_NO_UPDATABLE_FIELDS, LIMS_E_COUNT };

static const lims_field_t fields[] = {
    LIMS_REFERENCE_HEAD_FIELDS,
    { .name = "contactName",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_KEPT_NULLABLE,
      .max = 255,
      .doc = "Person to talk to." },
    { .name = "email",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_KEPT_NULLABLE,
      .max = 254,
      .doc = "E-mail address.",
      .example = "lab@riverbend.example" },
    { .name = "phone",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_KEPT_NULLABLE,
      .max = 64,
      .doc = "Telephone number." },
    { .name = "address",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_KEPT_NULLABLE,
      .max = 4000,
      .doc = "Postal address." },
    LIMS_REFERENCE_TAIL_FIELDS,
    LIMS_FIELD_END
};

static const lims_field_t filters[] = { LIMS_REFERENCE_FILTERS, LIMS_FIELD_END };

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/clients",
      .command = "client list",
      .operation = "listClients",
      .summary = "List clients",
      .scope = "reference:read",
      .flags = LIMS_R_LIST,
      .query = filters,
      .status = 200,
      .statement = LIMS_STMT_CLIENT_LIST },
    { .method = "GET",
      .path = "/clients/:id",
      .command = "client show",
      .operation = "getClient",
      .summary = "One client",
      .scope = "reference:read",
      .status = 200,
      .statement = LIMS_STMT_CLIENT_GET },
    { .method = "POST",
      .path = "/clients",
      .command = "client create",
      .operation = "createClient",
      .summary = "Create a client",
      .scope = "reference:write",
      .body = LIMS_F_CREATE,
      .status = 201,
      .statement = LIMS_STMT_CLIENT_CREATE,
      .errors = lims_reference_create_errors },
    { .method = "PATCH",
      .path = "/clients/:id",
      .command = "client update",
      .operation = "updateClient",
      .summary = "Change a client",
      .scope = "reference:write",
      .body = LIMS_F_UPDATE,
      .status = 200,
      .statement = LIMS_STMT_CLIENT_UPDATE,
      .errors = lims_reference_update_errors },
    LIMS_ROUTE_END
};

const lims_resource_t lims_client = {
    .name = "client",
    .title = "Clients",
    .schema = "Client",
    .doc = "Who sends samples in.",
    .fields = fields,
    .routes = routes,
    .record = LIMS_STMT_CLIENT_GET,
    .lock = LIMS_STMT_CLIENT_LOCK,
};
