/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dispatch.h - deliveries on their way to their receivers.
 *
 * A dispatcher is one thread: libcurl's multi interface for the receivers and
 * one database connection, which it drives at the same time. The database
 * decides what goes out (sql/181_webhook_dispatch.sql); what a dispatcher
 * keeps in memory may be lost at any moment, and then goes out again from the rows.
 *
 * Every child process may have one; of those of a machine as many work as there
 * are slots, the others wait. A slot is a lock that the kernel takes back when
 * the process dies, however it dies.
 *
 * Knows neither httpd nor its configuration.
 */
#ifndef LIMS_DISPATCH_H
#define LIMS_DISPATCH_H

#include "lims.h"

typedef struct lims_dispatcher_t lims_dispatcher_t;

/* How severe a line is for the log; the numbers are syslog's. */
typedef enum {
    LIMS_LOG_ERROR = 3,
    LIMS_LOG_WARNING = 4,
    LIMS_LOG_NOTICE = 5,
    LIMS_LOG_INFO = 6
} lims_log_e;

/* What became of an attempt. */
typedef enum {
    LIMS_ATTEMPT_DELIVERED,
    LIMS_ATTEMPT_FAILED,   /* will be tried again */
    LIMS_ATTEMPT_GIVEN_UP, /* was the last, or the receiver is gone for good */
    LIMS_ATTEMPT_COUNT
} lims_attempt_e;

/* What the configuration decides. Outlives the dispatcher. */
typedef struct {
    const char *conninfo;              /* of libpq */
    const lims_keyring_t *keyring;     /* opens the endpoints' secrets */
    int slots;                         /* dispatchers at work at once, on this machine */
    int slot_file;                     /* a descriptor open for reading and writing */
    int hints;                         /* a descriptor: something to be read there says
                                      that something was committed */
    apr_interval_time_t poll;          /* between two looks without a hint */
    apr_interval_time_t timeout;       /* of an attempt, connecting included */
    apr_interval_time_t lease;         /* of a lane, at least two time-outs */
    int in_flight;                     /* attempts at once, all together */
    int in_flight_endpoint;            /* to one endpoint */
    const char *schedule;              /* waits after failures, an array of intervals */
    apr_interval_time_t longest;       /* wait, whatever Retry-After says */
    double jitter;                     /* share of a wait that may be added */
    int disable_after;                 /* deliveries given up in a row */
    apr_size_t answer_max;             /* bytes of an answer that are read */
    apr_size_t excerpt_max;            /* and that are kept */
    const char *ca_file;               /* certificates trusted; NULL: the system's */
    const char *proxy;                 /* URL; NULL: none, whatever the environment says */
    const apr_array_header_t *allowed; /* lims_range_t beside the public addresses */
    /* A line for the log, LIMSnnnn first. */
    void (*log)(void *data, lims_log_e level, const char *line);
    /* Attempts recorded; for a delivered one the time since its event. */
    void (*count)(void *data, lims_attempt_e what, int attempts);
    void (*arrived)(void *data, apr_interval_time_t latency);
    void *data;
} lims_dispatch_settings_t;

/* Once per process, in the parent, before any dispatcher. */
apr_status_t lims_dispatch_init(apr_pool_t *pool);

/* NULL: no memory. Destroyed with the pool, when its thread has ended. */
lims_dispatcher_t *lims_dispatcher_create(const lims_dispatch_settings_t *settings,
                                          apr_pool_t *pool);

/* The work; returns after lims_dispatcher_stop(). One thread. */
void lims_dispatcher_run(lims_dispatcher_t *dispatcher);

/* From any thread: nothing more is begun, the slot is free for another, and the
 * work ends as soon as what is under way has ended, at the latest after
 * `patience`. What is then cut off is no attempt: it goes out again. May be
 * called again with less patience. */
void lims_dispatcher_stop(lims_dispatcher_t *dispatcher, apr_interval_time_t patience);

#endif /* LIMS_DISPATCH_H */
