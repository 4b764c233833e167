/* SPDX-License-Identifier: Apache-2.0 */
/* archive.c - ZIP archives by libzip. */
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

static bool damaged(lims_reasons_t *reasons)
{
    lims_reasons_block(reasons, LIMS_REASON_TRUNCATED_FILE, 0, 0,
                       "The workbook's archive is damaged or cut off.");
    return false;
}

static bool beyond(lims_reasons_t *reasons)
{
    lims_reasons_block(reasons, LIMS_REASON_ARCHIVE_LIMITS, 0, 0,
                       "The workbook inflates to more than %d MB, or %d times its size, or has "
                       "more than %d parts.",
                       LIMS_ARCHIVE_BYTES_MAX / 1048576, LIMS_ARCHIVE_RATIO_MAX,
                       LIMS_ARCHIVE_ENTRIES_MAX);
    return false;
}

/* What the directory says of every entry; reading goes no further than that. */
static bool within_bounds(zip_t *zip, lims_reasons_t *reasons)
{
    zip_int64_t count = zip_get_num_entries(zip, 0);
    zip_uint64_t total = 0;

    if (count > LIMS_ARCHIVE_ENTRIES_MAX) {
        return beyond(reasons);
    }
    for (zip_int64_t i = 0; i < count; i++) {
        zip_stat_t entry;

        if (zip_stat_index(zip, (zip_uint64_t)i, 0, &entry) != 0 ||
            (entry.valid & (ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE)) !=
                (ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE)) {
            return damaged(reasons);
        }
        if ((entry.valid & ZIP_STAT_ENCRYPTION_METHOD) && entry.encryption_method != ZIP_EM_NONE) {
            lims_reasons_block(reasons, LIMS_REASON_ENCRYPTED_FILE, 0, 0,
                               "The workbook is encrypted; save it without a password.");
            return false;
        }
        total += entry.size > LIMS_ARCHIVE_BYTES_MAX ? LIMS_ARCHIVE_BYTES_MAX + 1 : entry.size;
        if (total > LIMS_ARCHIVE_BYTES_MAX ||
            entry.size > 65536 + entry.comp_size * LIMS_ARCHIVE_RATIO_MAX) {
            return beyond(reasons);
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
        damaged(reasons);
        return NULL;
    }
    apr_pool_cleanup_register(pool, archive, discard, apr_pool_cleanup_null);
    return within_bounds(archive->zip, reasons) ? archive : NULL;
}

bool lims_archive_read(const char **bytes, apr_size_t *length, lims_archive_t *archive,
                       const char *path, apr_pool_t *pool)
{
    zip_stat_t entry;
    zip_file_t *file;
    zip_int64_t got;
    char *out;

    if (zip_stat(archive->zip, path, 0, &entry) != 0) {
        return false;
    }
    file = zip_fopen_index(archive->zip, entry.index, 0);
    if (!file) {
        return damaged(archive->reasons);
    }
    out = apr_palloc(pool, entry.size + 1);
    got = zip_fread(file, out, entry.size);
    /* Closing checks the CRC of what was read to its end. */
    if (got < 0 || (zip_uint64_t)got != entry.size || zip_fread(file, out + got, 1) != 0 ||
        zip_fclose(file) != 0) {
        return damaged(archive->reasons);
    }
    out[entry.size] = '\0';
    *bytes = out;
    *length = entry.size;
    return true;
}
