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
        .method = m, .path = p, .operation = o, .summary = o, .status = 200, .handler = handle     \
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
    { .method = "POST",
      .command = "key create",
      .operation = "createKey",
      .summary = "x",
      .status = 201,
      .flags = LIMS_R_TOOL,
      .handler = handle },
    { .method = "GET",
      .path = "/hidden",
      .command = "hidden",
      .operation = "hidden",
      .summary = "x",
      .status = 200,
      .flags = LIMS_R_TOOL,
      .handler = handle },
    LIMS_ROUTE_END,
};

static const lims_resource_t sample = { .name = "sample", .routes = sample_routes };
static const lims_resource_t other = { .name = "other", .routes = other_routes };
static const lims_resource_t *const resources[] = { &sample, &other, NULL };

static const struct {
    const char *method, *path;
    lims_match_result_e result;
    const char *operation, *id, *allow;
} cases[] = {
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
    { "GET", "/hidden", LIMS_ROUTE_UNKNOWN, NULL, NULL, NULL },
};

int main(void)
{
    lims_router_t *router = NULL;

    pool = unit_pool();
    is(lims_router_create(&router, resources, pool), NULL, "the tables are sound");
    if (!ok(router, "there is a router")) {
        return tap_done();
    }
    for (apr_size_t i = 0; i < LIMS_LENGTH(cases); i++) {
        lims_route_match_t match;
        lims_match_result_e result =
            lims_route_match(&match, router, cases[i].method, cases[i].path, pool);
        const char *operation = match.route ? match.route->operation : NULL;

        ok(result == cases[i].result, "%s '%s'", cases[i].method, cases[i].path);
        is(operation, cases[i].operation, "its route");
        is(match.id, cases[i].id, "its id");
        is(match.allow, cases[i].allow, "its methods");
        ok(!match.resource == !match.route, "its resource");
    }
    return tap_done();
}
