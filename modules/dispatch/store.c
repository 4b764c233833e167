/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.c - what the database is asked, in one round trip at a time.
 *
 * A round trip records what has ended, leaves the lanes of which nothing is in
 * hand any more, and claims what to send next, all in one transaction. While it
 * is under way transfers go on, so that the longer the database takes the more
 * has ended by the next.
 */
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "dispatch/private.h"
#include "kernel/field.h"

/* After failures in a row. */
#define BACKOFF_MIN apr_time_from_msec(100)
#define BACKOFF_MAX apr_time_from_sec(5)

/* A database that has not begun to answer by then does not. */
#define PATIENCE apr_time_from_sec(10)

/* The same for what is waited for: whether the schema fits, and the last words;
 * what they don't tell goes out again. */
#define READY_PATIENCE apr_time_from_sec(2)
#define LEAVE_PATIENCE apr_time_from_sec(2)

enum { CALLS_MAX = 4, NONE = -1 };

struct store_t {
    const lims_dispatch_settings_t *settings;
    const char *holder;
    lanes_t *lanes;
    struct delivery_ring_t *flying;
    apr_pool_t *pool;
    apr_pool_t *connection_pool;
    lims_dial_t *dial; /* while it connects */
    short dial_events;
    lims_connection_t *connection;
    const char *inherited; /* a dead holder, until its lanes are free; or NULL */

    /* The round trip under way. */
    lims_trip_t *trip;
    apr_time_t sent_at;
    lims_request_t rq;
    lims_call_t calls[CALLS_MAX];
    lims_result_t *results[CALLS_MAX];
    int count;
    int finish;                      /* place of the call, or NONE */
    int claim;                       /* likewise */
    int lanes_asked;                 /* of the claim */
    struct delivery_ring_t recorded; /* what the trip records */
    apr_array_header_t *left;        /* lane_t *, left by it */

    bool plain; /* outcomes go without texts, which were refused */
    apr_time_t retry_at;
    apr_interval_time_t backoff; /* 0: the last one went well */
};

store_t *store_create(const lims_dispatch_settings_t *settings, const char *holder, lanes_t *lanes,
                      struct delivery_ring_t *flying, apr_pool_t *pool)
{
    store_t *store = apr_pcalloc(pool, sizeof(*store));

    store->settings = settings;
    store->holder = holder;
    store->lanes = lanes;
    store->flying = flying;
    store->pool = pool;
    APR_RING_INIT(&store->recorded, delivery_t, link);
    return store;
}

void store_inherit(store_t *store, const char *holder)
{
    store->inherited = *holder ? holder : NULL;
}

bool store_is_connected(const store_t *store)
{
    return store->connection && !store->dial && lims_connection_alive(store->connection);
}

bool store_awaits_answer(const store_t *store)
{
    return store->trip != NULL;
}

bool store_is_busy(const store_t *store)
{
    return store->trip || store->dial;
}

int store_socket(const store_t *store, short *events)
{
    *events = store->dial ? store->dial_events : CURL_WAIT_POLLIN;
    return store->dial ? lims_dial_socket(store->dial) : lims_connection_socket(store->connection);
}

bool store_is_overdue(const store_t *store, apr_time_t now)
{
    return store->dial || now - store->sent_at > PATIENCE;
}

apr_time_t store_retry_at(const store_t *store)
{
    return store->retry_at;
}

/* --- The connection ------------------------------------------------------- */

static void say(const store_t *store, lims_log_e level, const char *line)
{
    store->settings->log(store->settings->data, level, line);
}

static void fail(store_t *store, const lims_error_t *error, apr_time_t now)
{
    if (store->backoff == 0) {
        say(store, LIMS_LOG_WARNING,
            apr_psprintf(store->rq.pool, "LIMS0120: webhooks wait for the database: %s",
                         error->cause ? error->cause : error->message));
        store->backoff = BACKOFF_MIN;
    } else if (store->backoff < BACKOFF_MAX) {
        store->backoff *= 2;
    }
    store->retry_at = now + store->backoff;
}

static void succeed(store_t *store)
{
    if (store->backoff) {
        say(store, LIMS_LOG_NOTICE, "LIMS0121: webhooks go on: the database is back");
        store->backoff = 0;
    }
}

static void begin(store_t *store)
{
    memset(&store->rq, 0, sizeof(store->rq));
    apr_pool_create(&store->rq.pool, store->pool);
    apr_pool_tag(store->rq.pool, "lims_dispatch_trip");
    store->count = 0;
    store->finish = store->claim = NONE;
}

static void end(store_t *store)
{
    apr_pool_destroy(store->rq.pool);
    store->rq.pool = NULL;
    store->trip = NULL;
}

static void hang_up(store_t *store)
{
    if (store->connection_pool) {
        apr_pool_destroy(store->connection_pool);
        store->connection_pool = NULL;
    }
    store->connection = NULL;
    store->dial = NULL;
}

static void dial_further(store_t *store, apr_time_t now)
{
    lims_dial_e state = lims_dial_step(store->dial);

    store->dial_events = state == LIMS_DIAL_READS ? CURL_WAIT_POLLIN : CURL_WAIT_POLLOUT;
    if (state == LIMS_DIAL_DONE) {
        store->connection = lims_dial_connection(store->dial);
        store->dial = NULL;
    } else if (state == LIMS_DIAL_FAILED) {
        begin(store);
        fail(store, lims_dial_error(store->dial, store->rq.pool), now);
        end(store);
        hang_up(store);
    }
}

void store_connect(store_t *store, apr_time_t now)
{
    hang_up(store);
    apr_pool_create(&store->connection_pool, store->pool);
    apr_pool_tag(store->connection_pool, "lims_dispatch_connection");
    store->dial = lims_dial_begin(store->settings->conninfo, store->connection_pool);
    dial_further(store, now);
}

static const lims_error_t *get_ready(store_t *store)
{
    const lims_error_t *error;

    lims_connection_limit(store->connection, READY_PATIENCE);
    error = lims_connection_ready(store->connection, store->rq.pool);
    lims_connection_limit(store->connection, PATIENCE / 2);
    store->rq.connection = store->connection;
    return error;
}

/* --- What is asked -------------------------------------------------------- */

static lims_values_t *add_call(store_t *store, lims_stmt_e statement)
{
    lims_values_t *values = lims_values_create(store->rq.pool);

    store->calls[store->count++] = (lims_call_t){ .statement = statement, .values = values };
    lims_values_set(values, "holder", store->holder);
    return values;
}

static const char *number(apr_int64_t value, apr_pool_t *pool)
{
    return apr_psprintf(pool, "%" APR_INT64_T_FMT, value);
}

static const char *seconds(apr_interval_time_t interval, apr_pool_t *pool)
{
    return apr_psprintf(pool, "%.3f", (double)interval / 1e6);
}

static apr_array_header_t *list(apr_pool_t *pool)
{
    return apr_array_make(pool, 64, sizeof(const char *));
}

static void add(apr_array_header_t *texts, const char *text)
{
    APR_ARRAY_PUSH(texts, const char *) = text;
}

/* An array as PostgreSQL reads it; the elements need no quotes. */
static const char *array_of(const apr_array_header_t *texts, apr_pool_t *pool)
{
    return apr_pstrcat(pool, "{", texts->nelts ? apr_array_pstrcat(pool, texts, ',') : "", "}",
                       NULL);
}

static void ask_to_record(store_t *store, struct delivery_ring_t *ended)
{
    const lims_dispatch_settings_t *settings = store->settings;
    apr_pool_t *pool = store->rq.pool;
    lims_values_t *values;
    delivery_t *delivery;

    APR_RING_CONCAT(&store->recorded, ended, delivery_t, link);
    APR_RING_FOREACH(delivery, &store->recorded, delivery_t, link)
    {
        delivery->lane->ended--;
    }
    store->finish = store->count;
    values = add_call(store, LIMS_STMT_WEBHOOK_FINISH);
    lims_values_set(values, "outcomes", outcomes_json(&store->recorded, store->plain, pool));
    lims_values_set(values, "schedule", settings->schedule);
    lims_values_set(values, "longest", seconds(settings->longest, pool));
    lims_values_set(values, "jitter", apr_psprintf(pool, "%.4f", settings->jitter));
    lims_values_set(values, "disableAfter", number(settings->disable_after, pool));
}

static void ask_to_leave(store_t *store)
{
    apr_array_header_t *organizations = list(store->rq.pool), *endpoints = list(store->rq.pool);
    lims_values_t *values;

    store->left = apr_array_make(store->rq.pool, 16, sizeof(lane_t *));
    for (apr_hash_index_t *each = apr_hash_first(store->rq.pool, store->lanes->by_key); each;
         each = apr_hash_next(each)) {
        lane_t *lane = apr_hash_this_val(each);
        if (lane->held && lane_is_idle(lane)) {
            APR_ARRAY_PUSH(store->left, lane_t *) = lane;
            add(organizations, lane->organization);
            add(endpoints, lane->endpoint);
        }
    }
    if (store->left->nelts) {
        values = add_call(store, LIMS_STMT_WEBHOOK_LEAVE);
        lims_values_set(values, "leftOrganizations", array_of(organizations, store->rq.pool));
        lims_values_set(values, "leftEndpoints", array_of(endpoints, store->rq.pool));
    }
}

static void ask_to_claim(store_t *store, apr_time_t now)
{
    apr_pool_t *pool = store->rq.pool;
    apr_array_header_t *organizations = list(pool), *endpoints = list(pool), *rooms = list(pool),
                       *busy = list(pool);
    int batch = lanes_begin_claim(store->lanes, store->flying, pool);
    int places = (WAITING_MAX - store->lanes->waiting) / batch;
    lims_values_t *values;

    for (apr_hash_index_t *each = apr_hash_first(pool, store->lanes->by_key); each;
         each = apr_hash_next(each)) {
        lane_t *lane = apr_hash_this_val(each);
        int room = lanes_room(store->lanes, lane, now);
        lane->asked = room;
        if (lane_is_idle(lane) && room == batch) {
            continue; /* as much as of one that is not known */
        }
        add(organizations, lane->organization);
        add(endpoints, lane->endpoint);
        add(rooms, number(room, pool));
        lane->more = lane->more && room == 0;
        add(busy, apr_pstrcat(pool, "\"", array_of(lane_take_hand(lane, pool), pool), "\"", NULL));
    }
    store->lanes_asked = places < LANES_BATCH ? places : LANES_BATCH;
    store->claim = store->count;
    values = add_call(store, LIMS_STMT_WEBHOOK_CLAIM);
    lims_values_set(values, "lease", seconds(store->settings->lease, pool));
    lims_values_set(values, "organizations", array_of(organizations, pool));
    lims_values_set(values, "endpoints", array_of(endpoints, pool));
    lims_values_set(values, "room", array_of(rooms, pool));
    lims_values_set(values, "busy", array_of(busy, pool));
    lims_values_set(values, "lanes", number(store->lanes_asked, pool));
    lims_values_set(values, "perLane", number(batch, pool));
}

static void ask_to_release(store_t *store, const char *holder)
{
    lims_values_t *values = add_call(store, LIMS_STMT_WEBHOOK_RELEASE);

    lims_values_set(values, "holder", holder);
}

void store_send(store_t *store, struct delivery_ring_t *ended, bool claim, apr_time_t now)
{
    const lims_error_t *error;

    begin(store);
    error = get_ready(store);
    if (error) {
        fail(store, error, now);
        end(store);
        return;
    }
    if (store->inherited) {
        ask_to_release(store, store->inherited);
    }
    if (!APR_RING_EMPTY(ended, delivery_t, link)) {
        ask_to_record(store, ended);
    }
    ask_to_leave(store);
    if (claim && store->lanes->waiting <= WAITING_MAX - LANE_BATCH_MAX) {
        ask_to_claim(store, now);
    }
    if (store->count == 0) {
        end(store);
        return;
    }
    store->sent_at = now;
    store->trip = lims_database_send(store->results, &store->rq, store->calls, store->count, 0);
}

/* --- What is answered ----------------------------------------------------- */

static int cell_number(const lims_result_t *rows, int row, const char *column)
{
    const char *text = lims_result_get(rows, row, column);

    return text ? (int)strtol(text, NULL, 10) : 0;
}

static void report_row(store_t *store, const lims_result_t *rows, int row)
{
    const lims_dispatch_settings_t *settings = store->settings;
    const char *endpoint = lims_result_get(rows, row, "endpoint");

    if (endpoint) {
        say(store, LIMS_LOG_WARNING,
            apr_psprintf(store->rq.pool,
                         "LIMS0122: webhook endpoint %s of organization %s is disabled: %s",
                         endpoint, lims_result_get(rows, row, "organization"),
                         lims_result_get(rows, row, "reason")));
        return;
    }
    settings->count(settings->data, LIMS_ATTEMPT_DELIVERED, cell_number(rows, row, "delivered"));
    settings->count(settings->data, LIMS_ATTEMPT_FAILED, cell_number(rows, row, "failed"));
    settings->count(settings->data, LIMS_ATTEMPT_GIVEN_UP, cell_number(rows, row, "givenUp"));
}

static void forget_recorded(store_t *store, bool happened)
{
    while (!APR_RING_EMPTY(&store->recorded, delivery_t, link)) {
        delivery_t *delivery = APR_RING_FIRST(&store->recorded);
        if (happened && delivery->arrived) {
            store->settings->arrived(store->settings->data,
                                     delivery->age + (delivery->started - delivery->claimed) +
                                         delivery->duration);
        }
        APR_RING_REMOVE(delivery, link);
        apr_pool_destroy(delivery->pool);
    }
}

static const char *copy(const lims_result_t *rows, int row, const char *column, apr_pool_t *pool)
{
    return apr_pstrdup(pool, lims_result_get(rows, row, column));
}

static delivery_t *make_delivery(store_t *store, const lims_result_t *rows, int row, apr_time_t now)
{
    const char *age = lims_result_get(rows, row, "age");
    apr_pool_t *pool = NULL;
    delivery_t *d;

    apr_pool_create(&pool, store->pool);
    apr_pool_tag(pool, "lims_delivery");
    d = apr_pcalloc(pool, sizeof(*d));
    APR_RING_ELEM_INIT(d, link);
    d->pool = pool;
    d->claimed = now;
    d->age = (apr_interval_time_t)(strtod(age, NULL) * 1e6);
    d->fresh = lims_result_true(rows, row, "fresh");
    d->id = copy(rows, row, "id", pool);
    d->uuid = copy(rows, row, "deliveryId", pool);
    d->type = copy(rows, row, "type", pool);
    d->body = copy(rows, row, "body", pool);
    d->attempts = copy(rows, row, "attempts", pool);
    d->retries = copy(rows, row, "retries", pool);
    d->url = copy(rows, row, "url", pool);
    d->secret = copy(rows, row, "secret", pool);
    d->previous_secret = copy(rows, row, "previousSecret", pool);
    d->standard_headers = lims_result_true(rows, row, "standardHeaders");
    return d;
}

/* Rows come lane by lane, first attempts first. */
static void take_claimed(store_t *store, const lims_result_t *rows, apr_time_t now)
{
    lane_t *lane = NULL;
    int lanes = 0, fresh = 0, retries = 0, room = 0;

    for (int row = 0; row < lims_result_count(rows); row++) {
        lane_t *next = lanes_find(store->lanes, lims_result_get(rows, row, "organization"),
                                  lims_result_get(rows, row, "endpoint"));
        delivery_t *delivery = make_delivery(store, rows, row, now);
        if (next != lane) {
            lane = next;
            lanes++;
            fresh = retries = 0;
            room = lane->asked > 0 ? lane->asked : store->lanes->batch;
        }
        fresh += delivery->fresh;
        retries += !delivery->fresh;
        lane->held = true;
        lane->more = fresh == room || retries == room;
        delivery->lane = lane;
        if (!lanes_add(store->lanes, delivery)) {
            lane->more = true;
            apr_pool_destroy(delivery->pool);
        }
    }
    if (lanes >= store->lanes_asked) {
        store->lanes->hungry = true;
    }
}

static void take_answers(store_t *store, apr_time_t now)
{
    store->inherited = NULL;
    if (store->finish != NONE) {
        const lims_result_t *rows = store->results[store->finish];
        for (int row = 0; row < lims_result_count(rows); row++) {
            report_row(store, rows, row);
        }
        forget_recorded(store, true);
        store->plain = false;
    }
    for (int i = 0; i < store->left->nelts; i++) {
        APR_ARRAY_IDX(store->left, i, lane_t *)->held = false;
    }
    if (store->claim != NONE) {
        take_claimed(store, store->results[store->claim], now);
    }
}

/* Outcomes that the database refuses, whatever they say, must not stop all the
 * others: without their texts, they can be nothing but numbers. */
static void drop_what_is_refused(store_t *store, const lims_error_t *error)
{
    if (error->kind == LIMS_E_SERVICE_UNAVAILABLE || store->finish == NONE) {
        return;
    }
    if (store->plain) {
        say(store, LIMS_LOG_ERROR,
            apr_psprintf(store->rq.pool,
                         "LIMS0123: outcomes of webhooks can't be recorded, and they go out "
                         "again: %s",
                         error->cause ? error->cause : error->message));
        forget_recorded(store, false);
    }
    store->plain = !store->plain;
}

static void take_back(store_t *store, struct delivery_ring_t *ended)
{
    delivery_t *delivery;

    APR_RING_FOREACH(delivery, &store->recorded, delivery_t, link)
    {
        delivery->lane->ended++;
    }
    APR_RING_CONCAT(&store->recorded, ended, delivery_t, link);
    APR_RING_CONCAT(ended, &store->recorded, delivery_t, link);
}

static void receive(store_t *store, struct delivery_ring_t *ended)
{
    const lims_error_t *error = lims_database_receive(store->trip);
    /* What is claimed is fresh from here on, however long that took. */
    apr_time_t now = lims_time_monotonic();

    if (error) {
        fail(store, error, now);
        drop_what_is_refused(store, error);
        take_back(store, ended);
    } else {
        succeed(store);
        take_answers(store, now);
    }
    lims_connection_release(store->connection);
    end(store);
    lanes_trim(store->lanes);
}

void store_go_on(store_t *store, struct delivery_ring_t *ended)
{
    if (store->dial) {
        dial_further(store, lims_time_monotonic());
    } else if (store_is_overdue(store, lims_time_monotonic()) ||
               lims_database_has_answered(store->trip)) {
        receive(store, ended);
    }
}

static bool can_talk(const store_t *store)
{
    return store_is_connected(store) && !lims_connection_overdue(store->connection);
}

static void release(store_t *store)
{
    const lims_error_t *error;

    begin(store);
    store->rq.connection = store->connection;
    ask_to_release(store, store->holder);
    error = lims_database_run(store->results, &store->rq, store->calls, store->count, 0);
    if (error) {
        fail(store, error, lims_time_monotonic());
    }
    end(store);
}

void store_leave(store_t *store, struct delivery_ring_t *ended)
{
    if (store->trip) {
        lims_connection_limit(store->connection, LEAVE_PATIENCE);
        receive(store, ended);
    }
    if (can_talk(store) && !APR_RING_EMPTY(ended, delivery_t, link)) {
        store_send(store, ended, false, lims_time_monotonic());
        if (store->trip) {
            lims_connection_limit(store->connection, LEAVE_PATIENCE);
            receive(store, ended);
        }
    }
    if (can_talk(store)) {
        lims_connection_limit(store->connection, LEAVE_PATIENCE);
        release(store);
    }
    hang_up(store);
}
