/* SPDX-License-Identifier: Apache-2.0 */
/* slot_files.c - the lock files of the dispatchers' slots, one for each database. */
#include "server/slot_files.h"

#include <apr_file_info.h>
#include <apr_lib.h>
#include <apr_strings.h>
#include <fcntl.h>
#include <httpd.h>

#include <http_config.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "kernel/digest.h"

#define PREFIX "lims-webhooks-"
#define NAME_BYTES 4 /* of the hash of the database's name */

const char *lims_slot_file(const char *database, apr_pool_t *pool)
{
    const char *hash = lims_sha256_hex(database, strlen(database), NAME_BYTES, pool);

    return hash ? ap_runtime_dir_relative(pool, apr_pstrcat(pool, PREFIX, hash, NULL)) : NULL;
}

static bool is_of_slots(const char *name)
{
    apr_size_t length = strlen(PREFIX);

    return strncmp(name, PREFIX, length) == 0 &&
           strspn(name + length, "0123456789abcdef") == 2 * NAME_BYTES &&
           name[length + 2 * NAME_BYTES] == '\0';
}

/* Whether another process holds a lock on the file; this one never does. */
static bool is_held(const char *path)
{
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    int file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    bool held;

    if (file < 0) {
        return true;
    }
    held = fcntl(file, F_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
    close(file);
    return held;
}

static bool is_among(const apr_array_header_t *files, const char *path)
{
    for (int i = 0; i < files->nelts; i++) {
        if (strcmp(APR_ARRAY_IDX(files, i, const char *), path) == 0) {
            return true;
        }
    }
    return false;
}

void lims_slot_files_tidy(const apr_array_header_t *files, apr_pool_t *pool)
{
    const char *folder = ap_runtime_dir_relative(pool, ".");
    apr_finfo_t entry;
    apr_dir_t *dir;

    if (apr_dir_open(&dir, folder, pool) != APR_SUCCESS) {
        return;
    }
    while (apr_dir_read(&entry, APR_FINFO_NAME, dir) == APR_SUCCESS) {
        const char *path = ap_runtime_dir_relative(pool, apr_pstrdup(pool, entry.name));
        if (is_of_slots(entry.name) && !is_among(files, path) && !is_held(path)) {
            apr_file_remove(path, pool);
        }
    }
    apr_dir_close(dir);
}
