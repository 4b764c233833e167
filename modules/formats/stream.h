/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream.h - bytes that are read piece by piece: of a file in memory, or of an
 * entry of an archive while it is inflated, which is never in memory whole.
 */
#ifndef LIMS_FORMATS_STREAM_H
#define LIMS_FORMATS_STREAM_H

#include "formats/document.h"

typedef struct lims_stream_t lims_stream_t;

struct lims_stream_t {
    /* Up to `size` bytes, which are more than 0; 0 at the end; -1, with a reason,
     * when there is no going on. */
    apr_ssize_t (*read)(lims_stream_t *stream, char *buffer, apr_size_t size);
    const char *name; /* for reasons: "xl/workbook.xml"; "" for the file itself */
    void *data;       /* the reader's own */
};

/* Of bytes that outlive it. */
lims_stream_t *lims_stream_bytes(const char *bytes, apr_size_t length, apr_pool_t *pool);

#endif /* LIMS_FORMATS_STREAM_H */
