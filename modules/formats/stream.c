/* SPDX-License-Identifier: Apache-2.0 */
/* stream.c - streams over bytes in memory. */
#include "formats/stream.h"

#include <string.h>

typedef struct {
    const char *at;
    apr_size_t left;
} bytes_t;

static apr_ssize_t read_bytes(lims_stream_t *stream, char *buffer, apr_size_t size)
{
    bytes_t *bytes = stream->data;
    apr_size_t count = size < bytes->left ? size : bytes->left;

    memcpy(buffer, bytes->at, count);
    bytes->at += count;
    bytes->left -= count;
    return (apr_ssize_t)count;
}

lims_stream_t *lims_stream_bytes(const char *bytes, apr_size_t length, apr_pool_t *pool)
{
    lims_stream_t *stream = apr_palloc(pool, sizeof(*stream));
    bytes_t *data = apr_palloc(pool, sizeof(*data));

    *data = (bytes_t){ .at = bytes, .left = length };
    *stream = (lims_stream_t){ .read = read_bytes, .name = "", .data = data };
    return stream;
}
