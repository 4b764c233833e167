/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shared window against its promise: whatever is asked when, no window
 * holds more than the limit, and a place that has left the window is free one
 * bucket later at the latest.
 */
#include "kernel/bucketed_window.h"

#include <stdlib.h>
#include <string.h>

#include "../lib/tap.h"

#define REQUESTS 4000
#define PLACES 64 /* more than the buckets of a window */

/* The store: a bucket that comes new takes the place of one long past. */
static struct {
    apr_int64_t number;
    apr_uint32_t count;
} buckets[PLACES];

static apr_uint32_t *bucket(apr_int64_t number)
{
    if (buckets[number % PLACES].number != number) {
        buckets[number % PLACES].number = number;
        buckets[number % PLACES].count = 0;
    }
    return &buckets[number % PLACES].count;
}

/* As limit.c does with a store: count, read, judge, take back. */
static bool ask(lims_rate_verdict_t *verdict, const lims_bucketed_window_t *window, apr_time_t at)
{
    apr_uint32_t counts[LIMS_BUCKETED_WINDOW_COUNTS];
    apr_int64_t newest = lims_bucketed_window_bucket(window, at);

    (*bucket(newest))++;
    for (int i = 0; i < LIMS_BUCKETED_WINDOW_COUNTS; i++) {
        counts[i] = *bucket(newest - i);
    }
    lims_bucketed_window_judge(verdict, window, counts, at);
    if (!verdict->admitted) {
        (*bucket(newest))--;
    }
    return verdict->admitted;
}

static void test_verdict(void)
{
    const lims_bucketed_window_t window = { .limit = 3, .length = 60 * 1000000 };
    const apr_time_t start = (apr_time_t)3000000 * 500; /* the beginning of a bucket */
    lims_rate_verdict_t verdict = { .admitted = false };

    memset(buckets, 0, sizeof(buckets));
    ok(ask(&verdict, &window, start) && verdict.remaining == 2, "the first of three");
    ok(verdict.reset == 63 * 1000000, "its place is free when its bucket has left");
    ok(ask(&verdict, &window, start + 4000000) && verdict.remaining == 1, "the second");
    ok(verdict.reset == 59 * 1000000, "still the first one's place");
    ok(ask(&verdict, &window, start + 4000000) && verdict.remaining == 0, "the third");
    ok(!ask(&verdict, &window, start + 5000000) && verdict.remaining == 0, "no fourth");
    ok(verdict.reset == 58 * 1000000, "... until the first leaves");
    ok(!ask(&verdict, &window, start + 62999999), "... not a moment earlier");
    ok(ask(&verdict, &window, start + 63000000), "then one");
    ok(!ask(&verdict, &window, start + 63000000), "... and no more: refused ones left no trace");
    ok(lims_bucketed_window_lifetime(&window) >= 64, "a bucket is kept until it has left");
}

/* Random bursts; the admitted are kept and looked at again. */
static void test_promise(apr_uint32_t limit, apr_int64_t length, unsigned seed)
{
    const lims_bucketed_window_t window = { .limit = limit, .length = length };
    apr_int64_t width = (length + LIMS_BUCKETED_WINDOW_BUCKETS - 1) / LIMS_BUCKETED_WINDOW_BUCKETS;
    static apr_time_t admitted[REQUESTS];
    apr_time_t at = (apr_time_t)1000000 * 1000000;
    int count = 0, too_many = 0, too_late = 0;

    srandom(seed);
    memset(buckets, 0, sizeof(buckets));
    for (int i = 0; i < REQUESTS; i++) {
        lims_rate_verdict_t verdict = { .admitted = false };
        apr_int64_t before = 0;
        at += random() % 10 == 0 ? random() % (length / 2) : random() % (length / limit + 1);
        for (int k = count - 1; k >= 0 && at - admitted[k] < length + width; k--) {
            before++;
        }
        if (ask(&verdict, &window, at)) {
            admitted[count++] = at;
            too_many += count > (int)limit && at - admitted[count - 1 - (int)limit] < length;
        } else {
            too_late += before < limit;
        }
    }
    ok(too_many == 0, "%u in %ld us: never more than the limit in a window", limit, (long)length);
    ok(too_late == 0, "never refused with room in a window and a bucket more");
    ok(count > (int)limit, "while some were admitted");
}

int main(void)
{
    test_verdict();
    test_promise(120, 60 * 1000000, 1);
    test_promise(7, 1000000, 2);
    test_promise(1, 3600 * (apr_int64_t)1000000, 3);
    return tap_done();
}
