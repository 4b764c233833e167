/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scope.h - what an API key may be allowed to do.
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

/* Is the scope in a PostgreSQL array literal ("{samples:read}")? NULL or "{}"
 * is a key made without a list, which has all of them. A NULL scope asks for
 * nothing. */
bool lims_scope_in(const char *pg_array, const char *scope);

#endif /* LIMS_KERNEL_SCOPE_H */
