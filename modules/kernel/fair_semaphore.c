/* SPDX-License-Identifier: Apache-2.0 */
/* fair_semaphore.c - a bound on those inside, and a line of those who wait for it. */
#include "kernel/fair_semaphore.h"

#include <apr_ring.h>
#include <apr_thread_cond.h>
#include <apr_thread_mutex.h>

typedef enum {
    TURN_AWAITED,
    TURN_TAKEN,
    TURN_OVER /* its place has gone to another */
} turn_state_e;

struct lims_fair_permit_t {
    APR_RING_ENTRY(lims_fair_permit_t) link;
    turn_state_e state;
    apr_time_t begun;
    apr_thread_cond_t *called; /* of one that was waited for */
};

APR_RING_HEAD(turn_ring_t, lims_fair_permit_t);

/* A place is free or of a turn that is taken, and none is free while one waits. */
struct lims_fair_semaphore_t {
    apr_thread_mutex_t *mutex;
    struct turn_ring_t line;
    struct turn_ring_t taken; /* the oldest first */
    apr_interval_time_t length;
    int free;
};

apr_status_t lims_fair_semaphore_create(lims_fair_semaphore_t **turns, int places,
                                        apr_interval_time_t length, apr_pool_t *pool)
{
    lims_fair_semaphore_t *fresh = apr_pcalloc(pool, sizeof(*fresh));

    APR_RING_INIT(&fresh->line, lims_fair_permit_t, link);
    APR_RING_INIT(&fresh->taken, lims_fair_permit_t, link);
    fresh->length = length;
    fresh->free = places;
    *turns = fresh;
    return apr_thread_mutex_create(&fresh->mutex, APR_THREAD_MUTEX_DEFAULT, pool);
}

/* --- With the mutex ------------------------------------------------------- */

static void begin(lims_fair_semaphore_t *turns, lims_fair_permit_t *turn, apr_time_t now)
{
    turn->state = TURN_TAKEN;
    turn->begun = now;
    APR_RING_INSERT_TAIL(&turns->taken, turn, lims_fair_permit_t, link);
}

static void end(lims_fair_semaphore_t *turns, lims_fair_permit_t *turn, apr_time_t now)
{
    APR_RING_REMOVE(turn, link);
    turn->state = TURN_OVER;
    if (APR_RING_EMPTY(&turns->line, lims_fair_permit_t, link)) {
        turns->free++;
    } else {
        lims_fair_permit_t *first = APR_RING_FIRST(&turns->line);
        APR_RING_REMOVE(first, link);
        begin(turns, first, now);
        apr_thread_cond_signal(first->called);
    }
}

/* When the oldest turn has had its time. */
static apr_time_t next_end(const lims_fair_semaphore_t *turns)
{
    return APR_RING_FIRST(&turns->taken)->begun + turns->length;
}

/* Ends the turns that have had their time, while somebody waits. */
static void end_overdue(lims_fair_semaphore_t *turns, apr_time_t now)
{
    while (!APR_RING_EMPTY(&turns->line, lims_fair_permit_t, link) && next_end(turns) <= now) {
        end(turns, APR_RING_FIRST(&turns->taken), now);
    }
}

/* Lets go of the mutex meanwhile. */
static void wait_in_line(lims_fair_semaphore_t *turns, lims_fair_permit_t *turn, apr_time_t now,
                         apr_time_t until)
{
    APR_RING_INSERT_TAIL(&turns->line, turn, lims_fair_permit_t, link);
    end_overdue(turns, now);
    while (turn->state == TURN_AWAITED && now < until) {
        apr_time_t next = next_end(turns);
        apr_thread_cond_timedwait(turn->called, turns->mutex, (next < until ? next : until) - now);
        now = apr_time_now();
        end_overdue(turns, now);
    }
    if (turn->state == TURN_AWAITED) {
        APR_RING_REMOVE(turn, link);
    }
}

/* --- Turns ---------------------------------------------------------------- */

lims_fair_permit_t *lims_fair_semaphore_acquire(bool *waited, lims_fair_semaphore_t *turns,
                                                apr_time_t until, apr_pool_t *pool)
{
    lims_fair_permit_t *turn = apr_pcalloc(pool, sizeof(*turn));
    apr_time_t now = apr_time_now();
    bool taken;

    apr_thread_mutex_lock(turns->mutex);
    if (turns->free > 0) {
        turns->free--;
        begin(turns, turn, now);
    } else {
        *waited = true;
        if (apr_thread_cond_create(&turn->called, pool) == APR_SUCCESS) {
            wait_in_line(turns, turn, now, until);
        }
    }
    taken = turn->state != TURN_AWAITED;
    apr_thread_mutex_unlock(turns->mutex);
    return taken ? turn : NULL;
}

void lims_fair_semaphore_release(lims_fair_semaphore_t *turns, lims_fair_permit_t *turn)
{
    apr_thread_mutex_lock(turns->mutex);
    if (turn->state == TURN_TAKEN) {
        end(turns, turn, apr_time_now());
    }
    apr_thread_mutex_unlock(turns->mutex);
}
