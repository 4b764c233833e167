/* SPDX-License-Identifier: Apache-2.0 */
/* dispatch_private.h - what the files of this folder share. */
#ifndef LIMS_DISPATCH_PRIVATE_H
#define LIMS_DISPATCH_PRIVATE_H

#include <apr_hash.h>
#include <apr_ring.h>
#include <curl/curl.h>

#include "database/database.h"
#include "dispatch/dispatch.h"
#include "kernel/time.h"

/* All times here are of lims_time_monotonic(): with the machine's time set back,
 * nothing would be looked for until it has caught up. */

/* A holder's name: a UUID. */
#define LIMS_HOLDER_LENGTH 36

typedef struct lims_delivery_t lims_delivery_t;
typedef struct lims_lane_t lims_lane_t;
typedef struct lims_lane_owner_t lims_lane_owner_t;

APR_RING_HEAD(lims_delivery_ring_t, lims_delivery_t);
APR_RING_HEAD(lims_lane_ring_t, lims_lane_t);
APR_RING_HEAD(lims_lane_owner_ring_t, lims_lane_owner_t);

/* A delivery in hand, in one ring after the other: waiting in its lane, in
 * flight, ended, recorded. All that it has is in its pool. */
struct lims_delivery_t {
    APR_RING_ENTRY(lims_delivery_t) link;
    apr_pool_t *pool;
    lims_lane_t *lane;
    const lims_dispatch_settings_t *settings;
    apr_time_t claimed;
    apr_interval_time_t age; /* of its event when it was claimed */
    bool fresh;              /* never tried since it was made pending */
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

    /* The attempt. */
    CURL *easy;
    struct curl_slist *headers;
    apr_time_t started;
    bool again;          /* on a connection of its own: a kept one had died */
    const char *refused; /* addresses that it was kept from, with their kinds; or NULL */
    const char *tried;   /* addresses that were allowed; or NULL */
    char *answer;        /* as much of it as is kept */
    apr_size_t answer_kept;
    apr_size_t answer_seen;
    apr_size_t header_seen;
    char curl_error[CURL_ERROR_SIZE];

    /* What became of it. */
    apr_interval_time_t duration;
    long status;       /* 0: no answer */
    apr_int64_t after; /* seconds, of Retry-After */
    bool arrived;
    const char *error;
};

/* What is known of an endpoint. */
typedef enum {
    LIMS_LANE_NEW,     /* nothing yet */
    LIMS_LANE_PROVEN,  /* the last attempt arrived, and none is taking long */
    LIMS_LANE_FAILING, /* it failed, or one is taking long */
    LIMS_LANE_STANDINGS
} lims_lane_standing_e;

/* An endpoint, as far as this dispatcher has to do with it. */
struct lims_lane_t {
    APR_RING_ENTRY(lims_lane_t) link; /* of its organization, while something waits */
    apr_pool_t *pool;
    lims_lane_owner_t *owner;
    const char *organization;
    const char *endpoint;
    struct lims_delivery_ring_t fresh;
    struct lims_delivery_ring_t retries;
    int waiting;
    int in_flight;
    int places; /* for how many in flight */
    int ended;
    lims_lane_standing_e standing;
    bool held;                  /* in the database */
    bool more;                  /* the database had more than it was asked for */
    int asked;                  /* for how many of each kind, 0: for a batch */
    apr_array_header_t *flying; /* ids, while a claim is made up; else NULL */
    bool retry_turn;            /* next, on a lane that is not proven */
    apr_time_t blocked_until;
};

struct lims_lane_owner_t {
    APR_RING_ENTRY(lims_lane_owner_t) link; /* while a lane of it is in `lanes` */
    const char *id;
    struct lims_lane_ring_t lanes;
};

/* First attempts, and retries, that are fetched of a lane at once: the fewer lanes
 * there are, the more. With a quarter left, or less, it can take more. */
#define LIMS_LANE_BATCH_MIN 16
#define LIMS_LANE_BATCH_MAX 64

/* Lanes fetched from at once, and deliveries that wait in memory, half of which
 * are kept for lanes that are proven. */
#define LIMS_LANES_BATCH 64
#define LIMS_WAITING_MAX 1024

/* lanes.c: whose turn it is. */
typedef struct {
    const lims_dispatch_settings_t *settings;
    apr_pool_t *pool;
    apr_hash_t *by_key;        /* "organization/endpoint" -> lims_lane_t */
    apr_hash_t *organizations; /* id -> lims_lane_owner_t */
    struct lims_lane_owner_ring_t turns;
    int waiting;
    int waiting_unproven; /* of it, in lanes that are not proven */
    int in_flight;
    int in_flight_of[LIMS_LANE_STANDINGS];
    int batch;   /* of a lane, as of the last claim */
    bool hungry; /* a lane could take more than it has */
} lims_lanes_t;

lims_lanes_t *lims_lanes_create(const lims_dispatch_settings_t *settings, apr_pool_t *pool);
/* The lane, made if it is new. */
lims_lane_t *lims_lanes_find(lims_lanes_t *lanes, const char *organization, const char *endpoint);
/* False: there is no room for it, and the lane will be asked for again. */
bool lims_lanes_add(lims_lanes_t *lanes, lims_delivery_t *delivery);
/* How many more of each kind it is worth to fetch of a lane at the moment. */
int lims_lanes_room(const lims_lanes_t *lanes, const lims_lane_t *lane, apr_time_t now);
/* Before a claim is made up: decides how large a batch of a lane is, returns it,
 * and notes what is in flight with its lanes, in the pool. */
int lims_lanes_begin_claim(lims_lanes_t *lanes, struct lims_delivery_ring_t *flying,
                           apr_pool_t *pool);
/* The ids of what is in hand of a lane, once after each of these; made in the
 * pool. */
apr_array_header_t *lims_lane_take_hand(lims_lane_t *lane, apr_pool_t *pool);
/* The delivery to start now, in flight from now on, or NULL. */
lims_delivery_t *lims_lanes_next(lims_lanes_t *lanes, apr_time_t now);
/* It is no longer in flight: it ended, or was cut off. */
void lims_lanes_landed(lims_lanes_t *lanes, lims_delivery_t *delivery, bool ended);
/* What became of an attempt says something about its lane; what waits in one
 * that fails goes back. */
void lims_lanes_judge(lims_lanes_t *lanes, lims_lane_t *lane, bool proven);
/* All that waits in a lane goes back to the database, which still has it. */
void lims_lanes_put_back(lims_lanes_t *lanes, lims_lane_t *lane);
void lims_lanes_put_back_all(lims_lanes_t *lanes);
bool lims_lane_is_idle(const lims_lane_t *lane);
/* Forgets idle lanes when there are many. */
void lims_lanes_trim(lims_lanes_t *lanes);

/* transfer.c: one attempt. */
typedef struct {
    const lims_dispatch_settings_t *settings;
    apr_pool_t *pool;
    CURLM *multi;
    apr_array_header_t *idle; /* CURL *, to be used again */
    struct lims_delivery_ring_t flying;
} lims_transfers_t;

lims_transfers_t *lims_transfers_create(const lims_dispatch_settings_t *settings, apr_pool_t *pool);
/* NULL and the transfer is under way, or why it can't be, for the log. */
const char *lims_transfers_start(lims_transfers_t *transfers, lims_delivery_t *delivery);
/* The next transfer that has ended, its outcome filled in, or NULL. */
lims_delivery_t *lims_transfers_ended(lims_transfers_t *transfers);
/* Cuts it off. */
void lims_transfers_drop(lims_transfers_t *transfers, lims_delivery_t *delivery);

/* outcome.c: the array that lims.webhook_finish() takes. `plain`: without texts
 * that came from outside. */
const char *lims_outcomes_json(struct lims_delivery_ring_t *ended, bool plain, apr_pool_t *pool);

/* dispatch_session.c: what the database is asked, in one round trip at a time. */
typedef struct lims_dispatch_session_t lims_dispatch_session_t;

lims_dispatch_session_t *lims_dispatch_session_create(const lims_dispatch_settings_t *settings,
                                                      const char *holder, lims_lanes_t *lanes,
                                                      struct lims_delivery_ring_t *flying,
                                                      apr_pool_t *pool);
/* A holder that is dead: its lanes are freed with the first thing sent. */
void lims_dispatch_session_inherit(lims_dispatch_session_t *session, const char *holder);
/* Connects, without waiting for it; nothing can be sent before. */
bool lims_dispatch_session_is_connected(const lims_dispatch_session_t *session);
void lims_dispatch_session_connect(lims_dispatch_session_t *session, apr_time_t now);
/* It waits for the database: to connect, or for its answer. */
bool lims_dispatch_session_is_busy(const lims_dispatch_session_t *session);
bool lims_dispatch_session_awaits_answer(const lims_dispatch_session_t *session);
/* The socket to wait for while it is busy, and for what. */
int lims_dispatch_session_socket(const lims_dispatch_session_t *session, short *events);
/* It is time to hear why nothing comes. */
bool lims_dispatch_session_is_overdue(const lims_dispatch_session_t *session, apr_time_t now);
/* Sends what there is to say: the outcomes of `ended`, which it takes, lanes
 * left, and a claim if asked for. After a failure nothing is sent, and
 * lims_dispatch_session_retry_at() says when it makes sense again. */
void lims_dispatch_session_send(lims_dispatch_session_t *session,
                                struct lims_delivery_ring_t *ended, bool claim, apr_time_t now);
/* The socket is ready, or it is overdue: connects further, or reads the answer.
 * What was claimed waits in its lane; what could not be recorded is back in
 * `ended`. */
void lims_dispatch_session_go_on(lims_dispatch_session_t *session,
                                 struct lims_delivery_ring_t *ended);
apr_time_t lims_dispatch_session_retry_at(const lims_dispatch_session_t *session);
/* Says what is left to say, frees the lanes of the holder, and hangs up. Waits
 * for the answers, but not for a database that does not answer. */
void lims_dispatch_session_leave(lims_dispatch_session_t *session,
                                 struct lims_delivery_ring_t *ended);

/* slot.c: who works. */
/* The slot taken, or -1. `previous` is who had it and died with it, or "". */
int lims_dispatch_slot_take(const lims_dispatch_settings_t *settings, const char *holder,
                            char previous[LIMS_HOLDER_LENGTH + 1]);
void lims_dispatch_slot_give_back(const lims_dispatch_settings_t *settings, int slot);

#endif /* LIMS_DISPATCH_PRIVATE_H */
