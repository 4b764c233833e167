/* SPDX-License-Identifier: Apache-2.0 */
/* own_session.c - the session of the person who asks. */
#include "application/own_session.h"

#include "application/application.h"
#include "kernel/error.h"
#include "kernel/record.h"
#include "service/service.h"

static const char *cell_of(void *row, const char *name)
{
    return lims_result_get(row, 0, name);
}

static const lims_error_t *show(lims_request_t *rq)
{
    const lims_call_t call = { .statement = LIMS_STMT_SESSION_GET };
    lims_writer_t *w = lims_writer_create(rq->pool);
    lims_result_t *row = NULL;
    const lims_error_t *error = lims_service_read(&row, rq, &call, 1);

    if (error) {
        return error;
    }
    lims_writer_object_begin(w);
    lims_record_write(w, lims_own_session_output, cell_of, row);
    lims_writer_object_end(w);
    lims_render_finish(rq, w);
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
    lims_writer_object_end(w);
    lims_render_finish(rq, w);
    return NULL;
}

static const lims_field_t sign_out_output[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the session that ended." },
    LIMS_FIELD_END,
};

static const int choice[] = { 200, 0 };

static const lims_route_t routes[] = {
    { .method = "POST",
      .path = "/session",
      .surfaces = LIMS_SURFACE_APPLICATION,
      .operation = "signIn",
      .summary = "Start a session of a person",
      .description = "The answer for a wrong address and for a wrong password is the same. Where "
                     "the password is right in several organizations, they are answered (200), "
                     "and the request is to be sent again with one of them.",
      .flags = LIMS_R_NO_SESSION | LIMS_R_NO_RECORD,
      .input = lims_sign_in_input,
      .output = lims_sign_in_output,
      .status = 201,
      .also = choice,
      .prepare = lims_sign_in_prepare,
      .work = lims_sign_in_work,
      .handler = lims_sign_in },
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
      .flags = LIMS_R_NO_BODY | LIMS_R_NO_RECORD,
      .output = sign_out_output,
      .status = 200,
      .handler = sign_out },
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
