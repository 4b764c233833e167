/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit.h - what the kernel's unit tests share: a pool, and looking at errors.
 */
#ifndef LIMS_UNIT_H
#define LIMS_UNIT_H

#include <apr_general.h>
#include <apr_pools.h>
#include <stdlib.h>

#include "kernel/error.h"
#include "tap.h"

static inline apr_pool_t *unit_pool(void)
{
    apr_pool_t *pool = NULL;

    if (apr_initialize() != APR_SUCCESS || apr_pool_create(&pool, NULL) != APR_SUCCESS) {
        exit(2);
    }
    return pool;
}

static inline bool passes(const lims_error_t *error, const char *name)
{
    if (!ok(!error, "%s", name)) {
        printf("# refused: %s\n", error->message);
    }
    return !error;
}

/* Refused with this kind, in words that contain `part`. */
static inline bool refuses(const lims_error_t *error, lims_error_e kind, const char *part,
                           const char *name)
{
    bool right = error && error->kind == kind && strstr(error->message, part);

    if (!ok(right, "%s", name)) {
        printf("# got %s: %s\n# expected %s: %s\n",
               error ? lims_error_kinds[error->kind].slug : "no error", error ? error->message : "",
               lims_error_kinds[kind].slug, part);
    }
    return right;
}

#endif /* LIMS_UNIT_H */
