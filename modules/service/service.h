/* SPDX-License-Identifier: Apache-2.0 */
/*
 * service.h - the life of a request, whatever carries it.
 *
 * The order in which a request is refused is the contract's (key, rate limit,
 * upload-only key, route, method, scope, media type, size, id, query or body,
 * record, gates), while the work is arranged for the fewest round trips:
 *
 *   - what can be judged from the request alone is judged first and only
 *     remembered (refusal, late_refusal);
 *   - a read sends the key and its data in one round trip, and looks at the
 *     caller before it looks at the data;
 *   - a write takes the body before it takes a connection, then opens its
 *     transaction and has the key checked in the same round trip, does its
 *     work, and commits with the record of the idempotency key;
 *   - one with work that takes long (.prepare, .work of its route) comes twice:
 *     its key is checked each time, and between the two it holds nothing. Where
 *     that takes a processor for long (LIMS_R_TURNS), it waits for its turn there.
 *
 * The transport (httpd, a test) supplies what it knows in an exchange and
 * seven functions; it gets back a reply and, for the log, the error.
 */
#ifndef LIMS_SERVICE_H
#define LIMS_SERVICE_H

#include "database/database.h"
#include "kernel/route.h"
#include "kernel/writer.h"
#include "lims.h"

typedef const lims_error_t *(lims_sink_fn)(void *data, const char *bytes, apr_size_t length);

/* What is done with in the database before anybody notices, by who does it. */
typedef enum {
    LIMS_BRIEF_NOT,
    LIMS_BRIEF_READ,
    LIMS_BRIEF_PREPARE, /* of LIMS_R_TURNS */
    LIMS_BRIEF_COUNT
} lims_brief_e;

/* What a request is counted against. */
typedef enum {
    LIMS_LIMIT_COMMON, /* every one */
    LIMS_LIMIT_COSTLY, /* those of LIMS_R_COSTLY besides */
    LIMS_LIMIT_COUNT
} lims_limit_e;

/* Why a key was refused: not known, revoked or expired; none was sent; it can't be
 * one. */
typedef enum {
    LIMS_REFUSED_UNKNOWN,
    LIMS_REFUSED_MISSING,
    LIMS_REFUSED_MALFORMED,
    LIMS_REFUSED_COUNT
} lims_refused_key_e;

/* What the service needs of whatever carries the request. */
typedef struct {
    /* A ready connection, or LIMS_E_SERVICE_UNAVAILABLE. */
    const lims_error_t *(*connect)(lims_connection_t **connection, lims_exchange_t *x);
    void (*disconnect)(lims_exchange_t *x, lims_connection_t *connection);
    /* Reads the whole body, at most `limit` bytes (LIMS_E_PAYLOAD_TOO_LARGE), piece by
     * piece to a sink, which ends it by an error. */
    const lims_error_t *(*read_body)(lims_exchange_t *x, apr_size_t limit, lims_sink_fn *sink,
                                     void *data);
    /* Counts the request against its key, a costly one against both limits, or
     * LIMS_E_RATE_LIMITED: what one of them refuses is counted against neither. */
    const lims_error_t *(*admit)(lims_exchange_t *x, apr_int64_t key, bool costly);
    /* Before the database is asked about a key that this process has not seen
     * accepted: LIMS_E_RATE_LIMITED where too many such came from the same address
     * that were none. The other counts one that was none. */
    const lims_error_t *(*meet_stranger)(lims_exchange_t *x);
    void (*count_stranger)(lims_exchange_t *x);
    /* Waits for a turn at what takes a processor for long, behind those that wait
     * already, or LIMS_E_SERVICE_UNAVAILABLE. The other is to be called once for
     * each that came. */
    const lims_error_t *(*take_turn)(lims_exchange_t *x);
    void (*give_turn_back)(lims_exchange_t *x);
} lims_transport_t;

/* What the configuration decides, for a surface. */
struct lims_settings_t {
    const lims_router_t *router;
    const char *database;      /* its name: what is known of a key holds in it alone */
    const char *base;          /* stands before a route's path: "/lab/api/v1" */
    const char *documentation; /* URL shown by discovery */
    const char *openapi;       /* the OpenAPI document */
    apr_size_t openapi_length;
    apr_size_t body_max;              /* bytes of a JSON body */
    apr_size_t file_body_max;         /* of one that brings a file */
    apr_size_t file_max;              /* bytes of a file */
    const char *file_storage;         /* bytes of all files of a key, as text */
    const char *idempotency_lifetime; /* seconds, as text */
    const char *turn_lease;           /* the same: of a claim while a file is imported, */
    const char *model_lease;          /* and while a model is asked */
    const char *key_touch_interval;   /* seconds, as text */
};

struct lims_exchange_t {
    lims_request_t rq;
    const lims_transport_t *transport;
    void *context; /* the transport's */

    /* As sent. Header fields are NULL when absent. */
    const char *method;
    const char *path; /* what follows the base */
    const char *query;
    const char *authorization;
    const char *content_type;
    const char *content_encoding;
    apr_int64_t content_length; /* -1: not stated */
    const char *if_match;
    const char *if_none_match;
    const char *idempotency_key;

    /* As found out. */
    lims_route_match_t match;
    const char *key_hash;       /* "\x…", ready to bind */
    bool key_known;             /* to this process, before it was checked */
    lims_refused_key_e refused; /* why it was, if it was */
    apr_time_t accepted;        /* when the process last found it valid, or 0 */
    bool counted;               /* against the rate limit, or refused by it: */
    const lims_error_t *limited;
    const char *idempotency_token;    /* of the claim, or NULL */
    bool has_turn;                    /* at what takes a processor for long */
    bool touch_due;                   /* lastUsedAt is older than the interval */
    const lims_error_t *refusal;      /* no route or method, else NULL */
    const lims_error_t *late_refusal; /* media type, size, id, query, body */
    const lims_error_t *error;        /* what the reply says, for the log */
};

/* Once per process, before any exchange: `pool` lives as long as it does. */
apr_status_t lims_service_init(apr_pool_t *pool);

/* Answers: fills x->rq.reply and x->error. Never fails. */
void lims_service_answer(lims_exchange_t *x);

/* For handlers of reads: runs the calls in one round trip. Outside a transaction,
 * which is how reads come over HTTP, the caller is checked in the same one, and
 * nothing is returned unless the caller may have it. `count` may be 0. */
const lims_error_t *lims_service_read(lims_result_t **results, lims_request_t *rq,
                                      const lims_call_t *calls, int count);

/* The action of rq->route in the open transaction of rq: locks and finds the
 * record, runs handler or statement, and renders the record as it now is.
 * `if_match` is the condition of the caller or NULL. */
const lims_error_t *lims_service_act(lims_request_t *rq, const char *if_match);

/* Whether it takes no time worth mentioning in the database, and waits for nobody's
 * locks, so that it may wait in line for others like it: a read of a record or of a
 * page without a filter; or the first half of what takes its turn afterwards. To be
 * asked when the request was judged, so by the transport's connect. */
lims_brief_e lims_service_is_brief(const lims_exchange_t *x);

/* A read (GET) route: rows to the reply's body. */
const lims_error_t *lims_service_fetch(lims_request_t *rq);

/* Before a first and before a new attempt: nothing of an earlier one is left,
 * neither its answer nor what it added to the `given` first values (the id of a
 * record that was never committed), nor a lock or a signature. */
void lims_service_reset(lims_request_t *rq, int given);

/* Bodies of records and pages into rq->reply (render.c). */
void lims_render_record(lims_request_t *rq, const lims_result_t *row, const lims_result_t *nested);
void lims_render_page(lims_request_t *rq, const lims_result_t *rows);

/* The ETag of the reply's body; none when it cannot be computed. */
void lims_render_etag(lims_request_t *rq);

/* An array of records under one name: { "received": [ … ] }; used by handlers
 * that answer several records. */
void lims_render_rows(lims_writer_t *w, const lims_resource_t *resource, const lims_result_t *rows,
                      int count, apr_pool_t *pool);

/* Sets the reply's body from a finished writer. */
void lims_render_finish(lims_request_t *rq, lims_writer_t *w);

#endif /* LIMS_SERVICE_H */
