/* SPDX-License-Identifier: Apache-2.0 */
/* semaphore.c - so many at once, over the processes of a machine. */
#include "kernel/semaphore.h"

#include <stdatomic.h>

#include "kernel/time.h"

/* Processes that can wait in order; more are served too, but behind them. */
#define SEATS 128

/* How often who waits looks, and after how long without a look it is gone. */
#define LOOK apr_time_from_msec(2)
#define GONE apr_time_from_sec(1)

/* Times of lims_time_monotonic(), 0: free. */
typedef struct {
    _Atomic apr_int64_t since; /* it waits */
    _Atomic apr_int64_t seen;  /* it looked last */
} seat_t;

typedef struct {
    seat_t seats[SEATS];
    _Atomic apr_int64_t taken[]; /* since when; count of them */
} room_t;

apr_size_t lims_semaphore_size(int count)
{
    return sizeof(room_t) + sizeof(apr_int64_t) * (apr_size_t)count;
}

static bool is_gone(apr_int64_t seen, apr_int64_t now)
{
    return seen == 0 || now - seen >= GONE;
}

/* --- Seats ---------------------------------------------------------------- */

/* A seat for who waits since then; NULL if all are taken. */
static seat_t *sit_down(room_t *room, apr_int64_t since)
{
    for (int i = 0; i < SEATS; i++) {
        seat_t *seat = &room->seats[i];
        apr_int64_t seen = atomic_load(&seat->seen);

        if (is_gone(seen, since) && atomic_compare_exchange_strong(&seat->seen, &seen, since)) {
            atomic_store(&seat->since, since);
            return seat;
        }
    }
    return NULL;
}

static void stand_up(seat_t *seat)
{
    if (seat) {
        atomic_store(&seat->seen, 0);
    }
}

/* How many wait that came before: in order of time, and of seats where that is the
 * same. Who has no seat comes after all that have. */
static int count_before(room_t *room, const seat_t *own, apr_int64_t since, apr_int64_t now)
{
    int before = 0;

    for (int i = 0; i < SEATS; i++) {
        const seat_t *seat = &room->seats[i];
        apr_int64_t theirs = atomic_load(&seat->since);

        if (seat != own && !is_gone(atomic_load(&seat->seen), now)) {
            before += !own || theirs < since || (theirs == since && seat < own);
        }
    }
    return before;
}

/* --- Places --------------------------------------------------------------- */

static bool is_free(apr_int64_t since, apr_int64_t now, const lims_semaphore_t *places)
{
    return since == 0 || now - since >= places->length;
}

/* Takes a place if there is one more than `before`. */
static bool take(lims_semaphore_permit_t *place, const lims_semaphore_t *places, int before,
                 apr_int64_t now)
{
    room_t *room = places->memory;
    int left = before;

    for (int i = 0; i < places->count; i++) {
        apr_int64_t since = atomic_load(&room->taken[i]);

        if (is_free(since, now, places) && left-- <= 0 &&
            atomic_compare_exchange_strong(&room->taken[i], &since, now)) {
            *place = (lims_semaphore_permit_t){ .index = i, .since = now };
            return true;
        }
    }
    return false;
}

bool lims_semaphore_acquire(lims_semaphore_permit_t *place, const lims_semaphore_t *places,
                            apr_interval_time_t patience)
{
    room_t *room = places->memory;
    apr_int64_t begun = lims_time_monotonic(), now = begun;
    seat_t *seat = sit_down(room, begun);
    bool taken = take(place, places, count_before(room, seat, begun, now), now);

    while (!taken && now - begun < patience) {
        apr_sleep(LOOK);
        now = lims_time_monotonic();
        if (seat) {
            atomic_store(&seat->seen, now);
        }
        taken = take(place, places, count_before(room, seat, begun, now), now);
    }
    stand_up(seat);
    return taken;
}

void lims_semaphore_release(const lims_semaphore_t *places, const lims_semaphore_permit_t *place)
{
    room_t *room = places->memory;
    apr_int64_t since = place->since;

    atomic_compare_exchange_strong(&room->taken[place->index], &since, 0);
}
