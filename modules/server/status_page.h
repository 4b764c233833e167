/* SPDX-License-Identifier: Apache-2.0 */
/* status_page.h - the status for people: the members of its JSON, in sections. */
#ifndef LIMS_STATUS_PAGE_H
#define LIMS_STATUS_PAGE_H

#include <apr_pools.h>

/* A section for each kind of figure, with a row for every member of the object,
 * whose values are scalars; from `pool`. What no section is for is told in the
 * first, under its own name. */
const char *lims_status_page_sections(const char *json, apr_pool_t *pool);

/* These sections as a page of their own. */
const char *lims_status_page_whole(const char *sections, apr_pool_t *pool);

#endif /* LIMS_STATUS_PAGE_H */
