/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exchange.h - a request on its way through the service: what was sent, what the
 * transport does for it, and what was found out so far.
 */
#ifndef LIMS_SERVICE_EXCHANGE_H
#define LIMS_SERVICE_EXCHANGE_H

#include "database/database.h"
#include "kernel/route.h"
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

#endif /* LIMS_SERVICE_EXCHANGE_H */
