/* SPDX-License-Identifier: Apache-2.0 */
/* sliding_window.c - an exact sliding-window rate limiter, shared by processes. */
#include "kernel/sliding_window.h"

#include <stdatomic.h>

#include "kernel/time.h"

/* Slots that are searched for a key before the table counts as full. */
#define PROBES 64

struct lims_sliding_window_t {
    _Atomic apr_int64_t key;     /* 0: never used */
    _Atomic apr_uint64_t head;   /* the oldest time is at head % limit */
    _Atomic apr_int64_t times[]; /* limit of them */
};

_Static_assert(sizeof(struct lims_sliding_window_t) == 16,
               "windows lie side by side in shared memory");

static apr_size_t window_size(apr_uint32_t limit)
{
    return sizeof(lims_sliding_window_t) + sizeof(apr_int64_t) * limit;
}

apr_size_t lims_sliding_windows_size(apr_uint32_t slots, apr_uint32_t limit)
{
    return window_size(limit) * slots;
}

static lims_sliding_window_t *window_at(const lims_sliding_windows_t *table, apr_uint64_t index)
{
    apr_size_t offset = window_size(table->limit) * (apr_size_t)(index % table->slots);
    return (lims_sliding_window_t *)((char *)table->memory + offset);
}

/* Whether a time has left the window. The difference is signed, because another
 * thread may have written a time later than `at`. */
static bool is_free(apr_int64_t time, apr_int64_t at, apr_int64_t window)
{
    return time == 0 || at - time >= window;
}

static apr_int64_t newest(const lims_sliding_windows_t *table, lims_sliding_window_t *window)
{
    apr_uint64_t head = atomic_load(&window->head);
    return atomic_load(&window->times[(head + table->limit - 1) % table->limit]);
}

/* Hashes a key: keys are often consecutive numbers, which must not cluster. */
static apr_uint64_t hash(apr_int64_t key)
{
    return (apr_uint64_t)key * 0x9E3779B97F4A7C15u >> 16;
}

/* Finds the window of a key, or claims an unused or idle one for it. An idle window
 * needs no clearing: all its times have expired. NULL: the table is full. */
static lims_sliding_window_t *find(const lims_sliding_windows_t *table, apr_int64_t key)
{
    apr_uint64_t first = hash(key);
    apr_uint32_t probes = table->slots < PROBES ? table->slots : PROBES;

    for (;;) {
        lims_sliding_window_t *candidate = NULL;
        apr_int64_t owner = 0, at = lims_time_monotonic();
        for (apr_uint32_t i = 0; i < probes; i++) {
            lims_sliding_window_t *window = window_at(table, first + i);
            apr_int64_t holder = atomic_load(&window->key);
            if (holder == key) {
                return window;
            }
            if (!candidate && (holder == 0 || is_free(newest(table, window), at, table->window))) {
                candidate = window;
                owner = holder;
            }
        }
        if (!candidate) {
            return NULL;
        }
        /* Search again, whether the exchange succeeded or not: all threads use the
         * first window of the key in probing order. */
        atomic_compare_exchange_strong(&candidate->key, &owner, key);
    }
}

static apr_int64_t time_at(const lims_sliding_windows_t *table, lims_sliding_window_t *window,
                           apr_uint64_t index)
{
    return atomic_load(&window->times[index % table->limit]);
}

/* Whether the entry at the head was just written, by a thread that has not moved the head
 * on yet, or was killed before it did: it is in use, and the next one is not. */
static bool is_head_behind(const lims_sliding_windows_t *table, lims_sliding_window_t *window,
                           apr_uint64_t head, apr_int64_t at)
{
    return table->limit > 1 && !is_free(time_at(table, window, head), at, table->window) &&
           is_free(time_at(table, window, head + 1), at, table->window);
}

/* Overwrites the oldest time if it has left the window; else tells in `wait` how long
 * that takes. */
static bool take(apr_int64_t *wait, const lims_sliding_windows_t *table,
                 lims_sliding_window_t *window)
{
    for (;;) {
        apr_int64_t at = lims_time_monotonic();
        apr_uint64_t head = atomic_load(&window->head);
        _Atomic apr_int64_t *entry = &window->times[head % table->limit];
        apr_int64_t oldest = atomic_load(entry);
        if (is_free(oldest, at, table->window)) {
            bool won = atomic_compare_exchange_strong(entry, &oldest, at);
            /* The losers do it too: the winner may have been killed before this line. */
            atomic_compare_exchange_strong(&window->head, &head, head + 1);
            if (won) {
                return true;
            }
            continue;
        }
        if (is_head_behind(table, window, head, at)) {
            atomic_compare_exchange_strong(&window->head, &head, head + 1);
            continue;
        }
        if (atomic_load(&window->head) != head) {
            continue; /* other requests were admitted meanwhile */
        }
        *wait = oldest + table->window - at;
        return false;
    }
}

/* Returns the number of free entries. They come first from the head on, since the ring is
 * written in the order of time, and are found by bisection. */
static apr_uint32_t count_free(const lims_sliding_windows_t *table, lims_sliding_window_t *window,
                               apr_uint64_t head, apr_int64_t at)
{
    apr_uint32_t low = 0, high = table->limit;

    while (low < high) {
        apr_uint32_t middle = low + (high - low) / 2;
        if (is_free(time_at(table, window, head + middle), at, table->window)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Tells what is left; again, if a request was admitted meanwhile. */
static void look(lims_rate_verdict_t *verdict, const lims_sliding_windows_t *table,
                 lims_sliding_window_t *window)
{
    apr_uint64_t seen, head;
    apr_int64_t at;

    do {
        at = lims_time_monotonic();
        seen = atomic_load(&window->head);
        head = seen + (is_head_behind(table, window, seen, at) ? 1 : 0);
        verdict->remaining = count_free(table, window, head, at);
        verdict->reset =
            verdict->remaining < table->limit
                ? time_at(table, window, head + verdict->remaining) + table->window - at
                : 0;
    } while (atomic_load(&window->head) != seen);
}

void lims_sliding_windows_peek(lims_rate_verdict_t *verdict, const lims_sliding_windows_t *table,
                               apr_int64_t key)
{
    apr_uint32_t probes = table->slots < PROBES ? table->slots : PROBES;

    *verdict = (lims_rate_verdict_t){ .remaining = table->limit };
    for (apr_uint32_t i = 0; i < probes; i++) {
        lims_sliding_window_t *window = window_at(table, hash(key) + i);
        if (atomic_load(&window->key) == key) {
            look(verdict, table, window);
            break;
        }
    }
    verdict->admitted = verdict->remaining > 0;
}

bool lims_sliding_windows_take(lims_rate_verdict_t *verdict, const lims_sliding_windows_t *table,
                               apr_int64_t key)
{
    lims_sliding_window_t *window = find(table, key);
    apr_int64_t wait = 0;

    if (!window) {
        return false;
    }
    verdict->admitted = take(&wait, table, window);
    look(verdict, table, window);
    if (!verdict->admitted) {
        verdict->remaining = 0;
        verdict->reset = wait;
    }
    return true;
}
