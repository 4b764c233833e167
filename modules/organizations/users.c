/* SPDX-License-Identifier: Apache-2.0 */
/*
 * users.c - the users of an organization. The first one has nobody to create it, and where
 * nobody who manages users can sign in, nobody can help: then the owner of the database
 * manages them at the command line, without an acting user (LIMS_R_OWNER).
 */
#include <apr_strings.h>
#include <string.h>

#include "documents/pdf_report.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/key.h"
#include "kernel/password.h"
#include "kernel/password_rules.h"
#include "kernel/record.h"
#include "kernel/token.h"
#include "kernel/vocabulary.h"
#include "organizations/organizations.h"
#include "service/csv.h"
#include "service/service.h"

enum {
    SHOWN = LIMS_F_OUT,
    KEPT = LIMS_F_OUT | LIMS_F_CREATE | LIMS_F_UPDATE,
};

static const lims_field_t identity_members[] = {
    { .name = "type",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_REQUIRED,
      .min = 1,
      .max = 64,
      .doc = "Kind of identity, as the provider is named.",
      .example = "ldap" },
    { .name = "subject",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_REQUIRED,
      .min = 1,
      .max = 255,
      .doc = "Name of the person there.",
      .example = "aruiz" },
    LIMS_FIELD_END,
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
      .doc = "E-mail address, unique within the organization.",
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
      .min = LIMS_PASSWORD_MIN,
      .max = LIMS_PASSWORD_MAX,
      .doc = "Password to sign with; without one the person cannot sign." },
    { .name = "canSign",
      .type = LIMS_T_BOOLEAN,
      .flags = SHOWN,
      .doc = "Whether the person has a password to sign with: the own, or a signature password. "
             "Where the server asks a provider for it, whoever signed in by an identity needs "
             "none." },
    { .name = "identity",
      .type = LIMS_T_OBJECT,
      .flags = KEPT | LIMS_F_NULLABLE,
      .members = identity_members,
      .doc = "Identity by which the person signs in instead of by a password; giving one takes "
             "the password away, and a password the identity.",
      .example = "{\"type\":\"ldap\",\"subject\":\"aruiz\"}" },
    { .name = "lockedUntil",
      .type = LIMS_T_TIMESTAMP,
      .flags = SHOWN | LIMS_F_NULLABLE,
      .doc = "Until when the account is locked after failed signatures, UTC; null if it is not." },
    { .name = "lastSignInAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = SHOWN | LIMS_F_NULLABLE,
      .doc = "When the person last signed in, UTC; null if never." },
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
    LIMS_REASON(LIMS_F_UPDATE,
                "Reason for the change, kept in the audit trail; needed for a change of roles.",
                .example = "moved to the laboratory"),
    LIMS_FIELD_END,
};

static const char *const link_purposes[] = { "password", "signature", NULL };

static const lims_field_t link_input[] = {
    LIMS_REASON_FIELD,
    { .name = "purpose",
      .type = LIMS_T_ENUM,
      .values = link_purposes,
      .fallback = "password",
      .doc = "Password that the link sets: the one to sign in with (password), which takes an "
             "identity away, or the one that only signs (signature), of a person who signs in "
             "by an identity." },
    LIMS_FIELD_END,
};

static const lims_field_t link_output[] = {
    { .name = "userId", .type = LIMS_T_ID, .flags = SHOWN, .doc = "Id of the user." },
    { .name = "token",
      .type = LIMS_T_STRING,
      .flags = SHOWN | LIMS_F_SECRET | LIMS_F_NULLABLE,
      .doc = "The one-time token, shown only this once; the user sets a password with it." },
    { .name = "expiresAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = SHOWN,
      .doc = "When the token expires, UTC, unless it is used before." },
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
                                                 .min = LIMS_PASSWORD_MIN,
                                                 .max = LIMS_PASSWORD_MAX,
                                                 .doc = "New password of the user." },
                                               LIMS_FIELD_END };

/* Refuses a password that somebody else gives where people sign in to the application, and one
 * that everybody would guess of this person. */
static const lims_error_t *check_password(lims_request_t *rq, const char *password)
{
    lims_result_t *row = NULL;
    const lims_error_t *error = lims_database_call(&row, rq, LIMS_STMT_USER_PASSWORD_NAMES);
    const char *names[4] = { NULL };
    const char *fault;

    if (error) {
        return error;
    }
    if (lims_result_true(row, 0, "byLink")) {
        return lims_client_error(rq->pool, LIMS_E_INVALID_TRANSITION,
                                 "People sign in to the application: nobody else knows their "
                                 "passwords. Give a one-time link, by which the person sets one: "
                                 "user link.");
    }
    names[0] = lims_result_get(row, 0, "name");
    names[1] = lims_result_get(row, 0, "code");
    names[2] = lims_result_get(row, 0, "email");
    fault = lims_password_fault(password, names, rq->pool);
    return fault ? lims_client_error(rq->pool, LIMS_E_INVALID_BODY, "password %s.", fault) : NULL;
}

/* Adds the hash of the password, if one was given, to the values. */
static const lims_error_t *hash_password(lims_request_t *rq)
{
    const char *password = lims_values_get(rq->values, "password");
    const lims_error_t *error = password ? check_password(rq, password) : NULL;
    const char *hash = password && !error ? lims_password_hash(password, rq->pool) : NULL;

    if (error) {
        return error;
    }
    if (password && !hash) {
        return lims_server_error(rq->pool, LIMS_E_INTERNAL, 0,
                                 "OpenSSL failed: no scrypt, or no random numbers",
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

/* Updates a user. The roles are written first: the update may end the permission of the
 * person who makes it. */
static const lims_error_t *update(lims_request_t *rq)
{
    const lims_error_t *error = NULL;
    lims_result_t *ignored = NULL;

    if (lims_values_has(rq->values, "roles")) {
        error = lims_database_call(&ignored, rq, LIMS_STMT_USER_SET_ROLES);
    }
    return error ? error : lims_database_call(&ignored, rq, LIMS_STMT_USER_UPDATE);
}

static const lims_error_t *set_password(lims_request_t *rq)
{
    lims_result_t *row = NULL;
    const lims_error_t *error = hash_password(rq);

    return error ? error : lims_database_call(&row, rq, LIMS_STMT_USER_SET_PASSWORD);
}

/* Makes a token, and the value `tokenHash` of its SHA-256. */
static const lims_error_t *make_token(const char **token, lims_request_t *rq)
{
    unsigned char hash[LIMS_KEY_HASH_LENGTH];

    *token = lims_token_generate(rq->pool);
    if (!*token) {
        return lims_server_error(rq->pool, LIMS_E_INTERNAL, 0,
                                 "OpenSSL failed: no random "
                                 "numbers",
                                 "No link could be made.");
    }
    if (!lims_key_hash(hash, *token)) {
        return lims_no_digest(rq->pool);
    }
    lims_values_set(rq->values, "tokenHash", lims_bytea(hash, sizeof(hash), rq->pool));
    return NULL;
}

typedef struct {
    lims_result_t *row;
    const char *token;
} link_t;

static const char *link_cell(void *data, const char *name)
{
    const link_t *link = data;

    return strcmp(name, "token") == 0 ? link->token : lims_result_get(link->row, 0, name);
}

static const lims_error_t *give_link(lims_request_t *rq)
{
    lims_writer_t *w = lims_writer_create(rq->pool);
    link_t link = { NULL, NULL };
    const lims_error_t *error = make_token(&link.token, rq);

    if (!error) {
        error = lims_database_call(&link.row, rq, LIMS_STMT_USER_LINK);
    }
    if (error) {
        return error;
    }
    lims_writer_object_begin(w);
    lims_record_write(w, link_output, link_cell, &link);
    lims_writer_object_end(w);
    lims_render_finish(rq, w);
    return NULL;
}

static const lims_error_e update_errors[] = { LIMS_E_REASON_REQUIRED, LIMS_E_OWN_ROLES,
                                              LIMS_E_LAST_ADMINISTRATOR, LIMS_E_COUNT };
static const lims_error_e deactivate_errors[] = { LIMS_E_LAST_ADMINISTRATOR, LIMS_E_COUNT };
static const lims_error_e link_errors[] = { LIMS_E_INVALID_TRANSITION, LIMS_E_COUNT };

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
    { LIMS_CSV_EXPORT("/users", "user export", "exportUsers", "users"), .permission = "user.manage",
      .flags = LIMS_R_OWNER | LIMS_CSV_FLAGS, .query = filters + LIMS_PAGING_COUNT },
    { LIMS_REPORT_LIST("/users", "user pdf", "printUsers", "users"), .permission = "user.manage",
      .flags = LIMS_R_OWNER | LIMS_PDF_FLAGS, .query = filters + LIMS_PAGING_COUNT },
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
      .description = "A change of roles needs a reason, and nobody changes their own while "
                     "somebody else manages users. The last person who manages users keeps it.",
      .permission = "user.manage",
      .flags = LIMS_R_OWNER,
      .body = LIMS_F_UPDATE,
      .status = 200,
      .handler = update,
      .errors = update_errors },
    { .method = "POST",
      .path = "/users/:id/password",
      .command = "user set-password",
      .surfaces = LIMS_SURFACE_TOOL,
      .operation = "setUserPassword",
      .summary = "Set a new password for a user",
      .description = "Until somebody has signed in to the application: from then on a person sets "
                     "a password by a link (user link).",
      .permission = "user.manage",
      .flags = LIMS_R_OWNER,
      .input = password_input,
      .status = 200,
      .handler = set_password,
      .errors = link_errors },
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
      .statement = LIMS_STMT_USER_DEACTIVATE,
      .errors = deactivate_errors },
    { .method = "POST",
      .path = "/users/:id/unlock",
      .command = "user unlock",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "unlockUser",
      .summary = "Unlock the account of a user after failed signatures",
      .description = "Nobody unlocks themselves.",
      .permission = "user.manage",
      .flags = LIMS_R_OWNER | LIMS_R_NO_BODY,
      .status = 200,
      .statement = LIMS_STMT_USER_UNLOCK },
    { .method = "POST",
      .path = "/users/:id/link",
      .command = "user link",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "linkUser",
      .summary = "Make a one-time link by which a user sets a password, shown only this once",
      .description = "It is valid for 24 hours, and replaces the link before. A change of "
                     "password, address, identity or activity ends it.",
      .permission = "user.manage",
      .flags = LIMS_R_OWNER | LIMS_R_REASON | LIMS_R_NO_RECORD,
      .input = link_input,
      .output = link_output,
      .status = 201,
      .handler = give_link,
      .errors = link_errors },
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
