/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sliding_window.h - an exact sliding-window rate limiter (a log of times), shared by
 * the processes of a machine.
 *
 * For each key a ring buffer holds the times of its last `limit` admitted requests. A
 * request is admitted if the oldest of these times has left the window, and
 * overwrites it. As every entry admits one request per window, no window ever holds
 * more than `limit` requests, whatever threads and processes do. A refused request
 * changes nothing. It takes no lock, so a process that is killed blocks nobody.
 *
 * Times are microseconds of CLOCK_MONOTONIC, which never goes back; 0: never used.
 */
#ifndef LIMS_KERNEL_SLIDING_WINDOW_H
#define LIMS_KERNEL_SLIDING_WINDOW_H

#include "lims.h"

typedef struct lims_sliding_window_t lims_sliding_window_t;

/* A hash table of windows, one for each active key, in shared memory. */
typedef struct {
    void *memory;       /* zero at first */
    apr_uint32_t slots; /* keys that can be active at once */
    apr_uint32_t limit; /* requests in a window */
    apr_int64_t window; /* its length in microseconds */
} lims_sliding_windows_t;

typedef struct {
    bool admitted;
    apr_uint32_t remaining; /* requests that would be admitted now */
    apr_int64_t reset;      /* microseconds until `remaining` grows; 0: the window is empty */
} lims_rate_verdict_t;

/* Size of the shared memory in bytes. */
apr_size_t lims_sliding_windows_size(apr_uint32_t slots, apr_uint32_t limit);

/* Tells what lims_sliding_windows_take() would, without counting a request. */
void lims_sliding_windows_peek(lims_rate_verdict_t *verdict, const lims_sliding_windows_t *table,
                               apr_int64_t key);

/* Counts a request of `key` (not 0) if it is admitted. False, without a verdict: the
 * table is full, because more keys than slots are active within one window. */
bool lims_sliding_windows_take(lims_rate_verdict_t *verdict, const lims_sliding_windows_t *table,
                               apr_int64_t key);

#endif /* LIMS_KERNEL_SLIDING_WINDOW_H */
