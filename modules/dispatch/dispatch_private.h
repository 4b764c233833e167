/* SPDX-License-Identifier: Apache-2.0 */
/* dispatch_private.h - types and functions that the files of this folder share. */
#ifndef LIMS_DISPATCH_PRIVATE_H
#define LIMS_DISPATCH_PRIVATE_H

#include <apr_hash.h>
#include <apr_ring.h>
#include <curl/curl.h>

#include "database/database.h"
#include "dispatch/dispatch.h"
#include "kernel/time.h"

/* All times are of lims_time_monotonic(), so that setting the machine's clock back does
 * not stop the dispatcher. */

/* Length of the name of a dispatcher as holder of leases: a UUID. */
#define LIMS_HOLDER_LENGTH 36

typedef struct lims_delivery_t lims_delivery_t;
typedef struct lims_lane_t lims_lane_t;
typedef struct lims_lane_owner_t lims_lane_owner_t;

APR_RING_HEAD(lims_delivery_ring_t, lims_delivery_t);
APR_RING_HEAD(lims_lane_ring_t, lims_lane_t);
APR_RING_HEAD(lims_lane_owner_ring_t, lims_lane_owner_t);

/* A claimed delivery. It moves from ring to ring: waiting in its lane, in flight, ended,
 * recorded. Everything it points to is in its pool. */
struct lims_delivery_t {
    APR_RING_ENTRY(lims_delivery_t) link;
    apr_pool_t *pool;
    lims_lane_t *lane;
    const lims_dispatch_settings_t *settings;
    apr_time_t claimed;
    apr_interval_time_t age; /* of its event, when it was claimed */
    bool fresh;              /* no attempt since it became pending */
    const char *id;
    const char *uuid;
    const char *type;
    const char *body;
    const char *attempts;
    const char *retries;
    const char *url;
    const char *secret; /* sealed */
    const char *previous_secret;
    bool standard_headers;

    /* The attempt in flight. */
    CURL *easy;
    struct curl_slist *headers;
    apr_time_t started;
    bool again;          /* second try on a new connection: a kept-alive one had died */
    const char *refused; /* forbidden addresses, with their kinds; or NULL */
    const char *tried;   /* addresses that it connected to; or NULL */
    char *answer;        /* excerpt of the answer */
    apr_size_t answer_kept;
    apr_size_t answer_seen;
    apr_size_t header_seen;
    char curl_error[CURL_ERROR_SIZE];

    /* outcome of the attempt */
    apr_interval_time_t duration;
    long status;       /* 0: no answer */
    apr_int64_t after; /* Retry-After in seconds */
    bool arrived;
    const char *error;
};

/* Standing of a lane, which bounds its attempts in flight. */
typedef enum {
    LIMS_LANE_NEW,     /* no attempt yet */
    LIMS_LANE_PROVEN,  /* the last attempt succeeded, and none is slow */
    LIMS_LANE_FAILING, /* the last attempt failed, or one is slow */
    LIMS_LANE_STANDINGS
} lims_lane_standing_e;

/* A lane: the deliveries of one endpoint that this dispatcher has claimed. */
struct lims_lane_t {
    APR_RING_ENTRY(lims_lane_t) link; /* in its organization's ring, while a delivery waits */
    apr_pool_t *pool;
    lims_lane_owner_t *owner;
    const char *organization;
    const char *endpoint;
    struct lims_delivery_ring_t fresh;
    struct lims_delivery_ring_t retries;
    int waiting;
    int in_flight;
    int places; /* most attempts in flight */
    int ended;
    lims_lane_standing_e standing;
    bool held;                  /* this dispatcher has its lease */
    bool more;                  /* the database had more deliveries than it was asked for */
    int asked;                  /* deliveries of each kind in the current claim; 0: a batch */
    apr_array_header_t *flying; /* ids in flight, while a claim is prepared; else NULL */
    bool retry_turn;            /* the next attempt is a retry, on a lane that is not proven */
    apr_time_t blocked_until;
};

struct lims_lane_owner_t {
    APR_RING_ENTRY(lims_lane_owner_t) link; /* in `turns`, while a lane is in `lanes` */
    const char *id;
    struct lims_lane_ring_t lanes;
};

/* Bounds of a batch: first attempts, and retries, that are claimed of a lane at once. The
 * fewer lanes there are, the larger. A lane with a quarter or less left needs more. */
#define LIMS_LANE_BATCH_MIN 16
#define LIMS_LANE_BATCH_MAX 64

/* Most lanes of a claim, and most deliveries that wait in memory; half of these are
 * reserved for proven lanes. */
#define LIMS_LANES_BATCH 64
#define LIMS_WAITING_MAX 1024

/* lanes.c: fair scheduling of the lanes. */
typedef struct {
    const lims_dispatch_settings_t *settings;
    apr_pool_t *pool;
    apr_hash_t *by_key;        /* "organization/endpoint" -> lims_lane_t */
    apr_hash_t *organizations; /* id -> lims_lane_owner_t */
    struct lims_lane_owner_ring_t turns;
    int waiting;
    int waiting_unproven; /* of these, in lanes that are not proven */
    int in_flight;
    int in_flight_of[LIMS_LANE_STANDINGS];
    int batch;       /* size of a batch in the last claim */
    bool needs_more; /* a lane needs more deliveries */
} lims_lanes_t;

/* Makes the scheduler of a dispatcher, without lanes, in `pool`. */
lims_lanes_t *lims_lanes_create(const lims_dispatch_settings_t *settings, apr_pool_t *pool);
/* Finds or makes a lane. */
lims_lane_t *lims_lanes_find(lims_lanes_t *lanes, const char *organization, const char *endpoint);
/* Adds a delivery to its lane. False: there is no room, and the lane will be claimed
 * again. */
bool lims_lanes_add(lims_lanes_t *lanes, lims_delivery_t *delivery);
/* Returns how many more deliveries of each kind to claim of a lane now. */
int lims_lanes_wanted(const lims_lanes_t *lanes, const lims_lane_t *lane, apr_time_t now);
/* Prepares a claim: returns the size of a batch, and lists the ids in flight of each lane,
 * allocated in the pool. */
int lims_lanes_begin_claim(lims_lanes_t *lanes, struct lims_delivery_ring_t *flying,
                           apr_pool_t *pool);
/* Returns the ids of all deliveries of a lane that this dispatcher has, allocated in the
 * pool; called once for a lane in each claim. */
apr_array_header_t *lims_lane_take_ids(lims_lane_t *lane, apr_pool_t *pool);
/* Returns the next delivery to send, which is in flight from now on; NULL: none. */
lims_delivery_t *lims_lanes_next(lims_lanes_t *lanes, apr_time_t now);
/* Takes note that a delivery is no longer in flight: it ended, or was cut off. */
void lims_lanes_end_flight(lims_lanes_t *lanes, lims_delivery_t *delivery, bool ended);
/* Sets the standing of a lane after an attempt; the waiting deliveries of a failing lane
 * go back to the database. */
void lims_lanes_set_standing(lims_lanes_t *lanes, lims_lane_t *lane, bool proven);
/* Drops the waiting deliveries of a lane from memory; they remain in the database. */
void lims_lanes_put_back(lims_lanes_t *lanes, lims_lane_t *lane);
/* Drops the waiting deliveries of all lanes. */
void lims_lanes_put_back_all(lims_lanes_t *lanes);
/* Whether a lane has no delivery: none waits, is in flight, or is to be recorded. */
bool lims_lane_is_idle(const lims_lane_t *lane);
/* Forgets idle lanes when there are many. */
void lims_lanes_trim(lims_lanes_t *lanes);

/* transfer.c: HTTP requests to receivers. */
typedef struct {
    const lims_dispatch_settings_t *settings;
    apr_pool_t *pool;
    CURLM *multi;
    apr_array_header_t *idle; /* CURL *, for reuse */
    struct lims_delivery_ring_t flying;
} lims_transfers_t;

/* Makes the transfers of a dispatcher, in `pool`; NULL: libcurl is out of memory. */
lims_transfers_t *lims_transfers_create(const lims_dispatch_settings_t *settings, apr_pool_t *pool);
/* Starts an attempt. NULL, or why it cannot be made, for the log. */
const char *lims_transfers_start(lims_transfers_t *transfers, lims_delivery_t *delivery);
/* Returns the next delivery whose attempt has ended, with its outcome; or NULL. */
lims_delivery_t *lims_transfers_ended(lims_transfers_t *transfers);
/* Cuts an attempt off. */
void lims_transfers_drop(lims_transfers_t *transfers, lims_delivery_t *delivery);

/* outcome.c: returns the JSON array that lims.webhook_finish() takes. `plain`: without
 * texts that came from receivers. */
const char *lims_outcomes_json(struct lims_delivery_ring_t *ended, bool plain, apr_pool_t *pool);

/* dispatch_session.c: the database connection, with one round trip at a time. */
typedef struct lims_dispatch_session_t lims_dispatch_session_t;

/* Makes the session, in `pool`, without connecting. `holder` is the name under which it
 * holds leases; claimed deliveries go to `lanes`; `flying` are those in flight. All of
 * them outlive the session. */
lims_dispatch_session_t *lims_dispatch_session_create(const lims_dispatch_settings_t *settings,
                                                      const char *holder, lims_lanes_t *lanes,
                                                      struct lims_delivery_ring_t *flying,
                                                      apr_pool_t *pool);
/* Takes over from a dead holder: its leases are released with the first round trip. */
void lims_dispatch_session_inherit(lims_dispatch_session_t *session, const char *holder);
/* Whether it is connected; nothing can be sent before. */
bool lims_dispatch_session_is_connected(const lims_dispatch_session_t *session);
/* Begins to connect, without waiting. */
void lims_dispatch_session_connect(lims_dispatch_session_t *session, apr_time_t now);
/* Whether it waits for the database: to connect, or for an answer. */
bool lims_dispatch_session_is_busy(const lims_dispatch_session_t *session);
/* Whether a round trip has begun and its answer is not complete. */
bool lims_dispatch_session_awaits_answer(const lims_dispatch_session_t *session);
/* Returns the socket to poll while it is busy, and the events in `events`. */
int lims_dispatch_session_socket(const lims_dispatch_session_t *session, short *events);
/* Whether the connection attempt or the answer has timed out. */
bool lims_dispatch_session_is_overdue(const lims_dispatch_session_t *session, apr_time_t now);
/* Begins a round trip: records the outcomes of `ended`, which it takes over, releases the
 * leases of idle lanes, and claims deliveries if `claim`. After a failure nothing is
 * sent until lims_dispatch_session_retry_at(). */
void lims_dispatch_session_send(lims_dispatch_session_t *session,
                                struct lims_delivery_ring_t *ended, bool claim, apr_time_t now);
/* Continues connecting, or reads the answer; called when the socket is ready or a time-out
 * has passed. Claimed deliveries go to their lanes; outcomes that could not be recorded
 * go back to `ended`. */
void lims_dispatch_session_continue(lims_dispatch_session_t *session,
                                    struct lims_delivery_ring_t *ended);
/* Returns when the next round trip or connection attempt may begin; it is past unless the
 * last one failed. */
apr_time_t lims_dispatch_session_retry_at(const lims_dispatch_session_t *session);
/* Records the last outcomes, releases the holder's leases and disconnects. Waits for the
 * answers, for a bounded time. */
void lims_dispatch_session_leave(lims_dispatch_session_t *session,
                                 struct lims_delivery_ring_t *ended);

/* slot.c: locks that bound the active dispatchers of a machine. */
/* Takes a free slot; returns its number, or -1. `previous` is the holder that died with
 * it, or "". */
int lims_dispatch_slot_take(const lims_dispatch_settings_t *settings, const char *holder,
                            char previous[LIMS_HOLDER_LENGTH + 1]);
/* Releases a slot and removes the holder's name from it. */
void lims_dispatch_slot_give_back(const lims_dispatch_settings_t *settings, int slot);

#endif /* LIMS_DISPATCH_PRIVATE_H */
