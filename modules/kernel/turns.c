/* SPDX-License-Identifier: Apache-2.0 */
/* turns.c - a bound on those inside, and a line of those who wait for it. */
#include "kernel/turns.h"

#include <apr_ring.h>
#include <apr_thread_cond.h>
#include <apr_thread_mutex.h>

/* Lives on the stack of the thread that waits. */
typedef struct waiter_t {
    APR_RING_ENTRY(waiter_t) link;
    apr_thread_cond_t *called;
    bool served;
} waiter_t;

APR_RING_HEAD(line_t, waiter_t);

struct lims_turns_t {
    apr_thread_mutex_t *mutex;
    struct line_t line;
    int free;
};

apr_status_t lims_turns_create(lims_turns_t **turns, int places, apr_pool_t *pool)
{
    lims_turns_t *fresh = apr_pcalloc(pool, sizeof(*fresh));

    APR_RING_INIT(&fresh->line, waiter_t, link);
    fresh->free = places;
    *turns = fresh;
    return apr_thread_mutex_create(&fresh->mutex, APR_THREAD_MUTEX_DEFAULT, pool);
}

/* With the mutex, which is let go of meanwhile. */
static bool wait_in_line(lims_turns_t *turns, apr_time_t until, apr_pool_t *pool)
{
    waiter_t self = { .served = false };
    apr_time_t now = apr_time_now();

    if (apr_thread_cond_create(&self.called, pool) != APR_SUCCESS) {
        return false;
    }
    APR_RING_INSERT_TAIL(&turns->line, &self, waiter_t, link);
    while (!self.served && now < until) {
        apr_thread_cond_timedwait(self.called, turns->mutex, until - now);
        now = apr_time_now();
    }
    if (!self.served) {
        APR_RING_REMOVE(&self, link);
    }
    return self.served;
}

bool lims_turns_take(bool *waited, lims_turns_t *turns, apr_time_t until, apr_pool_t *pool)
{
    bool taken = true;

    apr_thread_mutex_lock(turns->mutex);
    if (turns->free > 0) {
        turns->free--;
    } else {
        *waited = true;
        taken = wait_in_line(turns, until, pool);
    }
    apr_thread_mutex_unlock(turns->mutex);
    return taken;
}

void lims_turns_give_back(lims_turns_t *turns)
{
    apr_thread_mutex_lock(turns->mutex);
    if (APR_RING_EMPTY(&turns->line, waiter_t, link)) {
        turns->free++;
    } else {
        waiter_t *first = APR_RING_FIRST(&turns->line);
        APR_RING_REMOVE(first, link);
        first->served = true;
        apr_thread_cond_signal(first->called);
    }
    apr_thread_mutex_unlock(turns->mutex);
}
