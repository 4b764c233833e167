/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sessions.c - sessions of people who are signed in: everybody sees and ends the own, whoever
 * manages users anybody's.
 */
#include "application/application.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "service/service.h"

enum { SHOWN = LIMS_F_OUT };

static const lims_field_t fields[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = SHOWN,
      .doc = "Id of the session; also its cursor value." },
    { .name = "userId",
      .type = LIMS_T_ID,
      .flags = SHOWN,
      .doc = "Id of the person whose session it is." },
    { .name = "person", .type = LIMS_T_STRING, .flags = SHOWN, .doc = "Name of the person." },
    { .name = "current",
      .type = LIMS_T_BOOLEAN,
      .flags = SHOWN,
      .doc = "Whether it is the session that asks." },
    { .name = "active",
      .type = LIMS_T_BOOLEAN,
      .flags = SHOWN,
      .doc = "Whether it goes on: it was neither ended nor has it timed out." },
    { .name = "address",
      .type = LIMS_T_STRING,
      .flags = SHOWN,
      .doc = "Network address from which the person signed in." },
    { .name = "browser",
      .type = LIMS_T_STRING,
      .flags = SHOWN | LIMS_F_NULLABLE,
      .doc = "Browser, as it named itself; null if it did not." },
    { .name = "lastUsedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = SHOWN,
      .doc = "When it was last used, UTC, to the minute." },
    { .name = "endedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = SHOWN | LIMS_F_NULLABLE,
      .doc = "When it was ended, UTC; null if it was not." },
    { .name = "endReason",
      .type = LIMS_T_STRING,
      .flags = SHOWN | LIMS_F_NULLABLE,
      .doc = "Reason for its end, in words; null if it was not ended." },
    { .name = "createdAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = SHOWN,
      .doc = "When the person signed in, UTC." },
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
      .doc = "Only sessions that go on (true), or only those that do not (false)." },
    LIMS_FIELD_END,
};

static const lims_error_t *list_of_user(lims_request_t *rq)
{
    const lims_call_t calls[] = { { .statement = LIMS_STMT_USER_GET },
                                  { .statement =
                                        lims_service_in_order(rq, LIMS_STMT_SESSION_LIST) } };
    lims_result_t *results[LIMS_LENGTH(calls)] = { NULL };
    const lims_error_t *error = lims_service_read(results, rq, calls, LIMS_LENGTH(calls));

    if (error) {
        return error;
    }
    if (lims_result_count(results[0]) == 0) {
        return lims_client_error(rq->pool, LIMS_E_NOT_FOUND,
                                 "There is no user %s in your organization.",
                                 lims_values_get(rq->values, "id"));
    }
    lims_render_page(rq, results[1]);
    return NULL;
}

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/sessions",
      .surfaces = LIMS_SURFACE_APPLICATION,
      .operation = "listOwnSessions",
      .summary = "List one's own sessions",
      .permission = "self",
      .flags = LIMS_R_LIST,
      .query = filters,
      .status = 200,
      .statement = LIMS_STMT_SESSION_OWN_LIST },
    { .method = "GET",
      .path = "/users/:id/sessions",
      .command = "session list",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "listSessions",
      .summary = "List the sessions of a user",
      .permission = "user.manage",
      .flags = LIMS_R_LIST,
      .query = filters,
      .status = 200,
      .handler = list_of_user },
    { .method = "POST",
      .path = "/sessions/:id/end",
      .command = "session end",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "endSession",
      .summary = "End a session: one's own, or with user.manage anybody's",
      .description = "Whoever goes on in it signs in again. A session that has ended stays so.",
      .permission = "self",
      .permission_or = "user.manage",
      .flags = LIMS_R_NO_BODY,
      .status = 200,
      .statement = LIMS_STMT_SESSION_END },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_session = {
    .name = "session",
    .title = "Sessions",
    .schema = "Session",
    .doc = "Time in which a person is signed in to the application.",
    .fields = fields,
    .routes = routes,
    .record = LIMS_STMT_SESSION_RECORD,
};
