/* SPDX-License-Identifier: Apache-2.0 */
/* keyfile.c - the key file of seal.h. */
#include <apr_strings.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/seal.h"

/* Largest key file: a key takes some 80 bytes; the rest is for comments. */
#define FILE_MAX 16384

static const char *check_permissions(int fd, const char *file, apr_pool_t *pool)
{
    struct stat info;

    if (fstat(fd, &info) != 0) {
        return apr_psprintf(pool, "%s: %s", file, strerror(errno));
    }
    if (!S_ISREG(info.st_mode)) {
        return apr_psprintf(pool, "%s is not a regular file", file);
    }
    if ((info.st_mode & 077) != 0) {
        return apr_psprintf(pool, "%s is open to others than its owner: \"chmod 600\" it", file);
    }
    if (info.st_uid != 0 && info.st_uid != geteuid()) {
        return apr_psprintf(pool, "%s belongs to another user: \"chown root\" it", file);
    }
    if (info.st_size > FILE_MAX) {
        return apr_psprintf(pool, "%s is too long for a key file", file);
    }
    return NULL;
}

static const char *read_bytes(const char **bytes, apr_size_t *length, int fd, const char *file,
                              apr_pool_t *pool)
{
    char *read_into = lims_wiped_alloc(FILE_MAX + 1, pool);
    ssize_t got;

    *length = 0;
    do {
        got = read(fd, read_into + *length, FILE_MAX - *length);
        if (got < 0 && errno != EINTR) {
            return apr_psprintf(pool, "%s: %s", file, strerror(errno));
        }
        *length += got > 0 ? (apr_size_t)got : 0;
    } while (got != 0 && *length < FILE_MAX);
    *bytes = read_into;
    return NULL;
}

const char *lims_secret_bytes_read(const char **bytes, apr_size_t *length, const char *file,
                                   apr_pool_t *pool)
{
    /* O_NONBLOCK: a named pipe must not block. */
    int fd = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    const char *problem;

    *bytes = NULL;
    *length = 0;
    if (fd < 0) {
        return errno == ENOENT ? NULL : apr_psprintf(pool, "%s: %s", file, strerror(errno));
    }
    problem = check_permissions(fd, file, pool);
    if (!problem) {
        problem = read_bytes(bytes, length, fd, file, pool);
    }
    close(fd);
    return problem;
}

const char *lims_secret_file_read(const char **text, const char *file, apr_pool_t *pool)
{
    apr_size_t length = 0;
    const char *problem = lims_secret_bytes_read(text, &length, file, pool);

    return problem || !*text || strlen(*text) == length
               ? problem
               : apr_psprintf(pool, "%s is not a text", file);
}

const char *lims_keyring_read(const lims_keyring_t **ring, const char *file, apr_pool_t *pool)
{
    const char *text = NULL;
    const char *problem = lims_secret_file_read(&text, file, pool);

    if (!problem && !text) {
        return apr_psprintf(pool, "there is no file %s: \"limsctl secret-key\" makes it", file);
    }
    return problem ? problem : lims_keyring_parse(ring, text, file, pool);
}

/* Writes a new file that only its owner may read, and syncs it to disk before it is
 * renamed. */
static int write_new_file(const char *file, const char *text)
{
    apr_size_t length = strlen(text);
    int fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    int error = 0;

    if (fd < 0) {
        return errno;
    }
    errno = EIO;
    if (write(fd, text, length) != (ssize_t)length || fsync(fd) != 0) {
        error = errno;
    }
    if (close(fd) != 0 && !error) {
        error = errno;
    }
    if (error) {
        unlink(file);
    }
    return error;
}

/* Syncs the folder: before that, a crash may undo the renaming. */
static int sync_folder(const char *file, apr_pool_t *pool)
{
    const char *slash = strrchr(file, '/');
    const char *folder = slash ? apr_pstrmemdup(pool, file, (apr_size_t)(slash - file) + 1) : ".";
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int error = 0;

    if (fd < 0) {
        return errno;
    }
    /* EINVAL: this file system writes folders synchronously. */
    if (fsync(fd) != 0 && errno != EINVAL) {
        error = errno;
    }
    close(fd);
    return error;
}

static const char *replace_file(const char *file, const char *text, apr_pool_t *pool)
{
    const char *new_file = apr_pstrcat(pool, file, ".new", NULL);
    int error = write_new_file(new_file, text);

    if (error == EEXIST) {
        return apr_psprintf(pool,
                            "%s is there: another run is at work, or ended half-way; "
                            "then remove it",
                            new_file);
    }
    if (!error && rename(new_file, file) != 0) {
        error = errno;
        unlink(new_file);
    }
    if (error) {
        return apr_psprintf(pool, "%s: %s", file, strerror(error));
    }
    error = sync_folder(file, pool);
    return error ? apr_psprintf(pool, "%s is written, but may be the former one after a crash: %s",
                                file, strerror(error))
                 : NULL;
}

static char *prepend_line(const char *line, const char *present, apr_pool_t *pool)
{
    apr_size_t size = strlen(line) + 1 + strlen(present) + 1;
    char *text = lims_wiped_alloc(size, pool);

    snprintf(text, size, "%s\n%s", line, present);
    return text;
}

const char *lims_keyring_add(const char *file, const char *id, apr_pool_t *pool)
{
    const lims_keyring_t *ring = NULL;
    const char *present = NULL;
    const char *line = lims_keyring_line(id, pool);
    const char *problem = lims_secret_file_read(&present, file, pool);
    const char *text;

    if (problem) {
        return problem;
    }
    if (!line) {
        return "OpenSSL has no randomness to make a key of";
    }
    text = prepend_line(line, present ? present : "", pool);
    problem = lims_keyring_parse(&ring, text, file, pool);
    return problem ? problem : replace_file(file, text, pool);
}
