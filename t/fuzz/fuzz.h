/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz.h - what the fuzz targets share. A target reads arbitrary bytes and
 * aborts when something that must always hold does not.
 */
#ifndef LIMS_FUZZ_H
#define LIMS_FUZZ_H

#include <apr_general.h>
#include <apr_pools.h>
#include <apr_strings.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/error.h"
#include "kernel/json.h"
#include "kernel/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A fresh pool for one input. */
static inline apr_pool_t *fuzz_pool(void)
{
    static apr_pool_t *root;
    apr_pool_t *pool = NULL;

    if (!root) {
        apr_initialize();
        apr_pool_create(&root, NULL);
    }
    apr_pool_create(&pool, root);
    return pool;
}

static inline void must(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "does not hold: %s\n", what);
        abort();
    }
}

/* A refusal has a kind and words, and its answer is JSON. */
static inline void must_be_answerable(const lims_error_t *error, apr_pool_t *pool)
{
    lims_json_t *root = NULL;
    apr_size_t length = 0;
    const char *body = lims_error_body(&length, error, pool);

    must(!lims_json_parse(&root, body, length, pool), "an error's body is JSON");
    must(lims_utf8_valid(error->message, strlen(error->message)), "a message is UTF-8");
}

#endif /* LIMS_FUZZ_H */
