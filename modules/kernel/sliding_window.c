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
        if (is_free(atomic_load(&window->times[(head + 1) % table->limit]), at, table->window) &&
            table->limit > 1) {
            /* This entry is newer than the next: the process that wrote it was killed
             * before it moved the head on. */
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

static void look(lims_rate_verdict_t *verdict, const lims_sliding_windows_t *table,
                 lims_sliding_window_t *window)
{
    apr_int64_t at = lims_time_monotonic(), first = 0;

    verdict->remaining = 0;
    for (apr_uint32_t i = 0; i < table->limit; i++) {
        apr_int64_t time = atomic_load(&window->times[i]);
        if (is_free(time, at, table->window)) {
            verdict->remaining++;
        } else if (first == 0 || time < first) {
            first = time;
        }
    }
    verdict->reset = first ? first + table->window - at : 0;
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
