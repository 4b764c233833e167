/* SPDX-License-Identifier: Apache-2.0 */
/* status_page.h - the status as an HTML page: the members of its JSON, in sections. */
#ifndef LIMS_STATUS_PAGE_H
#define LIMS_STATUS_PAGE_H

#include <apr_pools.h>

/* Returns the sections as HTML: a row for every member of the object, whose values are
 * scalars. A member without a section of its own goes to the first. */
const char *lims_status_page_sections(const char *json, apr_pool_t *pool);

/* Returns a whole HTML page with these sections. */
const char *lims_status_page_whole(const char *sections, apr_pool_t *pool);

#endif /* LIMS_STATUS_PAGE_H */
