/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compound.h - reading of compound files ([MS-CFB], "OLE2"), the container of .xls
 * workbooks: a small file system with sectors, a file allocation table (FAT) and a
 * directory.
 *
 * No statement of the file is trusted: a chain is never longer than the file, no
 * sector lies outside of it, and each directory entry is visited once.
 */
#ifndef LIMS_FORMATS_COMPOUND_H
#define LIMS_FORMATS_COMPOUND_H

#include "formats/document.h"

typedef struct lims_compound_t lims_compound_t;

/* Opens a file in memory; `bytes` must live as long as `pool`. NULL with a reason:
 * damaged or truncated. */
lims_compound_t *lims_compound_open(const char *bytes, apr_size_t length, lims_reasons_t *reasons,
                                    apr_pool_t *pool);

/* Whether the root storage has a stream with this name (ASCII, any case). */
bool lims_compound_has(const lims_compound_t *compound, const char *name);

/* Reads a whole stream of the root storage; the bytes live in `pool`. False
 * without a reason if there is none, with one if its chain of sectors is damaged. */
bool lims_compound_read(const unsigned char **bytes, apr_size_t *length,
                        const lims_compound_t *compound, const char *name, apr_pool_t *pool);

#endif /* LIMS_FORMATS_COMPOUND_H */
