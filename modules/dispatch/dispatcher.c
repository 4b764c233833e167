/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dispatcher.c - the event loop of a dispatcher: polls receivers, the database and the
 * pipe of hints, with timers.
 */
#include <apr_strings.h>
#include <openssl/rand.h>
#include <poll.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "dispatch/dispatch_private.h"

/* Least time between two claims after hints: many commits without webhooks must cost next
 * to nothing. */
#define CLAIM_PAUSE apr_time_from_msec(5)

/* Least time between two round trips to record outcomes or refill lanes, which batches
 * them: a round trip costs much the same however much it carries. */
#define BATCH_PAUSE apr_time_from_msec(5)

/* Interval of polling for a free slot. */
#define SLOT_WAIT 500 /* milliseconds */

/* An attempt that takes longer makes its lane a failing one. */
#define SLOW apr_time_from_sec(1)

/* Time for which a lane is not used after its secret could not be opened. */
#define BLOCKED apr_time_from_sec(60)

/* Longest wait in poll(). */
#define POLL_MAX apr_time_from_sec(1)

struct lims_dispatcher_t {
    const lims_dispatch_settings_t *settings;
    char holder[LIMS_HOLDER_LENGTH + 1];
    char previous[LIMS_HOLDER_LENGTH + 1]; /* the holder that died with the slot */
    int slot;
    _Atomic bool stopping;
    _Atomic apr_time_t deadline; /* of the end, once it is stopping */
    lims_lanes_t *lanes;
    lims_transfers_t *transfers;
    lims_dispatch_session_t *session;
    struct lims_delivery_ring_t ended; /* attempts that are not recorded yet */
    bool hinted;
    apr_time_t claimed_at;  /* time of the last claim */
    apr_time_t answered_at; /* time of the last answer of the database */
};

/* Makes the holder's name, a random UUID (RFC 9562, version 4). */
static bool name_holder(char name[LIMS_HOLDER_LENGTH + 1])
{
    unsigned char b[16];

    if (RAND_bytes(b, sizeof(b)) != 1) {
        return false;
    }
    b[6] = (unsigned char)((b[6] & 0x0f) | 0x40);
    b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);
    apr_snprintf(name, LIMS_HOLDER_LENGTH + 1,
                 "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1],
                 b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14],
                 b[15]);
    return true;
}

lims_dispatcher_t *lims_dispatcher_create(const lims_dispatch_settings_t *settings,
                                          apr_pool_t *pool)
{
    lims_dispatcher_t *d = apr_pcalloc(pool, sizeof(*d));

    d->settings = settings;
    d->slot = -1;
    d->lanes = lims_lanes_create(settings, pool);
    d->transfers = lims_transfers_create(settings, pool);
    APR_RING_INIT(&d->ended, lims_delivery_t, link);
    if (!d->transfers || !name_holder(d->holder)) {
        return NULL;
    }
    d->session =
        lims_dispatch_session_create(settings, d->holder, d->lanes, &d->transfers->flying, pool);
    return d;
}

void lims_dispatcher_stop(lims_dispatcher_t *d, apr_interval_time_t grace)
{
    atomic_store(&d->deadline, lims_time_monotonic() + grace);
    atomic_store(&d->stopping, true);
    curl_multi_wakeup(d->transfers->multi);
}

/* --- Sending -------------------------------------------------------------- */

/* Blocks a lane whose deliveries cannot be signed: no attempt counts, and the deliveries
 * stay in the database. */
static void block(lims_dispatcher_t *d, lims_delivery_t *delivery, const char *problem)
{
    lims_lane_t *lane = delivery->lane;

    d->settings->log(d->settings->data, LIMS_LOG_ERROR,
                     apr_psprintf(delivery->pool,
                                  "LIMS0124: webhook endpoint %s of organization %s: nothing can "
                                  "be sent for a minute: %s",
                                  lane->endpoint, lane->organization, problem));
    lane->blocked_until = lims_time_monotonic() + BLOCKED;
    lims_lanes_end_flight(d->lanes, delivery, false);
    apr_pool_destroy(delivery->pool);
    lims_lanes_put_back(d->lanes, lane);
}

static void start_deliveries(lims_dispatcher_t *d)
{
    lims_delivery_t *delivery;

    while ((delivery = lims_lanes_next(d->lanes, lims_time_monotonic()))) {
        const char *problem = lims_transfers_start(d->transfers, delivery);
        if (problem) {
            block(d, delivery, problem);
        }
    }
}

static void collect_outcomes(lims_dispatcher_t *d)
{
    lims_delivery_t *delivery;

    while ((delivery = lims_transfers_ended(d->transfers))) {
        lims_lanes_set_standing(d->lanes, delivery->lane, delivery->arrived);
        lims_lanes_end_flight(d->lanes, delivery, true);
        APR_RING_INSERT_TAIL(&d->ended, delivery, lims_delivery_t, link);
    }
}

/* Marks the lanes of slow attempts as failing. Attempts are in the order of their start. */
static void mark_slow_lanes(lims_dispatcher_t *d, apr_time_t now)
{
    lims_delivery_t *delivery;

    APR_RING_FOREACH(delivery, &d->transfers->flying, lims_delivery_t, link)
    {
        if (now - delivery->started < SLOW) {
            return;
        }
        lims_lanes_set_standing(d->lanes, delivery->lane, false);
    }
}

static void cut_off(lims_dispatcher_t *d)
{
    while (!APR_RING_EMPTY(&d->transfers->flying, lims_delivery_t, link)) {
        lims_delivery_t *delivery = APR_RING_FIRST(&d->transfers->flying);
        lims_transfers_drop(d->transfers, delivery);
        lims_lanes_end_flight(d->lanes, delivery, false);
        apr_pool_destroy(delivery->pool);
    }
}

/* --- The database --------------------------------------------------------- */

static bool has_ended(const lims_dispatcher_t *d)
{
    return !APR_RING_EMPTY(&d->ended, lims_delivery_t, link);
}

/* Returns when to claim next. A claim also extends the leases of lanes that have
 * deliveries. */
static apr_time_t claim_at(const lims_dispatcher_t *d)
{
    apr_interval_time_t lease = d->settings->lease / 4;
    apr_interval_time_t pause = d->settings->poll < lease ? d->settings->poll : lease;

    if (d->hinted) {
        return d->claimed_at + CLAIM_PAUSE;
    }
    if (d->lanes->needs_more && d->lanes->waiting < LIMS_WAITING_MAX / 2) {
        return d->answered_at + BATCH_PAUSE;
    }
    return d->claimed_at + pause;
}

/* Returns when to record outcomes next. */
static apr_time_t record_at(const lims_dispatcher_t *d, bool stopping)
{
    return stopping ? 0 : d->answered_at + BATCH_PAUSE;
}

static void exchange_with_database(lims_dispatcher_t *d, bool stopping)
{
    apr_time_t now = lims_time_monotonic();
    bool claim = !stopping && now >= claim_at(d);
    bool record = has_ended(d) && now >= record_at(d, stopping);

    if (lims_dispatch_session_is_busy(d->session) ||
        now < lims_dispatch_session_retry_at(d->session) || (!claim && !record)) {
        return;
    }
    if (!lims_dispatch_session_is_connected(d->session)) {
        lims_dispatch_session_connect(d->session, now);
        return;
    }
    if (claim) {
        d->claimed_at = now;
        d->hinted = false;
        d->lanes->needs_more = false;
    }
    lims_dispatch_session_send(d->session, &d->ended, claim, now);
}

/* --- Waiting -------------------------------------------------------------- */

static void drain_hints(lims_dispatcher_t *d)
{
    char bytes[512];

    while (read(d->settings->hints, bytes, sizeof(bytes)) == (ssize_t)sizeof(bytes)) {
    }
    d->hinted = true;
}

static int nap_of(const lims_dispatcher_t *d, bool stopping)
{
    apr_time_t now = lims_time_monotonic(), until = now + POLL_MAX;

    if (stopping) {
        apr_time_t deadline = atomic_load(&d->deadline);
        until = deadline < until ? deadline : until;
    }
    if (!lims_dispatch_session_is_busy(d->session)) {
        apr_time_t talk_at = stopping ? until : claim_at(d);
        apr_time_t retry_at = lims_dispatch_session_retry_at(d->session);
        if (has_ended(d) && record_at(d, stopping) < talk_at) {
            talk_at = record_at(d, stopping);
        }
        talk_at = talk_at > retry_at ? talk_at : retry_at;
        until = talk_at < until ? talk_at : until;
    }
    return until <= now ? 0 : (int)((until - now + 999) / 1000);
}

static void wait_for_something(lims_dispatcher_t *d, bool stopping)
{
    struct curl_waitfd fds[2];
    unsigned count = 0, hints = 2, answers = 2;

    if (!stopping && !d->hinted && d->settings->hints >= 0) {
        hints = count++;
        fds[hints] = (struct curl_waitfd){ .fd = d->settings->hints, .events = CURL_WAIT_POLLIN };
    }
    if (lims_dispatch_session_is_busy(d->session)) {
        answers = count++;
        fds[answers].fd = lims_dispatch_session_socket(d->session, &fds[answers].events);
        fds[answers].revents = 0;
    }
    curl_multi_poll(d->transfers->multi, fds, count, nap_of(d, stopping), NULL);
    if (hints < count && fds[hints].revents) {
        drain_hints(d);
    }
    if (answers < count && (fds[answers].revents || fds[answers].fd < 0 ||
                            lims_dispatch_session_is_overdue(d->session, lims_time_monotonic()))) {
        lims_dispatch_session_continue(d->session, &d->ended);
        if (!lims_dispatch_session_is_busy(d->session)) {
            d->answered_at = lims_time_monotonic();
        }
    }
}

/* --- The thread ----------------------------------------------------------- */

static bool wait_for_slot(lims_dispatcher_t *d)
{
    while (!atomic_load(&d->stopping)) {
        d->slot = lims_dispatch_slot_take(d->settings, d->holder, d->previous);
        if (d->slot >= 0) {
            return true;
        }
        curl_multi_poll(d->transfers->multi, NULL, 0, SLOT_WAIT, NULL);
    }
    return false;
}

static bool is_over(const lims_dispatcher_t *d)
{
    return APR_RING_EMPTY(&d->transfers->flying, lims_delivery_t, link) && !has_ended(d) &&
           !lims_dispatch_session_awaits_answer(d->session);
}

static void step(lims_dispatcher_t *d, bool stopping)
{
    int running = 0;

    if (!stopping) {
        start_deliveries(d);
    }
    curl_multi_perform(d->transfers->multi, &running);
    collect_outcomes(d);
    mark_slow_lanes(d, lims_time_monotonic());
    exchange_with_database(d, stopping);
    wait_for_something(d, stopping);
}

static void work(lims_dispatcher_t *d)
{
    while (!atomic_load(&d->stopping)) {
        step(d, false);
    }
    /* Another dispatcher may start while this one waits for its last answers. */
    lims_dispatch_slot_give_back(d->settings, d->slot);
    lims_lanes_put_back_all(d->lanes);
    while (!is_over(d) && lims_time_monotonic() < atomic_load(&d->deadline)) {
        lims_lanes_put_back_all(d->lanes);
        step(d, true);
    }
    collect_outcomes(d);
    cut_off(d);
}

void lims_dispatcher_run(lims_dispatcher_t *d)
{
    if (wait_for_slot(d)) {
        lims_dispatch_session_inherit(d->session, d->previous);
        work(d);
        lims_dispatch_session_leave(d->session, &d->ended);
    }
}
