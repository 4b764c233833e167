/* SPDX-License-Identifier: Apache-2.0 */
/* own_session.c - the session of the person who asks. */
#include "application/own_session.h"

#include "application/application.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/writer.h"
#include "service/service.h"

lims_call_t lims_own_session_call(lims_values_t *values, const lims_request_t *rq)
{
    lims_values_set(values, "signInProvider", rq->settings->sign_in_provider);
    lims_values_set(values, "signatureProvider", rq->settings->signature_provider);
    return (lims_call_t){ .statement = LIMS_STMT_SESSION_GET, .values = values };
}

static const lims_error_t *show(lims_request_t *rq)
{
    const lims_call_t call = lims_own_session_call(rq->values, rq);
    lims_result_t *row = NULL;
    const lims_error_t *error = lims_service_read(&row, rq, &call, 1);

    if (error) {
        return error;
    }
    lims_render_members(rq, lims_own_session_output, row);
    return NULL;
}

static const lims_error_t *sign_out(lims_request_t *rq)
{
    lims_writer_t *w = lims_writer_create(rq->pool);
    lims_result_t *ignored = NULL;
    const lims_error_t *error = lims_database_call(&ignored, rq, LIMS_STMT_SIGN_OUT);

    if (error) {
        return error;
    }
    lims_session_cookie(rq, NULL);
    lims_writer_object_begin(w);
    lims_writer_key(w, "id");
    lims_writer_raw(w, rq->actor.session);
    lims_writer_key(w, "next");
    if (rq->settings->sign_out_url) {
        lims_writer_string(w, rq->settings->sign_out_url);
    } else {
        lims_writer_null(w);
    }
    lims_writer_object_end(w);
    lims_render_finish(rq, w);
    return NULL;
}

static const lims_field_t sign_out_output[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the session that ended." },
    { .name = "next",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "URL to which signing out leads on (LimsSignOutURL); null for none." },
    LIMS_FIELD_END,
};

static const lims_field_t password_output[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the session, which goes on with a new token." },
    LIMS_FIELD_END,
};

static const lims_field_t signature_password_output[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the session, which goes on." },
    LIMS_FIELD_END,
};

static const lims_field_t statement_output[] = {
    { .name = "accountableSince",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "When the person accepted it first, UTC." },
    LIMS_FIELD_END,
};

static const lims_error_t *accept_statement(lims_request_t *rq)
{
    lims_result_t *row = NULL;
    const lims_error_t *error = lims_database_call(&row, rq, LIMS_STMT_STATEMENT_ACCEPT);

    if (error) {
        return error;
    }
    lims_render_members(rq, statement_output, row);
    return NULL;
}

static const lims_error_e sign_in_errors[] = { LIMS_E_FORBIDDEN, LIMS_E_COUNT };
static const lims_error_e password_errors[] = { LIMS_E_SIGNATURE_INVALID, LIMS_E_ACCOUNT_LOCKED,
                                                LIMS_E_INVALID_TRANSITION, LIMS_E_COUNT };
static const lims_error_e sign_on_errors[] = { LIMS_E_NOT_FOUND, LIMS_E_COUNT };
static const lims_error_e link_errors[] = { LIMS_E_NOT_FOUND, LIMS_E_INVALID_TRANSITION,
                                            LIMS_E_COUNT };

static const int choice[] = { 200, 0 };

/* Why these routes are not where the others are. */
#define SIGN_ON_PLACE                                                                              \
    "Asked at /app/sign-on/identity, where an authentication module of the server stands in "      \
    "front; elsewhere there is nothing (404)."

static const lims_route_t routes[] = {
    { .method = "POST",
      .path = "/session",
      .surfaces = LIMS_SURFACE_APPLICATION,
      .operation = "signIn",
      .summary = "Start a session of a person",
      .description = "The answer for a wrong address and for a wrong password is the same. Where "
                     "the password is right in several organizations, they are answered (200), "
                     "and the request is to be sent again with one of them.",
      .flags = LIMS_R_NO_SESSION | LIMS_R_NO_RECORD | LIMS_R_PASSWORD,
      .input = lims_sign_in_input,
      .output = lims_sign_in_output,
      .status = 201,
      .also = choice,
      .prepare = lims_sign_in_prepare,
      .work = lims_sign_in_work,
      .handler = lims_sign_in,
      .errors = sign_in_errors },
    { .method = "GET",
      .path = "/session",
      .surfaces = LIMS_SURFACE_APPLICATION,
      .operation = "getSession",
      .summary = "The own session with person, organization and permissions",
      .description = "A page that was just loaded asks without X-Lims-Session, and learns it.",
      .permission = "self",
      .flags = LIMS_R_ANY_SESSION | LIMS_R_NO_RECORD,
      .output = lims_own_session_output,
      .status = 200,
      .handler = show },
    { .method = "DELETE",
      .path = "/session",
      .surfaces = LIMS_SURFACE_APPLICATION,
      .operation = "signOut",
      .summary = "End one's own session",
      .permission = "self",
      .flags = LIMS_R_NO_BODY | LIMS_R_NO_RECORD | LIMS_R_SIGNED_IN,
      .output = sign_out_output,
      .status = 200,
      .handler = sign_out },
    { .method = "POST",
      .path = "/session/password",
      .surfaces = LIMS_SURFACE_APPLICATION,
      .operation = "changePassword",
      .summary = "Change one's own password",
      .description = "A wrong old password counts as a failed signature. All other sessions of the "
                     "person end; this one goes on with a new cookie.",
      .permission = "self",
      .flags = LIMS_R_NO_RECORD | LIMS_R_PASSWORD,
      .input = lims_password_input,
      .output = password_output,
      .status = 200,
      .prepare = lims_password_change_prepare,
      .work = lims_password_change_work,
      .handler = lims_password_change,
      .errors = password_errors },
    { .method = "POST",
      .path = "/session/signature-password",
      .surfaces = LIMS_SURFACE_APPLICATION,
      .operation = "setSignaturePassword",
      .summary = "Set the password with which one signs who signs in by an identity",
      .description = "It opens no session. The first is set within five minutes of signing in, "
                     "each later one with the old one, or by a link. A wrong old one counts as a "
                     "failed signature. Where the server asks a provider for signatures there "
                     "is none.",
      .permission = "self",
      .flags = LIMS_R_NO_RECORD | LIMS_R_PASSWORD,
      .input = lims_signature_password_input,
      .output = signature_password_output,
      .status = 200,
      .prepare = lims_signature_password_prepare,
      .work = lims_password_change_work,
      .handler = lims_signature_password_set,
      .errors = password_errors },
    { .method = "POST",
      .path = "/session/statement",
      .surfaces = LIMS_SURFACE_APPLICATION,
      .operation = "acceptStatement",
      .summary = "Accept being held accountable for what is done under the own signature",
      .description = "21 CFR 11.10(j): before that, nothing can be signed in the application.",
      .permission = "self",
      .flags = LIMS_R_NO_BODY | LIMS_R_NO_RECORD,
      .output = statement_output,
      .status = 200,
      .handler = accept_statement },
    { .method = "POST",
      .path = "/session/link",
      .surfaces = LIMS_SURFACE_APPLICATION,
      .operation = "spendLink",
      .summary = "Set a password by a one-time link",
      .description = "Signs nobody in. All sessions of the person end, and the person is told at "
                     "the next sign-in.",
      .flags = LIMS_R_NO_SESSION | LIMS_R_NO_RECORD | LIMS_R_PASSWORD,
      .input = lims_link_input,
      .output = lims_link_spent_output,
      .status = 200,
      .prepare = lims_link_prepare,
      .work = lims_link_work,
      .handler = lims_link_spend,
      .errors = link_errors },
    { .method = "GET",
      .path = LIMS_SIGN_ON_PATH,
      .surfaces = LIMS_SURFACE_APPLICATION,
      .operation = "getIdentity",
      .summary = "Person whom a module of httpd has found, before a session begins",
      .description = SIGN_ON_PLACE,
      .flags = LIMS_R_NO_SESSION | LIMS_R_NO_RECORD,
      .output = lims_sign_on_output,
      .status = 200,
      .handler = lims_sign_on_show,
      .errors = sign_on_errors },
    { .method = "POST",
      .path = LIMS_SIGN_ON_PATH,
      .surfaces = LIMS_SURFACE_APPLICATION,
      .operation = "signOn",
      .summary = "Start a session of the person whom a module of httpd has found",
      .description = SIGN_ON_PLACE,
      .flags = LIMS_R_NO_SESSION | LIMS_R_NO_RECORD,
      .input = lims_sign_on_input,
      .output = lims_sign_in_output,
      .status = 201,
      .also = choice,
      .handler = lims_sign_on,
      .errors = sign_on_errors },
    LIMS_ROUTE_END,
};

static const lims_field_t no_fields[] = { LIMS_FIELD_END };

const lims_resource_t lims_own_session = {
    .name = "session",
    .title = "Signing in",
    .schema = "OwnSession",
    .doc = "The session of the person who asks.",
    .fields = no_fields,
    .routes = routes,
};
