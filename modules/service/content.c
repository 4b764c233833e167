/* SPDX-License-Identifier: Apache-2.0 */
/* content.c - the bytes of a file that came in a JSON body. */
#include "service/content.h"

#include <string.h>

#include "kernel/base64.h"
#include "kernel/error.h"
#include "kernel/field.h"

const lims_error_t *lims_content_read(const char **bytes, apr_size_t *length,
                                      const lims_request_t *rq)
{
    const char *encoded = lims_values_get(rq->values, "contentBase64");

    *bytes = lims_values_get(rq->values, "content");
    *length = *bytes ? strlen(*bytes) : 0;
    if (encoded && !lims_base64_decode(bytes, length, encoded, rq->pool)) {
        return lims_client_error(
            rq->pool, LIMS_E_INVALID_BODY,
            "contentBase64 must be base64 with its padding and without line breaks "
            "(RFC 4648 section 4).");
    }
    return NULL;
}
