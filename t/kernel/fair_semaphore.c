/* SPDX-License-Identifier: Apache-2.0 */
/* So many at once, the others in the order in which they came. */
#include "kernel/fair_semaphore.h"

#include <apr_thread_mutex.h>
#include <apr_thread_proc.h>
#include <time.h>
#include <unistd.h>

#include "../lib/tap.h"

#define WAITERS 5

/* A turn that nobody is to see the end of. */
#define LONG apr_time_from_sec(600)

static apr_pool_t *pool;
static apr_thread_mutex_t *mutex;
static lims_fair_semaphore_t *turns;

/* Where a test says what time it is; 0: the clock does. */
static apr_time_t told;

/* Instead of APR's. */
apr_time_t apr_time_now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_REALTIME, &time);
    return told ? told : apr_time_make(time.tv_sec, time.tv_nsec / 1000);
}

/* Who had a turn, in order. */
static int served[WAITERS + 1];
static int count;

typedef struct {
    int number;
    apr_interval_time_t patience;
    apr_pool_t *pool;
    apr_thread_t *thread;
    bool taken;
    bool waited;
} waiter_t;

static void *APR_THREAD_FUNC wait_for_turn(apr_thread_t *thread, void *data)
{
    waiter_t *self = data;

    lims_fair_permit_t *turn = lims_fair_semaphore_acquire(
        &self->waited, turns, apr_time_now() + self->patience, self->pool);

    self->taken = turn;
    if (self->taken) {
        apr_thread_mutex_lock(mutex);
        served[count++] = self->number;
        apr_thread_mutex_unlock(mutex);
        lims_fair_semaphore_release(turns, turn);
    }
    apr_thread_exit(thread, APR_SUCCESS);
    return NULL;
}

/* Begins to wait, and is behind whoever began before. */
static void begin(waiter_t *waiter, int number, apr_interval_time_t patience)
{
    *waiter = (waiter_t){ .number = number, .patience = patience };
    apr_pool_create(&waiter->pool, pool);
    apr_thread_create(&waiter->thread, NULL, wait_for_turn, waiter, pool);
    /* Said by who has the mutex, until it is in line. */
    while (!__atomic_load_n(&waiter->waited, __ATOMIC_ACQUIRE)) {
        usleep(1000);
    }
}

static void end(waiter_t *waiter)
{
    apr_status_t status;

    apr_thread_join(&status, waiter->thread);
}

static lims_fair_permit_t *take_now(bool *waited)
{
    *waited = false;
    return lims_fair_semaphore_acquire(waited, turns, apr_time_now() + 20000, pool);
}

static void test_bound(void)
{
    lims_fair_permit_t *first, *second;
    bool waited;

    lims_fair_semaphore_create(&turns, 2, LONG, pool);
    first = take_now(&waited);
    ok(first && !waited, "the first turn is free");
    second = take_now(&waited);
    ok(second && !waited, "so is the second");
    ok(!take_now(&waited) && waited, "the third is waited for, in vain");
    lims_fair_semaphore_release(turns, first);
    first = take_now(&waited);
    ok(first && !waited, "one that is given back is free again");
    lims_fair_semaphore_release(turns, second);
    lims_fair_semaphore_release(turns, first);
    ok(take_now(&waited) && take_now(&waited) && !take_now(&waited),
       "who gave up waiting has taken none with it");
}

static void test_order(void)
{
    waiter_t waiters[WAITERS], impatient;
    bool ordered = true, waited;
    lims_fair_permit_t *turn;

    lims_fair_semaphore_create(&turns, 1, LONG, pool);
    turn = take_now(&waited);
    begin(&waiters[0], 0, apr_time_from_sec(60));
    begin(&impatient, WAITERS, 1000);
    for (int i = 1; i < WAITERS; i++) {
        begin(&waiters[i], i, apr_time_from_sec(60));
    }
    end(&impatient);
    ok(!impatient.taken, "one in the middle of the line goes away");
    lims_fair_semaphore_release(turns, turn);
    for (int i = 0; i < WAITERS; i++) {
        end(&waiters[i]);
        ordered = ordered && waiters[i].taken && waiters[i].waited && served[i] == i;
    }
    is_number(count, WAITERS, "all others get their turn");
    ok(ordered, "in the order in which they came");
    ok(take_now(&waited) && !waited, "and then it is free");
}

/* Two that last: their places go on, and come back with those that have them. */
static void test_overdue(void)
{
    apr_interval_time_t length = apr_time_from_msec(50);
    lims_fair_permit_t *lasting[2], *turn[2];
    bool waited = false;

    told = apr_time_now();
    lims_fair_semaphore_create(&turns, 2, length, pool);
    lasting[0] = take_now(&waited);
    told += 1000;
    lasting[1] = take_now(&waited);
    ok(lasting[0] && lasting[1] && !waited, "two turns begin");
    told += length - 1001;
    ok(!lims_fair_semaphore_acquire(&waited, turns, told, pool) && waited, "each has its time");
    told += 1;
    turn[0] = lims_fair_semaphore_acquire(&waited, turns, told, pool);
    ok(turn[0], "one that lasts too long goes to who waits");
    ok(!lims_fair_semaphore_acquire(&waited, turns, told, pool), "the other has begun later");
    told += 1000;
    turn[1] = lims_fair_semaphore_acquire(&waited, turns, told, pool);
    ok(turn[1], "... and is over later");
    lims_fair_semaphore_release(turns, lasting[0]);
    lims_fair_semaphore_release(turns, lasting[1]);
    ok(!lims_fair_semaphore_acquire(&waited, turns, told, pool),
       "those that lasted leave no place behind a second time");
    lims_fair_semaphore_release(turns, turn[0]);
    lims_fair_semaphore_release(turns, turn[1]);
    ok(take_now(&waited) && !waited && take_now(&waited) && !waited, "then both are free");
    ok(!lims_fair_semaphore_acquire(&waited, turns, told, pool), "and no third");
    told = 0;
}

/* Nobody has to come for it to be noticed. */
static void test_wakes(void)
{
    apr_interval_time_t length = apr_time_from_msec(50);
    apr_time_t begun = apr_time_now();
    bool waited;

    lims_fair_semaphore_create(&turns, 1, length, pool);
    take_now(&waited);
    ok(lims_fair_semaphore_acquire(&waited, turns, begun + apr_time_from_sec(60), pool) && waited,
       "who waits wakes when a turn has had its time");
    ok(apr_time_now() - begun >= length, "... and not before");
}

int main(void)
{
    apr_initialize();
    apr_pool_create(&pool, NULL);
    apr_thread_mutex_create(&mutex, APR_THREAD_MUTEX_DEFAULT, pool);
    test_bound();
    test_order();
    test_overdue();
    test_wakes();
    return tap_done();
}
