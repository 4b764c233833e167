/* SPDX-License-Identifier: Apache-2.0 */
/* permitted.c - the permissions of people, asked on every surface. */
#include "service/permitted.h"

#include "kernel/field.h"
#include "kernel/permission.h"
#include "service/service.h"

static bool has(const lims_actor_t *actor, const char *permission)
{
    return !actor->permissions || lims_permission_in(actor->permissions, permission);
}

const char *lims_permission_lacking(const lims_request_t *rq)
{
    return lims_permission_missing(rq->route, rq->values, rq->actor.permissions);
}

/* The database knows which roles have the permission, and says it. */
static const lims_error_t *refuse(lims_request_t *rq, const char *permission)
{
    lims_values_t *values = lims_values_create(rq->pool);
    const lims_call_t call = { .statement = LIMS_STMT_PERMISSION_REFUSE, .values = values };
    lims_result_t *ignored = NULL;

    lims_values_set(values, "permission", permission);
    return rq->exchange ? lims_service_read(&ignored, rq, &call, 1)
                        : lims_database_run(&ignored, rq, &call, 1, 0);
}

const lims_error_t *lims_permit_route(lims_request_t *rq)
{
    const char *lacking = lims_permission_lacking(rq);

    return lacking ? refuse(rq, lacking) : NULL;
}

const lims_error_t *lims_permit(lims_request_t *rq, const char *permission)
{
    return has(&rq->actor, permission) ? NULL : refuse(rq, permission);
}
