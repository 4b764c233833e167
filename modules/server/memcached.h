/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memcached.h - a client of memcached for counters that several machines share.
 *
 * APR's client is not used: its sockets have no time-out once connected, so that a
 * server which accepts a connection and never answers blocks it for ever. This one
 * sends the three commands that it needs together: incrementing a counter and reading
 * the others costs one round trip.
 *
 * After a failure no child process uses the server for a second; then one request
 * tries it. The caller decides what a failure means.
 */
#ifndef LIMS_MEMCACHED_H
#define LIMS_MEMCACHED_H

#include <httpd.h>

#include "lims.h"

typedef struct lims_memcached_t lims_memcached_t;

/* Checks the value of a directive, "host:port[,host:port]". NULL, or what is wrong. */
const char *lims_memcached_check(const char *servers, apr_pool_t *pool);

/* Makes the client, in the parent at each start. `timeout` in microseconds holds for one
 * request to a server, connecting included. */
apr_status_t lims_memcached_create(lims_memcached_t **memcached, const char *servers,
                                   apr_interval_time_t timeout, server_rec *s, apr_pool_t *pconf);

/* Prepares the client in a child, before its first request. */
apr_status_t lims_memcached_child(lims_memcached_t *memcached, apr_pool_t *pchild);

/* A series of counters with consecutive numbers and a unique name. */
typedef struct {
    const char *name;      /* without white space, at most 64 bytes */
    apr_int64_t number;    /* of the newest counter */
    apr_uint32_t lifetime; /* of a counter from its first increment, seconds */
} lims_memcached_counter_t;

/* Increments the newest counter and reads the `count` latest, the newest first. False:
 * the server cannot be reached now. */
bool lims_memcached_count(apr_uint32_t *values, lims_memcached_t *memcached,
                          const lims_memcached_counter_t *counter, int count, apr_pool_t *pool);

/* Decrements the newest counter, without waiting for an answer. */
void lims_memcached_uncount(lims_memcached_t *memcached, const lims_memcached_counter_t *counter,
                            apr_pool_t *pool);

/* State of a memcached server of this httpd, for status and metrics. */
typedef struct {
    const char *name; /* "host:port" */
    bool up;
    apr_uint64_t failures; /* since the start */
} lims_memcached_state_t;

/* Fills in the state of the server with this index; false: there is no such server. */
bool lims_memcached_state(lims_memcached_state_t *state, int server);

#endif /* LIMS_MEMCACHED_H */
