/* SPDX-License-Identifier: Apache-2.0 */
/*
 * semaphore.h - a counting semaphore in memory that the processes of a machine share.
 *
 * It bounds CPU-bound work: the processors belong to the machine, whichever process
 * uses them. Permits go to waiters in the order in which they began to wait.
 *
 * It takes no lock, and nothing is lost with a process that is killed. A permit
 * expires after `lifetime` and may then be acquired by another waiter: that frees the
 * permits of dead processes and of holders that wait for something other than a
 * processor. A waiter that stops polling loses its place in the order.
 *
 * Waiters poll every few milliseconds, because a process that could wake them may be
 * dead. So one thread of a process should wait here, and its other threads for that
 * one, in a fair semaphore (fair_semaphore.h).
 */
#ifndef LIMS_KERNEL_SEMAPHORE_H
#define LIMS_KERNEL_SEMAPHORE_H

#include "lims.h"

typedef struct {
    void *memory; /* shared, zero at first, of lims_semaphore_size() bytes */
    int permits;
    apr_interval_time_t lifetime; /* of a permit, microseconds */
} lims_semaphore_t;

/* An acquired permit. */
typedef struct {
    int index;
    apr_time_t since; /* of lims_time_monotonic(); tells it from later holders of the index */
} lims_semaphore_permit_t;

/* Size of the shared memory in bytes. */
apr_size_t lims_semaphore_size(int permits);

/* Acquires a permit, waiting for `timeout` microseconds at most. False: timed out. */
bool lims_semaphore_acquire(lims_semaphore_permit_t *permit, const lims_semaphore_t *semaphore,
                            apr_interval_time_t timeout);

/* Releases a permit; call it once for each that was acquired. Does nothing if the
 * permit expired and has another holder by now. */
void lims_semaphore_release(const lims_semaphore_t *semaphore,
                            const lims_semaphore_permit_t *permit);

#endif /* LIMS_KERNEL_SEMAPHORE_H */
