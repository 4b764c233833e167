/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openapi.h - the API as an OpenAPI 3.1 document, made from nothing but the
 * tables that also route, validate and write it.
 */
#ifndef LIMS_KERNEL_OPENAPI_H
#define LIMS_KERNEL_OPENAPI_H

#include "lims.h"

/* The document of these resources and of the webhooks: compact JSON, the same
 * bytes for the same tables. Command-line routes are left out. `base` is the
 * URL, or its path, that stands before every route ("/api/v1"), without a
 * slash at its end. Not NULL for tables that lims_route_check() passes. */
const char *lims_openapi(apr_size_t *length, const lims_resource_t *const *resources,
                         const char *base, apr_pool_t *pool);

/* Which kinds of error a route can answer: those of its own table and those
 * that follow from its method, path and flags. */
void lims_openapi_errors(bool possible[LIMS_E_COUNT], const lims_route_t *route);

#endif /* LIMS_KERNEL_OPENAPI_H */
