/* SPDX-License-Identifier: Apache-2.0 */
/*
 * semaphore.h - so many at once, over the processes of a machine.
 *
 * Places in memory that processes share, for work that takes a processor for long:
 * the processors are one machine's, whichever process asks for them. Who waits
 * has a seat, which says since when, and a place that becomes free goes to who has
 * waited longest.
 *
 * No lock is taken, and a place or a seat that nobody gives back does not stay
 * taken: a process that is killed leaves nothing behind that others would wait for
 * for long. A place that was taken for `length` is free to be taken by another, as
 * a turn is that lasts too long (fair_semaphore.h): a guard against those who wait for
 * something else than a processor, and against those who are no more.
 *
 * Who waits looks every few milliseconds, since none can be relied upon to call. So
 * one thread of a process should wait here, and the others behind it.
 */
#ifndef LIMS_KERNEL_SEMAPHORE_H
#define LIMS_KERNEL_SEMAPHORE_H

#include "lims.h"

/* Places in a block of memory that is zero at first. */
typedef struct {
    void *memory;
    int count;
    apr_interval_time_t length; /* microseconds */
} lims_semaphore_t;

/* One that is taken. */
typedef struct {
    int index;
    apr_time_t since; /* of lims_time_monotonic(): what tells it from the next taking */
} lims_semaphore_permit_t;

/* Bytes that so many places need. */
apr_size_t lims_semaphore_size(int count);

/* Waits for a place at most so long (microseconds); false if none became free. */
bool lims_semaphore_acquire(lims_semaphore_permit_t *place, const lims_semaphore_t *places,
                            apr_interval_time_t patience);

/* To be called once for each place taken, which another may have by then. */
void lims_semaphore_release(const lims_semaphore_t *places, const lims_semaphore_permit_t *place);

#endif /* LIMS_KERNEL_SEMAPHORE_H */
