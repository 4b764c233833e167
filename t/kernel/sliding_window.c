/* SPDX-License-Identifier: Apache-2.0 */
/* The sliding window is exact, alone and when many processes take from it. */
#include "kernel/sliding_window.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../lib/tap.h"

/* Microseconds, where a test says what time it is; 0: the clock does. */
static apr_int64_t told;

/* Instead of libc's, so that no test depends on how busy the machine is. */
int clock_gettime(clockid_t clock, struct timespec *time)
{
    if (told == 0) {
        return (int)syscall(SYS_clock_gettime, clock, time);
    }
    *time = (struct timespec){ .tv_sec = told / 1000000, .tv_nsec = told % 1000000 * 1000 };
    return 0;
}

/* From here on the time is told. */
static void begin(void)
{
    told = 1000000;
}

static void pass(apr_int64_t time)
{
    told += time;
}

static void end(void)
{
    told = 0;
}

static lims_sliding_windows_t table_of(apr_uint32_t slots, apr_uint32_t limit, apr_int64_t window)
{
    lims_sliding_windows_t table = { .slots = slots, .limit = limit, .window = window };

    table.memory = mmap(NULL, lims_sliding_windows_size(slots, limit), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return table;
}

static int admitted_of(const lims_sliding_windows_t *table, apr_int64_t key, int tries)
{
    int admitted = 0;

    for (int i = 0; i < tries; i++) {
        lims_rate_verdict_t verdict;
        admitted += lims_sliding_windows_take(&verdict, table, key) && verdict.admitted;
    }
    return admitted;
}

static void test_limit(void)
{
    lims_sliding_windows_t table = table_of(16, 3, 60 * 1000000);
    lims_rate_verdict_t verdict;

    ok(lims_sliding_windows_take(&verdict, &table, 7) && verdict.admitted,
       "the first request is admitted");
    is_number(verdict.remaining, 2, "two more would be admitted");
    ok(verdict.reset > 59 * 1000000 && verdict.reset <= 60 * 1000000,
       "the window is free again in just under its length");
    is_number(admitted_of(&table, 7, 5), 2, "two more are admitted");
    ok(lims_sliding_windows_take(&verdict, &table, 7) && !verdict.admitted, "the next is refused");
    is_number(verdict.remaining, 0, "nothing remains");
    ok(verdict.reset > 0 && verdict.reset <= 60 * 1000000, "it says how long to wait");
    is_number(admitted_of(&table, 8, 5), 3, "another key has a limit of its own");
}

static void test_look(void)
{
    lims_sliding_windows_t table = table_of(16, 2, 60 * 1000000);
    lims_rate_verdict_t verdict;

    for (int i = 0; i < 5; i++) {
        lims_sliding_windows_peek(&verdict, &table, 7);
    }
    ok(verdict.admitted && verdict.remaining == 2 && verdict.reset == 0, "peeking counts nothing");
    is_number(admitted_of(&table, 7, 1), 1, "a request is counted");
    lims_sliding_windows_peek(&verdict, &table, 7);
    ok(verdict.admitted && verdict.remaining == 1, "peeking shows that a request was counted");
    admitted_of(&table, 7, 1);
    lims_sliding_windows_peek(&verdict, &table, 7);
    ok(!verdict.admitted && verdict.remaining == 0,
       "peeking shows that no request would be admitted");
    ok(verdict.reset > 0 && verdict.reset <= 60 * 1000000, "peeking shows when the first leaves the window");
}

/* Wherever the ring begins. */
static void test_remaining(void)
{
    lims_sliding_windows_t table = table_of(16, 5, 1000);
    bool counted = true, timed = true;

    begin();
    for (int i = 0; i < 40; i++) {
        lims_rate_verdict_t verdict;
        apr_uint32_t held = i < 3 ? (apr_uint32_t)i + 1 : 4;

        /* A request every 300: four of them are within 1000. */
        admitted_of(&table, 9, 1);
        lims_sliding_windows_peek(&verdict, &table, 9);
        counted = counted && verdict.remaining == 5 - held;
        timed = timed && verdict.reset == 1000 - 300 * ((apr_int64_t)held - 1);
        pass(300);
    }
    end();
    ok(counted, "what remains is counted wherever the oldest request stands in the ring");
    ok(timed, "the time until the oldest leaves the window is right");
}

static void test_window_slides(void)
{
    lims_sliding_windows_t table = table_of(16, 2, 200000);

    begin();
    is_number(admitted_of(&table, 1, 1), 1, "one request is admitted now");
    pass(120000);
    is_number(admitted_of(&table, 1, 2), 1, "one in the middle of the window, and no second");
    pass(79999);
    is_number(admitted_of(&table, 1, 1), 0, "none while the first is in the window");
    pass(2);
    is_number(admitted_of(&table, 1, 2), 1,
              "one when the first has left the window and the second has not");
    pass(200001);
    is_number(admitted_of(&table, 1, 3), 2, "after a whole window the limit is free again");
    end();
}

static void test_refusals_do_not_count(void)
{
    lims_sliding_windows_t table = table_of(16, 1, 150000);

    begin();
    is_number(admitted_of(&table, 1, 1), 1, "one");
    pass(100000);
    is_number(admitted_of(&table, 1, 50), 0, "fifty refused");
    pass(50001);
    is_number(admitted_of(&table, 1, 1), 1, "refused requests do not prolong the wait");
    end();
}

static void test_full_table(void)
{
    lims_sliding_windows_t table = table_of(4, 2, 100000);
    lims_rate_verdict_t verdict;

    begin();
    for (apr_int64_t key = 1; key <= 4; key++) {
        lims_sliding_windows_take(&verdict, &table, key);
    }
    ok(!lims_sliding_windows_take(&verdict, &table, 5), "a fifth active key finds no slot");
    pass(100001);
    ok(lims_sliding_windows_take(&verdict, &table, 5) && verdict.admitted,
       "an idle key's slot is given to another");
    is_number(verdict.remaining, 1, "a reused slot starts with the whole limit");
    end();
}

/* A process that wrote an entry and was killed before it moved the head on. */
static void test_dead_winner(void)
{
    lims_sliding_windows_t table = table_of(1, 3, 60 * 1000000);
    apr_uint64_t *words = table.memory;

    is_number(admitted_of(&table, 1, 1), 1, "one");
    words[1] = 0; /* the head as it was before */
    is_number(admitted_of(&table, 1, 5), 2, "others find the two entries that are left");
}

static void test_many_processes(void)
{
    lims_sliding_windows_t table = table_of(64, 120, 60 * 1000000);
    int *counts =
        mmap(NULL, sizeof(int) * 8, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int total = 0;

    for (int i = 0; i < 8; i++) {
        if (fork() == 0) {
            counts[i] = admitted_of(&table, 4217, 2000);
            _exit(0);
        }
    }
    for (int i = 0; i < 8; i++) {
        wait(NULL);
    }
    for (int i = 0; i < 8; i++) {
        total += counts[i];
    }
    is_number(total, 120, "of 16000 requests by eight processes exactly 120 are admitted");
}

int main(void)
{
    test_limit();
    test_look();
    test_remaining();
    test_window_slides();
    test_refusals_do_not_count();
    test_full_table();
    test_dead_winner();
    test_many_processes();
    return tap_done();
}
