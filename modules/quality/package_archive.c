/* SPDX-License-Identifier: Apache-2.0 */
/* package_archive.c - writes a ZIP archive by libzip into a buffer of its own. */
#include "quality/package_archive.h"

#include <apr_strings.h>
#include <zip.h>

static const char *failure(zip_error_t *error, apr_pool_t *pool)
{
    return apr_pstrdup(pool, zip_error_strerror(error));
}

static bool add_file(zip_t *archive, const lims_package_file_t *file, apr_time_t at)
{
    zip_source_t *source = zip_source_buffer(archive, file->bytes, file->length, 0);
    zip_int64_t place =
        source ? zip_file_add(archive, file->name, source, ZIP_FL_ENC_UTF_8) : -1;

    if (source && place < 0) {
        zip_source_free(source);
    }
    return place >= 0 && zip_file_set_mtime(archive, (zip_uint64_t)place,
                                            (time_t)apr_time_sec(at), 0) == 0;
}

static const char *write_files(zip_source_t *buffer, const apr_array_header_t *files,
                               apr_time_t at, apr_pool_t *pool)
{
    zip_error_t error;
    zip_t *archive;
    bool done = true;
    const char *problem = NULL;

    zip_error_init(&error);
    archive = zip_open_from_source(buffer, ZIP_TRUNCATE, &error);
    if (!archive) {
        problem = failure(&error, pool);
        zip_error_fini(&error);
        return problem;
    }
    /* The buffer is read when the archive is closed, which gives up the archive's own hold. */
    zip_source_keep(buffer);
    for (int i = 0; i < files->nelts && done; i++) {
        done = add_file(archive, &APR_ARRAY_IDX(files, i, lims_package_file_t), at);
    }
    if (!done || zip_close(archive) != 0) {
        problem = failure(zip_get_error(archive), pool);
        zip_discard(archive);
    }
    zip_error_fini(&error);
    return problem;
}

static const char *read_buffer(const char **bytes, apr_size_t *length, zip_source_t *buffer,
                               apr_pool_t *pool)
{
    zip_stat_t found;
    char *copy;
    zip_int64_t got;

    if (zip_source_stat(buffer, &found) != 0 || zip_source_open(buffer) != 0) {
        return failure(zip_source_error(buffer), pool);
    }
    copy = apr_palloc(pool, (apr_size_t)found.size + 1);
    got = zip_source_read(buffer, copy, found.size);
    zip_source_close(buffer);
    if (got < 0 || (zip_uint64_t)got != found.size) {
        return failure(zip_source_error(buffer), pool);
    }
    copy[found.size] = '\0';
    *bytes = copy;
    *length = (apr_size_t)found.size;
    return NULL;
}

const char *lims_package_archive(const char **bytes, apr_size_t *length,
                                 const apr_array_header_t *files, apr_time_t at,
                                 apr_pool_t *pool)
{
    zip_error_t error;
    zip_source_t *buffer;
    const char *problem;

    zip_error_init(&error);
    buffer = zip_source_buffer_create(NULL, 0, 0, &error);
    problem = buffer ? write_files(buffer, files, at, pool) : failure(&error, pool);
    zip_error_fini(&error);
    if (!problem) {
        problem = read_buffer(bytes, length, buffer, pool);
    }
    if (buffer) {
        zip_source_free(buffer);
    }
    return problem;
}
