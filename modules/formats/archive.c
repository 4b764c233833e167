/* SPDX-License-Identifier: Apache-2.0 */
/* archive.c - reading of ZIP archives with libzip. */
#include "formats/archive.h"

#include <zip.h>

struct lims_archive_t {
    zip_t *zip;
    lims_reasons_t *reasons;
};

static apr_status_t discard(void *data)
{
    zip_discard(((lims_archive_t *)data)->zip);
    return APR_SUCCESS;
}

static bool refuse_damaged(lims_reasons_t *reasons)
{
    lims_reasons_block(reasons, LIMS_REASON_TRUNCATED_FILE, 0, 0,
                       "The workbook's archive is damaged or cut off.");
    return false;
}

static bool refuse_too_large(lims_reasons_t *reasons)
{
    lims_reasons_block(reasons, LIMS_REASON_ARCHIVE_LIMITS, 0, 0,
                       "The workbook inflates to more than %d MB, or %d times its size, or has "
                       "more than %d parts.",
                       LIMS_ARCHIVE_BYTES_MAX / 1048576, LIMS_ARCHIVE_RATIO_MAX,
                       LIMS_ARCHIVE_ENTRIES_MAX);
    return false;
}

/* Checks the limits by the sizes in the archive's directory. That is enough, since
 * read_entry() inflates no more than the size stated there. */
static bool within_bounds(zip_t *zip, lims_reasons_t *reasons)
{
    zip_int64_t count = zip_get_num_entries(zip, 0);
    zip_uint64_t total = 0;

    if (count > LIMS_ARCHIVE_ENTRIES_MAX) {
        return refuse_too_large(reasons);
    }
    for (zip_int64_t i = 0; i < count; i++) {
        zip_stat_t entry;

        if (zip_stat_index(zip, (zip_uint64_t)i, 0, &entry) != 0 ||
            (entry.valid & (ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE)) !=
                (ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE)) {
            return refuse_damaged(reasons);
        }
        if ((entry.valid & ZIP_STAT_ENCRYPTION_METHOD) && entry.encryption_method != ZIP_EM_NONE) {
            lims_reasons_block(reasons, LIMS_REASON_ENCRYPTED_FILE, 0, 0,
                               "The workbook is encrypted; save it without a password.");
            return false;
        }
        total += entry.size > LIMS_ARCHIVE_BYTES_MAX ? LIMS_ARCHIVE_BYTES_MAX + 1 : entry.size;
        if (total > LIMS_ARCHIVE_BYTES_MAX ||
            entry.size > 65536 + entry.comp_size * LIMS_ARCHIVE_RATIO_MAX) {
            return refuse_too_large(reasons);
        }
    }
    return true;
}

lims_archive_t *lims_archive_open(const char *bytes, apr_size_t length, lims_reasons_t *reasons,
                                  apr_pool_t *pool)
{
    lims_archive_t *archive = apr_pcalloc(pool, sizeof(*archive));
    zip_source_t *source = zip_source_buffer_create(bytes, length, 0, NULL);

    archive->reasons = reasons;
    archive->zip = source ? zip_open_from_source(source, ZIP_RDONLY, NULL) : NULL;
    if (!archive->zip) {
        zip_source_free(source);
        refuse_damaged(reasons);
        return NULL;
    }
    apr_pool_cleanup_register(pool, archive, discard, apr_pool_cleanup_null);
    return within_bounds(archive->zip, reasons) ? archive : NULL;
}

/* --- Entries --------------------------------------------------------------- */

typedef struct {
    zip_file_t *file;
    zip_uint64_t left; /* bytes not yet read, by the directory's size */
    lims_reasons_t *reasons;
} entry_t;

static apr_status_t close_entry(void *data)
{
    entry_t *entry = data;

    if (entry->file) {
        zip_fclose(entry->file);
        entry->file = NULL;
    }
    return APR_SUCCESS;
}

/* libzip compares the CRC only when it reaches the end, so an entry is read up to
 * its end. */
static apr_ssize_t read_entry(lims_stream_t *stream, char *buffer, apr_size_t size)
{
    entry_t *entry = stream->data;
    zip_int64_t count = entry->file ? zip_fread(entry->file, buffer, size) : -1;

    if (count < 0 || (zip_uint64_t)count > entry->left || (count == 0 && entry->left > 0)) {
        refuse_damaged(entry->reasons);
        return -1;
    }
    entry->left -= (zip_uint64_t)count;
    if (count == 0) {
        close_entry(entry);
    }
    return (apr_ssize_t)count;
}

lims_stream_t *lims_archive_entry(lims_archive_t *archive, const char *path, apr_pool_t *pool)
{
    lims_stream_t *stream = apr_palloc(pool, sizeof(*stream));
    entry_t *entry = apr_pcalloc(pool, sizeof(*entry));
    zip_stat_t stat;

    if (zip_stat(archive->zip, path, 0, &stat) != 0 &&
        zip_stat(archive->zip, path, ZIP_FL_NOCASE, &stat) != 0) {
        return NULL;
    }
    entry->file = zip_fopen_index(archive->zip, stat.index, 0);
    if (!entry->file) {
        refuse_damaged(archive->reasons);
        return NULL;
    }
    entry->left = stat.size;
    entry->reasons = archive->reasons;
    apr_pool_cleanup_register(pool, entry, close_entry, apr_pool_cleanup_null);
    *stream = (lims_stream_t){ .read = read_entry, .name = path, .data = entry };
    return stream;
}
