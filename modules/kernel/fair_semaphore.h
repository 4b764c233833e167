/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fair_semaphore.h - a fair (FIFO) semaphore for the threads of one process.
 *
 * It bounds the short reads that a child sends to the database at once. Beyond a few
 * sessions for each of its processors a database does not answer sooner: sessions
 * evict each other from its caches and queue for its processors, and the last of
 * them waits longest. Writes do not pass it, because they may wait for each other's
 * locks, and searches do not, because they may take long: neither should keep short
 * reads waiting.
 *
 * A short read may still meet a lock or a cold disk, and is then not using a
 * processor. So a permit expires after `lifetime` while others wait, and goes to the
 * first waiter: no holder blocks the others for long.
 */
#ifndef LIMS_FAIR_SEMAPHORE_H
#define LIMS_FAIR_SEMAPHORE_H

#include <apr_pools.h>
#include <apr_time.h>
#include <stdbool.h>

typedef struct lims_fair_semaphore_t lims_fair_semaphore_t;
typedef struct lims_fair_permit_t lims_fair_permit_t;

/* Creates a semaphore with this number of permits. A permit held for longer than
 * `lifetime` microseconds is passed to a waiter, if there is one. `pool` outlives the
 * semaphore. */
apr_status_t lims_fair_semaphore_create(lims_fair_semaphore_t **semaphore, int permits,
                                        apr_interval_time_t lifetime, apr_pool_t *pool);

/* Acquires a permit, waiting behind all earlier waiters until `deadline`; NULL: timed
 * out. Sets `waited` if it had to wait. `pool` is the request's and outlives the
 * permit. */
lims_fair_permit_t *lims_fair_semaphore_acquire(bool *waited, lims_fair_semaphore_t *semaphore,
                                                apr_time_t deadline, apr_pool_t *pool);

/* Releases a permit; call it once for each that was acquired. The first waiter gets
 * it, unless it expired and has another holder already. */
void lims_fair_semaphore_release(lims_fair_semaphore_t *semaphore, lims_fair_permit_t *permit);

#endif /* LIMS_FAIR_SEMAPHORE_H */
