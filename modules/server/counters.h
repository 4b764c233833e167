/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counters.h - the counters themselves, for metrics.c, which counts, and for
 * metrics_text.c, which tells.
 */
#ifndef LIMS_COUNTERS_H
#define LIMS_COUNTERS_H

#include <stdatomic.h>

#include "server/metrics.h"

#define ROUTES_MAX 96
#define STATUS_MIN 200
#define STATUSES 400
#define CHILDREN_MAX 256

/* Of the histograms: each has a bound, but for the last. */
#define BUCKETS 13
#define ARRIVAL_BUCKETS 12

typedef _Atomic apr_uint64_t counter_t;

typedef struct {
    counter_t answers[STATUSES];
    counter_t buckets[BUCKETS];
    counter_t duration; /* microseconds, the sum */
    counter_t database;
    counter_t trips;
} route_counters_t;

typedef struct lims_counted_child_t {
    _Atomic int pid;
    _Atomic int connections;
} child_t;

struct lims_counters_t {
    route_counters_t routes[ROUTES_MAX]; /* the last: no route */
    counter_t refusals[LIMS_E_COUNT];
    counter_t refused[LIMS_REFUSED_COUNT]; /* keys */
    counter_t waits;                       /* for a connection */
    counter_t waited;
    counter_t exhausted;
    counter_t keys_known;
    counter_t keys_unknown;
    counter_t rates_shared;
    counter_t rates_local;
    counter_t extractions[LIMS_CALL_COUNT];
    counter_t extraction; /* microseconds, the sum */
    counter_t attempts[LIMS_ATTEMPT_COUNT];
    counter_t arrivals[ARRIVAL_BUCKETS];
    counter_t arrival; /* microseconds, the sum */
    child_t children[CHILDREN_MAX];
};

/* The routes in the order of their counters. */
extern const lims_route_t *lims_counted[ROUTES_MAX];
extern int lims_counted_count;

/* Connections that are in use, in all children that live. */
int lims_counters_connections(lims_counters_t *counters);

#endif /* LIMS_COUNTERS_H */
