/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counters.h - the layout of the counters in shared memory, for metrics.c, which
 * counts, and metrics_text.c, which writes them.
 */
#ifndef LIMS_COUNTERS_H
#define LIMS_COUNTERS_H

#include <stdatomic.h>

#include "server/metrics.h"

#define LIMS_COUNTED_ROUTES_MAX 96
#define LIMS_STATUS_MIN 200
#define LIMS_STATUSES 400
#define LIMS_COUNTED_CHILDREN_MAX 256

/* Numbers of buckets of the histograms; the last bucket is unbounded. */
#define LIMS_DURATION_BUCKETS 13
#define LIMS_ARRIVAL_BUCKETS 12

typedef _Atomic apr_uint64_t lims_counter_t;

typedef struct {
    lims_counter_t answers[LIMS_STATUSES];
    lims_counter_t buckets[LIMS_DURATION_BUCKETS];
    lims_counter_t duration; /* microseconds, the sum */
    lims_counter_t database;
    lims_counter_t trips;
} lims_route_counters_t;

struct lims_counted_child_t {
    _Atomic int pid;
    _Atomic int connections;
};

struct lims_counters_t {
    lims_route_counters_t routes[LIMS_COUNTED_ROUTES_MAX]; /* the last: no route */
    lims_counter_t refusals[LIMS_E_COUNT];
    lims_counter_t refused[LIMS_REFUSED_COUNT]; /* by the reason why the key was refused */
    lims_counter_t waits;                       /* requests that waited for a connection */
    lims_counter_t waited;
    lims_counter_t exhausted;
    lims_counter_t keys_known;
    lims_counter_t keys_unknown;
    lims_counter_t rates_shared;
    lims_counter_t rates_local;
    lims_counter_t extractions[LIMS_CALL_COUNT];
    lims_counter_t extraction; /* microseconds, the sum */
    lims_counter_t attempts[LIMS_ATTEMPT_COUNT];
    lims_counter_t arrivals[LIMS_ARRIVAL_BUCKETS];
    lims_counter_t arrival; /* microseconds, the sum */
    lims_counted_child_t children[LIMS_COUNTED_CHILDREN_MAX];
};

/* The routes in the order of their counters. */
extern const lims_route_t *lims_counted[LIMS_COUNTED_ROUTES_MAX];
extern int lims_counted_count;

/* Returns the connections in use, in all live children. */
int lims_counters_connections(lims_counters_t *counters);

#endif /* LIMS_COUNTERS_H */
