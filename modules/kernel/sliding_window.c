/* SPDX-License-Identifier: Apache-2.0 */
/* sliding_window.c - an exact sliding-window limit, shared between processes. */
#include "kernel/sliding_window.h"

#include <stdatomic.h>

#include "kernel/time.h"

/* How far a key may lie from its first place before the table counts as full. */
#define PROBES 64

struct lims_sliding_window_t {
    _Atomic apr_int64_t key;     /* 0: never used */
    _Atomic apr_uint64_t head;   /* the oldest time is at head % limit */
    _Atomic apr_int64_t times[]; /* limit of them */
};

_Static_assert(sizeof(struct lims_sliding_window_t) == 16,
               "rings lie side by side in shared memory");

static apr_size_t ring_size(apr_uint32_t limit)
{
    return sizeof(lims_sliding_window_t) + sizeof(apr_int64_t) * limit;
}

apr_size_t lims_sliding_windows_size(apr_uint32_t slots, apr_uint32_t limit)
{
    return ring_size(limit) * slots;
}

static lims_sliding_window_t *ring_at(const lims_sliding_windows_t *table, apr_uint64_t index)
{
    apr_size_t offset = ring_size(table->limit) * (apr_size_t)(index % table->slots);
    return (lims_sliding_window_t *)((char *)table->memory + offset);
}

/* Has this time left the window? Signed: a time taken by another thread after
 * `at` was read may be the later one. */
static bool is_free(apr_int64_t time, apr_int64_t at, apr_int64_t window)
{
    return time == 0 || at - time >= window;
}

static apr_int64_t newest(const lims_sliding_windows_t *table, lims_sliding_window_t *ring)
{
    apr_uint64_t head = atomic_load(&ring->head);
    return atomic_load(&ring->times[(head + table->limit - 1) % table->limit]);
}

/* Ids are consecutive; neighbours must not crowd one stretch of the table. */
static apr_uint64_t scatter(apr_int64_t key)
{
    return (apr_uint64_t)key * 0x9E3779B97F4A7C15u >> 16;
}

/* The key's ring, claiming a free or idle one. An idle ring needs no clearing:
 * all its times have left the window. */
static lims_sliding_window_t *find(const lims_sliding_windows_t *table, apr_int64_t key)
{
    apr_uint64_t first = scatter(key);
    apr_uint32_t probes = table->slots < PROBES ? table->slots : PROBES;

    for (;;) {
        lims_sliding_window_t *candidate = NULL;
        apr_int64_t owner = 0, at = lims_time_monotonic();
        for (apr_uint32_t i = 0; i < probes; i++) {
            lims_sliding_window_t *ring = ring_at(table, first + i);
            apr_int64_t holder = atomic_load(&ring->key);
            if (holder == key) {
                return ring;
            }
            if (!candidate && (holder == 0 || is_free(newest(table, ring), at, table->window))) {
                candidate = ring;
                owner = holder;
            }
        }
        if (!candidate) {
            return NULL;
        }
        /* Won or lost, look again: the first ring of the key in this order is
         * the one that all threads agree on. */
        atomic_compare_exchange_strong(&candidate->key, &owner, key);
    }
}

/* Admits into the oldest place, or tells how long it is taken. */
static bool take(apr_int64_t *wait, const lims_sliding_windows_t *table,
                 lims_sliding_window_t *ring)
{
    for (;;) {
        apr_int64_t at = lims_time_monotonic();
        apr_uint64_t head = atomic_load(&ring->head);
        _Atomic apr_int64_t *place = &ring->times[head % table->limit];
        apr_int64_t oldest = atomic_load(place);
        if (is_free(oldest, at, table->window)) {
            bool won = atomic_compare_exchange_strong(place, &oldest, at);
            /* Also for a winner that was killed before it came to this. */
            atomic_compare_exchange_strong(&ring->head, &head, head + 1);
            if (won) {
                return true;
            }
            continue;
        }
        if (is_free(atomic_load(&ring->times[(head + 1) % table->limit]), at, table->window) &&
            table->limit > 1) {
            /* The place is fresh and the next one old: its winner never moved
             * the head on. */
            atomic_compare_exchange_strong(&ring->head, &head, head + 1);
            continue;
        }
        if (atomic_load(&ring->head) != head) {
            continue; /* others went on meanwhile: the oldest is another */
        }
        *wait = oldest + table->window - at;
        return false;
    }
}

static void look(lims_rate_verdict_t *verdict, const lims_sliding_windows_t *table,
                 lims_sliding_window_t *ring)
{
    apr_int64_t at = lims_time_monotonic(), first = 0;

    verdict->remaining = 0;
    for (apr_uint32_t i = 0; i < table->limit; i++) {
        apr_int64_t time = atomic_load(&ring->times[i]);
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
        lims_sliding_window_t *ring = ring_at(table, scatter(key) + i);
        if (atomic_load(&ring->key) == key) {
            look(verdict, table, ring);
            break;
        }
    }
    verdict->admitted = verdict->remaining > 0;
}

bool lims_sliding_windows_take(lims_rate_verdict_t *verdict, const lims_sliding_windows_t *table,
                               apr_int64_t key)
{
    lims_sliding_window_t *ring = find(table, key);
    apr_int64_t wait = 0;

    if (!ring) {
        return false;
    }
    verdict->admitted = take(&wait, table, ring);
    look(verdict, table, ring);
    if (!verdict->admitted) {
        verdict->remaining = 0;
        verdict->reset = wait;
    }
    return true;
}
