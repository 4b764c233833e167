/* SPDX-License-Identifier: Apache-2.0 */
/*
 * circuit_breaker.h - what a child process knows of a database out of reach.
 *
 * While it lasts one request at a time tries to connect; the others wait for
 * what it finds. A request is refused only on the word of an attempt that began
 * after the request came, so that none fails once the database is back. Attempts
 * have a pause between them and are made beside mod_dbd, which would write lines
 * to the log for each.
 *
 * All functions are called with the mutex held that was given at the creation;
 * lims_breaker_wait() lets go of it meanwhile.
 */
#ifndef LIMS_CIRCUIT_BREAKER_H
#define LIMS_CIRCUIT_BREAKER_H

#include <apr_thread_mutex.h>
#include <apr_time.h>
#include <httpd.h>
#include <stdbool.h>

typedef struct lims_breaker_t lims_breaker_t;

/* A request's view of an outage, from when it met it. */
typedef struct {
    unsigned attempt;  /* the last that began before the request came */
    apr_time_t until;  /* it waits no longer than that */
    const char *cause; /* once it is hopeless: what the attempt found */
} lims_breaker_waiter_t;

/* `conninfo` is that of the connections. */
apr_status_t lims_breaker_create(lims_breaker_t **breaker, apr_thread_mutex_t *mutex,
                                 const char *conninfo, server_rec *s, apr_pool_t *pool);

bool lims_breaker_is_open(const lims_breaker_t *breaker);

/* How often the database was found out of reach: a connection that last worked
 * before the latest time may be dead without knowing it. */
unsigned lims_breaker_trips(const lims_breaker_t *breaker);

/* A request that began to use or make a connection then had none in the end.
 * Ignored if the database was reached since. */
void lims_breaker_trip(lims_breaker_t *breaker, apr_time_t began, const char *cause);

lims_breaker_waiter_t lims_breaker_waiter(const lims_breaker_t *breaker, apr_time_t until);

/* Whether the request is to be refused. `others` says that there are connections,
 * one of which may come back in time: then it is worth to wait for that. */
bool lims_breaker_rejects(lims_breaker_waiter_t *waiter, lims_breaker_t *breaker, bool others,
                          apr_pool_t *pool);

/* In an outage tries to connect if it is time and nobody does; else waits until
 * something has changed. */
void lims_breaker_wait(lims_breaker_t *breaker, const lims_breaker_waiter_t *waiter,
                       apr_pool_t *pool);

/* Something has changed: a connection came back, or was made. */
void lims_breaker_wake(lims_breaker_t *breaker);

#endif /* LIMS_CIRCUIT_BREAKER_H */
