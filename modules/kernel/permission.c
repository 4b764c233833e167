/* SPDX-License-Identifier: Apache-2.0 */
/*
 * permission.c - the permissions of people.
 */
#include "kernel/permission.h"

#include <string.h>

#include "kernel/field.h"
#include "kernel/scope.h"

const lims_permission_t lims_permissions[] = {
    { "data.read", "Read the laboratory's records" },
    { "audit.read", "Read the audit trail" },
    { "sample.register", "Register samples, orders and clients" },
    { "sample.receive", "Receive samples" },
    { "sample.edit", "Correct samples, add tests, hold and dispose of samples" },
    { "sample.cancel", "Cancel and reject samples" },
    { "sample.report", "Report samples" },
    { "result.enter", "Enter results" },
    { "result.verify", "Verify results, send them back, repeat tests" },
    { "result.reopen", "Reopen verified results" },
    { "approval.decide", "Approve and reject" },
    { "certificate.issue", "Issue certificates" },
    { "certificate.amend", "Amend reported samples and their certificates" },
    { "qc.enter", "Run QC batches" },
    { "qc.override", "Override failed QC batches and lots" },
    { "lot.manage", "Register, open and quarantine lots" },
    { "lot.release", "Release lots from quarantine" },
    { "worksheet.fill", "Fill in worksheets" },
    { "worksheet.sign", "Sign worksheets off" },
    { "confirmation.record", "Record confirmation steps" },
    { "confirmation.decide", "Decide the outcome of confirmations" },
    { "investigation.work", "Work on investigations" },
    { "investigation.close", "Close investigations" },
    { "file.import", "Import instrument files" },
    { "file.review", "Review quarantined instrument files" },
    { "profile.manage", "Manage instrument profiles" },
    { "reference.manage", "Manage reference data" },
    { "policy.manage", "Manage policies and the permissions of roles" },
    { "user.manage", "Manage users" },
    { "key.manage", "Manage API keys" },
    { "webhook.manage", "Manage webhook endpoints" },
    { "note.add", "Add comments and attachments" },
    { "self", "The person's own session, password and views" },
    { NULL, NULL },
};

bool lims_permission_valid(const char *permission)
{
    const lims_permission_t *known = lims_permissions;

    while (known->name && strcmp(known->name, permission) != 0) {
        known++;
    }
    return known->name;
}

const char *lims_permission_needed(const lims_route_t *route, const lims_values_t *values)
{
    for (const lims_permission_by_t *by = route->permission_by; by && by->member; by++) {
        const char *value = lims_values_get(values, by->member);

        if (value && strcmp(value, by->value) == 0) {
            return by->permission;
        }
    }
    return route->permission;
}

const char *lims_permission_missing(const lims_route_t *route, const lims_values_t *values,
                                    const char *pg_array)
{
    const char *needed = lims_permission_needed(route, values);
    const char *other = route->permission_or;
    bool has = !needed || !pg_array || lims_permission_in(pg_array, needed) ||
               (other && lims_permission_in(pg_array, other)) ||
               (route->flags & LIMS_R_SIGNED_IN) != 0;

    return has ? NULL : needed;
}

bool lims_permission_in(const char *pg_array, const char *permission)
{
    return strcmp(pg_array, "{}") != 0 && lims_scope_in(pg_array, permission);
}
