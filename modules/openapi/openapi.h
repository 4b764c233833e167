/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openapi.h - the OpenAPI 3.1 document, generated from the tables that the router, the
 * validation and the writer of records use.
 */
#ifndef LIMS_OPENAPI_H
#define LIMS_OPENAPI_H

#include "lims.h"

/* The document of these resources and of the webhooks: compact JSON, the same
 * bytes for the same tables. Command-line routes are left out. `prefix` begins every
 * path ("/api/v1"), the root's too, which so needs no slash at its end.
 *
 * `server` is the URL that stands before the paths, or its path; "" where they are
 * whole. Clients put the two together as they stand, so it has no slash at its end:
 * of the ways to write "the host that this came from", only "" is right with every
 * generator of clients that was tried ("/" makes "//api/v1" of it). Not NULL for
 * tables that lims_route_check() passes. */
const char *lims_openapi(apr_size_t *length, const lims_resource_t *const *resources,
                         const char *server, const char *prefix, apr_pool_t *pool);

/* Sets the kinds of error that a route can answer: those of its own table and those that
 * follow from its method, path and flags. */
void lims_openapi_errors(bool possible[LIMS_E_COUNT], const lims_route_t *route);

#endif /* LIMS_OPENAPI_H */
