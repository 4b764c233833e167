/* SPDX-License-Identifier: Apache-2.0 */
/*
 * users.c - the users of an organization. The first one has nobody to create
 * it, so these commands need no acting user.
 */
#include <apr_strings.h>

#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/password.h"
#include "kernel/vocabulary.h"
#include "organizations/organizations.h"
#include "service/service.h"

/* NIST SP 800-63B 5.1.1.2: at least 8 characters, no rules of composition. */
#define PASSWORD_MIN 8
#define PASSWORD_MAX 255

enum {
    SHOWN = LIMS_F_OUT,
    KEPT = LIMS_F_OUT | LIMS_F_CREATE | LIMS_F_UPDATE,
};

static const lims_field_t fields[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = SHOWN,
      .doc = "Id of the user, assigned by the service." },
    { .name = "email",
      .type = LIMS_T_STRING,
      .flags = KEPT | LIMS_F_REQUIRED,
      .max = 254,
      .pattern = "^[^@[:space:]]+@[^@[:space:]]+$",
      .doc = "E-mail address, unique within the organization; for --user.",
      .example = "ana@riverbend.example" },
    { .name = "displayName",
      .type = LIMS_T_STRING,
      .flags = KEPT | LIMS_F_REQUIRED,
      .min = 1,
      .doc = "Name of the person, printed with signatures.",
      .example = "Ana Ruiz" },
    { .name = "roles",
      .type = LIMS_T_STRING_LIST,
      .flags = KEPT,
      .values = lims_user_roles,
      .fallback = "",
      .doc = "Roles of the person, which decide what the person may do." },
    { .name = "password",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_CREATE | LIMS_F_SECRET | LIMS_F_TOOL,
      .min = PASSWORD_MIN,
      .max = PASSWORD_MAX,
      .doc = "Password to sign with; without one the person cannot sign." },
    { .name = "canSign",
      .type = LIMS_T_BOOLEAN,
      .flags = SHOWN,
      .doc = "Whether the person has a password, and so can sign." },
    { .name = "active",
      .type = LIMS_T_BOOLEAN,
      .flags = KEPT,
      .fallback = "true",
      .doc = "Whether the person is active. An inactive person can do nothing, and the person's "
             "API keys are refused." },
    { .name = "createdAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = SHOWN,
      .doc = "When the user was created, UTC." },
    { .name = "updatedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = SHOWN,
      .doc = "When the record was last changed, UTC." },
    LIMS_FIELD_END,
};

static const lims_field_t filters[] = {
    LIMS_PAGING_FIELDS,
    { .name = "active",
      .type = LIMS_T_BOOLEAN,
      .doc = "Only active (true) or inactive (false) users." },
    { .name = "email", .type = LIMS_T_STRING, .doc = "Only the user with this e-mail address." },
    LIMS_FIELD_END,
};

static const lims_field_t password_input[] = { { .name = "password",
                                                 .type = LIMS_T_STRING,
                                                 .flags = LIMS_F_REQUIRED | LIMS_F_SECRET,
                                                 .min = PASSWORD_MIN,
                                                 .max = PASSWORD_MAX,
                                                 .doc = "New password of the user." },
                                               LIMS_FIELD_END };

/* Adds the hash of the password, if one was given, to the values. */
static const lims_error_t *hash_password(lims_request_t *rq)
{
    const char *password = lims_values_get(rq->values, "password");
    const char *hash = password ? lims_password_hash(password, rq->pool) : NULL;

    if (password && !hash) {
        return lims_server_error(rq->pool, LIMS_E_INTERNAL, 0,
                                 "OpenSSL has no scrypt or no randomness",
                                 "The password could not be hashed.");
    }
    lims_values_set(rq->values, "passwordHash", hash);
    return NULL;
}

static const lims_error_t *create(lims_request_t *rq)
{
    lims_result_t *row = NULL;
    const lims_error_t *error = hash_password(rq);

    if (!error) {
        error = lims_database_call(&row, rq, LIMS_STMT_USER_CREATE);
    }
    if (!error) {
        lims_values_set(rq->values, "id", lims_result_get(row, 0, "id"));
    }
    return error;
}

static const lims_error_t *set_password(lims_request_t *rq)
{
    lims_result_t *row = NULL;
    const lims_error_t *error = hash_password(rq);

    return error ? error : lims_database_call(&row, rq, LIMS_STMT_USER_SET_PASSWORD);
}

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/users",
      .command = "user list",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "listUsers",
      .summary = "List users",
      .permission = "user.manage",
      .flags = LIMS_R_OWNER | LIMS_R_LIST,
      .query = filters,
      .status = 200,
      .statement = LIMS_STMT_USER_LIST },
    { .method = "GET",
      .path = "/users/:id",
      .command = "user show",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "getUser",
      .summary = "One user",
      .permission = "user.manage",
      .flags = LIMS_R_OWNER,
      .status = 200,
      .statement = LIMS_STMT_USER_GET },
    { .method = "POST",
      .path = "/users",
      .command = "user create",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "createUser",
      .summary = "Create a user",
      .permission = "user.manage",
      .flags = LIMS_R_OWNER,
      .body = LIMS_F_CREATE,
      .status = 201,
      .handler = create },
    { .method = "PATCH",
      .path = "/users/:id",
      .command = "user update",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "updateUser",
      .summary = "Change a user; a list of roles replaces the present roles",
      .permission = "user.manage",
      .flags = LIMS_R_OWNER,
      .body = LIMS_F_UPDATE,
      .status = 200,
      .statement = LIMS_STMT_USER_UPDATE },
    { .method = "POST",
      .path = "/users/:id/password",
      .command = "user set-password",
      .surfaces = LIMS_SURFACE_TOOL,
      .operation = "setUserPassword",
      .summary = "Set a new password for a user",
      .permission = "user.manage",
      .flags = LIMS_R_OWNER,
      .input = password_input,
      .status = 200,
      .handler = set_password },
    { .method = "POST",
      .path = "/users/:id/deactivate",
      .command = "user deactivate",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "deactivateUser",
      .summary = "Deactivate a user",
      .description = "From then on the person can do nothing, and the person's API keys are "
                     "refused. The record of what the person did remains.",
      .permission = "user.manage",
      .flags = LIMS_R_OWNER | LIMS_R_NO_BODY,
      .status = 200,
      .statement = LIMS_STMT_USER_DEACTIVATE },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_user = {
    .name = "user",
    .title = "Users",
    .schema = "User",
    .doc = "Person who works in an organization.",
    .fields = fields,
    .routes = routes,
    .record = LIMS_STMT_USER_GET,
    .lock = LIMS_STMT_USER_LOCK,
};
