/* SPDX-License-Identifier: Apache-2.0 */
/*
 * multipart.h - a streaming parser of multipart/form-data (RFC 7578).
 *
 * It is our own, because libraries either need the whole body or come with a framework.
 * It is strict where lenient parsers have interpreted one message differently: lines
 * end in CR LF, there is nothing before the first boundary or after the last, every part
 * has exactly one Content-Disposition with a name, no name occurs twice, and no transfer
 * encoding is accepted.
 *
 * The file is in one contiguous mapping, made at its first byte and unmapped with the
 * pool: readers and the database need it contiguous, so a temporary file would have to
 * be read into memory anyway. Only pages that were written take memory, nothing is
 * copied, and the size is bounded. The other parts are short texts.
 */
#ifndef LIMS_KERNEL_MULTIPART_H
#define LIMS_KERNEL_MULTIPART_H

#include <apr_tables.h>

#include "lims.h"

/* Upper bounds: bytes of a part that is not the file, bytes of the header of a part,
 * parts of a form. Fields have tighter bounds of their own. */
#define LIMS_MULTIPART_FIELD_MAX 16384
#define LIMS_MULTIPART_HEADER_MAX 8192
#define LIMS_MULTIPART_PARTS_MAX 32

/* Largest size of a body besides its file, bytes. */
#define LIMS_MULTIPART_OVERHEAD_MAX 65536

typedef struct {
    const char *name;
    const char *file_name; /* without a path; NULL: none was sent */
    const char *bytes;     /* ends in a NUL that is not counted */
    apr_size_t length;
} lims_part_t;

typedef struct lims_multipart_t lims_multipart_t;

/* Whether a Content-Type is multipart/form-data, whatever its parameters; false for NULL. */
bool lims_multipart_is(const char *content_type);

/* Makes a parser, in `pool`, for a body of this Content-Type. The part named `file`
 * (NULL: no part) may have up to `file_max` bytes. LIMS_E_INVALID_BODY: the Content-Type
 * has no valid boundary. */
const lims_error_t *lims_multipart_create(lims_multipart_t **form, const char *content_type,
                                          const char *file, apr_size_t file_max, apr_pool_t *pool);

/* Parses the next bytes of the body, in pieces of any size; they are copied.
 * LIMS_E_INVALID_BODY: the form is malformed; LIMS_E_PAYLOAD_TOO_LARGE: the file is too
 * large. After an error it must not be called again. */
const lims_error_t *lims_multipart_feed(lims_multipart_t *form, const char *bytes,
                                        apr_size_t length);

/* Ends parsing: `*parts` are the parts (lims_part_t) in the order of the form, which live
 * as long as the pool. LIMS_E_INVALID_BODY: the form is incomplete. */
const lims_error_t *lims_multipart_finish(const apr_array_header_t **parts, lims_multipart_t *form);

/* Returns the part of that name, or NULL. */
const lims_part_t *lims_multipart_find(const apr_array_header_t *parts, const char *name);

/* Returns a digest of the parts, independent of the boundary; NULL: OpenSSL failed. */
const char *lims_multipart_digest(const apr_array_header_t *parts, apr_pool_t *pool);

#endif /* LIMS_KERNEL_MULTIPART_H */
