/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scope.h - the scopes of API keys.
 */
#ifndef LIMS_KERNEL_SCOPE_H
#define LIMS_KERNEL_SCOPE_H

#include "lims.h"

typedef struct {
    const char *name;
    const char *doc;
} lims_scope_t;

/* Ends with a NULL name. */
extern const lims_scope_t lims_scopes[];

/* Whether there is a scope of this name. */
bool lims_scope_valid(const char *scope);

/* Whether a scope is in a PostgreSQL array literal ("{samples:read}"). NULL or "{}" is a key
 * without a list of scopes, which has all. A NULL scope is always granted. */
bool lims_scope_in(const char *pg_array, const char *scope);

#endif /* LIMS_KERNEL_SCOPE_H */
