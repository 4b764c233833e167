/* SPDX-License-Identifier: Apache-2.0 */
/*
 * archive.h - reading of ZIP archives, the container of .xlsx workbooks. The
 * limits below are checked in the archive's directory before anything is inflated.
 */
#ifndef LIMS_FORMATS_ARCHIVE_H
#define LIMS_FORMATS_ARCHIVE_H

#include "formats/stream.h"

#define LIMS_ARCHIVE_ENTRIES_MAX 1000
#define LIMS_ARCHIVE_BYTES_MAX (128 * 1024 * 1024) /* bytes of all entries together, inflated */
#define LIMS_ARCHIVE_RATIO_MAX 200                 /* highest compression ratio of an entry */

typedef struct lims_archive_t lims_archive_t;

/* Opens an archive in memory; `bytes` must live as long as `pool`, which closes
 * the archive. NULL with a reason: damaged, encrypted, or over a limit. */
lims_archive_t *lims_archive_open(const char *bytes, apr_size_t length, lims_reasons_t *reasons,
                                  apr_pool_t *pool);

/* Opens the entry with this path, or else one whose path differs from it in case only, as a
 * stream, which is inflated while it is read. Reading ends with a reason if size or checksum
 * differ from the directory's. NULL without a reason if there is no such entry, with one if
 * it is damaged. */
lims_stream_t *lims_archive_entry(lims_archive_t *archive, const char *path, apr_pool_t *pool);

#endif /* LIMS_FORMATS_ARCHIVE_H */
