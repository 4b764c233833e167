/* SPDX-License-Identifier: Apache-2.0 */
/* So many at once, the others in the order in which they came. */
#include "kernel/turns.h"

#include <apr_thread_mutex.h>
#include <apr_thread_proc.h>
#include <unistd.h>

#include "../lib/tap.h"

#define WAITERS 5

static apr_pool_t *pool;
static apr_thread_mutex_t *mutex;
static lims_turns_t *turns;

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

    self->taken =
        lims_turns_take(&self->waited, turns, apr_time_now() + self->patience, self->pool);
    if (self->taken) {
        apr_thread_mutex_lock(mutex);
        served[count++] = self->number;
        apr_thread_mutex_unlock(mutex);
        lims_turns_give_back(turns);
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
    usleep(100000);
}

static void end(waiter_t *waiter)
{
    apr_status_t status;

    apr_thread_join(&status, waiter->thread);
}

static bool take_now(bool *waited)
{
    *waited = false;
    return lims_turns_take(waited, turns, apr_time_now() + 20000, pool);
}

static void test_bound(void)
{
    bool waited;

    lims_turns_create(&turns, 2, pool);
    ok(take_now(&waited) && !waited, "the first turn is free");
    ok(take_now(&waited) && !waited, "so is the second");
    ok(!take_now(&waited) && waited, "the third is waited for, in vain");
    lims_turns_give_back(turns);
    ok(take_now(&waited) && !waited, "one that is given back is free again");
    lims_turns_give_back(turns);
    lims_turns_give_back(turns);
    ok(take_now(&waited) && take_now(&waited) && !take_now(&waited),
       "who gave up waiting has taken none with it");
}

static void test_order(void)
{
    waiter_t waiters[WAITERS], impatient;
    bool ordered = true, waited;

    lims_turns_create(&turns, 1, pool);
    take_now(&waited);
    begin(&waiters[0], 0, apr_time_from_sec(60));
    begin(&impatient, WAITERS, 1000);
    for (int i = 1; i < WAITERS; i++) {
        begin(&waiters[i], i, apr_time_from_sec(60));
    }
    end(&impatient);
    ok(!impatient.taken, "one in the middle of the line goes away");
    lims_turns_give_back(turns);
    for (int i = 0; i < WAITERS; i++) {
        end(&waiters[i]);
        ordered = ordered && waiters[i].taken && waiters[i].waited && served[i] == i;
    }
    is_number(count, WAITERS, "all others get their turn");
    ok(ordered, "in the order in which they came");
    ok(take_now(&waited) && !waited, "and then it is free");
}

int main(void)
{
    apr_initialize();
    apr_pool_create(&pool, NULL);
    apr_thread_mutex_create(&mutex, APR_THREAD_MUTEX_DEFAULT, pool);
    test_bound();
    test_order();
    return tap_done();
}
