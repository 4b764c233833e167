/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server.h - what joins the service to httpd. Only this folder and mod_lims.c
 * include httpd's headers.
 */
#ifndef LIMS_SERVER_H
#define LIMS_SERVER_H

#include <httpd.h>

#include <http_config.h>
#include <http_log.h>

#include "kernel/semaphore.h"
#include "kernel/sliding_window.h"
#include "server/memcached.h"
#include "service/service.h"

/* The one symbol that leaves the shared object. */
extern module AP_MODULE_DECLARE_DATA lims_module __attribute__((visibility("default")));

/* Who ends TLS. */
typedef enum { LIMS_TLS_REQUIRED, LIMS_TLS_PROXY, LIMS_TLS_COUNT } lims_tls_e;

typedef struct lims_pool_t lims_pool_t;

/* Directives of other modules that hold for us too; see borrowed.h. */
typedef enum {
    LIMS_BORROWED_DRIVER,
    LIMS_BORROWED_PARAMS,
    LIMS_BORROWED_PERSIST,
    LIMS_BORROWED_MIN,
    LIMS_BORROWED_KEEP,
    LIMS_BORROWED_MAX,
    LIMS_BORROWED_EXPTIME,
    LIMS_BORROWED_ENGINE,
    LIMS_BORROWED_COUNT
} lims_borrowed_e;

/* How deliveries go out; see dispatch/dispatch.h. */
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

/* The model service; see extraction/client.h. */
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

/* The configuration of a server. What directives set has a row in config.c,
 * with its bounds and default. */
typedef struct {
    int enable;
    int tls;
    const char *borrowed[LIMS_BORROWED_COUNT];
    const char *base_path;
    const char *documentation;
    const char *secret_key_file;
    apr_int64_t body_max;
    apr_int64_t file_body_max;
    apr_int64_t file_max;
    apr_int64_t rate_limit;
    apr_int64_t costly_limit;
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
    apr_int64_t file_storage; /* megabytes */
    apr_int64_t rejected_file_days;
    apr_int64_t unknown_keys; /* 0: any */
    apr_int64_t unknown_key_addresses;
    /* Derived once the configuration is complete. */
    lims_settings_t settings;
    const lims_keyring_t *keyring; /* of secret_key_file, or NULL */
    const lims_model_t *model;     /* of extraction, or NULL */
    const lims_sliding_windows_t *rates[LIMS_LIMIT_COUNT];
    const lims_sliding_windows_t *unknown_key_rates; /* NULL: none is counted */
    lims_memcached_t *memcached;                     /* of rates over several machines, or NULL */
    const char *running;              /* the database that answered at start, or NULL */
    int hints;                        /* where a commit is told to the dispatchers, or -1 */
    struct lims_counters_t *counters; /* of its database; metrics.c */
    lims_pool_t *pool;                /* in a child: its connections, NULL if it has none */
    struct lims_flood_t *floods;      /* of its database, in this process; log.c */
    struct lims_database_metrics_memory_t
        *database_metrics;      /* what the database last said; database_metrics.c */
    lims_semaphore_t semaphore; /* for what takes a processor for long */
    struct lims_fair_semaphore_t *fair_semaphore; /* in a child: at waiting for one of them */
} lims_config_t;

/* config.c */
void *lims_config_create(apr_pool_t *pool, server_rec *s);
void *lims_config_merge(apr_pool_t *pool, void *base, void *add);
/* Fills defaults and derives the settings; once, when configuration is read. */
void lims_config_complete(lims_config_t *config, apr_pool_t *pool);
extern const command_rec lims_config_directives[];

/* directive.c */
lims_config_t *lims_config_of(const server_rec *s);

/* host_names.c */

/* What names the server's database, by which hosts know that they share it: see
 * lims_connection_name(). */
const char *lims_config_database(const server_rec *s);

/* What a person knows the server by: "lims.example.org:443". */
const char *lims_config_host(const server_rec *s, apr_pool_t *pool);

/* The connection string of the server's database, as libpq takes it; "" if none
 * is configured. PostgreSQL shows the sessions under the name `application`; NULL
 * leaves the one of DBDParams, and so does a URI, to which nothing is appended. */
const char *lims_config_conninfo(const server_rec *s, const char *application, apr_pool_t *pool);

/* configtest.c */
int lims_check_config(apr_pool_t *pconf, apr_pool_t *plog, apr_pool_t *ptemp, server_rec *s);

/* start.c */
int lims_post_config(apr_pool_t *pconf, apr_pool_t *plog, apr_pool_t *ptemp, server_rec *s);
void lims_child_init(apr_pool_t *pchild, server_rec *s);

/* shared_memory.c: shared memory that is zero at first and outlives restarts. The same
 * name and size are the same memory. */
apr_status_t lims_shared_memory(void **memory, const char *name, apr_size_t size, server_rec *s);

/* pool.c: connections of mod_dbd, bounded and with a time-out. */
typedef struct {
    apr_pool_t *pool;
    server_rec *server;
    lims_brief_e brief;                /* which of the pool's fair semaphores it passes, if any */
    void *held;                        /* pool.c's, while a connection is held */
    struct lims_fair_permit_t *permit; /* of the fair semaphore, while one is held */
} lims_lease_t;

apr_status_t lims_pool_init(apr_pool_t *pchild, server_rec *s);
const lims_error_t *lims_pool_take(lims_connection_t **connection, lims_lease_t *lease);
void lims_pool_give_back(lims_lease_t *lease);

/* webhooks.c: the dispatcher threads. */
apr_status_t lims_webhooks_prepare(server_rec *s, apr_pool_t *pconf);
void lims_webhooks_start(apr_pool_t *pchild, server_rec *s);
void lims_webhooks_stopping(apr_pool_t *pchild, int graceful);
/* Something was committed that may be to send. Costs a system call. */
void lims_webhooks_wake(const server_rec *s);

/* limit.c: the rate limit, in shared memory and in a store that machines share. */
apr_status_t lims_limit_create(lims_config_t *config, server_rec *s);
const lims_error_t *lims_limit_count(const lims_config_t *config, bool costly, apr_int64_t key,
                                     const char *key_hash, apr_table_t *headers, apr_pool_t *pool);

/* unknown_keys.c: how many unknown keys an address may try. */
apr_status_t lims_unknown_keys_create(lims_config_t *config, server_rec *s);
/* LIMS_E_RATE_LIMITED, with Retry-After, once they were as many; counts nothing. */
const lims_error_t *lims_unknown_keys_check(const request_rec *r, apr_table_t *headers);
/* One more. */
void lims_unknown_keys_count(const request_rec *r);

/* admission.c: turns at what takes a processor for long, few at once on the machine. A
 * turn that lasts longer than such work does goes to the next in line. */
typedef struct {
    struct lims_fair_permit_t *fair_permit; /* in its child */
    lims_semaphore_permit_t permit;         /* on the machine */
} lims_admission_t;

apr_status_t lims_admission_create(lims_config_t *config, server_rec *s);
apr_status_t lims_admission_init(apr_pool_t *pchild, server_rec *s);
const lims_error_t *lims_admission_acquire(lims_admission_t *self, const server_rec *s,
                                           apr_pool_t *pool);
void lims_admission_release(lims_admission_t *self, const server_rec *s);

/* handler.c */
int lims_translate_name(request_rec *r);
int lims_map_to_storage(request_rec *r);
int lims_handler(request_rec *r);

/* status.c: SetHandler lims-status, lims-metrics, lims-live, lims-ready. */
int lims_status_handler(request_rec *r);
void lims_status_register(apr_pool_t *pool);

/* log.c: one line for each refusal or failure. */

/* What bounds the lines of a host about its database; hosts of one database share
 * it. Once for each host, `first` and those before it first. */
void lims_log_create(server_rec *s, const server_rec *first, apr_pool_t *pconf);
void lims_log_error(request_rec *r, const lims_error_t *error, const char *request_id);

#endif /* LIMS_SERVER_H */
