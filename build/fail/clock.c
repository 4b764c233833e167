/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock.c - the machine's time, set back or forward by a test: LIMS_CLOCK names a
 * file with the microseconds to add. The clock that never goes back is let be.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000

static const volatile int64_t *added;

__attribute__((constructor)) static void find_file(void)
{
    const char *path = getenv("LIMS_CLOCK");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    void *memory;

    if (file < 0) {
        return;
    }
    memory = mmap(NULL, sizeof(*added), PROT_READ, MAP_SHARED, file, 0);
    if (memory != MAP_FAILED) {
        added = memory;
    }
    close(file);
}

/* Replaces the function that APR asks for the time. */
int gettimeofday(struct timeval *restrict time, void *restrict zone)
{
    struct timespec now;
    int64_t moment;

    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    moment = (int64_t)now.tv_sec * SECOND + now.tv_nsec / 1000 + (added ? *added : 0);
    time->tv_sec = (time_t)(moment / SECOND);
    time->tv_usec = (suseconds_t)(moment % SECOND);
    return 0;
}
