/* SPDX-License-Identifier: Apache-2.0 */
/* slot_files.h - the lock files of the dispatchers' slots, one for each database. */
#ifndef LIMS_SLOT_FILES_H
#define LIMS_SLOT_FILES_H

#include <apr_tables.h>

/* Returns the path of the lock file for a database of this name, in DefaultRuntimeDir. */
const char *lims_slot_file(const char *database, apr_pool_t *pool);

/* Removes the lock files of databases that are no longer configured: all but `files`
 * (const char *) and those that a process holds, which is a child from before a
 * graceful restart or another httpd. */
void lims_slot_files_tidy(const apr_array_header_t *files, apr_pool_t *pool);

#endif /* LIMS_SLOT_FILES_H */
