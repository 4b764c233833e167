/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route.c - a tree of path segments, with the routes at its nodes.
 *
 * Segments are compared as they were sent. Nothing is decoded and no dot
 * segment is resolved, so one resource has exactly one spelling.
 */
#include "kernel/route.h"

#include <apr_strings.h>
#include <string.h>

typedef struct node_t node_t;
typedef struct entry_t entry_t;

/* A route at a path. */
struct entry_t {
    const lims_resource_t *resource;
    const lims_route_t *route;
    entry_t *next;
};

struct node_t {
    const char *segment; /* literal; unused in an id's node */
    apr_size_t length;
    node_t *sibling;
    node_t *literals; /* children */
    node_t *id;       /* the child behind :id */
    node_t *suffixed; /* the children behind :id with an ending, as in :id.pdf: `segment` */
    entry_t *entries; /* NULL: no path ends here */
    const char *allow;
};

struct lims_router_t {
    node_t root;
};

/* The methods in the order of the Allow field. */
static const char *const methods[] = { "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE" };

/* --- Building ------------------------------------------------------------------- */

/* Returns the child of this text; NULL: there is none. */
static node_t *find_child(node_t *child, const char *segment, apr_size_t length)
{

    while (child && (child->length != length || memcmp(child->segment, segment, length) != 0)) {
        child = child->sibling;
    }
    return child;
}

static node_t *add_child(node_t *node, const char *segment, apr_size_t length, apr_pool_t *pool)
{
    bool is_id = segment[0] == ':';
    apr_size_t bare = is_id ? strcspn(segment, "./") : 0;
    bool has_ending = is_id && bare < length;
    node_t **children = has_ending ? &node->suffixed : &node->literals;
    node_t *child = has_ending ? find_child(node->suffixed, segment + bare, length - bare)
                    : is_id    ? node->id
                               : find_child(node->literals, segment, length);

    if (child) {
        return child;
    }
    child = apr_pcalloc(pool, sizeof(*child));
    child->segment = segment + (has_ending ? bare : 0);
    child->length = length - (has_ending ? bare : 0);
    if (is_id && !has_ending) {
        node->id = child;
    } else {
        child->sibling = *children;
        *children = child;
    }
    return child;
}

static const entry_t *find_method(const node_t *node, const char *method)
{
    const entry_t *entry = node->entries;
    const char *wanted = strcmp(method, "HEAD") == 0 ? "GET" : method;

    while (entry && strcmp(entry->route->method, wanted) != 0) {
        entry = entry->next;
    }
    return entry;
}

static const char *list_methods(const node_t *node, apr_pool_t *pool)
{
    const char *allow = "";

    for (apr_size_t i = 0; i < LIMS_LENGTH(methods); i++) {
        if (find_method(node, methods[i])) {
            allow = apr_pstrcat(pool, allow, *allow != '\0' ? ", " : "", methods[i], NULL);
        }
    }
    return allow;
}

static void add_route(lims_router_t *router, const lims_resource_t *resource,
                      const lims_route_t *route, apr_pool_t *pool)
{
    node_t *node = &router->root;
    const char *path = route->path;
    entry_t *entry = apr_pcalloc(pool, sizeof(*entry));

    while (*path == '/') {
        apr_size_t length = strcspn(++path, "/");

        node = add_child(node, path, length, pool);
        path += length;
    }
    entry->resource = resource;
    entry->route = route;
    entry->next = node->entries;
    node->entries = entry;
    node->allow = list_methods(node, pool);
}

const char *lims_router_create(lims_router_t **router, const lims_resource_t *const *resources,
                               lims_surface_e surface, apr_pool_t *pool)
{
    const char *problems = lims_route_check(resources, lims_statements, LIMS_STMT_COUNT, pool);

    *router = NULL;
    if (problems) {
        return problems;
    }
    *router = apr_pcalloc(pool, sizeof(**router));
    for (; *resources; resources++) {
        for (const lims_route_t *route = (*resources)->routes; route->method; route++) {
            if (lims_route_is_on(route, surface)) {
                add_route(*router, *resources, route, pool);
            }
        }
    }
    return NULL;
}

/* --- What is asked of a route ---------------------------------------------------- */

bool lims_route_is_on(const lims_route_t *route, lims_surface_e surface)
{
    return (route->surfaces & (unsigned)surface) != 0;
}

bool lims_route_is_file(const lims_route_t *route, lims_surface_e surface)
{
    unsigned flag = surface == LIMS_SURFACE_API ? LIMS_R_PDF : LIMS_R_BYTES;

    return surface != LIMS_SURFACE_TOOL && (route->flags & flag) != 0;
}

const lims_route_t *lims_route_list(const lims_resource_t *resource, const lims_route_t *route)
{
    for (const lims_route_t *list = resource->routes; route->list && list->method; list++) {
        if (list->path && lims_route_reads(list) && strcmp(list->path, route->list) == 0) {
            return list;
        }
    }
    return NULL;
}

bool lims_route_reads(const lims_route_t *route)
{
    return strcmp(route->method, "GET") == 0;
}

bool lims_route_has_text_cursor(const lims_route_t *route)
{
    const lims_field_t *field = (route->flags & LIMS_R_LIST) ? route->query : NULL;

    while (field && field->name && strcmp(field->name, "cursor") != 0) {
        field++;
    }
    return field && field->name && field->type == LIMS_T_STRING;
}

bool lims_route_has_id(const lims_route_t *route)
{
    return route->path && strstr(route->path, "/:id");
}

bool lims_route_has_condition(const lims_route_t *route)
{
    return !lims_route_reads(route) &&
           (lims_route_has_id(route) || (route->flags & LIMS_R_OWN_RECORD));
}

bool lims_route_takes_json(const lims_route_t *route)
{
    return route->body != 0 || route->input || !route->form;
}

/* --- Matching ------------------------------------------------------------------- */

/* Finds the child of an id with or without an ending, and how long the id is. */
static const node_t *find_id(apr_size_t *length, const node_t *node, const char *segment)
{
    for (const node_t *child = node->suffixed; child; child = child->sibling) {
        if (*length > child->length &&
            memcmp(segment + *length - child->length, child->segment, child->length) == 0) {
            *length -= child->length;
            return child;
        }
    }
    return node->id;
}

lims_match_result_e lims_route_match(lims_route_match_t *match, const lims_router_t *router,
                                     const char *method, const char *path, apr_pool_t *pool)
{
    const node_t *node = &router->root;
    const entry_t *entry;

    *match = (lims_route_match_t){ .resource = NULL };
    while (node && *path == '/') {
        apr_size_t length = strcspn(++path, "/");
        const node_t *child = find_child(node->literals, path, length);
        apr_size_t id_length = length;

        if (!child && length > 0) {
            child = find_id(&id_length, node, path);
        }
        if (child && (child == node->id || id_length < length)) {
            *(match->id ? &match->inner : &match->id) = apr_pstrmemdup(pool, path, id_length);
        }
        node = child;
        path += length;
    }
    if (!node || *path != '\0' || !node->entries) {
        match->id = NULL;
        match->inner = NULL;
        return LIMS_ROUTE_UNKNOWN;
    }
    match->allow = node->allow;
    entry = find_method(node, method);
    if (!entry) {
        return LIMS_ROUTE_METHOD;
    }
    match->resource = entry->resource;
    match->route = entry->route;
    return LIMS_ROUTE_FOUND;
}
