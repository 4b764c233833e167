/* SPDX-License-Identifier: Apache-2.0 */
/* package_archive.h - files put together as a ZIP archive, in memory. */
#ifndef LIMS_QUALITY_PACKAGE_ARCHIVE_H
#define LIMS_QUALITY_PACKAGE_ARCHIVE_H

#include "lims.h"

/* A file of an archive. */
typedef struct {
    const char *name;
    const char *bytes;
    apr_size_t length;
} lims_package_file_t;

/* Makes the archive of files (lims_package_file_t), each with `at` as its time, in `pool`.
 * Returns NULL, or why libzip could not. */
const char *lims_package_archive(const char **bytes, apr_size_t *length,
                                 const apr_array_header_t *files, apr_time_t at,
                                 apr_pool_t *pool);

#endif /* LIMS_QUALITY_PACKAGE_ARCHIVE_H */
