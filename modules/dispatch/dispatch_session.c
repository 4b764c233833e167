/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dispatch_session.c - the dispatcher's database connection, with one round trip at a
 * time.
 *
 * A round trip records outcomes, releases the leases of idle lanes and claims the next
 * deliveries, all in one transaction. Transfers go on meanwhile: the slower the
 * database, the more outcomes the next round trip records.
 */
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "dispatch/dispatch_private.h"
#include "kernel/field.h"

/* Delay after consecutive failures, doubled each time. */
#define BACKOFF_MIN apr_time_from_msec(100)
#define BACKOFF_MAX apr_time_from_sec(5)

/* Reply time-out. */
#define REPLY_TIMEOUT apr_time_from_sec(10)

/* Reply time-out of blocking calls: the check of the schema, and the last outcomes.
 * Deliveries whose outcome is lost are sent again. */
#define BLOCKING_TIMEOUT apr_time_from_sec(2)
#define LEAVE_PATIENCE apr_time_from_sec(2)

enum { CALLS_MAX = 4, NONE = -1 };

struct lims_dispatch_session_t {
    const lims_dispatch_settings_t *settings;
    const char *holder;
    lims_lanes_t *lanes;
    struct lims_delivery_ring_t *flying;
    apr_pool_t *pool;
    apr_pool_t *connection_pool;
    lims_dial_t *dial; /* while connecting */
    short dial_events;
    lims_connection_t *connection;
    const char *inherited; /* a dead holder, until its leases are released; or NULL */

    /* The current round trip. */
    lims_trip_t *trip;
    apr_time_t sent_at;
    lims_request_t rq;
    lims_call_t calls[CALLS_MAX];
    lims_result_t *results[CALLS_MAX];
    int count;
    int finish;                           /* index of the call, or NONE */
    int claim;                            /* likewise */
    int lanes_asked;                      /* lanes in the claim */
    struct lims_delivery_ring_t recorded; /* deliveries whose outcome it records */
    apr_array_header_t *released;         /* lims_lane_t *, whose leases it releases */

    bool plain; /* record outcomes without texts, because the database refused these */
    apr_time_t retry_at;
    apr_interval_time_t backoff; /* 0: the last round trip succeeded */
};

lims_dispatch_session_t *lims_dispatch_session_create(const lims_dispatch_settings_t *settings,
                                                      const char *holder, lims_lanes_t *lanes,
                                                      struct lims_delivery_ring_t *flying,
                                                      apr_pool_t *pool)
{
    lims_dispatch_session_t *session = apr_pcalloc(pool, sizeof(*session));

    session->settings = settings;
    session->holder = holder;
    session->lanes = lanes;
    session->flying = flying;
    session->pool = pool;
    APR_RING_INIT(&session->recorded, lims_delivery_t, link);
    return session;
}

void lims_dispatch_session_inherit(lims_dispatch_session_t *session, const char *holder)
{
    session->inherited = *holder ? holder : NULL;
}

bool lims_dispatch_session_is_connected(const lims_dispatch_session_t *session)
{
    return session->connection && !session->dial && lims_connection_alive(session->connection);
}

bool lims_dispatch_session_awaits_answer(const lims_dispatch_session_t *session)
{
    return session->trip;
}

bool lims_dispatch_session_is_busy(const lims_dispatch_session_t *session)
{
    return session->trip || session->dial;
}

int lims_dispatch_session_socket(const lims_dispatch_session_t *session, short *events)
{
    *events = session->dial ? session->dial_events : CURL_WAIT_POLLIN;
    return session->dial ? lims_dial_socket(session->dial)
                         : lims_connection_socket(session->connection);
}

bool lims_dispatch_session_is_overdue(const lims_dispatch_session_t *session, apr_time_t now)
{
    return session->dial || now - session->sent_at > REPLY_TIMEOUT;
}

apr_time_t lims_dispatch_session_retry_at(const lims_dispatch_session_t *session)
{
    return session->retry_at;
}

/* --- The connection ------------------------------------------------------- */

static void log_line(const lims_dispatch_session_t *session, lims_log_e level, const char *line)
{
    session->settings->log(session->settings->data, level, line);
}

static void fail(lims_dispatch_session_t *session, const lims_error_t *error, apr_time_t now)
{
    if (session->backoff == 0) {
        log_line(session, LIMS_LOG_WARNING,
                 apr_psprintf(session->rq.pool, "LIMS0120: webhooks wait for the database: %s",
                              error->cause ? error->cause : error->message));
        session->backoff = BACKOFF_MIN;
    } else if (session->backoff < BACKOFF_MAX) {
        session->backoff *= 2;
    }
    session->retry_at = now + session->backoff;
}

static void succeed(lims_dispatch_session_t *session)
{
    if (session->backoff) {
        log_line(session, LIMS_LOG_NOTICE, "LIMS0121: webhooks go on: the database is back");
        session->backoff = 0;
    }
}

static void begin(lims_dispatch_session_t *session)
{
    memset(&session->rq, 0, sizeof(session->rq));
    apr_pool_create(&session->rq.pool, session->pool);
    apr_pool_tag(session->rq.pool, "lims_dispatch_trip");
    session->count = 0;
    session->finish = session->claim = NONE;
}

static void end(lims_dispatch_session_t *session)
{
    apr_pool_destroy(session->rq.pool);
    session->rq.pool = NULL;
    session->trip = NULL;
}

static void hang_up(lims_dispatch_session_t *session)
{
    if (session->connection_pool) {
        apr_pool_destroy(session->connection_pool);
        session->connection_pool = NULL;
    }
    session->connection = NULL;
    session->dial = NULL;
}

static void continue_dialing(lims_dispatch_session_t *session, apr_time_t now)
{
    lims_dial_e state = lims_dial_step(session->dial);

    session->dial_events = state == LIMS_DIAL_READS ? CURL_WAIT_POLLIN : CURL_WAIT_POLLOUT;
    if (state == LIMS_DIAL_DONE) {
        session->connection = lims_dial_connection(session->dial);
        session->dial = NULL;
    } else if (state == LIMS_DIAL_FAILED) {
        begin(session);
        fail(session, lims_dial_error(session->dial, session->rq.pool), now);
        end(session);
        hang_up(session);
    }
}

void lims_dispatch_session_connect(lims_dispatch_session_t *session, apr_time_t now)
{
    hang_up(session);
    apr_pool_create(&session->connection_pool, session->pool);
    apr_pool_tag(session->connection_pool, "lims_dispatch_connection");
    session->dial = lims_dial_begin(session->settings->conninfo, session->connection_pool);
    continue_dialing(session, now);
}

static const lims_error_t *get_ready(lims_dispatch_session_t *session)
{
    const lims_error_t *error;

    lims_connection_set_timeout(session->connection, BLOCKING_TIMEOUT);
    error = lims_connection_ready(session->connection, session->rq.pool);
    lims_connection_set_timeout(session->connection, REPLY_TIMEOUT / 2);
    session->rq.connection = session->connection;
    return error;
}

/* --- Requests ------------------------------------------------------------- */

static lims_values_t *add_call(lims_dispatch_session_t *session, lims_stmt_e statement)
{
    lims_values_t *values = lims_values_create(session->rq.pool);

    session->calls[session->count++] = (lims_call_t){ .statement = statement, .values = values };
    lims_values_set(values, "holder", session->holder);
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

/* Writes an array in PostgreSQL's syntax; the elements need no quotes. */
static const char *array_of(const apr_array_header_t *texts, apr_pool_t *pool)
{
    return apr_pstrcat(pool, "{", texts->nelts ? apr_array_pstrcat(pool, texts, ',') : "", "}",
                       NULL);
}

static void ask_to_record(lims_dispatch_session_t *session, struct lims_delivery_ring_t *ended)
{
    const lims_dispatch_settings_t *settings = session->settings;
    apr_pool_t *pool = session->rq.pool;
    lims_values_t *values;
    lims_delivery_t *delivery;

    APR_RING_CONCAT(&session->recorded, ended, lims_delivery_t, link);
    APR_RING_FOREACH(delivery, &session->recorded, lims_delivery_t, link)
    {
        delivery->lane->ended--;
    }
    session->finish = session->count;
    values = add_call(session, LIMS_STMT_WEBHOOK_FINISH);
    lims_values_set(values, "outcomes",
                    lims_outcomes_json(&session->recorded, session->plain, pool));
    lims_values_set(values, "schedule", settings->schedule);
    lims_values_set(values, "longest", seconds(settings->longest, pool));
    lims_values_set(values, "jitter", apr_psprintf(pool, "%.4f", settings->jitter));
    lims_values_set(values, "disableAfter", number(settings->disable_after, pool));
}

static void add_release_of_lanes(lims_dispatch_session_t *session)
{
    apr_array_header_t *organizations = list(session->rq.pool), *endpoints = list(session->rq.pool);
    lims_values_t *values;

    session->released = apr_array_make(session->rq.pool, 16, sizeof(lims_lane_t *));
    for (apr_hash_index_t *each = apr_hash_first(session->rq.pool, session->lanes->by_key); each;
         each = apr_hash_next(each)) {
        lims_lane_t *lane = apr_hash_this_val(each);
        if (lane->held && lims_lane_is_idle(lane)) {
            APR_ARRAY_PUSH(session->released, lims_lane_t *) = lane;
            add(organizations, lane->organization);
            add(endpoints, lane->endpoint);
        }
    }
    if (session->released->nelts) {
        values = add_call(session, LIMS_STMT_WEBHOOK_LEAVE);
        lims_values_set(values, "leftOrganizations", array_of(organizations, session->rq.pool));
        lims_values_set(values, "leftEndpoints", array_of(endpoints, session->rq.pool));
    }
}

static void add_claim(lims_dispatch_session_t *session, apr_time_t now)
{
    apr_pool_t *pool = session->rq.pool;
    apr_array_header_t *organizations = list(pool), *endpoints = list(pool), *rooms = list(pool),
                       *busy = list(pool);
    int batch = lims_lanes_begin_claim(session->lanes, session->flying, pool);
    int places = (LIMS_WAITING_MAX - session->lanes->waiting) / batch;
    lims_values_t *values;

    for (apr_hash_index_t *each = apr_hash_first(pool, session->lanes->by_key); each;
         each = apr_hash_next(each)) {
        lims_lane_t *lane = apr_hash_this_val(each);
        int room = lims_lanes_wanted(session->lanes, lane, now);
        lane->asked = room;
        if (lims_lane_is_idle(lane) && room == batch) {
            continue; /* a whole batch, as of an unknown lane */
        }
        add(organizations, lane->organization);
        add(endpoints, lane->endpoint);
        add(rooms, number(room, pool));
        lane->more = lane->more && room == 0;
        add(busy,
            apr_pstrcat(pool, "\"", array_of(lims_lane_take_ids(lane, pool), pool), "\"", NULL));
    }
    session->lanes_asked = places < LIMS_LANES_BATCH ? places : LIMS_LANES_BATCH;
    session->claim = session->count;
    values = add_call(session, LIMS_STMT_WEBHOOK_CLAIM);
    lims_values_set(values, "lease", seconds(session->settings->lease, pool));
    lims_values_set(values, "organizations", array_of(organizations, pool));
    lims_values_set(values, "endpoints", array_of(endpoints, pool));
    lims_values_set(values, "room", array_of(rooms, pool));
    lims_values_set(values, "busy", array_of(busy, pool));
    lims_values_set(values, "lanes", number(session->lanes_asked, pool));
    lims_values_set(values, "perLane", number(batch, pool));
}

static void add_release_of_holder(lims_dispatch_session_t *session, const char *holder)
{
    lims_values_t *values = add_call(session, LIMS_STMT_WEBHOOK_RELEASE);

    lims_values_set(values, "holder", holder);
}

void lims_dispatch_session_send(lims_dispatch_session_t *session,
                                struct lims_delivery_ring_t *ended, bool claim, apr_time_t now)
{
    const lims_error_t *error;

    begin(session);
    error = get_ready(session);
    if (error) {
        fail(session, error, now);
        end(session);
        return;
    }
    if (session->inherited) {
        add_release_of_holder(session, session->inherited);
    }
    if (!APR_RING_EMPTY(ended, lims_delivery_t, link)) {
        ask_to_record(session, ended);
    }
    add_release_of_lanes(session);
    if (claim && session->lanes->waiting <= LIMS_WAITING_MAX - LIMS_LANE_BATCH_MAX) {
        add_claim(session, now);
    }
    if (session->count == 0) {
        end(session);
        return;
    }
    session->sent_at = now;
    session->trip =
        lims_database_send(session->results, &session->rq, session->calls, session->count, 0);
}

/* --- Answers -------------------------------------------------------------- */

static int cell_number(const lims_result_t *rows, int row, const char *column)
{
    const char *text = lims_result_get(rows, row, column);

    return text ? (int)strtol(text, NULL, 10) : 0;
}

static void report_row(lims_dispatch_session_t *session, const lims_result_t *rows, int row)
{
    const lims_dispatch_settings_t *settings = session->settings;
    const char *endpoint = lims_result_get(rows, row, "endpoint");

    if (endpoint) {
        log_line(session, LIMS_LOG_WARNING,
                 apr_psprintf(session->rq.pool,
                              "LIMS0122: webhook endpoint %s of organization %s is disabled: %s",
                              endpoint, lims_result_get(rows, row, "organization"),
                              lims_result_get(rows, row, "reason")));
        return;
    }
    settings->count(settings->data, LIMS_ATTEMPT_DELIVERED, cell_number(rows, row, "delivered"));
    settings->count(settings->data, LIMS_ATTEMPT_FAILED, cell_number(rows, row, "failed"));
    settings->count(settings->data, LIMS_ATTEMPT_GIVEN_UP, cell_number(rows, row, "givenUp"));
}

static void forget_recorded(lims_dispatch_session_t *session, bool happened)
{
    while (!APR_RING_EMPTY(&session->recorded, lims_delivery_t, link)) {
        lims_delivery_t *delivery = APR_RING_FIRST(&session->recorded);
        if (happened && delivery->arrived) {
            session->settings->arrived(session->settings->data,
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

static lims_delivery_t *make_delivery(lims_dispatch_session_t *session, const lims_result_t *rows,
                                      int row, apr_time_t now)
{
    const char *age = lims_result_get(rows, row, "age");
    apr_pool_t *pool = NULL;
    lims_delivery_t *d;

    apr_pool_create(&pool, session->pool);
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

/* Adds claimed deliveries to their lanes. Rows are grouped by lane, first attempts
 * first. */
static void take_claimed(lims_dispatch_session_t *session, const lims_result_t *rows,
                         apr_time_t now)
{
    lims_lane_t *lane = NULL;
    int lanes = 0, fresh = 0, retries = 0, room = 0;

    for (int row = 0; row < lims_result_count(rows); row++) {
        lims_lane_t *next =
            lims_lanes_find(session->lanes, lims_result_get(rows, row, "organization"),
                            lims_result_get(rows, row, "endpoint"));
        lims_delivery_t *delivery = make_delivery(session, rows, row, now);
        if (next != lane) {
            lane = next;
            lanes++;
            fresh = retries = 0;
            room = lane->asked > 0 ? lane->asked : session->lanes->batch;
        }
        fresh += delivery->fresh;
        retries += !delivery->fresh;
        lane->held = true;
        lane->more = fresh == room || retries == room;
        delivery->lane = lane;
        if (!lims_lanes_add(session->lanes, delivery)) {
            lane->more = true;
            apr_pool_destroy(delivery->pool);
        }
    }
    if (lanes >= session->lanes_asked) {
        session->lanes->needs_more = true;
    }
}

static void take_answers(lims_dispatch_session_t *session, apr_time_t now)
{
    session->inherited = NULL;
    if (session->finish != NONE) {
        const lims_result_t *rows = session->results[session->finish];
        for (int row = 0; row < lims_result_count(rows); row++) {
            report_row(session, rows, row);
        }
        forget_recorded(session, true);
        session->plain = false;
    }
    for (int i = 0; i < session->released->nelts; i++) {
        APR_ARRAY_IDX(session->released, i, lims_lane_t *)->held = false;
    }
    if (session->claim != NONE) {
        take_claimed(session, session->results[session->claim], now);
    }
}

/* Handles outcomes that the database refuses: they are recorded without their texts, so
 * that a text cannot block all other outcomes; if that is refused too, they are dropped. */
static void drop_refused_texts(lims_dispatch_session_t *session, const lims_error_t *error)
{
    if (error->kind == LIMS_E_SERVICE_UNAVAILABLE || session->finish == NONE) {
        return;
    }
    if (session->plain) {
        log_line(session, LIMS_LOG_ERROR,
                 apr_psprintf(session->rq.pool,
                              "LIMS0123: outcomes of webhooks can't be recorded, and they go out "
                              "again: %s",
                              error->cause ? error->cause : error->message));
        forget_recorded(session, false);
    }
    session->plain = !session->plain;
}

static void take_back(lims_dispatch_session_t *session, struct lims_delivery_ring_t *ended)
{
    lims_delivery_t *delivery;

    APR_RING_FOREACH(delivery, &session->recorded, lims_delivery_t, link)
    {
        delivery->lane->ended++;
    }
    APR_RING_CONCAT(&session->recorded, ended, lims_delivery_t, link);
    APR_RING_CONCAT(ended, &session->recorded, lims_delivery_t, link);
}

static void receive(lims_dispatch_session_t *session, struct lims_delivery_ring_t *ended)
{
    const lims_error_t *error = lims_database_receive(session->trip);
    /* The age of claimed deliveries counts from now, when they are known. */
    apr_time_t now = lims_time_monotonic();

    if (error) {
        fail(session, error, now);
        drop_refused_texts(session, error);
        take_back(session, ended);
    } else {
        succeed(session);
        take_answers(session, now);
    }
    lims_connection_release(session->connection);
    end(session);
    lims_lanes_trim(session->lanes);
}

void lims_dispatch_session_continue(lims_dispatch_session_t *session,
                                    struct lims_delivery_ring_t *ended)
{
    if (session->dial) {
        continue_dialing(session, lims_time_monotonic());
    } else if (lims_dispatch_session_is_overdue(session, lims_time_monotonic()) ||
               lims_database_has_answered(session->trip)) {
        receive(session, ended);
    }
}

static bool is_ready_to_send(const lims_dispatch_session_t *session)
{
    return lims_dispatch_session_is_connected(session) &&
           !lims_connection_timed_out(session->connection);
}

static void release(lims_dispatch_session_t *session)
{
    const lims_error_t *error;

    begin(session);
    session->rq.connection = session->connection;
    add_release_of_holder(session, session->holder);
    error = lims_database_run(session->results, &session->rq, session->calls, session->count, 0);
    if (error) {
        fail(session, error, lims_time_monotonic());
    }
    end(session);
}

void lims_dispatch_session_leave(lims_dispatch_session_t *session,
                                 struct lims_delivery_ring_t *ended)
{
    if (session->trip) {
        lims_connection_set_timeout(session->connection, LEAVE_PATIENCE);
        receive(session, ended);
    }
    if (is_ready_to_send(session) && !APR_RING_EMPTY(ended, lims_delivery_t, link)) {
        lims_dispatch_session_send(session, ended, false, lims_time_monotonic());
        if (session->trip) {
            lims_connection_set_timeout(session->connection, LEAVE_PATIENCE);
            receive(session, ended);
        }
    }
    if (is_ready_to_send(session)) {
        lims_connection_set_timeout(session->connection, LEAVE_PATIENCE);
        release(session);
    }
    hang_up(session);
}
