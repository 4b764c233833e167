/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "METHOD path" against a small set of routes.
 */
#include "fuzz.h"
#include "kernel/field.h"
#include "kernel/route.h"

static const lims_error_t *handle(lims_request_t *rq)
{
    (void)rq;
    return NULL;
}

#define ROUTE(m, p, o)                                                                             \
    {                                                                                              \
        .method = m, .path = p, .surfaces = LIMS_SURFACE_API, .operation = o, .summary = o,        \
        .status = 200, .handler = handle                                                           \
    }

static const lims_route_t routes[] = {
    ROUTE("GET", "", "discover"),
    ROUTE("GET", "/samples", "list"),
    ROUTE("POST", "/samples", "create"),
    ROUTE("POST", "/samples/receive", "receive"),
    ROUTE("GET", "/samples/:id", "get"),
    ROUTE("PATCH", "/samples/:id/status", "status"),
    ROUTE("GET", "/openapi.json", "openapi"),
    LIMS_ROUTE_END,
};

static const lims_field_t fields[] = {
    { .name = "id", .type = LIMS_T_ID, .flags = LIMS_F_OUT, .doc = "Id of the sample." },
    LIMS_FIELD_END,
};

static const lims_resource_t sample = { .name = "sample", .fields = fields, .routes = routes };
static const lims_resource_t *const resources[] = { &sample, NULL };

/* The pattern with the id put back is the path that was asked for. */
static void check_match(const lims_route_match_t *match, const char *path, apr_pool_t *pool)
{
    const char *pattern = match->route->path;
    const char *colon = strstr(pattern, ":id");
    const char *filled = pattern;
    const char *id = NULL;

    must(!colon == !match->id, "an id where there is a place for one");
    if (colon) {
        filled = apr_pstrcat(pool, apr_pstrmemdup(pool, pattern, (apr_size_t)(colon - pattern)),
                             match->id, colon + 3, NULL);
        if (!lims_field_id(&id, match->id, pool)) {
            must(strtoll(id, NULL, 10) > 0 && strcmp(id, match->id) == 0, "an id is canonical");
        }
    }
    must(strcmp(filled, path) == 0, "the path is matched to the letter");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static lims_router_t *router;
    apr_pool_t *pool = fuzz_pool();
    const char *text = apr_pstrmemdup(pool, (const char *)data, size);
    const char *blank = strchr(text, ' ');
    const char *method = blank ? apr_pstrmemdup(pool, text, (apr_size_t)(blank - text)) : "GET";
    const char *path = blank ? blank + 1 : text;
    lims_match_result_e result;
    lims_route_match_t match;

    if (!router) {
        apr_pool_t *forever = fuzz_pool();

        must(!lims_router_create(&router, resources, LIMS_SURFACE_API, forever),
             "the tables are sound");
    }
    result = lims_route_match(&match, router, method, path, pool);
    must((result == LIMS_ROUTE_FOUND) == !!match.route, "a route where one is found");
    must((result == LIMS_ROUTE_UNKNOWN) == !match.allow, "methods where a path is known");
    if (result == LIMS_ROUTE_FOUND) {
        check_match(&match, path, pool);
    }
    apr_pool_destroy(pool);
    return 0;
}
