/* SPDX-License-Identifier: Apache-2.0 */
/* content.h - the bytes of a file that came in a JSON body. */
#ifndef LIMS_SERVICE_CONTENT_H
#define LIMS_SERVICE_CONTENT_H

#include "lims.h"

/* Gets the bytes from a body with `content`, a text, or `contentBase64` (RFC 4648 section 4,
 * padded, in one line), NUL-terminated, in the request's pool; NULL when it has neither.
 * LIMS_E_INVALID_BODY. */
const lims_error_t *lims_content_read(const char **bytes, apr_size_t *length,
                                      const lims_request_t *rq);

#endif /* LIMS_SERVICE_CONTENT_H */
