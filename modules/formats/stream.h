/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream.h - streams: bytes read piece by piece, from memory or from an archive
 * entry that is inflated while it is read and never in memory as a whole.
 */
#ifndef LIMS_FORMATS_STREAM_H
#define LIMS_FORMATS_STREAM_H

#include "formats/document.h"

typedef struct lims_stream_t lims_stream_t;

struct lims_stream_t {
    /* Reads up to `size` bytes (at least 1); returns their number, 0 at the end,
     * -1 with a reason on failure. */
    apr_ssize_t (*read)(lims_stream_t *stream, char *buffer, apr_size_t size);
    const char *name; /* name for reasons: "xl/workbook.xml"; "" for the file itself */
    void *data;       /* state of the implementation */
};

/* Creates a stream over bytes in memory, which must live as long as the stream. */
lims_stream_t *lims_stream_bytes(const char *bytes, apr_size_t length, apr_pool_t *pool);

#endif /* LIMS_FORMATS_STREAM_H */
