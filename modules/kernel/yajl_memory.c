/* SPDX-License-Identifier: Apache-2.0 */
/* yajl_memory.c - yajl with the memory of a pool, and its error messages. */
#include "kernel/yajl_memory.h"

#include <apr_strings.h>
#include <stddef.h>
#include <string.h>

/* Header of a block, with its size, which a pool does not record. Its own size is a
 * multiple of a pool's alignment, which suffices for yajl. */
typedef union {
    size_t size;
    void *pointer;
    double number;
} block_t;

static void *allocate(void *pool, size_t size)
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
    void *block = allocate(pool, size);

    if (block && kept > 0) {
        memcpy(block, old, kept < size ? kept : size);
    }
    return block;
}

static void keep_until_pool_ends(void *pool, void *block)
{
    (void)pool;
    (void)block;
}

yajl_alloc_funcs lims_yajl_memory(apr_pool_t *pool)
{
    return (yajl_alloc_funcs){
        .malloc = allocate, .realloc = resize, .free = keep_until_pool_ends, .ctx = pool
    };
}

const char *lims_yajl_fault(yajl_handle yajl, apr_pool_t *pool)
{
    const unsigned char *text = yajl_get_error(yajl, 0, NULL, 0);
    const char *words = text ? (const char *)text : "not well-formed";
    const char *colon = strstr(words, ": ");

    words = colon ? colon + 2 : words;
    return apr_pstrmemdup(pool, words, strcspn(words, "\n"));
}
