/* SPDX-License-Identifier: Apache-2.0 */
/*
 * permissions.c - the matrix of an organization: which role has which permissions. Whom the
 * matrix leaves without an act, and what it may not take away, says the database.
 */
#include <apr_strings.h>
#include <string.h>

#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/json.h"
#include "kernel/permission.h"
#include "kernel/vocabulary.h"
#include "organizations/organizations.h"
#include "service/service.h"

static const lims_field_t role_members[] = {
    { .name = "role",
      .type = LIMS_T_ENUM,
      .flags = LIMS_F_OUT | LIMS_F_REQUIRED,
      .values = lims_user_roles,
      .doc = "Role to which the permissions belong.",
      .example = "analyst" },
    { .name = "permissions",
      .type = LIMS_T_STRING_LIST,
      .flags = LIMS_F_OUT | LIMS_F_REQUIRED,
      .max = 100,
      .doc = "Permissions that the role has; in a change, all that it is to have.",
      .example = "[\"data.read\"]" },
    LIMS_FIELD_END,
};

static const lims_field_t fields[] = {
    { .name = "roles",
      .type = LIMS_T_OBJECT_LIST,
      .flags = LIMS_F_OUT | LIMS_F_UPDATE | LIMS_F_UNIQUE,
      .members = role_members,
      .unique = "role",
      .min = 1,
      .max = 20,
      .doc = "The roles with their permissions; in a change, those that are to change." },
    { .name = "contentHash",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Digest by which a signature of a change names what was seen, SHA-256 in hex." },
    LIMS_REASON(LIMS_F_UPDATE, "Reason for the change, kept in the audit trail.",
                .example = "analysts no longer release lots"),
    LIMS_FIELD_END,
};

/* --- Actions -------------------------------------------------------------- */

static const lims_error_t *check_permissions(const lims_json_t *role, apr_pool_t *pool)
{
    const lims_json_t *list = lims_json_member(role, "permissions");

    for (const lims_json_t *one = list ? list->first : NULL; one; one = one->next) {
        if (!lims_permission_valid(one->text) || strcmp(one->text, "self") == 0) {
            return lims_client_error(pool, LIMS_E_INVALID_BODY,
                                     "roles: there is no permission \"%s\".",
                                     lims_excerpt(one->text, pool));
        }
    }
    return NULL;
}

static const lims_error_t *check_roles(lims_request_t *rq)
{
    const char *roles = lims_values_get(rq->values, "roles");
    lims_json_t *list = NULL;
    const lims_error_t *error;

    if (!roles) {
        return lims_client_error(rq->pool, LIMS_E_INVALID_BODY,
                                 "roles is missing: it must name the roles to change.");
    }
    error = lims_json_parse(&list, roles, strlen(roles), rq->pool);
    for (const lims_json_t *role = error ? NULL : list->first; role && !error; role = role->next) {
        error = check_permissions(role, rq->pool);
    }
    return error;
}

static const lims_error_e change_errors[] = { LIMS_E_ESIGNATURE_REQUIRED, LIMS_E_LAST_ADMINISTRATOR,
                                              LIMS_E_POLICY_UNSATISFIABLE,
                                              LIMS_E_INVALID_TRANSITION, LIMS_E_COUNT };

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/permissions",
      .command = "permission list",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "getPermissions",
      .summary = "The roles with their permissions",
      .permission = "policy.manage",
      .status = 200,
      .statement = LIMS_STMT_PERMISSION_MATRIX },
    { .method = "PATCH",
      .path = "/permissions",
      .command = "permission update",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "updatePermissions",
      .summary = "Change the permissions of roles, with a reason",
      .description = "Roles that are not named keep theirs. Signed where the policy "
                     "esignatureRequired is on. Refused where nobody would be left who manages "
                     "users, or whom a policy needs.",
      .permission = "policy.manage",
      .flags = LIMS_R_REASON | LIMS_R_OWN_RECORD,
      .body = LIMS_F_UPDATE,
      .status = 200,
      .meaning = "approved",
      .signs = "organization",
      .check = check_roles,
      .statement = LIMS_STMT_PERMISSION_MATRIX_SET,
      .errors = change_errors },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_permission_matrix = {
    .name = "permission matrix",
    .title = "Permissions",
    .schema = "Permissions",
    .doc = "The permissions of the roles of an organization.",
    .fields = fields,
    .routes = routes,
    .record = LIMS_STMT_PERMISSION_MATRIX,
    .lock = LIMS_STMT_ORGANIZATION_LOCK,
};
