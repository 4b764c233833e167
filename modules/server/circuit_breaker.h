/* SPDX-License-Identifier: Apache-2.0 */
/*
 * circuit_breaker.h - the circuit breaker of a child's connections to a database.
 *
 * It opens ("trips") when the database cannot be reached. While it is open, one
 * request at a time probes the database and the others wait for the outcome. A
 * request is refused only if a probe failed that began after the request arrived, so
 * that no request fails once the database is back. There is a pause between probes,
 * and they bypass mod_dbd, which would log every failure.
 *
 * All functions are called with the mutex held that lims_breaker_create() was given;
 * lims_breaker_wait() releases it while it waits.
 */
#ifndef LIMS_CIRCUIT_BREAKER_H
#define LIMS_CIRCUIT_BREAKER_H

#include <apr_thread_mutex.h>
#include <apr_time.h>
#include <httpd.h>
#include <stdbool.h>

typedef struct lims_breaker_t lims_breaker_t;

/* A request that waits for a connection. */
typedef struct {
    unsigned probe;      /* the last one that began before the request arrived */
    apr_time_t deadline; /* the request waits no longer */
    const char *cause;   /* of the refusal, once lims_breaker_rejects() is true */
} lims_breaker_waiter_t;

/* Makes a closed breaker for connections by `conninfo`. */
apr_status_t lims_breaker_create(lims_breaker_t **breaker, apr_thread_mutex_t *mutex,
                                 const char *conninfo, server_rec *s, apr_pool_t *pool);

/* Whether the database is out of reach. */
bool lims_breaker_is_open(const lims_breaker_t *breaker);

/* Returns how often the breaker has opened. A connection that last worked before the
 * latest opening may be dead and has to be checked. */
unsigned lims_breaker_trips(const lims_breaker_t *breaker);

/* Opens the breaker, because a request that began to use or make a connection at
 * `began` failed to. Does nothing if the database was reached since. */
void lims_breaker_trip(lims_breaker_t *breaker, apr_time_t began, const char *cause);

/* Registers the start of a wait until `deadline`. */
lims_breaker_waiter_t lims_breaker_waiter(const lims_breaker_t *breaker, apr_time_t deadline);

/* Whether to refuse the request. `others`: there are connections in use or idle, one
 * of which may become free in time, so that waiting makes sense. */
bool lims_breaker_rejects(lims_breaker_waiter_t *waiter, lims_breaker_t *breaker, bool others,
                          apr_pool_t *pool);

/* Probes the database if the breaker is open and a probe is due; else waits until a
 * connection is released, a probe ends or the deadline passes. */
void lims_breaker_wait(lims_breaker_t *breaker, const lims_breaker_waiter_t *waiter,
                       apr_pool_t *pool);

/* Wakes the waiters: a connection was released or made. */
void lims_breaker_wake(lims_breaker_t *breaker);

#endif /* LIMS_CIRCUIT_BREAKER_H */
