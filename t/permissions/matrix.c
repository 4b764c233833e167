/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matrix.c - tries every route that people reach as each of some users, for matrix.t, and
 * writes a line for each: command, the value that decides the permission, permission and
 * the one that may stand for it, user, and the refusal's slug or "reached".
 *
 *     matrix CONNINFO ORGANIZATION PASSWORD USER...
 *
 * The routes are those of the tables, with what comes before their action: who acts, the
 * permission, the signature. The action itself is replaced.
 */
#include <apr_general.h>
#include <apr_strings.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/permission.h"
#include "kernel/route.h"
#include "tool/session.h"

#define REACHED LIMS_E_AI_UNAVAILABLE

static const lims_error_t *reached(lims_request_t *rq)
{
    return lims_client_error(rq->pool, REACHED, "The action is reached.");
}

static lims_route_t without_action(const lims_route_t *route)
{
    lims_route_t copy = *route;

    copy.handler = reached;
    copy.check = NULL;
    copy.guard = NULL;
    copy.prepare = NULL;
    copy.work = NULL;
    return copy;
}

static const char *outcome(lims_session_t *session, const lims_resource_t *resource,
                           const lims_route_t *route, const lims_permission_by_t *by,
                           apr_pool_t *pool)
{
    lims_resource_t unlocked = *resource;
    lims_route_t copy = without_action(route);
    lims_values_t *values = lims_values_create(pool);
    lims_reply_t *reply = NULL;
    const lims_error_t *error;

    unlocked.lock = 0;
    if (lims_route_has_id(route)) {
        lims_values_set(values, "id", "1");
    }
    if (by) {
        lims_values_set(values, by->member, by->value);
    }
    error = lims_session_call(&reply, session, &unlocked, &copy, values, pool);
    if (!error) {
        return "answered";
    }
    return error->kind == REACHED ? "reached" : lims_error_kinds[error->kind].slug;
}

static void try_route(lims_session_t *session, const lims_resource_t *resource,
                      const lims_route_t *route, const lims_permission_by_t *by,
                      const char *const *users)
{
    for (; *users; users++) {
        apr_pool_t *pool;

        apr_pool_create(&pool, NULL);
        session->user = *users;
        printf("%s\t%s\t%s %s\t%s\t%s\n", route->command, by ? by->value : "",
               by ? by->permission : route->permission,
               route->permission_or ? route->permission_or : "", *users,
               outcome(session, resource, route, by, pool));
        apr_pool_destroy(pool);
    }
}

static void try_resource(lims_session_t *session, const lims_resource_t *resource,
                         const char *const *users)
{
    for (const lims_route_t *route = resource->routes; route->method; route++) {
        if (!route->permission || !lims_route_is_on(route, LIMS_SURFACE_TOOL)) {
            continue;
        }
        try_route(session, resource, route, NULL, users);
        for (const lims_permission_by_t *by = route->permission_by; by && by->member; by++) {
            try_route(session, resource, route, by, users);
        }
    }
}

int main(int argc, const char *const argv[])
{
    lims_session_t *session = NULL;
    const lims_error_t *error;
    apr_pool_t *pool;

    if (argc < 5 || apr_initialize() != APR_SUCCESS ||
        apr_pool_create(&pool, NULL) != APR_SUCCESS) {
        return 2;
    }
    atexit(apr_terminate);
    error = lims_session_open(&session, argv[1], pool);
    if (error) {
        fprintf(stderr, "%s\n", error->message);
        return 1;
    }
    session->organization = argv[2];
    session->password = argv[3];
    session->reason = "a test";
    for (const lims_resource_t *const *resource = lims_resources; *resource; resource++) {
        try_resource(session, *resource, argv + 4);
    }
    return 0;
}
