/* SPDX-License-Identifier: Apache-2.0 */
/*
 * headings.h - what the names of columns, fields and members say, in the languages
 * that instruments speak.
 */
#ifndef LIMS_EXTRACTION_HEADINGS_H
#define LIMS_EXTRACTION_HEADINGS_H

#include "lims.h"

/* Whether what stands below or beside such a name says who, where, or what somebody
 * liked to remark. */
bool lims_heading_tells(const char *text, apr_size_t length, apr_pool_t *pool);

/* Whether a folded text (profiles/fold.h) is a name that columns of tables of results
 * have, and nobody. */
bool lims_heading_is_of_table(const char *folded);

#endif /* LIMS_EXTRACTION_HEADINGS_H */
