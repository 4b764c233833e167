/* SPDX-License-Identifier: Apache-2.0 */
/* yajl_memory.c - yajl with the memory of a pool, and its error messages. */
#include "kernel/yajl_memory.h"

#include <apr_strings.h>
#include <stddef.h>
#include <string.h>

/* Before each block: a pool does not know how large it is. Aligned as a pool
 * aligns, which is enough for all that yajl keeps. */
typedef union {
    size_t size;
    void *pointer;
    double number;
} block_t;

static void *take(void *pool, size_t size)
{
    block_t *block = apr_palloc(pool, sizeof(*block) + size);

    if (!block) {
        return NULL;
    }
    block->size = size;
    return block + 1;
}

static void *resize(void *pool, void *old, size_t size)
{
    size_t kept = old ? ((block_t *)old - 1)->size : 0;
    void *block = take(pool, size);

    if (block && kept > 0) {
        memcpy(block, old, kept < size ? kept : size);
    }
    return block;
}

static void keep(void *pool, void *block)
{
    (void)pool;
    (void)block;
}

yajl_alloc_funcs lims_yajl_memory(apr_pool_t *pool)
{
    return (yajl_alloc_funcs){ .malloc = take, .realloc = resize, .free = keep, .ctx = pool };
}

const char *lims_yajl_fault(yajl_handle yajl, apr_pool_t *pool)
{
    const unsigned char *text = yajl_get_error(yajl, 0, NULL, 0);
    const char *words = text ? (const char *)text : "not well-formed";
    const char *colon = strstr(words, ": ");

    words = colon ? colon + 2 : words;
    return apr_pstrmemdup(pool, words, strcspn(words, "\n"));
}
