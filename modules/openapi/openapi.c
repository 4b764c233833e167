/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openapi.c - the OpenAPI document as a whole: its sections and their order.
 */
#include "openapi/openapi.h"

#include <apr_strings.h>
#include <string.h>

#include "kernel/route.h"
#include "openapi/openapi_parts.h"

static bool is_documented(const lims_openapi_t *doc, const lims_route_t *route)
{
    return lims_route_is_on(route, doc->surface);
}

static void write_server(lims_openapi_t *doc, const char *url)
{
    lims_writer_key(doc->w, "servers");
    lims_writer_array_begin(doc->w);
    lims_writer_object_begin(doc->w);
    lims_openapi_member(doc, "url", url);
    lims_writer_object_end(doc->w);
    lims_writer_array_end(doc->w);
}

static void write_tag(lims_openapi_t *doc, const char *name, const char *description)
{
    lims_writer_object_begin(doc->w);
    lims_openapi_member(doc, "name", name);
    lims_openapi_member(doc, "description", description);
    lims_writer_object_end(doc->w);
}

static bool has_documented(const lims_openapi_t *doc, const lims_resource_t *resource)
{
    const lims_route_t *route = resource->routes;

    while (route->method && !is_documented(doc, route)) {
        route++;
    }
    return route->method;
}

/* Whether a resource before this one has its tag: some have theirs in several parts. */
static bool is_tagged(const lims_openapi_t *doc, const lims_resource_t *resource)
{
    const lims_resource_t *const *each = doc->resources;

    while (*each != resource &&
           (strcmp((*each)->title, resource->title) != 0 || !has_documented(doc, *each))) {
        each++;
    }
    return *each != resource;
}

static void write_tags(lims_openapi_t *doc)
{
    lims_writer_key(doc->w, "tags");
    lims_writer_array_begin(doc->w);
    for (const lims_resource_t *const *each = doc->resources; *each; each++) {
        if (has_documented(doc, *each) && !is_tagged(doc, *each)) {
            write_tag(doc, (*each)->title, (*each)->doc);
        }
    }
    if (doc->surface == LIMS_SURFACE_API) {
        write_tag(doc, "Webhooks", "Events, as the service posts them to registered endpoints.");
    }
    lims_writer_array_end(doc->w);
}

/* Makes "/samples/{id}" of "/samples/:id". */
static const char *template_of(const char *path, apr_pool_t *pool)
{
    const char *id = strstr(path, "/:");
    apr_size_t length = id ? strcspn(id + 2, "/.") : 0;

    return !id ? path
               : apr_pstrcat(pool, apr_pstrmemdup(pool, path, (apr_size_t)(id - path)), "/{",
                             apr_pstrmemdup(pool, id + 2, length), "}",
                             template_of(id + 2 + length, pool), NULL);
}

static bool same_path(const lims_openapi_t *doc, const lims_route_t *a, const lims_route_t *b)
{
    return is_documented(doc, a) && is_documented(doc, b) && strcmp(a->path, b->path) == 0;
}

/* Whether this is the first route of its path. */
static bool is_first(const lims_openapi_t *doc, const lims_route_t *route)
{
    for (const lims_resource_t *const *each = doc->resources; *each; each++) {
        for (const lims_route_t *other = (*each)->routes; other->method; other++) {
            if (same_path(doc, other, route)) {
                return other == route;
            }
        }
    }
    return false;
}

/* Returns the path of a route below the server; "/" for the root without a prefix. */
static const char *path_of(const lims_openapi_t *doc, const lims_route_t *route)
{
    const char *path =
        apr_pstrcat(doc->pool, doc->prefix, template_of(route->path, doc->pool), NULL);

    return *path != '\0' ? path : "/";
}

/* Writes all methods of a path, of all resources. */
static void write_path(lims_openapi_t *doc, const lims_route_t *first)
{
    lims_writer_key(doc->w, path_of(doc, first));
    lims_writer_object_begin(doc->w);
    for (const lims_resource_t *const *each = doc->resources; *each; each++) {
        for (const lims_route_t *route = (*each)->routes; route->method; route++) {
            if (same_path(doc, route, first)) {
                lims_openapi_operation(doc, *each, route);
            }
        }
    }
    lims_writer_object_end(doc->w);
}

static void write_paths(lims_openapi_t *doc)
{
    lims_writer_key(doc->w, "paths");
    lims_writer_object_begin(doc->w);
    for (const lims_resource_t *const *each = doc->resources; *each; each++) {
        for (const lims_route_t *route = (*each)->routes; route->method; route++) {
            if (is_documented(doc, route) && is_first(doc, route)) {
                write_path(doc, route);
            }
        }
    }
    lims_writer_object_end(doc->w);
}

/* Writes the components in the order of their references: answers refer to header fields,
 * and all of them to schemas. */
static void write_components(lims_openapi_t *doc)
{
    lims_writer_key(doc->w, "components");
    lims_writer_object_begin(doc->w);
    lims_writer_key(doc->w, "securitySchemes");
    lims_openapi_security_schemes(doc);
    lims_writer_key(doc->w, "parameters");
    lims_openapi_parameter_components(doc);
    lims_writer_key(doc->w, "responses");
    lims_openapi_refusal_components(doc);
    lims_writer_key(doc->w, "headers");
    lims_openapi_header_components(doc);
    lims_writer_key(doc->w, "schemas");
    lims_openapi_schemas(doc);
    lims_writer_object_end(doc->w);
}

const char *lims_openapi(apr_size_t *length, const lims_resource_t *const *resources,
                         lims_surface_e surface, const char *server, const char *prefix,
                         apr_pool_t *pool)
{
    lims_openapi_t doc = {
        .pool = pool, .w = lims_writer_create(pool), .resources = resources,
        .surface = surface, .prefix = prefix
    };

    doc.end = &doc.first;
    lims_writer_object_begin(doc.w);
    lims_openapi_member(&doc, "openapi", "3.1.0");
    lims_writer_key(doc.w, "info");
    lims_openapi_info(&doc);
    write_server(&doc, server);
    write_tags(&doc);
    write_paths(&doc);
    if (surface == LIMS_SURFACE_API) {
        lims_writer_key(doc.w, "webhooks");
        lims_openapi_webhooks(&doc);
    }
    write_components(&doc);
    lims_writer_object_end(doc.w);
    return lims_writer_finish(length, doc.w);
}
