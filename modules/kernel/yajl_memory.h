/* SPDX-License-Identifier: Apache-2.0 */
/* yajl_memory.h - memory of a pool for yajl, and yajl's error messages. */
#ifndef LIMS_KERNEL_YAJL_MEMORY_H
#define LIMS_KERNEL_YAJL_MEMORY_H

#include <apr_pools.h>
#include <yajl/yajl_parse.h>

/* Returns allocation functions for yajl_alloc(), which copies them.
 * yajl does not check whether an allocation succeeded: with its own malloc it would
 * crash. A pool calls its owner's abort function instead. Memory is freed with the pool
 * only, so that handles need not be freed. */
yajl_alloc_funcs lims_yajl_memory(apr_pool_t *pool);

/* Returns the error message of a handle that refused a text, in `pool`, without the
 * prefix "lexical error: " and the line break at its end. The handle allocates from a
 * pool, see above. */
const char *lims_yajl_fault(yajl_handle yajl, apr_pool_t *pool);

#endif
