/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server.h - the adapter between the service and httpd. Only this folder and
 * mod_lims.c include httpd's headers.
 */
#ifndef LIMS_SERVER_H
#define LIMS_SERVER_H

#include <httpd.h>

#include <http_config.h>
#include <http_log.h>

#include "documents/printer.h"
#include "kernel/semaphore.h"
#include "kernel/sliding_window.h"
#include "server/memcached.h"
#include "service/service.h"

/* The one symbol that leaves the shared object. */
extern module AP_MODULE_DECLARE_DATA lims_module __attribute__((visibility("default")));

/* Place where TLS ends: in this httpd, or in a proxy before it. */
typedef enum { LIMS_TLS_REQUIRED, LIMS_TLS_PROXY, LIMS_TLS_COUNT } lims_tls_e;

typedef struct lims_pool_t lims_pool_t;

/* Directives of other modules that mod_lims reads too; see foreign_directives.h. */
typedef enum {
    LIMS_FOREIGN_DRIVER,
    LIMS_FOREIGN_PARAMS,
    LIMS_FOREIGN_PERSIST,
    LIMS_FOREIGN_MIN,
    LIMS_FOREIGN_KEEP,
    LIMS_FOREIGN_MAX,
    LIMS_FOREIGN_EXPTIME,
    LIMS_FOREIGN_ENGINE,
    LIMS_FOREIGN_LDAP_ENTRIES,
    LIMS_FOREIGN_COUNT
} lims_foreign_directive_e;

/* Delivery of webhooks; see dispatch/dispatch.h. */
typedef struct {
    apr_int64_t dispatchers;
    apr_int64_t in_flight;
    apr_int64_t in_flight_endpoint;
    apr_int64_t poll; /* milliseconds, as the next two */
    apr_int64_t timeout;
    apr_int64_t lease;
    apr_int64_t longest_wait; /* seconds */
    apr_int64_t jitter;       /* percent */
    apr_int64_t disable_after;
    apr_int64_t answer_max; /* bytes, as the next */
    apr_int64_t excerpt_max;
    const char *schedule;        /* an array of intervals, as PostgreSQL reads it */
    apr_array_header_t *allowed; /* lims_range_t, or NULL */
    const char *ca_file;
    const char *proxy;
} lims_webhook_config_t;

/* Connection to the model service; see extraction/client.h. */
typedef struct {
    const char *url;
    const char *name;
    const char *key_file;
    const char *ca_file;
    const char *certificate;
    const char *certificate_key;
    const char *proxy;
    int style;
    int output;
    apr_int64_t connect_timeout; /* milliseconds, as the next */
    apr_int64_t timeout;
    apr_int64_t concurrency;
    apr_int64_t looks;
    apr_int64_t bytes_max;
    apr_int64_t rows_max;
    apr_int64_t cells_max;
} lims_extraction_config_t;

/* Ways in which people sign in to the application. */
typedef enum {
    LIMS_SIGN_IN_BUILTIN, /* by passwords kept here */
    LIMS_SIGN_IN_HTTPD,   /* by a module of httpd, in front of /app/sign-on */
    LIMS_SIGN_IN_BOTH,
    LIMS_SIGN_IN_COUNT
} lims_sign_in_e;

/* Attribute by which a person whom a module of httpd has identified is known here. */
typedef enum { LIMS_MATCH_IDENTITY, LIMS_MATCH_ADDRESS, LIMS_MATCH_COUNT } lims_match_e;

/* The configuration of a server. What directives set has a row in config.c,
 * with its bounds and default. */
typedef struct {
    int enable;
    int tls;
    int application;
    const char *cookie_suffix;
    int sign_in;                              /* of lims_sign_in_e */
    int sign_in_match;                        /* of lims_match_e */
    const char *sign_in_provider;             /* names of authentication providers, as the next */
    const char *signature_provider;
    apr_array_header_t *provider_aliases;     /* of const char *: "base alias>", as written */
    apr_array_header_t *sign_in_types;        /* of const char *, as the next */
    apr_array_header_t *sign_in_organizations;
    const char *sign_out_url;
    const char *foreign_directives[LIMS_FOREIGN_COUNT];
    const char *base_path;
    const char *documentation;
    const char *secret_key_file;
    apr_int64_t body_max;
    apr_int64_t file_body_max;
    apr_int64_t file_max;
    apr_int64_t rate_limit;
    apr_int64_t costly_limit;
    apr_int64_t session_limit;
    apr_int64_t rate_window;
    apr_int64_t rate_keys;
    apr_int64_t rate_timeout;
    const char *rate_memcached;
    apr_int64_t database_wait;
    apr_int64_t database_reads;
    apr_int64_t database_timeout;
    apr_int64_t idempotency_lifetime;
    apr_int64_t key_touch_interval;
    lims_webhook_config_t webhooks;
    lims_extraction_config_t extraction;
    apr_int64_t scan_interval;
    apr_int64_t retention_interval;
    apr_int64_t recovery_interval;
    apr_int64_t event_retention;
    apr_int64_t ingest_concurrency;
    apr_int64_t ingest_wait;
    apr_int64_t ingest_resume;
    apr_int64_t audit_interval;
    const char *printer_program;
    apr_int64_t printer_timeout; /* milliseconds */
    const char *document_key;    /* files; NULL: documents are not signed */
    const char *document_passphrase_file;
    apr_int64_t file_storage; /* megabytes */
    apr_int64_t rejected_file_days;
    apr_int64_t unknown_keys; /* 0: any */
    apr_int64_t unknown_key_addresses;
    /* Derived when the configuration is complete. */
    lims_settings_t settings;   /* of the REST API */
    lims_settings_t people;     /* of the application; without a router where that is off */
    const lims_keyring_t *keyring; /* of secret_key_file, or NULL */
    const lims_model_t *model;     /* of extraction, or NULL */
    lims_printer_t printer;        /* its program is NULL where there is none */
    const char *verification;      /* address below which certificates are verified; or NULL */
    const lims_sliding_windows_t *rates[LIMS_LIMIT_COUNT];
    const lims_sliding_windows_t *sign_in_rates;     /* NULL: there is no application */
    const lims_sliding_windows_t *unknown_key_rates; /* NULL: unknown keys are not counted */
    lims_memcached_t *memcached;      /* counters of a limit that machines share, or NULL */
    const char *running;              /* identity of the database that answered at start, or NULL */
    int hints;                        /* pipe that wakes the dispatchers after a commit, or -1 */
    struct lims_counters_t *counters; /* counters of its database; metrics.c */
    lims_pool_t *pool;                /* connections of this child process; NULL: none */
    struct lims_flood_t *floods;      /* of its database, in this process; log.c */
    struct lims_database_metrics_memory_t
        *database_metrics;      /* last metrics read from the database; database_metrics.c */
    /* CPU-bound requests of the machine, and those of this child; admission.c */
    lims_semaphore_t semaphores[LIMS_QUEUE_COUNT];
    struct lims_fair_semaphore_t *fair_semaphores[LIMS_QUEUE_COUNT];
} lims_config_t;

/* config.c */

/* Makes the configuration of a server in `pool`, with nothing set. */
void *lims_config_create(apr_pool_t *pool, server_rec *s);

/* Returns a copy of `add`, a virtual host, in `pool`; what it does not set is taken from
 * `base`, the main server. */
void *lims_config_merge(apr_pool_t *pool, void *base, void *add);

/* Fills in defaults and derives the settings. Called once, when the configuration has
 * been read. */
void lims_config_complete(lims_config_t *config, apr_pool_t *pool);

/* A row for each directive; its data is a lims_directive_t. Ends with a NULL name. */
extern const command_rec lims_config_directives[];

/* Returns the configuration of a server (directive.c). */
lims_config_t *lims_config_of(const server_rec *s);

/* host_names.c */

/* Returns the name of the server's database, by which hosts recognize that they share
 * one; see lims_connection_name(). */
const char *lims_config_database(const server_rec *s);

/* Returns the server's name for people: "lims.example.org:443". */
const char *lims_config_host(const server_rec *s, apr_pool_t *pool);

/* Returns the connection string of the server's database for libpq; "" if none is
 * configured. `application` becomes the session's application_name; NULL keeps that of
 * DBDParams. A connection URI is returned unchanged. */
const char *lims_config_conninfo(const server_rec *s, const char *application, apr_pool_t *pool);

/* configtest.c */

/* check_config hook: completes the configuration of each server and reports everything
 * that is wrong with it, each with its remedy. OK, or HTTP_INTERNAL_SERVER_ERROR. */
int lims_check_config(apr_pool_t *pconf, apr_pool_t *plog, apr_pool_t *ptemp, server_rec *s);

/* start.c */

/* post_config hook: makes shared memory ready (else HTTP_INTERNAL_SERVER_ERROR) and asks
 * each database once. What is wrong with a database is logged, and keeps nothing from
 * starting. */
int lims_post_config(apr_pool_t *pconf, apr_pool_t *plog, apr_pool_t *ptemp, server_rec *s);

/* child_init hook: starts what each child process has of its own, in `pchild`. A failure
 * is logged; the child then answers 503. */
void lims_child_init(apr_pool_t *pchild, server_rec *s);

/* shared_memory.c: returns shared memory that is zero at first and outlives restarts.
 * Calls with the same name and size return the same memory. */
apr_status_t lims_shared_memory(void **memory, const char *name, apr_size_t size, server_rec *s);

/* pool.c: a bounded pool of mod_dbd's connections, with a time-out. */
typedef struct {
    apr_pool_t *pool;
    server_rec *server;
    lims_short_work_e short_work;      /* which of the pool's fair semaphores it passes, if any */
    void *held;                        /* the connection in use, private to pool.c; or NULL */
    struct lims_fair_permit_t *permit; /* of the fair semaphore, or NULL */
} lims_lease_t;

/* Makes the connection pools of a child process, in `pchild`. */
apr_status_t lims_pool_init(apr_pool_t *pchild, server_rec *s);

/* Takes a ready connection for a lease whose .pool, .server and .short_work are set, waiting
 * for LimsDatabaseWait at most. LIMS_E_SERVICE_UNAVAILABLE: there is none. */
const lims_error_t *lims_pool_take(lims_connection_t **connection, lims_lease_t *lease);

/* Gives back the connection of a lease and its permit, if it has them. */
void lims_pool_give_back(lims_lease_t *lease);

/* webhooks.c: the dispatcher threads. */

/* Opens the files of the dispatchers' slots and the pipes that wake them, once for each
 * database; they outlive restarts. Called in the parent. */
apr_status_t lims_webhooks_prepare(server_rec *s, apr_pool_t *pconf);

/* Starts the dispatcher threads of a child process. They are joined before `pchild` is
 * destroyed. */
void lims_webhooks_start(apr_pool_t *pchild, server_rec *s);

/* child_stopping hook: has the dispatcher threads finish. */
void lims_webhooks_stopping(apr_pool_t *pchild, int graceful);

/* Wakes the dispatchers: a commit may have made deliveries due. Costs a system call. */
void lims_webhooks_wake(const server_rec *s);

/* limit.c: the rate limit of a key or session, in shared memory and in memcached. */

/* Finds or makes the shared memory of a server's limits, which outlives restarts. */
apr_status_t lims_limit_create(lims_config_t *config, server_rec *s);

/* The caller whose requests are counted. */
typedef struct {
    lims_limit_e limit; /* of every request: LIMS_LIMIT_COMMON or LIMS_LIMIT_SESSION */
    apr_int64_t id;     /* of the key or session */
    const char *hash;   /* of the key or the session's token */
} lims_counted_caller_t;

/* Counts a request of a caller, a costly one against both limits, and sets the RateLimit
 * header fields. LIMS_E_RATE_LIMITED: it is over a limit, and was not counted. */
const lims_error_t *lims_limit_count(const lims_config_t *config,
                                     const lims_counted_caller_t *caller, bool costly,
                                     apr_table_t *headers, apr_pool_t *pool);

/* unknown_keys.c: the rate limit of unknown keys by client address. */

/* Finds or makes its shared memory, which outlives restarts. */
apr_status_t lims_unknown_keys_create(lims_config_t *config, server_rec *s);

/* Returns LIMS_E_RATE_LIMITED and sets Retry-After if the limit is reached; counts
 * nothing. */
const lims_error_t *lims_unknown_keys_check(const request_rec *r, apr_table_t *headers);

/* Counts one failed look-up. */
void lims_unknown_keys_count(const request_rec *r);

/* Returns a number for the client's address, of IPv6 for its network; 0: it cannot be
 * told apart from others'. */
apr_int64_t lims_address_number(const request_rec *r);

/* providers.c: authentication providers of httpd. */

/* Whether there is a provider of this name. */
bool lims_provider_exists(const char *provider);

/* Whether a provider may answer from a cache, so that a former password stays right for a
 * while. */
bool lims_provider_caches(const server_rec *s, const char *provider, apr_pool_t *pool);

/* Asks a provider whether the password is right for the name, in the request's context: by
 * the directives that hold for its URL, or those of <AuthnProviderAlias>.
 * LIMS_E_SERVICE_UNAVAILABLE: it could not say. */
const lims_error_t *lims_provider_ask(bool *right, request_rec *r, const char *provider,
                                      const char *name, const char *password);

/* found_person.c: returns the name of the person whom a module of httpd has identified, if by
 * a type of LimsSignInTypes, and sets that type; NULL: nobody. A header field identifies
 * nobody. */
const char *lims_found_person(const char **type, request_rec *r);

/* sign_ins.c: the bound on failed sign-ins by client address. */

/* Finds or makes its shared memory, which outlives restarts. */
apr_status_t lims_sign_ins_create(lims_config_t *config, server_rec *s);

/* Whether the bound is reached; counts nothing. */
bool lims_sign_ins_exceeded(const request_rec *r);

/* Counts one failed sign-in. */
void lims_sign_ins_count(const request_rec *r);

/* admission.c: the admission queues of CPU-bound requests. A request that was admitted
 * and takes too long no longer keeps others out. */
typedef struct {
    struct lims_fair_permit_t *fair_permit; /* of its child process */
    lims_semaphore_permit_t permit;         /* of the machine */
} lims_admission_t;

/* Finds or makes the machine's semaphore. Called in the parent. */
apr_status_t lims_admission_create(lims_config_t *config, server_rec *s);

/* Makes the fair semaphore of a child process, in `pchild`. */
apr_status_t lims_admission_init(apr_pool_t *pchild, server_rec *s);

/* Waits until the request is admitted, for LimsIngestWait at most. */
const lims_error_t *lims_admission_acquire(lims_admission_t *self, lims_queue_e queue,
                                           const server_rec *s, apr_pool_t *pool);
/* Leaves the queue; for each request that was admitted. */
void lims_admission_release(lims_admission_t *self, lims_queue_e queue, const server_rec *s);

/* handler.c */

/* Hook: claims URLs below the base path, so that nothing maps them to files. */
int lims_translate_name(request_rec *r);

/* Hook: keeps the core from looking for files of what was claimed. */
int lims_map_to_storage(request_rec *r);

/* The handler of what was claimed: answers it. DECLINED: another's. */
int lims_handler(request_rec *r);

/* status.c */

/* The handlers lims-status, lims-metrics, lims-live and lims-ready. DECLINED: another's. */
int lims_status_handler(request_rec *r);

/* Adds a section to mod_status' page, if that is loaded. */
void lims_status_register(apr_pool_t *pool);

/* log.c: one log line for each refusal or failure. */

/* Makes the bound on a host's log lines about its database; hosts of one database share
 * it. Called once for each host in order; `first` is the first of all. */
void lims_log_create(server_rec *s, const server_rec *first, apr_pool_t *pconf);
/* Logs what a request was refused for, or failed of, with its id. */
void lims_log_error(request_rec *r, const lims_error_t *error, const char *request_id);

#endif /* LIMS_SERVER_H */
