/* SPDX-License-Identifier: Apache-2.0 */
/* httpd_error.c - errors of httpd itself in the API's form. */
#include "server/httpd_error.h"

#include <apr_strings.h>
#include <http_protocol.h>

#include "kernel/error.h"
#include "kernel/field.h"
#include "server/server.h"

static lims_error_e kind_of_status(int status)
{
    switch (status) {
    case HTTP_UNAUTHORIZED:
        return LIMS_E_UNAUTHORIZED;
    case HTTP_FORBIDDEN:
        return LIMS_E_FORBIDDEN;
    case HTTP_NOT_FOUND:
        return LIMS_E_NOT_FOUND;
    case HTTP_METHOD_NOT_ALLOWED:
        return LIMS_E_METHOD_NOT_ALLOWED;
    case HTTP_REQUEST_TIME_OUT:
        return LIMS_E_REQUEST_TIMEOUT;
    case HTTP_REQUEST_ENTITY_TOO_LARGE:
        return LIMS_E_PAYLOAD_TOO_LARGE;
    case HTTP_UNSUPPORTED_MEDIA_TYPE:
        return LIMS_E_UNSUPPORTED_MEDIA_TYPE;
    case HTTP_TOO_MANY_REQUESTS:
        return LIMS_E_RATE_LIMITED;
    case HTTP_BAD_GATEWAY:
    case HTTP_SERVICE_UNAVAILABLE:
    case HTTP_GATEWAY_TIME_OUT:
        return LIMS_E_SERVICE_UNAVAILABLE;
    default:
        return status >= 500 ? LIMS_E_INTERNAL : LIMS_E_BAD_REQUEST;
    }
}

/* Returns the message for a request that httpd refused, from httpd's own note if there
 * is one. */
static const char *words_of_status(const request_rec *r, int status)
{
    static const struct {
        const char *note; /* httpd's own message */
        const char *words;
    } causes[] = {
        { "exceeds server limit",
          "A header field of the request is larger than the server takes." },
        { "number of request header fields",
          "The request has more header fields than the server takes." },
        { "speaking plain HTTP", "This port speaks https: ask it by https://." },
    };
    const char *notes = apr_table_get(r->notes, "error-notes");

    for (apr_size_t i = 0; notes && i < LIMS_LENGTH(causes); i++) {
        if (ap_strstr_c(notes, causes[i].note)) {
            return causes[i].words;
        }
    }
    if (status == HTTP_NOT_FOUND) {
        return apr_psprintf(r->pool, "There is nothing at %s; the API is at %s.",
                            lims_excerpt(r->uri, r->pool),
                            lims_config_of(r->server)->settings.base);
    }
    return apr_psprintf(r->pool, "The server refused the request: %s.",
                        ap_get_status_line(status) + 4);
}

const lims_error_t *lims_httpd_error(const request_rec *r, int status, apr_pool_t *pool)
{
    return lims_client_error(pool, kind_of_status(status), "%s", words_of_status(r, status));
}
