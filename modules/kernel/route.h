/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route.h - from method and path to the route that answers.
 *
 * Each surface has a router of its own, built once per process from the same tables
 * of the resources: what is not on a surface is unknown there. Tables that contradict
 * themselves are refused, so that a configuration test finds them. Afterwards a
 * router is read-only and safe to share between threads.
 */
#ifndef LIMS_KERNEL_ROUTE_H
#define LIMS_KERNEL_ROUTE_H

#include "kernel/statement.h"
#include "lims.h"

typedef struct lims_router_t lims_router_t;

typedef enum {
    LIMS_ROUTE_FOUND,
    LIMS_ROUTE_UNKNOWN, /* no route has this path: 404 */
    LIMS_ROUTE_METHOD   /* the path is known, the method is not: 405 */
} lims_match_result_e;

typedef struct {
    const lims_resource_t *resource;
    const lims_route_t *route;
    const char *id;    /* the :id segment as sent, unchecked; NULL: none */
    const char *allow; /* "GET, HEAD, PATCH"; NULL when unknown */
} lims_route_match_t;

/* Whether the route is reached by a surface. */
bool lims_route_is_on(const lims_route_t *route, lims_surface_e surface);

/* Whether the route only reads. */
bool lims_route_reads(const lims_route_t *route);

/* Whether the route is about one record, which its path names by :id. */
bool lims_route_has_id(const lims_route_t *route);

/* Whether the body may be JSON: it may not where the route takes a form alone. */
bool lims_route_takes_json(const lims_route_t *route);

/* Checks the tables and builds the router of a surface of HTTP. Returns NULL on
 * success, else every problem found, one per line, and no router. */
const char *lims_router_create(lims_router_t **router, const lims_resource_t *const *resources,
                               lims_surface_e surface, apr_pool_t *pool);

/* The checks alone, against a given table of statements; NULL: sound. */
const char *lims_route_check(const lims_resource_t *const *resources,
                             const lims_statement_t *statements, int statement_count,
                             apr_pool_t *pool);

/* `path` is what follows the surface's base ("/api/v1"), raw: nothing decoded, ""
 * for the root. It is compared to the letter, with no tolerance for a trailing slash. HEAD finds
 * the route of GET. A literal segment wins over :id. */
lims_match_result_e lims_route_match(lims_route_match_t *match, const lims_router_t *router,
                                     const char *method, const char *path, apr_pool_t *pool);

#endif /* LIMS_KERNEL_ROUTE_H */
