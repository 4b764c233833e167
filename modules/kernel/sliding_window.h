/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sliding_window.h - an exact sliding-window limit, shared between processes.
 *
 * A ring holds the times of the last `limit` admitted requests of one key. A
 * request is admitted when the oldest of them is `window` old or more, and
 * takes its place. Because every place admits once in a window, no window of
 * that length ever holds more than `limit` requests, whatever the threads and
 * processes do; a refused request leaves no trace. No lock is taken, so a
 * process that is killed leaves nothing behind that others would wait for.
 *
 * Times are microseconds of a clock that never goes back (CLOCK_MONOTONIC);
 * 0 means a place that was never used.
 */
#ifndef LIMS_KERNEL_SLIDING_WINDOW_H
#define LIMS_KERNEL_SLIDING_WINDOW_H

#include "lims.h"

typedef struct lims_sliding_window_t lims_sliding_window_t;

/* A table of rings in a block of memory that is zero at first. */
typedef struct {
    void *memory;
    apr_uint32_t slots; /* keys that can be active at once */
    apr_uint32_t limit; /* requests in a window */
    apr_int64_t window; /* microseconds */
} lims_sliding_windows_t;

typedef struct {
    bool admitted;
    apr_uint32_t remaining; /* requests that would be admitted now */
    apr_int64_t reset;      /* microseconds until one more is, or 0 */
} lims_rate_verdict_t;

/* Bytes that a table needs. */
apr_size_t lims_sliding_windows_size(apr_uint32_t slots, apr_uint32_t limit);

/* What the verdict on a request of `key` would be, which is not counted. */
void lims_sliding_windows_peek(lims_rate_verdict_t *verdict, const lims_sliding_windows_t *table,
                               apr_int64_t key);

/* Counts a request of `key` (never 0). False: more keys than slots are active
 * within one window, and nothing was decided. */
bool lims_sliding_windows_take(lims_rate_verdict_t *verdict, const lims_sliding_windows_t *table,
                               apr_int64_t key);

#endif /* LIMS_KERNEL_SLIDING_WINDOW_H */
