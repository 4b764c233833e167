/* SPDX-License-Identifier: Apache-2.0 */
/* yajl_memory.h - yajl on the memory of a pool, and what it says. */
#ifndef LIMS_KERNEL_YAJL_MEMORY_H
#define LIMS_KERNEL_YAJL_MEMORY_H

#include <apr_pools.h>
#include <yajl/yajl_parse.h>

/* What yajl_alloc() and yajl_gen_alloc() are to allocate with; they keep a copy.
 * yajl does not look whether it got the memory it asked for: with its own
 * malloc, none is a crash. A pool without memory does what the pool's owner
 * wants done about it. Nothing is given back before the pool goes, so that
 * handles need not be freed. */
yajl_alloc_funcs lims_yajl_memory(apr_pool_t *pool);

/* What is wrong with a text, in the words of the handle that refused it, which
 * allocates so: without "lexical error: " before and a line break behind. */
const char *lims_yajl_fault(yajl_handle yajl, apr_pool_t *pool);

#endif
