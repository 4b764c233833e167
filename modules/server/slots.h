/* SPDX-License-Identifier: Apache-2.0 */
/* slots.h - the files of the dispatchers' slots, one for each database. */
#ifndef LIMS_SLOTS_H
#define LIMS_SLOTS_H

#include <apr_tables.h>

/* Where the file for a database of this name is: in DefaultRuntimeDir. */
const char *lims_slots_file(const char *database, apr_pool_t *pool);

/* Removes the files of databases that are configured no more, but for those that
 * somebody holds: children of before a graceful restart, which end soon, or another
 * httpd. `files` (const char *) stay. */
void lims_slots_tidy(const apr_array_header_t *files, apr_pool_t *pool);

#endif /* LIMS_SLOTS_H */
