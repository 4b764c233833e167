/* SPDX-License-Identifier: Apache-2.0 */
/* visible.h - texts as they are printed: nothing in them hides. */
#ifndef LIMS_PRINT_VISIBLE_H
#define LIMS_PRINT_VISIBLE_H

#include "lims.h"

/* Returns a text in which each character that would be invisible, or would change how its
 * neighbours read, stands as its number: "[U+202E]". That is controls, bidirectional
 * embeddings, overrides and isolates, zero-width characters outside the scripts that need
 * them, fillers, tags, and combining marks behind the eighth on one letter. Line ends become
 * "\n", or with `one_line` a space. `text` is valid UTF-8. */
const char *lims_visible(const char *text, apr_size_t length, bool one_line, apr_pool_t *pool);

#endif /* LIMS_PRINT_VISIBLE_H */
