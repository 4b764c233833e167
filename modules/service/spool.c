/* SPDX-License-Identifier: Apache-2.0 */
/* spool.c - an answer in a spool file. */
#include "service/spool.h"

#include <apr_strings.h>
#include <string.h>

#include "kernel/base64.h"
#include "kernel/error.h"

/* Bytes that are encoded at once: whole groups of three, so that no padding comes between. */
#define BLOCK 49152

_Static_assert(BLOCK % 3 == 0, "base64 encodes groups of three bytes");

struct lims_spool_t {
    apr_pool_t *pool;
    apr_pool_t *scratch; /* of one block */
    apr_file_t *file;
    char waiting[BLOCK]; /* bytes that are not encoded yet */
    apr_size_t waits;    /* how many */
};

static const lims_error_t *unavailable(const char *cause, apr_pool_t *pool)
{
    return lims_server_error(pool, LIMS_E_SERVICE_UNAVAILABLE, 48,
                             apr_pstrcat(pool, "spool file: ", cause, NULL),
                             "The file cannot be made now. Try again later.");
}

static const lims_error_t *failure(apr_status_t status, apr_pool_t *pool)
{
    char text[128];

    return unavailable(apr_strerror(status, text, sizeof(text)), pool);
}

static const lims_error_t *write_text(const lims_spool_t *spool, const char *text,
                                      apr_size_t length)
{
    apr_status_t status = apr_file_write_full(spool->file, text, length, NULL);

    return status == APR_SUCCESS ? NULL : failure(status, spool->pool);
}

const lims_error_t *lims_spool_open(lims_spool_t **spool, apr_pool_t *pool)
{
    lims_spool_t *made = apr_palloc(pool, sizeof(*made));
    const char *folder = NULL;
    char *path;
    apr_status_t status;

    *spool = made;
    made->pool = pool;
    made->waits = 0;
    apr_pool_create(&made->scratch, pool);
    if (apr_temp_dir_get(&folder, pool) != APR_SUCCESS) {
        return unavailable("no folder for temporary files can be written to", pool);
    }
    path = apr_pstrcat(pool, folder, "/lims-spool-XXXXXX", NULL);
    status = apr_file_mktemp(&made->file, path,
                             APR_FOPEN_CREATE | APR_FOPEN_READ | APR_FOPEN_WRITE | APR_FOPEN_EXCL |
                                 APR_FOPEN_BINARY,
                             pool);
    if (status == APR_SUCCESS) {
        status = apr_file_remove(path, pool);
    }
    return status == APR_SUCCESS ? NULL : failure(status, pool);
}

/* Encodes what waits. */
static const lims_error_t *encode(lims_spool_t *spool)
{
    const char *text = lims_base64_encode(spool->waiting, spool->waits, spool->scratch);
    const lims_error_t *error = write_text(spool, text, strlen(text));

    spool->waits = 0;
    apr_pool_clear(spool->scratch);
    return error;
}

const lims_error_t *lims_spool_text(lims_spool_t *spool, const char *text)
{
    return write_text(spool, text, strlen(text));
}

const lims_error_t *lims_spool_bytes(lims_spool_t *spool, const char *bytes, apr_size_t length)
{
    const lims_error_t *error = NULL;

    while (length > 0 && !error) {
        apr_size_t room = BLOCK - spool->waits;
        apr_size_t part = length < room ? length : room;

        memcpy(spool->waiting + spool->waits, bytes, part);
        spool->waits += part;
        bytes += part;
        length -= part;
        if (spool->waits == BLOCK) {
            error = encode(spool);
        }
    }
    return error;
}

const lims_error_t *lims_spool_end_bytes(lims_spool_t *spool)
{
    return encode(spool);
}

const lims_error_t *lims_spool_answer(lims_reply_t *reply, lims_spool_t *spool)
{
    apr_off_t length = 0;
    apr_status_t status = apr_file_seek(spool->file, APR_CUR, &length);

    if (status != APR_SUCCESS) {
        return failure(status, spool->pool);
    }
    reply->file = spool->file;
    reply->length = (apr_size_t)length;
    return NULL;
}

const lims_error_t *lims_spool_read(lims_reply_t *reply, apr_pool_t *pool)
{
    apr_off_t beginning = 0;
    char *body;
    apr_status_t status;

    if (!reply->file) {
        return NULL;
    }
    body = apr_palloc(pool, reply->length + 1);
    status = apr_file_seek(reply->file, APR_SET, &beginning);
    if (status == APR_SUCCESS) {
        status = apr_file_read_full(reply->file, body, reply->length, NULL);
    }
    body[reply->length] = '\0';
    reply->body = body;
    return status == APR_SUCCESS ? NULL : failure(status, pool);
}
