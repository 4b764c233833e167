/* SPDX-License-Identifier: Apache-2.0 */
/* metrics.c - the counters of the service, shared by all child processes. */
#include "server/metrics.h"

#include <apr_strings.h>
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "server/counters.h"
#include "server/server.h"

/* Upper bounds in microseconds; the last bucket has none. */
static const apr_interval_time_t bounds[] = { 500,   1000,   2500,   5000,   10000,   25000,
                                              50000, 100000, 250000, 500000, 1000000, 2500000 };

_Static_assert(LIMS_LENGTH(bounds) == LIMS_DURATION_BUCKETS - 1, "a bound for each but the last");

/* Upper bounds in microseconds of the time from an event to its arrival: milliseconds
 * normally, hours while a receiver is down. */
static const apr_int64_t arrival_bounds[] = { 10000,     25000,     50000,     100000,
                                              250000,    1000000,   5000000,   30000000,
                                              120000000, 600000000, 3600000000 };

_Static_assert(LIMS_LENGTH(arrival_bounds) == LIMS_ARRIVAL_BUCKETS - 1,
               "a bound for each but the last");

const lims_route_t *lims_counted[LIMS_COUNTED_ROUTES_MAX];
int lims_counted_count;

static void number_routes(void)
{
    lims_counted_count = 0;
    for (const lims_resource_t *const *each = lims_resources; *each; each++) {
        for (const lims_route_t *route = (*each)->routes; route->method; route++) {
            if (lims_route_is_on(route, LIMS_SURFACE_API) &&
                lims_counted_count < LIMS_COUNTED_ROUTES_MAX - 1) {
                lims_counted[lims_counted_count++] = route;
            }
        }
    }
}

static lims_route_counters_t *counters_of(lims_counters_t *counters, const lims_route_t *route)
{
    for (int i = 0; route && i < lims_counted_count; i++) {
        if (lims_counted[i] == route) {
            return &counters->routes[i];
        }
    }
    return &counters->routes[LIMS_COUNTED_ROUTES_MAX - 1];
}

apr_status_t lims_metrics_create(server_rec *s)
{
    lims_config_t *config = lims_config_of(s);
    const char *name =
        apr_pstrcat(s->process->pconf, "mod_lims_metrics ", lims_config_database(s), NULL);
    void *memory = NULL;
    apr_status_t rv = lims_shared_memory(&memory, name, sizeof(lims_counters_t), s);

    number_routes();
    config->counters = memory;
    return rv;
}

static bool is_dead(int pid)
{
    return pid != 0 && kill(pid, 0) != 0 && errno == ESRCH;
}

lims_counted_child_t *lims_metrics_child(lims_counters_t *counters)
{
    int own = (int)getpid();

    for (int i = 0; i < LIMS_COUNTED_CHILDREN_MAX; i++) {
        lims_counted_child_t *place = &counters->children[i];
        int holder = atomic_load(&place->pid);
        if ((holder == 0 || is_dead(holder)) &&
            atomic_compare_exchange_strong(&place->pid, &holder, own)) {
            atomic_store(&place->connections, 0);
            return place;
        }
    }
    return NULL;
}

/* --- Counting ------------------------------------------------------------- */

static void add(lims_counter_t *counter, apr_int64_t amount)
{
    atomic_fetch_add_explicit(counter, (apr_uint64_t)amount, memory_order_relaxed);
}

static int bucket_of(apr_interval_time_t duration)
{
    int i = 0;

    while (i < LIMS_DURATION_BUCKETS - 1 && duration > bounds[i]) {
        i++;
    }
    return i;
}

void lims_metrics_request(lims_counters_t *counters, const lims_measure_t *measure)
{
    lims_route_counters_t *route = counters_of(counters, measure->route);
    int status = measure->status - LIMS_STATUS_MIN;

    if (status >= 0 && status < LIMS_STATUSES) {
        add(&route->answers[status], 1);
    }
    add(&route->buckets[bucket_of(measure->duration)], 1);
    add(&route->duration, measure->duration);
    add(&route->database, measure->database);
    add(&route->trips, measure->trips);
    if (measure->error) {
        add(&counters->refusals[measure->error->kind], 1);
    }
    if (measure->error && measure->error->kind == LIMS_E_UNAUTHORIZED &&
        measure->refused < LIMS_REFUSED_COUNT) {
        add(&counters->refused[measure->refused], 1);
    }
}

void lims_metrics_connection(lims_counters_t *counters, lims_counted_child_t *child,
                             apr_interval_time_t waited, bool taken)
{
    if (waited > 0) {
        add(&counters->waits, 1);
        add(&counters->waited, waited);
    }
    if (taken && child) {
        atomic_fetch_add(&child->connections, 1);
    }
}

void lims_metrics_exhausted(lims_counters_t *counters)
{
    add(&counters->exhausted, 1);
}

void lims_metrics_connection_back(lims_counted_child_t *child)
{
    if (child) {
        atomic_fetch_sub(&child->connections, 1);
    }
}

void lims_metrics_key(lims_counters_t *counters, bool known)
{
    add(known ? &counters->keys_known : &counters->keys_unknown, 1);
}

void lims_metrics_rate(lims_counters_t *counters, bool shared)
{
    add(shared ? &counters->rates_shared : &counters->rates_local, 1);
}

void lims_metrics_extraction(const void *data, lims_call_e outcome, apr_interval_time_t duration)
{
    const lims_config_t *config = data;
    lims_counters_t *counters = config->counters;

    add(&counters->extractions[outcome], 1);
    add(&counters->extraction, duration);
}

void lims_metrics_attempts(lims_counters_t *counters, lims_attempt_e what, int attempts)
{
    add(&counters->attempts[what], attempts);
}

void lims_metrics_arrival(lims_counters_t *counters, apr_interval_time_t latency)
{
    int i = 0;

    while (i < LIMS_ARRIVAL_BUCKETS - 1 && latency > arrival_bounds[i]) {
        i++;
    }
    add(&counters->arrivals[i], 1);
    add(&counters->arrival, latency);
}

int lims_counters_connections(lims_counters_t *counters)
{
    int sum = 0;

    for (int i = 0; i < LIMS_COUNTED_CHILDREN_MAX; i++) {
        int pid = atomic_load(&counters->children[i].pid);
        if (pid && !is_dead(pid)) {
            sum += atomic_load(&counters->children[i].connections);
        }
    }
    return sum;
}
