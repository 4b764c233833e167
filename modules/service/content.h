/* SPDX-License-Identifier: Apache-2.0 */
/* content.h - the bytes of a file in JSON, as they come and as they go. */
#ifndef LIMS_SERVICE_CONTENT_H
#define LIMS_SERVICE_CONTENT_H

#include "lims.h"

/* The answer of a route that gives the bytes of a file that is kept. */
extern const lims_field_t lims_content_output[];

/* Gets the bytes from a body with `content`, a text, or `contentBase64` (RFC 4648 section 4,
 * padded, in one line), NUL-terminated, in the request's pool; NULL when it has neither.
 * LIMS_E_INVALID_BODY. */
const lims_error_t *lims_content_read(const char **bytes, apr_size_t *length,
                                      const lims_request_t *rq);

#endif /* LIMS_SERVICE_CONTENT_H */
