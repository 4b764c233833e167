/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lanes.c - fair scheduling of deliveries: round robin among organizations, and among
 * the lanes (endpoints) of each.
 *
 * Within a lane first attempts go before retries. In a lane whose last attempt failed
 * the two alternate, so that the deliveries of an endpoint that is down come to their
 * end although there are always new ones.
 *
 * An endpoint that hangs cannot use up the attempts of others. A lane is proven after a
 * successful attempt, until one fails or is slow; a lane that is not proven may have a
 * quarter of its attempts in flight, which lets an overloaded receiver recover. All
 * failing lanes together may have a quarter of all attempts in flight; together with
 * new lanes, as all are when a dispatcher starts, three quarters. So there is always
 * room for proven lanes, and some for new ones. Likewise in memory: a lane that is not
 * proven holds no more deliveries than it may start, and all such lanes together half of
 * the total.
 */
#include <apr_strings.h>
#include <string.h>

#include "dispatch/dispatch_private.h"

/* A delivery that has waited in memory for longer is claimed again, because its endpoint
 * may have been changed, disabled or deleted meanwhile. */
#define STALE_AFTER apr_time_from_sec(1)

/* Most idle lanes that are kept, with their standing. */
#define LANES_MAX 4096

lims_lanes_t *lims_lanes_create(const lims_dispatch_settings_t *settings, apr_pool_t *pool)
{
    lims_lanes_t *lanes = apr_pcalloc(pool, sizeof(*lanes));

    lanes->settings = settings;
    lanes->pool = pool;
    lanes->by_key = apr_hash_make(pool);
    lanes->organizations = apr_hash_make(pool);
    lanes->batch = LIMS_LANE_BATCH_MIN;
    APR_RING_INIT(&lanes->turns, lims_lane_owner_t, link);
    return lanes;
}

static lims_lane_owner_t *find_organization(lims_lanes_t *lanes, const char *id)
{
    lims_lane_owner_t *organization = apr_hash_get(lanes->organizations, id, APR_HASH_KEY_STRING);

    if (!organization) {
        /* Kept for good; there is one for each organization with webhooks. */
        organization = apr_pcalloc(lanes->pool, sizeof(*organization));
        organization->id = apr_pstrdup(lanes->pool, id);
        APR_RING_INIT(&organization->lanes, lims_lane_t, link);
        apr_hash_set(lanes->organizations, organization->id, APR_HASH_KEY_STRING, organization);
    }
    return organization;
}

static int few_places(const lims_lanes_t *lanes)
{
    return (lanes->settings->in_flight_endpoint + 3) / 4;
}

static lims_lane_t *make_lane(lims_lanes_t *lanes, const char *organization, const char *endpoint)
{
    apr_pool_t *pool = NULL;
    lims_lane_t *lane;

    apr_pool_create(&pool, lanes->pool);
    apr_pool_tag(pool, "lims_lane");
    lane = apr_pcalloc(pool, sizeof(*lane));
    lane->pool = pool;
    lane->organization = apr_pstrdup(pool, organization);
    lane->endpoint = apr_pstrdup(pool, endpoint);
    lane->owner = find_organization(lanes, organization);
    lane->places = few_places(lanes);
    APR_RING_INIT(&lane->fresh, lims_delivery_t, link);
    APR_RING_INIT(&lane->retries, lims_delivery_t, link);
    APR_RING_ELEM_INIT(lane, link);
    apr_hash_set(lanes->by_key, apr_pstrcat(pool, organization, "/", endpoint, NULL),
                 APR_HASH_KEY_STRING, lane);
    return lane;
}

lims_lane_t *lims_lanes_find(lims_lanes_t *lanes, const char *organization, const char *endpoint)
{
    char key[64];
    lims_lane_t *lane;

    apr_snprintf(key, sizeof(key), "%s/%s", organization, endpoint);
    lane = apr_hash_get(lanes->by_key, key, APR_HASH_KEY_STRING);
    return lane ? lane : make_lane(lanes, organization, endpoint);
}

bool lims_lane_is_idle(const lims_lane_t *lane)
{
    return lane->waiting == 0 && lane->in_flight == 0 && lane->ended == 0;
}

/* --- Round robin ---------------------------------------------------------- */

static void join_turns(lims_lanes_t *lanes, lims_lane_t *lane)
{
    lims_lane_owner_t *organization = lane->owner;

    if (APR_RING_EMPTY(&organization->lanes, lims_lane_t, link)) {
        APR_RING_INSERT_TAIL(&lanes->turns, organization, lims_lane_owner_t, link);
    }
    APR_RING_INSERT_TAIL(&organization->lanes, lane, lims_lane_t, link);
}

static void leave_turns(lims_lane_t *lane)
{
    APR_RING_REMOVE(lane, link);
    if (APR_RING_EMPTY(&lane->owner->lanes, lims_lane_t, link)) {
        APR_RING_REMOVE(lane->owner, link);
    }
}

bool lims_lanes_add(lims_lanes_t *lanes, lims_delivery_t *delivery)
{
    lims_lane_t *lane = delivery->lane;

    if (lane->standing != LIMS_LANE_PROVEN) {
        if (lanes->waiting_unproven >= LIMS_WAITING_MAX / 2) {
            return false;
        }
        lanes->waiting_unproven++;
    }
    if (lane->waiting++ == 0) {
        join_turns(lanes, lane);
    }
    lanes->waiting++;
    if (delivery->fresh) {
        APR_RING_INSERT_TAIL(&lane->fresh, delivery, lims_delivery_t, link);
    } else {
        APR_RING_INSERT_TAIL(&lane->retries, delivery, lims_delivery_t, link);
    }
    return true;
}

static void stop_waiting(lims_lanes_t *lanes, lims_delivery_t *delivery)
{
    lims_lane_t *lane = delivery->lane;

    APR_RING_REMOVE(delivery, link);
    lanes->waiting--;
    if (lane->standing != LIMS_LANE_PROVEN) {
        lanes->waiting_unproven--;
    }
    if (--lane->waiting == 0) {
        leave_turns(lane);
    }
}

static lims_delivery_t *first_of(struct lims_delivery_ring_t *ring)
{
    return APR_RING_EMPTY(ring, lims_delivery_t, link) ? NULL : APR_RING_FIRST(ring);
}

static lims_delivery_t *choose(lims_lane_t *lane)
{
    lims_delivery_t *fresh = first_of(&lane->fresh);
    lims_delivery_t *retry = first_of(&lane->retries);

    if (fresh && retry && lane->standing != LIMS_LANE_PROVEN) {
        lane->retry_turn = !lane->retry_turn;
        return lane->retry_turn ? retry : fresh;
    }
    return fresh ? fresh : retry;
}

void lims_lanes_put_back(lims_lanes_t *lanes, lims_lane_t *lane)
{
    while (lane->waiting > 0) {
        lims_delivery_t *delivery = first_of(&lane->fresh);
        if (!delivery) {
            delivery = first_of(&lane->retries);
        }
        stop_waiting(lanes, delivery);
        apr_pool_destroy(delivery->pool);
    }
    lane->more = true;
    lanes->needs_more = true;
}

void lims_lanes_put_back_all(lims_lanes_t *lanes)
{
    while (!APR_RING_EMPTY(&lanes->turns, lims_lane_owner_t, link)) {
        lims_lanes_put_back(lanes, APR_RING_FIRST(&APR_RING_FIRST(&lanes->turns)->lanes));
    }
}

static bool is_stale(const lims_lane_t *lane, apr_time_t now)
{
    const lims_delivery_t *fresh = APR_RING_FIRST(&lane->fresh);
    const lims_delivery_t *retry = APR_RING_FIRST(&lane->retries);

    return (!APR_RING_EMPTY(&lane->fresh, lims_delivery_t, link) &&
            now - fresh->claimed > STALE_AFTER) ||
           (!APR_RING_EMPTY(&lane->retries, lims_delivery_t, link) &&
            now - retry->claimed > STALE_AFTER);
}

/* Whether the lanes of this standing may have one more attempt in flight. */
static bool has_room(const lims_lanes_t *lanes, lims_lane_standing_e standing)
{
    int most = lanes->settings->in_flight, failing = lanes->in_flight_of[LIMS_LANE_FAILING];

    switch (standing) {
    case LIMS_LANE_FAILING:
        return failing < (most + 3) / 4;
    case LIMS_LANE_NEW:
        return failing + lanes->in_flight_of[LIMS_LANE_NEW] < (3 * most + 3) / 4;
    default:
        return true;
    }
}

static bool may_start(const lims_lanes_t *lanes, const lims_lane_t *lane, apr_time_t now)
{
    return lane->in_flight < lane->places && lane->blocked_until <= now &&
           has_room(lanes, lane->standing);
}

int lims_lanes_wanted(const lims_lanes_t *lanes, const lims_lane_t *lane, apr_time_t now)
{
    if (lane->standing == LIMS_LANE_PROVEN) {
        return lane->waiting > lanes->batch / 4 || lane->blocked_until > now ? 0 : lanes->batch;
    }
    return lane->waiting == 0 && may_start(lanes, lane, now) ? lane->places - lane->in_flight : 0;
}

/* --- Claims ----------------------------------------------------------------- */

static int choose_batch(const lims_lanes_t *lanes, apr_pool_t *pool)
{
    int busy = 0, batch;

    for (apr_hash_index_t *each = apr_hash_first(pool, lanes->by_key); each;
         each = apr_hash_next(each)) {
        busy += !lims_lane_is_idle(apr_hash_this_val(each));
    }
    batch = busy ? LIMS_WAITING_MAX / busy : LIMS_LANE_BATCH_MIN;
    return batch < LIMS_LANE_BATCH_MIN   ? LIMS_LANE_BATCH_MIN
           : batch < LIMS_LANE_BATCH_MAX ? batch
                                         : LIMS_LANE_BATCH_MAX;
}

int lims_lanes_begin_claim(lims_lanes_t *lanes, struct lims_delivery_ring_t *flying,
                           apr_pool_t *pool)
{
    lims_delivery_t *delivery;

    APR_RING_FOREACH(delivery, flying, lims_delivery_t, link)
    {
        lims_lane_t *lane = delivery->lane;
        if (!lane->flying) {
            lane->flying = apr_array_make(pool, lane->in_flight, sizeof(const char *));
        }
        APR_ARRAY_PUSH(lane->flying, const char *) = delivery->id;
    }
    lanes->batch = choose_batch(lanes, pool);
    return lanes->batch;
}

apr_array_header_t *lims_lane_take_ids(lims_lane_t *lane, apr_pool_t *pool)
{
    apr_array_header_t *ids =
        lane->flying ? lane->flying : apr_array_make(pool, 16, sizeof(char *));
    lims_delivery_t *delivery;

    APR_RING_FOREACH(delivery, &lane->fresh, lims_delivery_t, link)
    {
        APR_ARRAY_PUSH(ids, const char *) = delivery->id;
    }
    APR_RING_FOREACH(delivery, &lane->retries, lims_delivery_t, link)
    {
        APR_ARRAY_PUSH(ids, const char *) = delivery->id;
    }
    lane->flying = NULL;
    return ids;
}

/* --- Starting --------------------------------------------------------------- */

static void take_off(lims_lanes_t *lanes, lims_delivery_t *delivery)
{
    lims_lane_t *lane = delivery->lane;

    stop_waiting(lanes, delivery);
    lane->in_flight++;
    lanes->in_flight++;
    lanes->in_flight_of[lane->standing]++;
    if (lane->more && lims_lanes_wanted(lanes, lane, lims_time_monotonic()) > 0) {
        lanes->needs_more = true;
    }
}

/* Returns a delivery of the organization's next lane that may start one; NULL: none. */
static lims_delivery_t *next_of(lims_lanes_t *lanes, lims_lane_owner_t *organization,
                                apr_time_t now)
{
    lims_lane_t *last = APR_RING_LAST(&organization->lanes);
    bool more = true;

    while (more && !APR_RING_EMPTY(&organization->lanes, lims_lane_t, link)) {
        lims_lane_t *lane = APR_RING_FIRST(&organization->lanes);
        more = lane != last;
        APR_RING_REMOVE(lane, link);
        APR_RING_INSERT_TAIL(&organization->lanes, lane, lims_lane_t, link);
        if (!may_start(lanes, lane, now)) {
            continue;
        }
        if (!is_stale(lane, now)) {
            return choose(lane);
        }
        lims_lanes_put_back(lanes, lane);
    }
    return NULL;
}

lims_delivery_t *lims_lanes_next(lims_lanes_t *lanes, apr_time_t now)
{
    int organizations = (int)apr_hash_count(lanes->organizations);

    if (lanes->in_flight >= lanes->settings->in_flight) {
        return NULL;
    }
    for (int i = 0; i < organizations && !APR_RING_EMPTY(&lanes->turns, lims_lane_owner_t, link);
         i++) {
        lims_lane_owner_t *organization = APR_RING_FIRST(&lanes->turns);
        lims_delivery_t *delivery;

        APR_RING_REMOVE(organization, link);
        APR_RING_INSERT_TAIL(&lanes->turns, organization, lims_lane_owner_t, link);
        delivery = next_of(lanes, organization, now);
        if (delivery) {
            take_off(lanes, delivery);
            return delivery;
        }
    }
    return NULL;
}

/* --- Outcomes --------------------------------------------------------------- */

static void change_standing(lims_lanes_t *lanes, lims_lane_t *lane, lims_lane_standing_e standing)
{
    if (standing == LIMS_LANE_PROVEN) {
        lanes->waiting_unproven -= lane->waiting;
    } else if (lane->standing == LIMS_LANE_PROVEN) {
        lanes->waiting_unproven += lane->waiting;
    }
    lanes->in_flight_of[lane->standing] -= lane->in_flight;
    lanes->in_flight_of[standing] += lane->in_flight;
    lane->standing = standing;
}

void lims_lanes_set_standing(lims_lanes_t *lanes, lims_lane_t *lane, bool proven)
{
    lims_lane_standing_e standing = proven ? LIMS_LANE_PROVEN : LIMS_LANE_FAILING;

    if (lane->standing != standing) {
        change_standing(lanes, lane, standing);
        if (!proven) {
            lims_lanes_put_back(lanes, lane);
        }
    }
    if (!proven) {
        lane->places = few_places(lanes);
    } else if (lane->places < lanes->settings->in_flight_endpoint) {
        lane->places++;
    }
}

void lims_lanes_end_flight(lims_lanes_t *lanes, lims_delivery_t *delivery, bool ended)
{
    lims_lane_t *lane = delivery->lane;

    lane->in_flight--;
    lanes->in_flight--;
    lanes->in_flight_of[lane->standing]--;
    if (ended) {
        lane->ended++;
    }
    if (lane->more && lims_lanes_wanted(lanes, lane, lims_time_monotonic()) > 0) {
        lanes->needs_more = true;
    }
}

void lims_lanes_trim(lims_lanes_t *lanes)
{
    if (apr_hash_count(lanes->by_key) <= LANES_MAX) {
        return;
    }
    for (apr_hash_index_t *each = apr_hash_first(NULL, lanes->by_key); each;
         each = apr_hash_next(each)) {
        const void *key;
        void *value;
        lims_lane_t *lane;

        apr_hash_this(each, &key, NULL, &value);
        lane = value;
        if (lims_lane_is_idle(lane) && !lane->held && lane->blocked_until == 0) {
            apr_hash_set(lanes->by_key, key, APR_HASH_KEY_STRING, NULL);
            apr_pool_destroy(lane->pool);
        }
    }
}
