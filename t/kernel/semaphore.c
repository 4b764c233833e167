/* SPDX-License-Identifier: Apache-2.0 */
/* The counting semaphore of several processes: its bound, the order of waiters, and
 * permits of killed processes. */
#include "kernel/semaphore.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../lib/tap.h"
#include "kernel/time.h"

#define WAITERS 4

/* A lifetime that ends in no test. */
#define LONG apr_time_from_sec(600)

/* Shared memory that the processes of a test write. */
typedef struct {
    volatile int order[WAITERS];
    volatile int served;
    _Atomic int busy;
    volatile int most;
    volatile bool ready;
} notes_t;

static notes_t *notes;
static lims_semaphore_t semaphore;

/* Reads of the clock after which this process reports that it waits. */
static int clock_reads;

/* Replaces libc's: a waiter reads the clock again after it has been entered. */
int clock_gettime(clockid_t clock, struct timespec *time)
{
    if (clock_reads > 0 && --clock_reads == 0) {
        notes->ready = true;
    }
    return (int)syscall(SYS_clock_gettime, clock, time);
}

static void *share(apr_size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    return memory == MAP_FAILED ? NULL : memory;
}

static void begin(int count, apr_interval_time_t lifetime)
{
    semaphore = (lims_semaphore_t){ .memory = share(lims_semaphore_size(count)),
                                    .permits = count,
                                    .lifetime = lifetime };
    notes = share(sizeof(*notes));
}

static void end_of(pid_t child)
{
    waitpid(child, NULL, 0);
}

static void await_ready(void)
{
    for (int i = 0; i < 3000 && !notes->ready; i++) {
        usleep(10000);
    }
}

/* Starts a process that acquires a permit and holds it until it is killed. */
static pid_t hold(void)
{
    pid_t child = fork();

    if (child == 0) {
        lims_semaphore_permit_t permit;
        notes->ready = lims_semaphore_acquire(&permit, &semaphore, LONG);
        for (;;) {
            pause();
        }
    }
    await_ready();
    return child;
}

/* Starts a process that waits for a permit, behind those that began earlier. */
static pid_t wait_behind(int number)
{
    pid_t child;

    notes->ready = false;
    child = fork();
    if (child == 0) {
        lims_semaphore_permit_t permit;
        clock_reads = 2;
        if (lims_semaphore_acquire(&permit, &semaphore, LONG)) {
            notes->order[notes->served++] = number;
            lims_semaphore_release(&semaphore, &permit);
        }
        _exit(0);
    }
    await_ready();
    return child;
}

static void test_bound(void)
{
    lims_semaphore_permit_t first, second, third;

    begin(2, LONG);
    ok(lims_semaphore_acquire(&first, &semaphore, 0), "the first of two permits is free");
    ok(lims_semaphore_acquire(&second, &semaphore, 0), "the second permit is acquired");
    ok(!lims_semaphore_acquire(&third, &semaphore, 20000), "a third permit is not acquired");
    lims_semaphore_release(&semaphore, &first);
    ok(lims_semaphore_acquire(&third, &semaphore, 0), "a released permit can be acquired");
    lims_semaphore_release(&semaphore, &second);
    lims_semaphore_release(&semaphore, &third);
    ok(lims_semaphore_acquire(&first, &semaphore, 0) &&
           lims_semaphore_acquire(&second, &semaphore, 0),
       "both can be acquired again");
}

static void test_order(void)
{
    pid_t children[WAITERS];
    lims_semaphore_permit_t permit;
    bool ordered = true;

    begin(1, LONG);
    lims_semaphore_acquire(&permit, &semaphore, 0);
    for (int i = 0; i < WAITERS; i++) {
        children[i] = wait_behind(i);
    }
    lims_semaphore_release(&semaphore, &permit);
    for (int i = 0; i < WAITERS; i++) {
        end_of(children[i]);
        ordered = ordered && notes->order[i] == i;
    }
    is_number(notes->served, WAITERS, "all waiting processes get the permit");
    ok(ordered, "processes get the permit in the order in which they began to wait");
}

static void test_killed(void)
{
    apr_time_t begun;
    lims_semaphore_permit_t permit;
    pid_t holder, waiter;

    begin(1, apr_time_from_msec(300));
    begun = lims_time_monotonic();
    holder = hold();
    ok(notes->ready, "a process holds the permit");
    waiter = wait_behind(0);
    kill(holder, SIGKILL);
    end_of(holder);
    end_of(waiter);
    is_number(notes->served, 1, "after it was killed the waiter gets the permit");
    ok(lims_time_monotonic() - begun >= semaphore.lifetime, "the waiter gets the permit when the lifetime of the former is over");
    ok(lims_semaphore_acquire(&permit, &semaphore, 0), "the waiter has released it");

    notes->served = 0;
    semaphore.lifetime = LONG;
    waiter = wait_behind(1);
    kill(waiter, SIGKILL);
    end_of(waiter);
    lims_semaphore_release(&semaphore, &permit);
    ok(lims_semaphore_acquire(&permit, &semaphore, LONG), "a killed waiter blocks nobody");
    is_number(notes->served, 0, "the killed waiter acquired nothing");
}

static void test_overdue(void)
{
    lims_semaphore_permit_t slow, next, none;

    begin(1, 20000);
    lims_semaphore_acquire(&slow, &semaphore, 0);
    ok(lims_semaphore_acquire(&next, &semaphore, LONG),
       "a permit held beyond its lifetime goes to the next");
    semaphore.lifetime = LONG;
    lims_semaphore_release(&semaphore, &slow);
    ok(!lims_semaphore_acquire(&none, &semaphore, 0),
       "a release by the former holder does nothing");
    lims_semaphore_release(&semaphore, &next);
    ok(lims_semaphore_acquire(&none, &semaphore, 0), "a release by the new holder frees it");
}

/* Acquires and releases a permit as fast as it can. */
static void hurry(int times)
{
    for (int i = 0; i < times; i++) {
        lims_semaphore_permit_t permit;
        if (lims_semaphore_acquire(&permit, &semaphore, LONG)) {
            int now = ++notes->busy;
            notes->most = now > notes->most ? now : notes->most;
            usleep(100);
            --notes->busy;
            lims_semaphore_release(&semaphore, &permit);
        }
    }
}

static void test_many(void)
{
    pid_t children[8];

    begin(2, LONG);
    for (int i = 0; i < 8; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            hurry(50);
            _exit(0);
        }
    }
    for (int i = 0; i < 8; i++) {
        end_of(children[i]);
    }
    ok(notes->most > 0 && notes->most <= 2, "eight processes never hold more than two permits");
    is_number(notes->busy, 0, "all permits are released in the end");
}

int main(void)
{
    apr_initialize();
    test_bound();
    test_order();
    test_killed();
    test_overdue();
    test_many();
    return tap_done();
}
