/* SPDX-License-Identifier: Apache-2.0 */
/*
 * permitted.h - the permissions of people, asked on every surface.
 *
 * A person is refused where a key is refused for its scope; a key under the policy
 * keysWithinRoles after everything else, so that a key that was refused without the policy
 * hears the same with it.
 */
#ifndef LIMS_SERVICE_PERMITTED_H
#define LIMS_SERVICE_PERMITTED_H

#include "lims.h"

/* Returns the permission that the route needs, with these values, and the actor lacks;
 * NULL: none. */
const char *lims_permission_lacking(const lims_request_t *rq);

/* Refuses a request whose actor lacks the permission of its route. The refusal
 * (LIMS_E_PERMISSION_REQUIRED) names the roles that have it. */
const lims_error_t *lims_permit_route(lims_request_t *rq);

/* Refuses likewise where the actor lacks a permission that an act needs besides that of
 * its route. */
const lims_error_t *lims_permit(lims_request_t *rq, const char *permission);

#endif /* LIMS_SERVICE_PERMITTED_H */
