/* SPDX-License-Identifier: Apache-2.0 */
/* bucketed_window.c - a bucketed sliding-window rate limiter. */
#include "kernel/bucketed_window.h"

static apr_int64_t width_of(const lims_bucketed_window_t *window)
{
    /* Rounded up: the buckets together are never shorter than the window. */
    return (window->length + LIMS_BUCKETED_WINDOW_BUCKETS - 1) / LIMS_BUCKETED_WINDOW_BUCKETS;
}

apr_int64_t lims_bucketed_window_bucket(const lims_bucketed_window_t *window, apr_time_t at)
{
    return at / width_of(window);
}

apr_uint32_t lims_bucketed_window_lifetime(const lims_bucketed_window_t *window)
{
    /* The bucket's own length, then the window; a store counts in seconds that
     * may have begun already. */
    return (apr_uint32_t)((width_of(window) + window->length) / APR_USEC_PER_SEC + 2);
}

/* When the bucket that lies `back` before that of `at` has left the window. */
static apr_int64_t leaves_in(const lims_bucketed_window_t *window, int back, apr_time_t at)
{
    apr_int64_t last =
        lims_bucketed_window_bucket(window, at) - back + LIMS_BUCKETED_WINDOW_BUCKETS;

    return (last + 1) * width_of(window) - at;
}

void lims_bucketed_window_decide(lims_rate_verdict_t *verdict, const lims_bucketed_window_t *window,
                                 const apr_uint32_t *counts, apr_time_t at)
{
    apr_uint64_t sum = 0, excess;

    for (int i = 0; i < LIMS_BUCKETED_WINDOW_COUNTS; i++) {
        sum += counts[i];
    }
    verdict->admitted = sum <= window->limit;
    verdict->remaining = verdict->admitted ? (apr_uint32_t)(window->limit - sum) : 0;
    verdict->reset = 0;
    /* How many have to leave for one more to come: of those before this one,
     * which takes no place when it is refused. */
    excess = verdict->admitted ? 1 : sum - window->limit;
    for (int i = LIMS_BUCKETED_WINDOW_COUNTS - 1; i >= 0; i--) {
        if (counts[i] >= excess) {
            verdict->reset = leaves_in(window, i, at);
            return;
        }
        excess -= counts[i];
    }
}
