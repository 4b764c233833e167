/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route.h - the router: finds the route for a method and a path.
 *
 * Each surface has a router of its own, built once per process from the same tables of
 * the resources; a route that is not on a surface does not exist there. Contradictory
 * tables are refused, so that a configuration test finds them. A finished router is
 * read-only, and threads may share it.
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
    const char *inner; /* the text of the id behind it, or NULL */
    const char *allow; /* "GET, HEAD, PATCH"; NULL when unknown */
} lims_route_match_t;

/* Whether a surface has the route. */
bool lims_route_is_on(const lims_route_t *route, lims_surface_e surface);

/* Returns the list whose records the route answers as a file: the route of the resource that
 * .list names. NULL: there is none. */
const lims_route_t *lims_route_list(const lims_resource_t *resource, const lims_route_t *route);

/* Whether the route only reads. */
bool lims_route_reads(const lims_route_t *route);

/* Whether a surface answers the route with the bytes of a file, instead of JSON that has them
 * in base64. */
bool lims_route_is_file(const lims_route_t *route, lims_surface_e surface);

/* Whether the route is a list whose cursor is text, as where it is in order of more than
 * the id. */
bool lims_route_has_text_cursor(const lims_route_t *route);

/* Whether the route concerns one record, named by :id in its path. */
bool lims_route_has_id(const lims_route_t *route);

/* Whether If-Match is compared: the route changes one record. */
bool lims_route_has_condition(const lims_route_t *route);

/* Whether the route accepts a JSON body: false if it accepts only a form. */
bool lims_route_takes_json(const lims_route_t *route);

/* Checks the tables and builds the router of an HTTP surface, in `pool`. Returns NULL on
 * success, else all problems, one per line, and no router. */
const char *lims_router_create(lims_router_t **router, const lims_resource_t *const *resources,
                               lims_surface_e surface, apr_pool_t *pool);

/* Checks the tables of the resources against a table of statements. Returns NULL if they
 * are consistent, else all problems, one per line, in `pool`. */
const char *lims_route_check(const lims_resource_t *const *resources,
                             const lims_statement_t *statements, int statement_count,
                             apr_pool_t *pool);

/* Finds the route for a method and a path. `path` is the part of the URL's path behind
 * the surface's base ("/api/v1"), not decoded, "" for the root. It is compared exactly; a
 * trailing slash is not ignored. HEAD finds the route of GET. A literal segment takes
 * precedence over :id. The texts of `match` live as long as `pool` and `path`. */
lims_match_result_e lims_route_match(lims_route_match_t *match, const lims_router_t *router,
                                     const char *method, const char *path, apr_pool_t *pool);

#endif /* LIMS_KERNEL_ROUTE_H */
