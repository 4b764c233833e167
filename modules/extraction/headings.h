/* SPDX-License-Identifier: Apache-2.0 */
/*
 * headings.h - classification of the names of columns, fields and members, in the
 * languages of instruments' files.
 */
#ifndef LIMS_EXTRACTION_HEADINGS_H
#define LIMS_EXTRACTION_HEADINGS_H

#include "lims.h"

/* Whether a name announces personal data, a location or a remark, below or beside it. */
bool lims_heading_tells(const char *text, apr_size_t length, apr_pool_t *pool);

/* Whether a folded text (profiles/fold.h) is a usual column name of result tables, and no
 * person's name. */
bool lims_heading_is_of_table(const char *folded);

#endif /* LIMS_EXTRACTION_HEADINGS_H */
