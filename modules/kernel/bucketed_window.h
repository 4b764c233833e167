/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bucketed_window.h - a sliding limit that several machines share.
 *
 * A ring (sliding_window.h) is exact because it holds the time of every request. A store
 * that can only add up holds numbers instead: the window is cut into buckets of
 * equal length, and a request is counted into the bucket of its moment. What a
 * request is judged by are the buckets that its window touches, one of them
 * only with its end; that one is counted whole. So no window of that length
 * ever holds more than `limit` requests, and a place is free again at the
 * latest one bucket, a twentieth of the window, after it has left the window.
 *
 * Buckets are numbered by the clock of the day, which the machines agree about
 * as closely as their clocks do.
 */
#ifndef LIMS_KERNEL_BUCKETED_WINDOW_H
#define LIMS_KERNEL_BUCKETED_WINDOW_H

#include "kernel/sliding_window.h"

/* Buckets in a window; one more is looked at. */
#define LIMS_BUCKETED_WINDOW_BUCKETS 20
#define LIMS_BUCKETED_WINDOW_COUNTS (LIMS_BUCKETED_WINDOW_BUCKETS + 1)

typedef struct {
    apr_uint32_t limit; /* requests in a window */
    apr_int64_t length; /* of the window in microseconds */
} lims_bucketed_window_t;

/* The number of the bucket of a moment. */
apr_int64_t lims_bucketed_window_bucket(const lims_bucketed_window_t *window, apr_time_t at);

/* Seconds for which a bucket has to be kept. */
apr_uint32_t lims_bucketed_window_lifetime(const lims_bucketed_window_t *window);

/* Judges a request of the moment `at` that is counted already. counts[i] is
 * what the i-th bucket before that of `at` holds, LIMS_BUCKETED_WINDOW_COUNTS of them. */
void lims_bucketed_window_judge(lims_rate_verdict_t *verdict, const lims_bucketed_window_t *window,
                                const apr_uint32_t *counts, apr_time_t at);

#endif /* LIMS_KERNEL_BUCKETED_WINDOW_H */
