/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scope.c - the scopes of API keys.
 */
#include "kernel/scope.h"

#include <string.h>

const lims_scope_t lims_scopes[] = {
    { "samples:read", "Read samples, their readiness, and a sample with its tests and results" },
    { "samples:write", "Register, change and receive samples" },
    { "results:read", "List and read sample tests with their results" },
    { "results:write", "Enter results" },
    { "results:verify", "Verify and lock results" },
    { "reports:write", "Mark samples as reported" },
    { "approvals:read", "Read approval records" },
    { "approvals:write", "Approve and reject" },
    { "reference:read", "Read test definitions, material types, projects, clients and locations" },
    { "reference:write", "Create and change reference records" },
    { "instruments:write", "Upload instrument files" },
    { "events:read", "Read the organization's events" },
    { "certificates:read", "Read certificates of analysis and their documents" },
    { NULL, NULL },
};

bool lims_scope_valid(const char *scope)
{
    const lims_scope_t *known = lims_scopes;

    while (known->name && strcmp(known->name, scope) != 0) {
        known++;
    }
    return known->name;
}

/* Scopes need no quotes in an array literal; quotes are skipped, so that literals with
 * quotes are read too. */
bool lims_scope_in(const char *pg_array, const char *scope)
{
    static const char separators[] = "{}\", ";
    const char *p = pg_array;
    bool empty = true;

    while (scope && p && *p != '\0') {
        apr_size_t length;

        p += strspn(p, separators);
        length = strcspn(p, separators);
        if (length > 0 && strlen(scope) == length && memcmp(p, scope, length) == 0) {
            return true;
        }
        empty = empty && length == 0;
        p += length;
    }
    return !scope || empty;
}
