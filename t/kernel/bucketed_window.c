/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bucketed sliding window: no window ever holds more than the limit, and a
 * request stops counting at the latest one bucket after it has left the window.
 */
#include "kernel/bucketed_window.h"

#include <stdlib.h>
#include <string.h>

#include "../lib/tap.h"

#define REQUESTS 4000
#define SLOTS 64 /* more than the buckets of a window */

/* The counters: a new bucket overwrites one long past. */
static struct {
    apr_int64_t number;
    apr_uint32_t count;
} buckets[SLOTS];

static apr_uint32_t *bucket(apr_int64_t number)
{
    if (buckets[number % SLOTS].number != number) {
        buckets[number % SLOTS].number = number;
        buckets[number % SLOTS].count = 0;
    }
    return &buckets[number % SLOTS].count;
}

/* Does what limit.c does with memcached: counts, reads, decides, uncounts. */
static bool ask(lims_rate_verdict_t *verdict, const lims_bucketed_window_t *window, apr_time_t at)
{
    apr_uint32_t counts[LIMS_BUCKETED_WINDOW_COUNTS];
    apr_int64_t newest = lims_bucketed_window_bucket(window, at);

    (*bucket(newest))++;
    for (int i = 0; i < LIMS_BUCKETED_WINDOW_COUNTS; i++) {
        counts[i] = *bucket(newest - i);
    }
    lims_bucketed_window_decide(verdict, window, counts, at);
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
    ok(verdict.reset == 63 * 1000000, "it stops counting when its bucket has left the window");
    ok(ask(&verdict, &window, start + 4000000) && verdict.remaining == 1, "the second");
    ok(verdict.reset == 59 * 1000000, "the reset is still that of the first");
    ok(ask(&verdict, &window, start + 4000000) && verdict.remaining == 0, "the third");
    ok(!ask(&verdict, &window, start + 5000000) && verdict.remaining == 0, "no fourth");
    ok(verdict.reset == 58 * 1000000, "a fourth is told when the first leaves the window");
    ok(!ask(&verdict, &window, start + 62999999),
       "none is admitted a moment before the first leaves");
    ok(ask(&verdict, &window, start + 63000000), "then one is admitted");
    ok(!ask(&verdict, &window, start + 63000000),
       "no second one is admitted: refused requests are not counted");
    ok(lims_bucketed_window_lifetime(&window) >= 64, "a bucket is kept until it has left");
}

/* Random bursts; the times of the admitted requests are checked exactly. */
static void test_bound(apr_uint32_t limit, apr_int64_t length, unsigned seed)
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
    ok(too_late == 0, "never refused with room in a window and one bucket");
    ok(count > (int)limit, "requests were admitted");
}

int main(void)
{
    test_verdict();
    test_bound(120, 60 * 1000000, 1);
    test_bound(7, 1000000, 2);
    test_bound(1, 3600 * (apr_int64_t)1000000, 3);
    return tap_done();
}
