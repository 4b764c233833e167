/* SPDX-License-Identifier: Apache-2.0 */
/* archive_file.c - writing archives of the audit trail, durably. */
#include "trail/archive_file.h"

#include <apr_file_io.h>
#include <apr_strings.h>
#include <string.h>

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

struct lims_archive_out_t {
    apr_pool_t *pool;
    const char *name;
    const char *partial; /* its name until it is published */
    apr_file_t *file;
    lims_signed_lines_t *lines;
};

const char *lims_archive_subject(const lims_archive_t *archive, apr_pool_t *pool)
{
    return apr_psprintf(pool, LIMS_ARCHIVE_FORMAT ":%s:%s:%s:%" APR_INT64_T_FMT ":%s",
                        archive->organization, archive->from_block, archive->to_block,
                        archive->entries, archive->head);
}

static const char *problem_of(const lims_archive_out_t *out, const char *name, apr_status_t rv)
{
    char reason[120];

    return apr_psprintf(out->pool, "%s: %s", name, apr_strerror(rv, reason, sizeof(reason)));
}

const char *lims_archive_begin(lims_archive_out_t **out, const char *name, apr_pool_t *pool)
{
    lims_archive_out_t *made = apr_pcalloc(pool, sizeof(*made));
    apr_finfo_t info;
    apr_status_t rv;

    *out = made;
    made->pool = pool;
    made->name = name;
    made->partial = apr_pstrcat(pool, name, ".partial", NULL);
    made->lines = lims_signed_lines_begin(pool);
    if (apr_stat(&info, name, APR_FINFO_TYPE, pool) == APR_SUCCESS) {
        return apr_psprintf(pool, "%s exists already: name another file", name);
    }
    rv = apr_file_open(&made->file, made->partial,
                       APR_FOPEN_WRITE | APR_FOPEN_CREATE | APR_FOPEN_TRUNCATE | APR_FOPEN_BUFFERED,
                       APR_FPROT_UREAD | APR_FPROT_UWRITE, pool);
    return rv == APR_SUCCESS ? NULL : problem_of(made, made->partial, rv);
}

static const char *write_bytes(lims_archive_out_t *out, const char *bytes, apr_size_t length)
{
    apr_status_t rv = apr_file_write_full(out->file, bytes, length, NULL);

    return rv == APR_SUCCESS ? NULL : problem_of(out, out->partial, rv);
}

const char *lims_archive_line(lims_archive_out_t *out, const char *line)
{
    const char *problem = write_bytes(out, line, strlen(line));

    lims_signed_lines_add(out->lines, line, strlen(line));
    lims_signed_lines_add(out->lines, "\n", 1);
    return problem ? problem : write_bytes(out, "\n", 1);
}

const char *lims_archive_end(const char **name, lims_archive_out_t *out, const char *subject,
                             const lims_keyring_t *ring)
{
    lims_signed_t said;
    const char *last = lims_signed_lines_end(&said, out->lines, subject, ring, out->pool);
    const char *problem = last ? write_bytes(out, last, strlen(last)) : "OpenSSL could not sign it";
    apr_status_t rv;

    *name = out->partial;
    if (problem) {
        return problem;
    }
    rv = apr_file_sync(out->file);
    if (rv == APR_SUCCESS) {
        rv = apr_file_close(out->file);
        out->file = NULL;
    }
    return rv == APR_SUCCESS ? NULL : problem_of(out, out->partial, rv);
}

/* Makes the entry of a file in its folder durable. */
static apr_status_t sync_folder(const char *name, apr_pool_t *pool)
{
    const char *end = strrchr(name, '/');
    const char *folder = !end          ? "."
                         : end == name ? "/"
                                       : apr_pstrmemdup(pool, name, (apr_size_t)(end - name));
    int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    apr_status_t rv =
        descriptor < 0 || fsync(descriptor) != 0 ? APR_FROM_OS_ERROR(errno) : APR_SUCCESS;

    if (descriptor >= 0) {
        close(descriptor);
    }
    return rv;
}

const char *lims_archive_publish(lims_archive_out_t *out)
{
    /* A link, not a rename: another file of that name that has come meanwhile stays. */
    apr_status_t rv = apr_file_link(out->partial, out->name);

    if (rv == APR_SUCCESS) {
        rv = apr_file_remove(out->partial, out->pool);
    }
    if (rv == APR_SUCCESS) {
        rv = sync_folder(out->name, out->pool);
    }
    return rv == APR_SUCCESS ? NULL : problem_of(out, out->name, rv);
}

void lims_archive_discard(lims_archive_out_t *out)
{
    if (out->file) {
        apr_file_close(out->file);
    }
    apr_file_remove(out->partial, out->pool);
}
