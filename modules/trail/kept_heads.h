/* SPDX-License-Identifier: Apache-2.0 */
/* kept_heads.h - heads of the chain that were kept outside. */
#ifndef LIMS_TRAIL_KEPT_HEADS_H
#define LIMS_TRAIL_KEPT_HEADS_H

#include <apr_hash.h>

#include "lims.h"

/* Finds the heads of the request's organization in a text, or NULL, by the words that begin
 * with LIMS_AUDIT_HEAD: number of the block to its head in hexadecimal, "" where the text has
 * two of one block, which no block fits. */
apr_hash_t *lims_kept_heads(lims_request_t *rq, const char *text);

/* Returns the numbers (const char *) of the blocks behind `last`, in order, in `pool`. */
const apr_array_header_t *lims_kept_heads_behind(apr_hash_t *heads, apr_int64_t last,
                                                 apr_pool_t *pool);

#endif /* LIMS_TRAIL_KEPT_HEADS_H */
