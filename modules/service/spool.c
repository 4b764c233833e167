/* SPDX-License-Identifier: Apache-2.0 */
/* spool.c - a file as an answer, in a spool file. */
#include "service/spool.h"

#include <apr_strings.h>
#include <string.h>

#include "kernel/base64.h"
#include "kernel/error.h"
#include "kernel/writer.h"

/* Bytes that are written at once. */
#define BLOCK 65536

struct lims_spool_t {
    apr_pool_t *pool;
    const char *name;
    apr_file_t *file;
    char waiting[BLOCK]; /* bytes that are not written yet */
    apr_size_t waits;    /* how many */
    lims_spool_fn *see;  /* what is appended; NULL: nobody */
    void *watcher;
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

const lims_error_t *lims_spool_open(lims_spool_t **spool, const char *name, apr_pool_t *pool)
{
    lims_spool_t *made = apr_palloc(pool, sizeof(*made));
    const char *folder = NULL;
    char *path;
    apr_status_t status;

    *spool = made;
    made->pool = pool;
    made->name = name;
    made->waits = 0;
    made->see = NULL;
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

static const lims_error_t *flush(lims_spool_t *spool)
{
    apr_status_t status = apr_file_write_full(spool->file, spool->waiting, spool->waits, NULL);

    spool->waits = 0;
    return status == APR_SUCCESS ? NULL : failure(status, spool->pool);
}

void lims_spool_watch(lims_spool_t *spool, lims_spool_fn *see, void *watcher)
{
    spool->see = see;
    spool->watcher = watcher;
}

const lims_error_t *lims_spool_write(lims_spool_t *spool, const char *bytes, apr_size_t length)
{
    const lims_error_t *error = NULL;

    if (spool->see) {
        spool->see(spool->watcher, bytes, length);
    }
    while (length > 0 && !error) {
        apr_size_t room = BLOCK - spool->waits;
        apr_size_t part = length < room ? length : room;

        memcpy(spool->waiting + spool->waits, bytes, part);
        spool->waits += part;
        bytes += part;
        length -= part;
        if (spool->waits == BLOCK) {
            error = flush(spool);
        }
    }
    return error;
}

const lims_error_t *lims_spool_answer(lims_reply_t *reply, lims_spool_t *spool)
{
    const lims_error_t *error = flush(spool);
    apr_off_t length = 0;
    apr_status_t status = apr_file_seek(spool->file, APR_CUR, &length);

    if (error || status != APR_SUCCESS) {
        return error ? error : failure(status, spool->pool);
    }
    reply->file = spool->file;
    reply->file_name = spool->name;
    reply->length = (apr_size_t)length;
    return NULL;
}

const lims_error_t *lims_spool_copy(FILE *out, const lims_reply_t *reply, apr_pool_t *pool)
{
    char *bytes = apr_palloc(pool, BLOCK);
    apr_off_t beginning = 0;
    apr_size_t length = BLOCK;
    apr_status_t status = apr_file_seek(reply->file, APR_SET, &beginning);

    while (status == APR_SUCCESS && !ferror(out)) {
        length = BLOCK;
        status = apr_file_read(reply->file, bytes, &length);
        if (status == APR_SUCCESS) {
            fwrite(bytes, 1, length, out);
        }
    }
    return status == APR_SUCCESS || status == APR_EOF ? NULL : failure(status, pool);
}

static void make_document(lims_reply_t *reply, const char *bytes, apr_pool_t *pool)
{
    lims_writer_t *w = lims_writer_create(pool);

    lims_writer_object_begin(w);
    lims_writer_key(w, "fileName");
    lims_writer_string(w, reply->file_name);
    lims_writer_key(w, "contentBase64");
    lims_writer_string(w, lims_base64_encode(bytes, reply->length, pool));
    lims_writer_object_end(w);
    reply->body = lims_writer_finish(&reply->length, w);
}

const lims_error_t *lims_spool_read(lims_reply_t *reply, apr_pool_t *pool)
{
    apr_off_t beginning = 0;
    char *bytes;
    apr_status_t status;

    if (!reply->file) {
        if (reply->file_name) {
            make_document(reply, reply->body, pool);
        }
        return NULL;
    }
    bytes = apr_palloc(pool, reply->length);
    status = apr_file_seek(reply->file, APR_SET, &beginning);
    if (status == APR_SUCCESS) {
        status = apr_file_read_full(reply->file, bytes, reply->length, NULL);
    }
    if (status != APR_SUCCESS) {
        return failure(status, pool);
    }
    make_document(reply, bytes, pool);
    reply->file = NULL;
    return NULL;
}
