/* SPDX-License-Identifier: Apache-2.0 */
/* The fair semaphore: its bound, the order of waiters, and expired permits. */
#include "kernel/fair_semaphore.h"

#include <apr_thread_mutex.h>
#include <apr_thread_proc.h>
#include <time.h>
#include <unistd.h>

#include "../lib/tap.h"

#define WAITERS 5

/* A lifetime that ends in no test. */
#define LONG apr_time_from_sec(600)

static apr_pool_t *pool;
static apr_thread_mutex_t *mutex;
static lims_fair_semaphore_t *semaphore;

/* The time that a test sets; 0: the real time. */
static apr_time_t test_time;

/* Replaces APR's. */
apr_time_t apr_time_now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_REALTIME, &time);
    return test_time ? test_time : apr_time_make(time.tv_sec, time.tv_nsec / 1000);
}

/* Numbers of the waiters that got a permit, in order. */
static int served[WAITERS + 1];
static int count;

typedef struct {
    int number;
    apr_interval_time_t timeout;
    apr_pool_t *pool;
    apr_thread_t *thread;
    bool acquired;
    bool waited;
} waiter_t;

static void *APR_THREAD_FUNC wait_for_permit(apr_thread_t *thread, void *data)
{
    waiter_t *self = data;

    lims_fair_permit_t *permit = lims_fair_semaphore_acquire(
        &self->waited, semaphore, apr_time_now() + self->timeout, self->pool);

    self->acquired = permit;
    if (self->acquired) {
        apr_thread_mutex_lock(mutex);
        served[count++] = self->number;
        apr_thread_mutex_unlock(mutex);
        lims_fair_semaphore_release(semaphore, permit);
    }
    apr_thread_exit(thread, APR_SUCCESS);
    return NULL;
}

/* Starts a thread that waits behind those that began earlier. */
static void begin(waiter_t *waiter, int number, apr_interval_time_t timeout)
{
    *waiter = (waiter_t){ .number = number, .timeout = timeout };
    apr_pool_create(&waiter->pool, pool);
    apr_thread_create(&waiter->thread, NULL, wait_for_permit, waiter, pool);
    /* Set with the mutex held, which is released once the thread is in the queue. */
    while (!__atomic_load_n(&waiter->waited, __ATOMIC_ACQUIRE)) {
        usleep(1000);
    }
}

static void end(waiter_t *waiter)
{
    apr_status_t status;

    apr_thread_join(&status, waiter->thread);
}

static lims_fair_permit_t *acquire(bool *waited)
{
    *waited = false;
    return lims_fair_semaphore_acquire(waited, semaphore, apr_time_now() + 20000, pool);
}

static void test_bound(void)
{
    lims_fair_permit_t *first, *second;
    bool waited;

    lims_fair_semaphore_create(&semaphore, 2, LONG, pool);
    first = acquire(&waited);
    ok(first && !waited, "the first permit is free");
    second = acquire(&waited);
    ok(second && !waited, "the second permit is acquired at once");
    ok(!acquire(&waited) && waited, "the third times out");
    lims_fair_semaphore_release(semaphore, first);
    first = acquire(&waited);
    ok(first && !waited, "a released permit is free again");
    lims_fair_semaphore_release(semaphore, second);
    lims_fair_semaphore_release(semaphore, first);
    ok(acquire(&waited) && acquire(&waited) && !acquire(&waited),
       "a waiter that timed out holds none");
}

static void test_order(void)
{
    waiter_t waiters[WAITERS], impatient;
    bool ordered = true, waited;
    lims_fair_permit_t *permit;

    lims_fair_semaphore_create(&semaphore, 1, LONG, pool);
    permit = acquire(&waited);
    begin(&waiters[0], 0, apr_time_from_sec(60));
    begin(&impatient, WAITERS, 1000);
    for (int i = 1; i < WAITERS; i++) {
        begin(&waiters[i], i, apr_time_from_sec(60));
    }
    end(&impatient);
    ok(!impatient.acquired, "a waiter in the middle of the queue times out");
    lims_fair_semaphore_release(semaphore, permit);
    for (int i = 0; i < WAITERS; i++) {
        end(&waiters[i]);
        ordered = ordered && waiters[i].acquired && waiters[i].waited && served[i] == i;
    }
    is_number(count, WAITERS, "all other waiters get the permit");
    ok(ordered, "waiters get the permit in the order in which they came");
    ok(acquire(&waited) && !waited, "the permit is free in the end");
}

/* Two permits that expire: they go to waiters, and are released by those. */
static void test_overdue(void)
{
    apr_interval_time_t lifetime = apr_time_from_msec(50);
    lims_fair_permit_t *lasting[2], *permit[2];
    bool waited = false;

    test_time = apr_time_now();
    lims_fair_semaphore_create(&semaphore, 2, lifetime, pool);
    lasting[0] = acquire(&waited);
    test_time += 1000;
    lasting[1] = acquire(&waited);
    ok(lasting[0] && lasting[1] && !waited, "two permits are acquired");
    test_time += lifetime - 1001;
    ok(!lims_fair_semaphore_acquire(&waited, semaphore, test_time, pool) && waited,
       "a waiter gets none before the lifetime is over");
    test_time += 1;
    permit[0] = lims_fair_semaphore_acquire(&waited, semaphore, test_time, pool);
    ok(permit[0], "the older permit expires and goes to the waiter");
    ok(!lims_fair_semaphore_acquire(&waited, semaphore, test_time, pool),
       "the other one has not expired yet");
    test_time += 1000;
    permit[1] = lims_fair_semaphore_acquire(&waited, semaphore, test_time, pool);
    ok(permit[1], "the other permit expires later");
    lims_fair_semaphore_release(semaphore, lasting[0]);
    lims_fair_semaphore_release(semaphore, lasting[1]);
    ok(!lims_fair_semaphore_acquire(&waited, semaphore, test_time, pool),
       "releasing an expired permit frees none");
    lims_fair_semaphore_release(semaphore, permit[0]);
    lims_fair_semaphore_release(semaphore, permit[1]);
    ok(acquire(&waited) && !waited && acquire(&waited) && !waited,
       "releasing by the new holders frees both");
    ok(!lims_fair_semaphore_acquire(&waited, semaphore, test_time, pool),
       "a third permit is not acquired");
    test_time = 0;
}

/* A waiter notices an expired permit without another call. */
static void test_wakes(void)
{
    apr_interval_time_t lifetime = apr_time_from_msec(50);
    apr_time_t begun = apr_time_now();
    bool waited;

    lims_fair_semaphore_create(&semaphore, 1, lifetime, pool);
    acquire(&waited);
    ok(lims_fair_semaphore_acquire(&waited, semaphore, begun + apr_time_from_sec(60), pool) &&
           waited,
       "a waiter wakes when the permit expires");
    ok(apr_time_now() - begun >= lifetime, "a waiter does not wake before");
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
