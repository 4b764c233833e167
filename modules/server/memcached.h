/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memcached.h - counters that several machines share, in memcached.
 *
 * The client is our own because APR's waits for ever on a server that has the
 * connection but does not answer: its sockets have no time-out after they are
 * connected. Three commands of the text protocol are all that is needed, and
 * they travel together: counting and looking cost one round trip.
 *
 * A server that fails is left alone for a second, by all child processes, and
 * then tried by one request. What a failure means is for the caller to know.
 */
#ifndef LIMS_MEMCACHED_H
#define LIMS_MEMCACHED_H

#include <httpd.h>

#include "lims.h"

typedef struct lims_memcached_t lims_memcached_t;

/* Checks "host:port[,host:port]" as a directive has it: NULL, or what is wrong
 * with it. */
const char *lims_memcached_check(const char *servers, apr_pool_t *pool);

/* In the parent, at each start. `patience` is how long one question may take,
 * connecting included. */
apr_status_t lims_memcached_create(lims_memcached_t **memcached, const char *servers,
                                   apr_interval_time_t patience, server_rec *s, apr_pool_t *pconf);

/* In a child, before its first question. */
apr_status_t lims_memcached_child(lims_memcached_t *memcached, apr_pool_t *pchild);

/* A row of counters with consecutive numbers, named so that nobody else's are
 * called the same. */
typedef struct {
    const char *name;      /* without white space, at most 64 bytes */
    apr_int64_t number;    /* of the newest */
    apr_uint32_t lifetime; /* seconds; a counter begins when it is first counted */
} lims_memcached_counter_t;

/* Adds one to the newest counter and reads the `count` latest, the newest
 * first. False: the server can't be asked at the moment. */
bool lims_memcached_count(apr_uint32_t *values, lims_memcached_t *memcached,
                          const lims_memcached_counter_t *counter, int count, apr_pool_t *pool);

/* Takes one from the newest again, without waiting for an answer. */
void lims_memcached_uncount(lims_memcached_t *memcached, const lims_memcached_counter_t *counter,
                            apr_pool_t *pool);

/* How a server of this httpd's stores does, for status and metrics. False:
 * there is no such server. */
typedef struct {
    const char *name; /* "host:port" */
    bool up;
    apr_uint64_t failures; /* since the start */
} lims_memcached_state_t;

bool lims_memcached_state(lims_memcached_state_t *state, int server);

#endif /* LIMS_MEMCACHED_H */
