/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dispatch.h - the dispatcher of webhooks: sends the deliveries of the outbox to their
 * receivers.
 *
 * A dispatcher is one thread that drives libcurl's multi interface for the receivers
 * and one database connection at the same time. The database decides what is sent
 * (sql/181_webhook_dispatch.sql). A dispatcher may lose its memory at any moment: what
 * it had claimed is then sent again when its leases expire.
 *
 * Every child process may have a dispatcher; of those on a machine only as many are
 * active as there are slots. A slot is a file lock, which the kernel releases when the
 * process dies in any way.
 *
 * Knows neither httpd nor its configuration.
 */
#ifndef LIMS_DISPATCH_H
#define LIMS_DISPATCH_H

#include "lims.h"

typedef struct lims_dispatcher_t lims_dispatcher_t;

/* Severity of a log line; the numbers are syslog's. */
typedef enum {
    LIMS_LOG_ERROR = 3,
    LIMS_LOG_WARNING = 4,
    LIMS_LOG_NOTICE = 5,
    LIMS_LOG_INFO = 6
} lims_log_e;

/* Outcome of an attempt. */
typedef enum {
    LIMS_ATTEMPT_DELIVERED,
    LIMS_ATTEMPT_FAILED,   /* will be tried again */
    LIMS_ATTEMPT_GIVEN_UP, /* the last attempt, or the receiver is gone for good */
    LIMS_ATTEMPT_COUNT
} lims_attempt_e;

/* Configuration; outlives the dispatcher. */
typedef struct {
    const char *conninfo;              /* connection string for libpq */
    const lims_keyring_t *keyring;     /* opens the sealed secrets of endpoints */
    int slots;                         /* dispatchers active at once on this machine */
    int slot_file;                     /* descriptor of the lock file, open for read and write */
    int hints;                         /* descriptor of a pipe: readable after a commit
                                      that may have made deliveries due */
    apr_interval_time_t poll;          /* between two claims without a hint */
    apr_interval_time_t timeout;       /* of an attempt, connecting included */
    apr_interval_time_t lease;         /* of a lane; at least two time-outs */
    int in_flight;                     /* attempts in flight at once */
    int in_flight_endpoint;            /* to one endpoint */
    const char *schedule;              /* delays of retries, an array of intervals for PostgreSQL */
    apr_interval_time_t longest;       /* delay, also if Retry-After asks for more */
    double jitter;                     /* random share of a delay that may be added */
    int disable_after;                 /* so many deliveries given up in a row */
    apr_size_t answer_max;             /* bytes of an answer that are read */
    apr_size_t excerpt_max;            /* bytes that are stored */
    const char *ca_file;               /* certificates trusted; NULL: the system's */
    const char *proxy;                 /* URL; NULL: none, whatever the environment says */
    const apr_array_header_t *allowed; /* lims_range_t allowed besides public addresses */
    /* Writes a line to the log; it begins with LIMSnnnn. */
    void (*log)(void *data, lims_log_e level, const char *line);
    /* Count recorded attempts, and for a delivered one the time since its event. */
    void (*count)(void *data, lims_attempt_e what, int attempts);
    void (*arrived)(void *data, apr_interval_time_t latency);
    void *data;
} lims_dispatch_settings_t;

/* Initializes libcurl. Called once per process, in the parent. */
apr_status_t lims_dispatch_init(apr_pool_t *pool);

/* Makes a dispatcher; NULL: out of memory. Its thread must end before the pool. */
lims_dispatcher_t *lims_dispatcher_create(const lims_dispatch_settings_t *settings,
                                          apr_pool_t *pool);

/* Runs the dispatcher in the calling thread; returns after lims_dispatcher_stop(). */
void lims_dispatcher_run(lims_dispatcher_t *dispatcher);

/* Stops the dispatcher; from any thread. It starts no further attempt, releases its
 * slot, and ends when the attempts in flight have ended, at the latest after `grace`
 * microseconds. An attempt that is cut off then does not count and is made again. May
 * be called again with a shorter grace. */
void lims_dispatcher_stop(lims_dispatcher_t *dispatcher, apr_interval_time_t grace);

#endif /* LIMS_DISPATCH_H */
