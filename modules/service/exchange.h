/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exchange.h - the exchange: a request on its way through the service, with the functions
 * of its transport and the state of its checks.
 */
#ifndef LIMS_SERVICE_EXCHANGE_H
#define LIMS_SERVICE_EXCHANGE_H

#include "database/database.h"
#include "kernel/route.h"
#include "lims.h"

typedef const lims_error_t *(lims_sink_fn)(void *data, const char *bytes, apr_size_t length);

/* Requests with short database work, by kind. Each kind has a fair semaphore at the
 * pool of connections, so that the pool's connections are shared fairly. */
typedef enum {
    LIMS_SHORT_WORK_NONE, /* longer work, or waits for locks */
    LIMS_SHORT_WORK_READ,
    LIMS_SHORT_WORK_PREPARE, /* of LIMS_R_QUEUED */
    LIMS_SHORT_WORK_COUNT
} lims_short_work_e;

/* Rate limits of a key, or of a session of the application. */
typedef enum {
    LIMS_LIMIT_COMMON,  /* of every request of a key */
    LIMS_LIMIT_COSTLY,  /* in addition, of requests to routes with LIMS_R_COSTLY */
    LIMS_LIMIT_SESSION, /* of every request of a session */
    LIMS_LIMIT_COUNT
} lims_limit_e;

/* Why a key was refused: unknown, revoked or expired; missing; malformed. */
typedef enum {
    LIMS_REFUSED_UNKNOWN,
    LIMS_REFUSED_MISSING,
    LIMS_REFUSED_MALFORMED,
    LIMS_REFUSED_COUNT
} lims_refused_key_e;

/* Admission queues of work that is bound by the processor, a line for each: a flood of one
 * does not slow the others. */
typedef enum {
    LIMS_QUEUE_IMPORT,    /* files of instruments */
    LIMS_QUEUE_SIGN_IN,   /* passwords of people who sign in */
    LIMS_QUEUE_SIGNATURE, /* passwords of people who sign, or change theirs */
    LIMS_QUEUE_PRINT,     /* documents that are printed for an answer */
    LIMS_QUEUE_COUNT
} lims_queue_e;

/* Functions of the transport that carries the request. */
typedef struct {
    /* Returns a ready connection, or LIMS_E_SERVICE_UNAVAILABLE. */
    const lims_error_t *(*connect)(lims_connection_t **connection, lims_exchange_t *x);
    void (*disconnect)(lims_exchange_t *x, lims_connection_t *connection);
    /* Reads the whole body, at most `limit` bytes (LIMS_E_PAYLOAD_TOO_LARGE), piece by
     * piece to a sink, which ends it by an error. */
    const lims_error_t *(*read_body)(lims_exchange_t *x, apr_size_t limit, lims_sink_fn *sink,
                                     void *data);
    /* Counts the request against the limit of its key or session, a costly one against
     * both limits; or LIMS_E_RATE_LIMITED. A request that one limit refuses is counted by
     * neither. */
    const lims_error_t *(*admit)(lims_exchange_t *x, apr_int64_t caller, bool costly);
    /* Rate limit of unknown keys by address, asked before a key that is not in this
     * process' cache goes to the database: LIMS_E_RATE_LIMITED where too many keys
     * from that address were refused. The second counts a refused one. */
    const lims_error_t *(*check_unknown_key)(lims_exchange_t *x);
    void (*count_unknown_key)(lims_exchange_t *x);
    /* Whether too many sign-ins from the client's address failed; counts one. */
    bool (*sign_ins_exceeded)(const lims_exchange_t *x);
    void (*count_sign_in)(const lims_exchange_t *x);
    /* Waits in an admission queue until admitted, in order of arrival, or
     * LIMS_E_SERVICE_UNAVAILABLE. The second is to be called once for each admission. */
    const lims_error_t *(*enter_queue)(lims_exchange_t *x, lims_queue_e queue);
    void (*leave_queue)(lims_exchange_t *x, lims_queue_e queue);
    /* Asks an authentication provider of httpd by its name whether a password is right for
     * a name; both are to be no longer than LIMS_TEXT_MAX. LIMS_E_SERVICE_UNAVAILABLE: it
     * could not say. To be called while admitted by a queue. */
    const lims_error_t *(*ask_provider)(bool *right, lims_exchange_t *x, const char *provider,
                                        const char *name, const char *password);
} lims_transport_t;

/* Configuration of a surface. */
struct lims_settings_t {
    lims_surface_e surface;
    const lims_router_t *router;
    const char *database;      /* its name; cached keys are valid for it alone */
    const char *base;          /* prefix of the routes' paths: "/lab/api/v1" */
    const char *origin;        /* of this host, by its configuration: "https://lims.example" */
    const char *cookie;        /* name of the application's cookie */
    const char *sign_on;       /* path at which a module of httpd signs people in: "/app/sign-on" */
    bool sign_in_by_password;  /* people sign in with passwords kept here */
    bool sign_in_by_httpd;     /* people sign in at sign_on */
    /* Authentication providers of httpd: of names and passwords given to our own form, and
     * of passwords with which whoever signed in by httpd signs. NULL: none. */
    const char *sign_in_provider;
    const char *signature_provider;
    apr_uint32_t *sign_in_checks; /* hashes that a sign-in checks, as known of a minute (atomic) */
    bool match_address;        /* whoever httpd has found is also known by e-mail address */
    const char *sign_in_organizations; /* of which httpd may sign people in: an array literal */
    const char *sign_out_url;  /* where signing out leads, or NULL */
    const char *documentation; /* URL shown by discovery */
    const char *openapi;       /* the OpenAPI document */
    apr_size_t openapi_length;
    apr_size_t body_max;              /* bytes of a JSON body */
    apr_size_t file_body_max;         /* bytes of a body with a file */
    apr_size_t file_max;              /* bytes of a file */
    const char *file_storage;         /* bytes of all files of a key, as text */
    const char *idempotency_lifetime; /* seconds, as text */
    /* Leases of the claim of an Idempotency-Key, in seconds, as text: while a file is
     * imported, and while the model service is asked. */
    const char *import_lease;
    const char *model_lease;
    const char *touch_interval; /* of lastUsedAt, seconds, as text */
};

struct lims_exchange_t {
    lims_request_t rq;
    const lims_transport_t *transport;
    void *context; /* the transport's */

    /* As sent. Header fields are NULL when absent. */
    const char *method;
    const char *path; /* below the base */
    const char *query;
    const char *authorization;
    const char *content_type;
    const char *content_encoding;
    apr_int64_t content_length; /* -1: not sent */
    const char *if_match;
    const char *if_none_match;
    const char *idempotency_key;
    const char *cookies;          /* Cookie */
    const char *session_named;    /* X-Lims-Session: the session that the page knows */
    const char *asked_by_page;    /* X-Lims-Request */
    const char *asked_in_background; /* X-Lims-Background */
    const char *fetch_site;       /* Sec-Fetch-Site */
    const char *origin;           /* Origin */
    const char *browser;          /* User-Agent */
    bool signs_on;                /* the URL is below sign_on, where httpd has found somebody: */
    const char *identity_type;    /* by a module of this type, NULL: of none that is trusted, */
    const char *identity;         /* this name; NULL: nobody */
    const char *address;          /* of the client */

    /* State of the checks. */
    lims_route_match_t match;
    const char *key_hash;       /* of the key or the session's token: "\x…", ready to bind */
    bool key_known;             /* it was in the process' cache */
    lims_refused_key_e refused; /* why the key was refused, if it was */
    apr_time_t accepted;        /* when this process last found the key valid, or 0 */
    bool counted;               /* against the rate limit */
    const lims_error_t *limited;
    const char *idempotency_token;    /* of the claim, or NULL */
    bool admitted;                    /* by the queue of work bound by the processor */
    bool touch_due;                   /* lastUsedAt is older than the interval */
    const char *password;             /* of the one who signs, until it is checked; or NULL */
    const char *signer;               /* address of the one who signs, and the password's */
    const char *signer_hash;          /* hash; or */
    const char *signer_name;          /* the name at the signature provider; NULL: the hash */
    bool signer_right;                /* the password was right */
    const char *retry_after;          /* seconds until a locked account acts, as text */
    apr_time_t not_before;            /* the answer is sent no sooner; 0: at once */
    const lims_error_t *refusal;      /* no route or method, else NULL */
    const lims_error_t *late_refusal; /* media type, size, id, query, body */
    bool body_checked;                /* the body of a write was read and validated, or refused */
    const lims_error_t *error;        /* error of the reply, for the log */
};

#endif /* LIMS_SERVICE_EXCHANGE_H */
