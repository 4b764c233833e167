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
    /* The bucket's own length and that of the window; one second more, because the store
     * counts whole seconds, and the first has already begun. */
    return (apr_uint32_t)((width_of(window) + window->length) / APR_USEC_PER_SEC + 2);
}

/* Returns in how many microseconds the bucket `back` buckets before that of `at` leaves
 * the window. */
static apr_int64_t time_until_left(const lims_bucketed_window_t *window, int back, apr_time_t at)
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
    /* How many counted requests have to leave the window before another is admitted. A
     * refused request itself is not counted. */
    excess = verdict->admitted ? 1 : sum - window->limit;
    for (int i = LIMS_BUCKETED_WINDOW_COUNTS - 1; i >= 0; i--) {
        if (counts[i] >= excess) {
            verdict->reset = time_until_left(window, i, at);
            return;
        }
        excess -= counts[i];
    }
}
