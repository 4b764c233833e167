/* SPDX-License-Identifier: Apache-2.0 */
/*
 * permission.h - the permissions of people, one for each kind of act. Roles have them by the
 * organization's matrix, which is in the database. API keys have scopes instead.
 */
#ifndef LIMS_KERNEL_PERMISSION_H
#define LIMS_KERNEL_PERMISSION_H

#include "lims.h"

typedef struct {
    const char *name;
    const char *doc;
} lims_permission_t;

/* Ends with a NULL name. */
extern const lims_permission_t lims_permissions[];

/* Whether there is a permission of this name. */
bool lims_permission_valid(const char *permission);

/* Returns the permission that the route needs with these values of its body; NULL: none. */
const char *lims_permission_needed(const lims_route_t *route, const lims_values_t *values);

/* Returns the permission that the route needs with these values and a PostgreSQL array
 * literal of permissions does not have; NULL: none, or no matrix rules the actor (NULL). */
const char *lims_permission_missing(const lims_route_t *route, const lims_values_t *values,
                                    const char *pg_array);

/* Whether a PostgreSQL array literal has the permission. Unlike a list of scopes, an empty
 * one has none. */
bool lims_permission_in(const char *pg_array, const char *permission);

#endif /* LIMS_KERNEL_PERMISSION_H */
