/* SPDX-License-Identifier: Apache-2.0 */
/*
 * archive.h - the ZIP archive that a workbook is, within bounds that its
 * directory is checked against before anything is inflated.
 */
#ifndef LIMS_FORMATS_ARCHIVE_H
#define LIMS_FORMATS_ARCHIVE_H

#include "formats/stream.h"

#define LIMS_ARCHIVE_ENTRIES_MAX 1000
#define LIMS_ARCHIVE_BYTES_MAX (128 * 1024 * 1024) /* inflated, of all entries */
#define LIMS_ARCHIVE_RATIO_MAX 200                 /* of one entry */

typedef struct lims_archive_t lims_archive_t;

/* Opens an archive in memory, which has to outlive it; closed with the pool.
 * NULL with a reason: damaged, encrypted, beyond the bounds. */
lims_archive_t *lims_archive_open(const char *bytes, apr_size_t length, lims_reasons_t *reasons,
                                  apr_pool_t *pool);

/* The entry of that path, to be inflated while it is read; its size and checksum
 * are those of the directory, or reading ends with a reason. NULL when there is
 * none, or with a reason when it is damaged. */
lims_stream_t *lims_archive_entry(lims_archive_t *archive, const char *path, apr_pool_t *pool);

#endif /* LIMS_FORMATS_ARCHIVE_H */
