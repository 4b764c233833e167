/* SPDX-License-Identifier: Apache-2.0 */
/* frames.c - reading jobs, writing answers (protocol.h). */
#include "print/frames.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "print/protocol.h"

/* First size of a job of unknown length; it is doubled as needed. */
#define GUESS 65536

/* Reads until `length` bytes are there or the input ends. Returns their number; -1: a
 * failure. */
static ssize_t read_up_to(char *bytes, apr_size_t length)
{
    apr_size_t have = 0;

    while (have < length) {
        ssize_t got = read(STDIN_FILENO, bytes + have, length - have);

        if (got == 0) {
            break;
        }
        if (got < 0 && errno != EINTR) {
            return -1;
        }
        have += got > 0 ? (apr_size_t)got : 0;
    }
    return (ssize_t)have;
}

lims_frame_e lims_frame_read(const char **bytes, apr_size_t *length, apr_pool_t *pool)
{
    unsigned char head[LIMS_PRINT_JOB_HEAD];
    ssize_t got = read_up_to((char *)head, sizeof(head));
    char *frame;

    if (got == 0) {
        return LIMS_FRAME_END;
    }
    if (got != (ssize_t)sizeof(head)) {
        return LIMS_FRAME_BROKEN;
    }
    *length = (apr_size_t)head[0] << 24 | (apr_size_t)head[1] << 16 | (apr_size_t)head[2] << 8 |
              (apr_size_t)head[3];
    if (*length > LIMS_PRINT_JOB_MAX) {
        return LIMS_FRAME_TOO_LARGE;
    }
    frame = apr_palloc(pool, *length + 1);
    frame[*length] = '\0';
    *bytes = frame;
    return read_up_to(frame, *length) == (ssize_t)*length ? LIMS_FRAME_READ : LIMS_FRAME_BROKEN;
}

lims_frame_e lims_frame_read_all(const char **bytes, apr_size_t *length, apr_pool_t *pool)
{
    apr_size_t size = GUESS, have = 0;
    char *frame = apr_palloc(pool, size + 1);
    ssize_t got;

    while ((got = read_up_to(frame + have, size - have)) > 0) {
        have += (apr_size_t)got;
        if (have < size) {
            break;
        }
        if (have > LIMS_PRINT_JOB_MAX) {
            return LIMS_FRAME_TOO_LARGE;
        }
        frame = memcpy(apr_palloc(pool, 2 * size + 1), frame, have);
        size *= 2;
    }
    frame[have] = '\0';
    *bytes = frame;
    *length = have;
    return got < 0 ? LIMS_FRAME_BROKEN : LIMS_FRAME_READ;
}

bool lims_frame_write_bytes(const void *bytes, apr_size_t length)
{
    const char *at = bytes;

    while (length > 0) {
        ssize_t written = write(STDOUT_FILENO, at, length);

        if (written < 0 && errno != EINTR) {
            return false;
        }
        at += written > 0 ? written : 0;
        length -= written > 0 ? (apr_size_t)written : 0;
    }
    return true;
}

bool lims_frame_write(char kind, const void *bytes, apr_size_t length)
{
    const char head[LIMS_PRINT_ANSWER_HEAD] = { kind, (char)(length >> 24), (char)(length >> 16),
                                                (char)(length >> 8), (char)length };

    return lims_frame_write_bytes(head, sizeof(head)) && lims_frame_write_bytes(bytes, length);
}
