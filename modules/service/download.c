/* SPDX-License-Identifier: Apache-2.0 */
/* download.c - files in the application. */
#include "service/download.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

#include "kernel/base64.h"
#include "kernel/error.h"
#include "kernel/json.h"
#include "service/service.h"

/* Whether the character of UTF-8 at `c` has three bytes and turns the direction of writing:
 * U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069. */
static bool turns_direction(const unsigned char *c)
{
    return c[0] == 0xe2 &&
           ((c[1] == 0x80 && (c[2] == 0x8e || c[2] == 0x8f || (c[2] >= 0xaa && c[2] <= 0xae))) ||
            (c[1] == 0x81 && c[2] >= 0xa6 && c[2] <= 0xa9));
}

/* Returns the name as a file may be called anywhere. */
static char *clean(const char *name, apr_pool_t *pool)
{
    char *cleaned = apr_pstrdup(pool, name && *name ? name : "file"), *to = cleaned;

    for (const unsigned char *c = (const unsigned char *)cleaned; *c; c++) {
        if (turns_direction(c)) {
            c += 2;
            *to++ = '_';
        } else {
            *to++ = (char)(apr_iscntrl(*c) || strchr("/\\:*?\"<>|%;'`$", *c) ? '_' : *c);
        }
    }
    *to = '\0';
    if (*cleaned == '.') {
        *cleaned = '_'; /* no hidden file, no directory */
    }
    return cleaned;
}

static const char *disposition(const char *kind, const char *name, apr_pool_t *pool)
{
    static const char digits[] = "0123456789ABCDEF";
    char *cleaned = clean(name, pool), *encoded = apr_palloc(pool, 3 * strlen(cleaned) + 1);
    char *plain = apr_pstrdup(pool, cleaned), *to = encoded;

    for (char *c = plain; *c; c++) {
        unsigned char byte = (unsigned char)*c;

        if (apr_isalnum(byte) || strchr("-._", byte)) {
            *to++ = *c;
        } else {
            *to++ = '%';
            *to++ = digits[byte >> 4];
            *to++ = digits[byte & 15];
        }
        *c = byte < 0x80 ? *c : '_';
    }
    *to = '\0';
    return apr_pstrcat(pool, kind, "; filename=\"", plain, "\"; filename*=UTF-8''", encoded, NULL);
}

const char *lims_download_disposition(const char *name, apr_pool_t *pool)
{
    return disposition("attachment", name, pool);
}

/* Makes the bytes of the document the body, and finds the file's name. */
static const lims_error_t *unwrap(const char **name, lims_request_t *rq)
{
    lims_reply_t *reply = rq->reply;
    lims_json_t *document = NULL;
    const lims_error_t *error = lims_json_parse(&document, reply->body, reply->length, rq->pool);
    const lims_json_t *named = error ? NULL : lims_json_member(document, "fileName");
    const lims_json_t *content = error ? NULL : lims_json_member(document, "contentBase64");

    if (!named || !content ||
        !lims_base64_decode(&reply->body, &reply->length, content->text, rq->pool)) {
        return lims_server_error(rq->pool, LIMS_E_INTERNAL, 0, "a file without name or bytes",
                                 "The file could not be answered.");
    }
    *name = named->text;
    return NULL;
}

/* A PDF of ours is shown, and cannot reach anything. */
static void show_pdf(lims_request_t *rq, const char *name)
{
    lims_reply_t *reply = rq->reply;

    reply->media_type = "application/pdf";
    apr_table_setn(reply->headers, "Content-Disposition", disposition("inline", name, rq->pool));
    apr_table_setn(reply->headers, "Content-Security-Policy",
                   "default-src 'none'; object-src 'self'; frame-ancestors 'self'");
    apr_table_setn(reply->headers, "Cross-Origin-Resource-Policy", "same-origin");
}

const lims_error_t *lims_download_answer(lims_request_t *rq)
{
    lims_reply_t *reply = rq->reply;
    const char *name = reply->file_name;
    const lims_error_t *error = name ? NULL : unwrap(&name, rq);

    if (error) {
        return error;
    }
    /* A file that the service made has the digest of its bytes as ETag. */
    if ((rq->route->flags & LIMS_R_PDF) && !apr_table_get(reply->headers, "ETag")) {
        lims_render_etag(rq);
    }
    if ((rq->route->flags & LIMS_R_PDF) && !reply->media_type) {
        show_pdf(rq, name);
        return NULL;
    }
    reply->media_type = "application/octet-stream";
    apr_table_setn(reply->headers, "Content-Disposition",
                   lims_download_disposition(name, rq->pool));
    apr_table_setn(reply->headers, "Content-Security-Policy", "sandbox; default-src 'none'");
    apr_table_setn(reply->headers, "Cross-Origin-Resource-Policy", "same-origin");
    return NULL;
}
