/* SPDX-License-Identifier: Apache-2.0 */
/* slot_files.h - the files of the dispatchers' slots, one for each database. */
#ifndef LIMS_SLOT_FILES_H
#define LIMS_SLOT_FILES_H

#include <apr_tables.h>

/* Where the file for a database of this name is: in DefaultRuntimeDir. */
const char *lims_slot_file(const char *database, apr_pool_t *pool);

/* Removes the files of databases that are configured no more, but for those that
 * somebody holds: children of before a graceful restart, which end soon, or another
 * httpd. `files` (const char *) stay. */
void lims_slot_files_tidy(const apr_array_header_t *files, apr_pool_t *pool);

#endif /* LIMS_SLOT_FILES_H */
