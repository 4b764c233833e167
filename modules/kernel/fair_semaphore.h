/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fair_semaphore.h - taking turns: so many at once, the others in the order in which they
 * came.
 *
 * A database does not answer sooner because more ask at once: beyond a few
 * sessions for each of its processors they only push each other out of its
 * caches and wait in its run queue, and the last of them waits longest. So the
 * brief reads of a child take turns, in the order in which they came. Writes do
 * not, which may wait for each other's locks, nor searches, which may take long:
 * behind neither is a turn to be waited for.
 *
 * What was thought brief may still meet a lock or a cold disk. Then it is not its
 * processor that the database lacks, and a turn that lasts longer than turns do
 * goes to the next in line: so nothing holds up the others for long.
 */
#ifndef LIMS_FAIR_SEMAPHORE_H
#define LIMS_FAIR_SEMAPHORE_H

#include <apr_pools.h>
#include <apr_time.h>
#include <stdbool.h>

typedef struct lims_fair_semaphore_t lims_fair_semaphore_t;
typedef struct lims_fair_permit_t lims_fair_permit_t;

/* `places` turns may be taken at once, not counting those that have lasted for
 * `length` (microseconds) while others waited; `pool` outlives them. */
apr_status_t lims_fair_semaphore_create(lims_fair_semaphore_t **turns, int places,
                                        apr_interval_time_t length, apr_pool_t *pool);

/* Waits for a turn until then; NULL if none came. Behind those that wait
 * already, so that nobody is overtaken. `waited` becomes true if it had to;
 * `pool` is the request's and outlives the turn. */
lims_fair_permit_t *lims_fair_semaphore_acquire(bool *waited, lims_fair_semaphore_t *turns,
                                                apr_time_t until, apr_pool_t *pool);

/* To be called once for each turn taken: the next in line has it then, if it has
 * not got it already. */
void lims_fair_semaphore_release(lims_fair_semaphore_t *turns, lims_fair_permit_t *turn);

#endif /* LIMS_FAIR_SEMAPHORE_H */
