/* SPDX-License-Identifier: Apache-2.0 */
/* semaphore.c - a counting semaphore in memory that processes share. */
#include "kernel/semaphore.h"

#include <stdatomic.h>

#include "kernel/time.h"

/* Waiters that keep their order; any further ones are served after them. */
#define WAITERS 128

/* Interval at which a waiter polls, and after how long without polling it counts as
 * dead. */
#define POLL apr_time_from_msec(2)
#define DEAD apr_time_from_sec(1)

/* Times of lims_time_monotonic(), 0: free. */
typedef struct {
    _Atomic apr_int64_t since;  /* when it began to wait */
    _Atomic apr_int64_t polled; /* when it last polled */
} waiter_t;

typedef struct {
    waiter_t waiters[WAITERS];
    _Atomic apr_int64_t acquired[]; /* when, for each permit */
} state_t;

apr_size_t lims_semaphore_size(int permits)
{
    return sizeof(state_t) + sizeof(apr_int64_t) * (apr_size_t)permits;
}

static bool is_dead(apr_int64_t polled, apr_int64_t now)
{
    return polled == 0 || now - polled >= DEAD;
}

/* --- Waiters -------------------------------------------------------------- */

/* Enters a waiter that began at `since`; NULL: there is no room for one more. */
static waiter_t *enter(state_t *state, apr_int64_t since)
{
    for (int i = 0; i < WAITERS; i++) {
        waiter_t *waiter = &state->waiters[i];
        apr_int64_t polled = atomic_load(&waiter->polled);

        if (is_dead(polled, since) &&
            atomic_compare_exchange_strong(&waiter->polled, &polled, since)) {
            atomic_store(&waiter->since, since);
            return waiter;
        }
    }
    return NULL;
}

static void leave(waiter_t *waiter)
{
    if (waiter) {
        atomic_store(&waiter->polled, 0);
    }
}

/* Counts the waiters that began earlier; of waiters that began at the same time the one
 * with the lower index is first. A waiter without an entry is served after all others. */
static int count_before(state_t *state, const waiter_t *own, apr_int64_t since, apr_int64_t now)
{
    int before = 0;

    for (int i = 0; i < WAITERS; i++) {
        const waiter_t *waiter = &state->waiters[i];
        apr_int64_t theirs = atomic_load(&waiter->since);

        if (waiter != own && !is_dead(atomic_load(&waiter->polled), now)) {
            before += !own || theirs < since || (theirs == since && waiter < own);
        }
    }
    return before;
}

/* --- Permits -------------------------------------------------------------- */

static bool is_free(apr_int64_t since, apr_int64_t now, const lims_semaphore_t *semaphore)
{
    return since == 0 || now - since >= semaphore->lifetime;
}

/* Acquires a permit if more than `before` are free. */
static bool take(lims_semaphore_permit_t *permit, const lims_semaphore_t *semaphore, int before,
                 apr_int64_t now)
{
    state_t *state = semaphore->memory;
    int left = before;

    for (int i = 0; i < semaphore->permits; i++) {
        apr_int64_t since = atomic_load(&state->acquired[i]);

        if (is_free(since, now, semaphore) && left-- <= 0 &&
            atomic_compare_exchange_strong(&state->acquired[i], &since, now)) {
            *permit = (lims_semaphore_permit_t){ .index = i, .since = now };
            return true;
        }
    }
    return false;
}

bool lims_semaphore_acquire(lims_semaphore_permit_t *permit, const lims_semaphore_t *semaphore,
                            apr_interval_time_t timeout)
{
    state_t *state = semaphore->memory;
    apr_int64_t begun = lims_time_monotonic(), now = begun;
    waiter_t *waiter = enter(state, begun);
    bool acquired = take(permit, semaphore, count_before(state, waiter, begun, now), now);

    while (!acquired && now - begun < timeout) {
        apr_sleep(POLL);
        now = lims_time_monotonic();
        if (waiter) {
            atomic_store(&waiter->polled, now);
        }
        acquired = take(permit, semaphore, count_before(state, waiter, begun, now), now);
    }
    leave(waiter);
    return acquired;
}

void lims_semaphore_release(const lims_semaphore_t *semaphore,
                            const lims_semaphore_permit_t *permit)
{
    state_t *state = semaphore->memory;
    apr_int64_t since = permit->since;

    atomic_compare_exchange_strong(&state->acquired[permit->index], &since, 0);
}
