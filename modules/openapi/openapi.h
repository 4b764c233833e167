/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openapi.h - the OpenAPI 3.1 document, generated from the tables that the router, the
 * validation and the writer of records use.
 */
#ifndef LIMS_OPENAPI_H
#define LIMS_OPENAPI_H

#include "lims.h"

/* Returns the document of these resources and of the webhooks, in `pool`: compact JSON,
 * the same bytes for the same tables. Routes that are not on the surface are left out. Every
 * path begins with `prefix` ("/api/v1"), which is also the path of the root.
 *
 * `server` is the URL, or its path, that clients put before every path, unchanged; so it
 * has no slash at its end. "" stands for the host that served the document; of the ways
 * to write that, only "" works with every generator of clients that was tried ("/"
 * results in "//api/v1"). The result is not NULL if lims_route_check() accepts the
 * tables. */
const char *lims_openapi(apr_size_t *length, const lims_resource_t *const *resources,
                         lims_surface_e surface, const char *server, const char *prefix,
                         apr_pool_t *pool);

/* Sets the kinds of error that a route can answer: those of its own table and those that
 * follow from its method, path and flags. */
void lims_openapi_errors(bool possible[LIMS_E_COUNT], const lims_route_t *route);

#endif /* LIMS_OPENAPI_H */
