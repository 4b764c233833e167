/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compound.h - compound files ([MS-CFB], "OLE2"): a file system in a file, with
 * sectors, chains of them, and a directory. What old workbooks stand in.
 *
 * Nothing that the file says of itself is believed: a chain is never longer than
 * the file, no sector lies outside of it, the directory is walked once.
 */
#ifndef LIMS_FORMATS_COMPOUND_H
#define LIMS_FORMATS_COMPOUND_H

#include "formats/document.h"

typedef struct lims_compound_t lims_compound_t;

/* Opens a file in memory, which has to outlive it. NULL with a reason: damaged, or
 * cut off. */
lims_compound_t *lims_compound_open(const char *bytes, apr_size_t length, lims_reasons_t *reasons,
                                    apr_pool_t *pool);

/* Whether the root storage has a stream of that name (ASCII, case ignored). */
bool lims_compound_has(const lims_compound_t *compound, const char *name);

/* The bytes of that stream, together. False when there is none, or with a reason
 * when its chain is damaged. */
bool lims_compound_read(const unsigned char **bytes, apr_size_t *length,
                        const lims_compound_t *compound, const char *name, apr_pool_t *pool);

#endif /* LIMS_FORMATS_COMPOUND_H */
