/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/route.h"

#include "../lib/unit.h"

static apr_pool_t *pool;

static const lims_error_t *handle(lims_request_t *rq)
{
    (void)rq;
    return NULL;
}

#define ROUTE(m, p, o)                                                                             \
    {                                                                                              \
        .method = m, .path = p, .surfaces = LIMS_SURFACES_HTTP, .operation = o, .summary = o,      \
        .permission = "self", .status = 200, .handler = handle                                     \
    }

static const lims_route_t sample_routes[] = {
    ROUTE("GET", "", "discover"),
    ROUTE("GET", "/samples", "list"),
    ROUTE("POST", "/samples", "create"),
    ROUTE("POST", "/samples/receive", "receive"),
    ROUTE("GET", "/samples/:id", "get"),
    ROUTE("PATCH", "/samples/:id", "update"),
    ROUTE("PATCH", "/samples/:id/status", "setStatus"),
    ROUTE("POST", "/samples/:id/report", "report"),
    LIMS_ROUTE_END,
};

static const lims_route_t other_routes[] = {
    ROUTE("GET", "/openapi.json", "openapi"),
    ROUTE("GET", "/sample-tests", "listTests"),
    ROUTE("DELETE", "/sample-tests/:id", "removeTest"),
    /* Not on the API: alone at its path, and beside a route that is. */
    { .method = "POST",
      .path = "/keys",
      .command = "key create",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "createKey",
      .summary = "x",
      .permission = "self",
      .status = 201,
      .handler = handle },
    { .method = "PATCH",
      .path = "/sample-tests/:id",
      .command = "test update",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "updateTest",
      .summary = "x",
      .permission = "self",
      .status = 200,
      .handler = handle },
    /* At the command line alone. */
    { .method = "POST",
      .path = "/users/:id/password",
      .command = "user set-password",
      .surfaces = LIMS_SURFACE_TOOL,
      .operation = "setPassword",
      .summary = "x",
      .permission = "self",
      .status = 200,
      .handler = handle },
    { .method = "GET",
      .command = "organization list",
      .surfaces = LIMS_SURFACE_TOOL,
      .operation = "listOrganizations",
      .summary = "x",
      .permission = "self",
      .status = 200,
      .handler = handle },
    /* One path, another route on each surface. */
    { .method = "GET",
      .path = "/self",
      .surfaces = LIMS_SURFACE_API,
      .operation = "whoami",
      .summary = "x",
      .permission = "self",
      .status = 200,
      .handler = handle },
    { .method = "GET",
      .path = "/self",
      .surfaces = LIMS_SURFACE_APPLICATION,
      .operation = "session",
      .summary = "x",
      .permission = "self",
      .status = 200,
      .handler = handle },
    LIMS_ROUTE_END,
};

static const lims_field_t fields[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the record.",
      .example = "1" },
    LIMS_FIELD_END,
};

static const lims_resource_t sample = { .name = "sample",
                                        .fields = fields,
                                        .routes = sample_routes };
static const lims_resource_t other = { .name = "other", .fields = fields, .routes = other_routes };
static const lims_resource_t *const resources[] = { &sample, &other, NULL };

typedef struct {
    const char *method, *path;
    lims_match_result_e result;
    const char *operation, *id, *allow;
} case_t;

static const case_t api[] = {
    { "GET", "", LIMS_ROUTE_FOUND, "discover", NULL, "GET, HEAD" },
    { "GET", "/", LIMS_ROUTE_UNKNOWN, NULL, NULL, NULL },
    { "GET", "/samples", LIMS_ROUTE_FOUND, "list", NULL, "GET, HEAD, POST" },
    { "HEAD", "/samples", LIMS_ROUTE_FOUND, "list", NULL, "GET, HEAD, POST" },
    { "POST", "/samples", LIMS_ROUTE_FOUND, "create", NULL, "GET, HEAD, POST" },
    { "DELETE", "/samples", LIMS_ROUTE_METHOD, NULL, NULL, "GET, HEAD, POST" },
    { "get", "/samples", LIMS_ROUTE_METHOD, NULL, NULL, "GET, HEAD, POST" },
    { "OPTIONS", "/samples", LIMS_ROUTE_METHOD, NULL, NULL, "GET, HEAD, POST" },
    { "GET", "/samples/", LIMS_ROUTE_UNKNOWN, NULL, NULL, NULL },
    { "GET", "//samples", LIMS_ROUTE_UNKNOWN, NULL, NULL, NULL },
    { "GET", "/Samples", LIMS_ROUTE_UNKNOWN, NULL, NULL, NULL },
    { "GET", "samples", LIMS_ROUTE_UNKNOWN, NULL, NULL, NULL },
    { "GET", "/sample", LIMS_ROUTE_UNKNOWN, NULL, NULL, NULL },
    { "GET", "/samplesx", LIMS_ROUTE_UNKNOWN, NULL, NULL, NULL },
    { "GET", "/%73amples", LIMS_ROUTE_UNKNOWN, NULL, NULL, NULL },
    { "GET", "/./samples", LIMS_ROUTE_UNKNOWN, NULL, NULL, NULL },
    { "GET", "/:id", LIMS_ROUTE_UNKNOWN, NULL, NULL, NULL },
    { "GET", "/samples/7", LIMS_ROUTE_FOUND, "get", "7", "GET, HEAD, PATCH" },
    { "HEAD", "/samples/7", LIMS_ROUTE_FOUND, "get", "7", "GET, HEAD, PATCH" },
    { "GET", "/samples/abc", LIMS_ROUTE_FOUND, "get", "abc", "GET, HEAD, PATCH" },
    { "GET", "/samples/:id", LIMS_ROUTE_FOUND, "get", ":id", "GET, HEAD, PATCH" },
    { "GET", "/samples/%37", LIMS_ROUTE_FOUND, "get", "%37", "GET, HEAD, PATCH" },
    { "POST", "/samples/7", LIMS_ROUTE_METHOD, NULL, "7", "GET, HEAD, PATCH" },
    { "POST", "/samples/receive", LIMS_ROUTE_FOUND, "receive", NULL, "POST" },
    { "GET", "/samples/receive", LIMS_ROUTE_METHOD, NULL, NULL, "POST" },
    { "PATCH", "/samples/7/status", LIMS_ROUTE_FOUND, "setStatus", "7", "PATCH" },
    { "GET", "/samples/7/status", LIMS_ROUTE_METHOD, NULL, "7", "PATCH" },
    { "HEAD", "/samples/7/report", LIMS_ROUTE_METHOD, NULL, "7", "POST" },
    { "POST", "/samples/7/report/", LIMS_ROUTE_UNKNOWN, NULL, NULL, NULL },
    { "POST", "/samples/7/unknown", LIMS_ROUTE_UNKNOWN, NULL, NULL, NULL },
    { "POST", "/samples//report", LIMS_ROUTE_UNKNOWN, NULL, NULL, NULL },
    { "POST", "/samples/receive/report", LIMS_ROUTE_UNKNOWN, NULL, NULL, NULL },
    { "GET", "/sample-tests/7", LIMS_ROUTE_METHOD, NULL, "7", "DELETE" },
    { "DELETE", "/sample-tests/7", LIMS_ROUTE_FOUND, "removeTest", "7", "DELETE" },
    { "GET", "/openapi.json", LIMS_ROUTE_FOUND, "openapi", NULL, "GET, HEAD" },
    { "GET", "/openapixjson", LIMS_ROUTE_UNKNOWN, NULL, NULL, NULL },
    { "POST", "/keys", LIMS_ROUTE_UNKNOWN, NULL, NULL, NULL },
    { "PATCH", "/sample-tests/7", LIMS_ROUTE_METHOD, NULL, "7", "DELETE" },
    { "POST", "/users/7/password", LIMS_ROUTE_UNKNOWN, NULL, NULL, NULL },
    { "GET", "/self", LIMS_ROUTE_FOUND, "whoami", NULL, "GET, HEAD" },
};

/* The application's router is made of the same tables. */
static const case_t application[] = {
    { "GET", "/samples", LIMS_ROUTE_FOUND, "list", NULL, "GET, HEAD, POST" },
    { "POST", "/keys", LIMS_ROUTE_FOUND, "createKey", NULL, "POST" },
    { "GET", "/keys", LIMS_ROUTE_METHOD, NULL, NULL, "POST" },
    { "PATCH", "/sample-tests/7", LIMS_ROUTE_FOUND, "updateTest", "7", "PATCH, DELETE" },
    { "POST", "/users/7/password", LIMS_ROUTE_UNKNOWN, NULL, NULL, NULL },
    { "GET", "/organizations", LIMS_ROUTE_UNKNOWN, NULL, NULL, NULL },
    { "GET", "/self", LIMS_ROUTE_FOUND, "session", NULL, "GET, HEAD" },
};

static void test_surface(lims_surface_e surface, const case_t *cases, apr_size_t count)
{
    lims_router_t *router = NULL;

    is(lims_router_create(&router, resources, surface, pool), NULL, "the tables are sound");
    if (!ok(router, "there is a router")) {
        return;
    }
    for (apr_size_t i = 0; i < count; i++) {
        lims_route_match_t match;
        lims_match_result_e result =
            lims_route_match(&match, router, cases[i].method, cases[i].path, pool);
        const char *operation = match.route ? match.route->operation : NULL;

        ok(result == cases[i].result, "%s '%s'", cases[i].method, cases[i].path);
        is(operation, cases[i].operation, "the path has its route");
        is(match.id, cases[i].id, "the path has its id");
        is(match.allow, cases[i].allow, "the path has its methods");
        ok(!match.resource == !match.route, "the path has its resource");
    }
}

static void test_predicates(void)
{
    const lims_route_t *read = &sample_routes[1], *write = &sample_routes[5];

    ok(lims_route_reads(read) && !lims_route_reads(write), "a route that reads");
    ok(lims_route_has_id(write) && !lims_route_has_id(read), "a route about one record");
    ok(lims_route_is_on(read, LIMS_SURFACE_API) && lims_route_is_on(read, LIMS_SURFACE_APPLICATION),
       "the surfaces of a route");
    ok(!lims_route_is_on(read, LIMS_SURFACE_TOOL), "a surface that a route is not on");
}

int main(void)
{
    pool = unit_pool();
    test_predicates();
    test_surface(LIMS_SURFACE_API, api, LIMS_LENGTH(api));
    test_surface(LIMS_SURFACE_APPLICATION, application, LIMS_LENGTH(application));
    return tap_done();
}
