/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bucketed_window.h - a bucketed sliding-window rate limiter, for counters that several
 * machines share.
 *
 * The exact limiter (sliding_window.h) keeps the time of every request. A store that
 * can only add keeps numbers: time is cut into buckets of a twentieth of the window,
 * and a request is counted in the bucket of its time. A request is admitted if the
 * buckets that its window overlaps hold no more than `limit`, the oldest one counted
 * whole. So no window ever holds more than `limit` requests, and a request stops
 * counting at the latest one bucket after it has left the window.
 *
 * Buckets are numbered by the time of day; the machines' clocks have to agree.
 */
#ifndef LIMS_KERNEL_BUCKETED_WINDOW_H
#define LIMS_KERNEL_BUCKETED_WINDOW_H

#include "kernel/sliding_window.h"

/* Buckets of a window; it can overlap one more. */
#define LIMS_BUCKETED_WINDOW_BUCKETS 20
#define LIMS_BUCKETED_WINDOW_COUNTS (LIMS_BUCKETED_WINDOW_BUCKETS + 1)

typedef struct {
    apr_uint32_t limit; /* requests in a window */
    apr_int64_t length; /* of the window, microseconds */
} lims_bucketed_window_t;

/* Returns the number of the bucket that holds `at`. */
apr_int64_t lims_bucketed_window_bucket(const lims_bucketed_window_t *window, apr_time_t at);

/* Returns for how many seconds the store has to keep a bucket. */
apr_uint32_t lims_bucketed_window_lifetime(const lims_bucketed_window_t *window);

/* Decides about a request at `at` that the newest bucket includes already.
 * LIMS_BUCKETED_WINDOW_COUNTS counts, the newest bucket first. */
void lims_bucketed_window_decide(lims_rate_verdict_t *verdict, const lims_bucketed_window_t *window,
                                 const apr_uint32_t *counts, apr_time_t at);

#endif /* LIMS_KERNEL_BUCKETED_WINDOW_H */
