/* SPDX-License-Identifier: Apache-2.0 */
/* Places that processes share: a bound, an order, and nothing lost with a process. */
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

/* None that is seen to end. */
#define LONG apr_time_from_sec(600)

/* What the processes of a test write. */
typedef struct {
    volatile int order[WAITERS];
    volatile int served;
    _Atomic int busy;
    volatile int most;
    volatile bool ready;
} notes_t;

static notes_t *notes;
static lims_semaphore_t places;

/* How often this process has yet to look at the clock until it says that it waits. */
static int looks;

/* Instead of libc's: who looks at it once more has taken its seat. */
int clock_gettime(clockid_t clock, struct timespec *time)
{
    if (looks > 0 && --looks == 0) {
        notes->ready = true;
    }
    return (int)syscall(SYS_clock_gettime, clock, time);
}

static void *share(apr_size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    return memory == MAP_FAILED ? NULL : memory;
}

static void begin(int count, apr_interval_time_t length)
{
    places = (lims_semaphore_t){ .memory = share(lims_semaphore_size(count)),
                                 .count = count,
                                 .length = length };
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

/* A process that takes a place and waits to be killed, holding it. */
static pid_t hold(void)
{
    pid_t child = fork();

    if (child == 0) {
        lims_semaphore_permit_t place;
        notes->ready = lims_semaphore_acquire(&place, &places, LONG);
        for (;;) {
            pause();
        }
    }
    await_ready();
    return child;
}

/* A process that waits for a place, behind whoever began before. */
static pid_t wait_behind(int number)
{
    pid_t child;

    notes->ready = false;
    child = fork();
    if (child == 0) {
        lims_semaphore_permit_t place;
        looks = 2;
        if (lims_semaphore_acquire(&place, &places, LONG)) {
            notes->order[notes->served++] = number;
            lims_semaphore_release(&places, &place);
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
    ok(lims_semaphore_acquire(&first, &places, 0), "one place");
    ok(lims_semaphore_acquire(&second, &places, 0), "another");
    ok(!lims_semaphore_acquire(&third, &places, 20000), "and no third");
    lims_semaphore_release(&places, &first);
    ok(lims_semaphore_acquire(&third, &places, 0), "but where one was given back");
    lims_semaphore_release(&places, &second);
    lims_semaphore_release(&places, &third);
    ok(lims_semaphore_acquire(&first, &places, 0) && lims_semaphore_acquire(&second, &places, 0),
       "and so on");
}

static void test_order(void)
{
    pid_t children[WAITERS];
    lims_semaphore_permit_t place;
    bool ordered = true;

    begin(1, LONG);
    lims_semaphore_acquire(&place, &places, 0);
    for (int i = 0; i < WAITERS; i++) {
        children[i] = wait_behind(i);
    }
    lims_semaphore_release(&places, &place);
    for (int i = 0; i < WAITERS; i++) {
        end_of(children[i]);
        ordered = ordered && notes->order[i] == i;
    }
    is_number(notes->served, WAITERS, "processes that wait all get their place");
    ok(ordered, "in the order in which they came");
}

static void test_killed(void)
{
    apr_time_t begun;
    lims_semaphore_permit_t place;
    pid_t holder, waiter;

    begin(1, apr_time_from_msec(300));
    begun = lims_time_monotonic();
    holder = hold();
    ok(notes->ready, "a process has the place");
    waiter = wait_behind(0);
    kill(holder, SIGKILL);
    end_of(holder);
    end_of(waiter);
    is_number(notes->served, 1, "when it was killed the next has it");
    ok(lims_time_monotonic() - begun >= places.length, "... after the time that a place is for");
    ok(lims_semaphore_acquire(&place, &places, 0), "and it is free again");

    notes->served = 0;
    places.length = LONG;
    waiter = wait_behind(1);
    kill(waiter, SIGKILL);
    end_of(waiter);
    lims_semaphore_release(&places, &place);
    ok(lims_semaphore_acquire(&place, &places, LONG),
       "nor does one that was killed waiting stay first");
    is_number(notes->served, 0, "... which had nothing");
}

static void test_overdue(void)
{
    lims_semaphore_permit_t slow, next, none;

    begin(1, 20000);
    lims_semaphore_acquire(&slow, &places, 0);
    ok(lims_semaphore_acquire(&next, &places, LONG),
       "a place that is held too long goes to the next");
    places.length = LONG;
    lims_semaphore_release(&places, &slow);
    ok(!lims_semaphore_acquire(&none, &places, 0), "and is not free when the first gives it back");
    lims_semaphore_release(&places, &next);
    ok(lims_semaphore_acquire(&none, &places, 0), "but when the second does");
}

/* Takes and gives back as fast as it can. */
static void hurry(int times)
{
    for (int i = 0; i < times; i++) {
        lims_semaphore_permit_t place;
        if (lims_semaphore_acquire(&place, &places, LONG)) {
            int now = ++notes->busy;
            notes->most = now > notes->most ? now : notes->most;
            usleep(100);
            --notes->busy;
            lims_semaphore_release(&places, &place);
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
    ok(notes->most > 0 && notes->most <= 2, "of eight in a hurry two are in at most");
    is_number(notes->busy, 0, "and none is left");
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
