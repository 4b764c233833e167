/* SPDX-License-Identifier: Apache-2.0 */
/* fair_semaphore.c - a fair (FIFO) semaphore for the threads of one process. */
#include "kernel/fair_semaphore.h"

#include <apr_ring.h>
#include <apr_thread_cond.h>
#include <apr_thread_mutex.h>

typedef enum {
    PERMIT_WAITING,
    PERMIT_HELD,
    PERMIT_EXPIRED /* it has another holder */
} permit_state_e;

struct lims_fair_permit_t {
    APR_RING_ENTRY(lims_fair_permit_t) link;
    permit_state_e state;
    apr_time_t acquired;
    apr_thread_cond_t *granted; /* NULL: it did not have to wait */
};

APR_RING_HEAD(permit_ring_t, lims_fair_permit_t);

/* Invariant: no permit is free while a thread waits. */
struct lims_fair_semaphore_t {
    apr_thread_mutex_t *mutex;
    struct permit_ring_t waiting;
    struct permit_ring_t held; /* the oldest first */
    apr_interval_time_t lifetime;
    int free;
};

apr_status_t lims_fair_semaphore_create(lims_fair_semaphore_t **semaphore, int permits,
                                        apr_interval_time_t lifetime, apr_pool_t *pool)
{
    lims_fair_semaphore_t *fresh = apr_pcalloc(pool, sizeof(*fresh));

    APR_RING_INIT(&fresh->waiting, lims_fair_permit_t, link);
    APR_RING_INIT(&fresh->held, lims_fair_permit_t, link);
    fresh->lifetime = lifetime;
    fresh->free = permits;
    *semaphore = fresh;
    return apr_thread_mutex_create(&fresh->mutex, APR_THREAD_MUTEX_DEFAULT, pool);
}

/* --- With the mutex ------------------------------------------------------- */

static void grant(lims_fair_semaphore_t *semaphore, lims_fair_permit_t *permit, apr_time_t now)
{
    permit->state = PERMIT_HELD;
    permit->acquired = now;
    APR_RING_INSERT_TAIL(&semaphore->held, permit, lims_fair_permit_t, link);
}

static void pass_on(lims_fair_semaphore_t *semaphore, lims_fair_permit_t *permit, apr_time_t now)
{
    APR_RING_REMOVE(permit, link);
    permit->state = PERMIT_EXPIRED;
    if (APR_RING_EMPTY(&semaphore->waiting, lims_fair_permit_t, link)) {
        semaphore->free++;
    } else {
        lims_fair_permit_t *first = APR_RING_FIRST(&semaphore->waiting);
        APR_RING_REMOVE(first, link);
        grant(semaphore, first, now);
        apr_thread_cond_signal(first->granted);
    }
}

/* Returns the time at which the oldest permit expires. */
static apr_time_t next_expiry(const lims_fair_semaphore_t *semaphore)
{
    return APR_RING_FIRST(&semaphore->held)->acquired + semaphore->lifetime;
}

/* Passes expired permits on to waiters. */
static void pass_on_expired(lims_fair_semaphore_t *semaphore, apr_time_t now)
{
    while (!APR_RING_EMPTY(&semaphore->waiting, lims_fair_permit_t, link) &&
           next_expiry(semaphore) <= now) {
        pass_on(semaphore, APR_RING_FIRST(&semaphore->held), now);
    }
}

/* Waits for a permit until `deadline`; the mutex is released meanwhile. */
static void wait_for_permit(lims_fair_semaphore_t *semaphore, lims_fair_permit_t *permit,
                            apr_time_t now, apr_time_t deadline)
{
    APR_RING_INSERT_TAIL(&semaphore->waiting, permit, lims_fair_permit_t, link);
    pass_on_expired(semaphore, now);
    while (permit->state == PERMIT_WAITING && now < deadline) {
        apr_time_t next = next_expiry(semaphore);
        apr_thread_cond_timedwait(permit->granted, semaphore->mutex,
                                  (next < deadline ? next : deadline) - now);
        now = apr_time_now();
        pass_on_expired(semaphore, now);
    }
    if (permit->state == PERMIT_WAITING) {
        APR_RING_REMOVE(permit, link);
    }
}

/* --- Permits -------------------------------------------------------------- */

lims_fair_permit_t *lims_fair_semaphore_acquire(bool *waited, lims_fair_semaphore_t *semaphore,
                                                apr_time_t deadline, apr_pool_t *pool)
{
    lims_fair_permit_t *permit = apr_pcalloc(pool, sizeof(*permit));
    apr_time_t now = apr_time_now();
    bool held;

    apr_thread_mutex_lock(semaphore->mutex);
    if (semaphore->free > 0) {
        semaphore->free--;
        grant(semaphore, permit, now);
    } else {
        *waited = true;
        if (apr_thread_cond_create(&permit->granted, pool) == APR_SUCCESS) {
            wait_for_permit(semaphore, permit, now, deadline);
        }
    }
    held = permit->state != PERMIT_WAITING;
    apr_thread_mutex_unlock(semaphore->mutex);
    return held ? permit : NULL;
}

void lims_fair_semaphore_release(lims_fair_semaphore_t *semaphore, lims_fair_permit_t *permit)
{
    apr_thread_mutex_lock(semaphore->mutex);
    if (permit->state == PERMIT_HELD) {
        pass_on(semaphore, permit, apr_time_now());
    }
    apr_thread_mutex_unlock(semaphore->mutex);
}
