/* SPDX-License-Identifier: Apache-2.0 */
/* private.h - what the files of this folder share. */
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
#define HOLDER_LENGTH 36

typedef struct delivery_t delivery_t;
typedef struct lane_t lane_t;
typedef struct organization_t organization_t;

APR_RING_HEAD(delivery_ring_t, delivery_t);
APR_RING_HEAD(lane_ring_t, lane_t);
APR_RING_HEAD(organization_ring_t, organization_t);

/* A delivery in hand, in one ring after the other: waiting in its lane, in
 * flight, ended, recorded. All that it has is in its pool. */
struct delivery_t {
    APR_RING_ENTRY(delivery_t) link;
    apr_pool_t *pool;
    lane_t *lane;
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
    LANE_NEW,     /* nothing yet */
    LANE_PROVEN,  /* the last attempt arrived, and none is taking long */
    LANE_FAILING, /* it failed, or one is taking long */
    LANE_STANDINGS
} standing_e;

/* An endpoint, as far as this dispatcher has to do with it. */
struct lane_t {
    APR_RING_ENTRY(lane_t) link; /* of its organization, while something waits */
    apr_pool_t *pool;
    organization_t *owner;
    const char *organization;
    const char *endpoint;
    struct delivery_ring_t fresh;
    struct delivery_ring_t retries;
    int waiting;
    int in_flight;
    int places; /* for how many in flight */
    int ended;
    standing_e standing;
    bool held;                  /* in the database */
    bool more;                  /* the database had more than it was asked for */
    int asked;                  /* for how many of each kind, 0: for a batch */
    apr_array_header_t *flying; /* ids, while a claim is made up; else NULL */
    bool retry_turn;            /* next, on a lane that is not proven */
    apr_time_t blocked_until;
};

struct organization_t {
    APR_RING_ENTRY(organization_t) link; /* while a lane of it is in `lanes` */
    const char *id;
    struct lane_ring_t lanes;
};

/* First attempts, and retries, that are fetched of a lane at once: the fewer lanes
 * there are, the more. With a quarter left, or less, it can take more. */
#define LANE_BATCH_MIN 16
#define LANE_BATCH_MAX 64

/* Lanes fetched from at once, and deliveries that wait in memory, half of which
 * are kept for lanes that are proven. */
#define LANES_BATCH 64
#define WAITING_MAX 1024

/* lanes.c: whose turn it is. */
typedef struct {
    const lims_dispatch_settings_t *settings;
    apr_pool_t *pool;
    apr_hash_t *by_key;        /* "organization/endpoint" -> lane_t */
    apr_hash_t *organizations; /* id -> organization_t */
    struct organization_ring_t turns;
    int waiting;
    int waiting_unproven; /* of it, in lanes that are not proven */
    int in_flight;
    int in_flight_of[LANE_STANDINGS];
    int batch;   /* of a lane, as of the last claim */
    bool hungry; /* a lane could take more than it has */
} lanes_t;

lanes_t *lanes_create(const lims_dispatch_settings_t *settings, apr_pool_t *pool);
/* The lane, made if it is new. */
lane_t *lanes_find(lanes_t *lanes, const char *organization, const char *endpoint);
/* False: there is no room for it, and the lane will be asked for again. */
bool lanes_add(lanes_t *lanes, delivery_t *delivery);
/* How many more of each kind it is worth to fetch of a lane at the moment. */
int lanes_room(const lanes_t *lanes, const lane_t *lane, apr_time_t now);
/* Before a claim is made up: decides how large a batch of a lane is, returns it,
 * and notes what is in flight with its lanes, in the pool. */
int lanes_begin_claim(lanes_t *lanes, struct delivery_ring_t *flying, apr_pool_t *pool);
/* The ids of what is in hand of a lane, once after each of these; made in the
 * pool. */
apr_array_header_t *lane_take_hand(lane_t *lane, apr_pool_t *pool);
/* The delivery to start now, in flight from now on, or NULL. */
delivery_t *lanes_next(lanes_t *lanes, apr_time_t now);
/* It is no longer in flight: it ended, or was cut off. */
void lanes_landed(lanes_t *lanes, delivery_t *delivery, bool ended);
/* What became of an attempt says something about its lane; what waits in one
 * that fails goes back. */
void lanes_judge(lanes_t *lanes, lane_t *lane, bool proven);
/* All that waits in a lane goes back to the database, which still has it. */
void lanes_put_back(lanes_t *lanes, lane_t *lane);
void lanes_put_back_all(lanes_t *lanes);
bool lane_is_idle(const lane_t *lane);
/* Forgets idle lanes when there are many. */
void lanes_trim(lanes_t *lanes);

/* transfer.c: one attempt. */
typedef struct {
    const lims_dispatch_settings_t *settings;
    apr_pool_t *pool;
    CURLM *multi;
    apr_array_header_t *idle; /* CURL *, to be used again */
    struct delivery_ring_t flying;
} transfers_t;

transfers_t *transfers_create(const lims_dispatch_settings_t *settings, apr_pool_t *pool);
/* NULL and the transfer is under way, or why it can't be, for the log. */
const char *transfers_start(transfers_t *transfers, delivery_t *delivery);
/* The next transfer that has ended, its outcome filled in, or NULL. */
delivery_t *transfers_ended(transfers_t *transfers);
/* Cuts it off. */
void transfers_drop(transfers_t *transfers, delivery_t *delivery);

/* outcome.c: the array that lims.webhook_finish() takes. `plain`: without texts
 * that came from outside. */
const char *outcomes_json(struct delivery_ring_t *ended, bool plain, apr_pool_t *pool);

/* store.c: what the database is asked, in one round trip at a time. */
typedef struct store_t store_t;

store_t *store_create(const lims_dispatch_settings_t *settings, const char *holder, lanes_t *lanes,
                      struct delivery_ring_t *flying, apr_pool_t *pool);
/* A holder that is dead: its lanes are freed with the first thing sent. */
void store_inherit(store_t *store, const char *holder);
/* Connects, without waiting for it; nothing can be sent before. */
bool store_is_connected(const store_t *store);
void store_connect(store_t *store, apr_time_t now);
/* It waits for the database: to connect, or for its answer. */
bool store_is_busy(const store_t *store);
bool store_awaits_answer(const store_t *store);
/* The socket to wait for while it is busy, and for what. */
int store_socket(const store_t *store, short *events);
/* It is time to hear why nothing comes. */
bool store_is_overdue(const store_t *store, apr_time_t now);
/* Sends what there is to say: the outcomes of `ended`, which it takes, lanes
 * left, and a claim if asked for. After a failure nothing is sent, and
 * store_retry_at() says when it makes sense again. */
void store_send(store_t *store, struct delivery_ring_t *ended, bool claim, apr_time_t now);
/* The socket is ready, or it is overdue: connects further, or reads the answer.
 * What was claimed waits in its lane; what could not be recorded is back in
 * `ended`. */
void store_go_on(store_t *store, struct delivery_ring_t *ended);
apr_time_t store_retry_at(const store_t *store);
/* Says what is left to say, frees the lanes of the holder, and hangs up. Waits
 * for the answers, but not for a database that does not answer. */
void store_leave(store_t *store, struct delivery_ring_t *ended);

/* slot.c: who works. */
/* The slot taken, or -1. `previous` is who had it and died with it, or "". */
int slot_take(const lims_dispatch_settings_t *settings, const char *holder,
              char previous[HOLDER_LENGTH + 1]);
void slot_give_back(const lims_dispatch_settings_t *settings, int slot);

#endif /* LIMS_DISPATCH_PRIVATE_H */
