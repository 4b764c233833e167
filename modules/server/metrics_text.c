/* SPDX-License-Identifier: Apache-2.0 */
/* metrics_text.c - the metrics in the formats of Prometheus and JSON. */
#include <apr_strings.h>

#include "database/migration.h"
#include "kernel/error.h"
#include "server/counters.h"
#include "server/exposition.h"
#include "server/server.h"
#include "server/watchdog.h"
#include "server/workers.h"

/* The bounds of the histograms, in seconds, as Prometheus' label has them. */
static const char *const bound_names[] = { "0.0005", "0.001", "0.0025", "0.005", "0.01", "0.025",
                                           "0.05",   "0.1",   "0.25",   "0.5",   "1",    "2.5" };

_Static_assert(LIMS_LENGTH(bound_names) == LIMS_DURATION_BUCKETS - 1, "a name for each bound");

static const char *const arrival_names[] = { "0.01", "0.025", "0.05", "0.1", "0.25", "1",
                                             "5",    "30",    "120",  "600", "3600" };

_Static_assert(LIMS_LENGTH(arrival_names) == LIMS_ARRIVAL_BUCKETS - 1, "a name for each bound");

static const char *const refused_names[] = {
    [LIMS_REFUSED_UNKNOWN] = "unknown",
    [LIMS_REFUSED_MISSING] = "missing",
    [LIMS_REFUSED_MALFORMED] = "malformed",
};

_Static_assert(LIMS_LENGTH(refused_names) == LIMS_REFUSED_COUNT, "a name for each");

static const char *const attempt_names[] = {
    [LIMS_ATTEMPT_DELIVERED] = "delivered",
    [LIMS_ATTEMPT_FAILED] = "failed",
    [LIMS_ATTEMPT_GIVEN_UP] = "given_up",
};

_Static_assert(LIMS_LENGTH(attempt_names) == LIMS_ATTEMPT_COUNT, "a name for each");

static const char *const call_names[] = {
    [LIMS_CALL_ANSWERED] = "answered", [LIMS_CALL_REPAIRED] = "repaired",
    [LIMS_CALL_NONSENSE] = "nonsense", [LIMS_CALL_REFUSED] = "refused",
    [LIMS_CALL_FAILED] = "failed",     [LIMS_CALL_UNREACHABLE] = "unreachable",
    [LIMS_CALL_BUSY] = "busy",
};

_Static_assert(LIMS_LENGTH(call_names) == LIMS_CALL_COUNT, "a name for each");

static apr_uint64_t read_counter(lims_counter_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

static double seconds(apr_uint64_t microseconds)
{
    return (double)microseconds / 1e6;
}

static const char *labels_of(int index, apr_pool_t *pool)
{
    if (index >= lims_counted_count) {
        return "method=\"-\",route=\"-\"";
    }
    return apr_psprintf(pool, "method=\"%s\",route=\"%s\"", lims_counted[index]->method,
                        lims_counted[index]->path);
}

static bool is_used(lims_counters_t *counters, int index)
{
    for (int i = 0; i < LIMS_DURATION_BUCKETS; i++) {
        if (read_counter(&counters->routes[index].buckets[i])) {
            return true;
        }
    }
    return false;
}

static void write_answers(lims_counters_t *counters, lims_exposition_t *text)
{
    lims_exposition_head(text, "lims_requests_total", "counter",
                         "Requests answered, by route and status.");
    for (int i = 0; i < LIMS_COUNTED_ROUTES_MAX; i++) {
        for (int status = 0; status < LIMS_STATUSES; status++) {
            apr_uint64_t count = read_counter(&counters->routes[i].answers[status]);
            if (count) {
                lims_exposition_line(
                    text, "lims_requests_total{%s,status=\"%d\"} %" APR_UINT64_T_FMT "\n",
                    labels_of(i, text->pool), status + LIMS_STATUS_MIN, count);
            }
        }
    }
}

static void write_histogram(lims_counters_t *counters, lims_exposition_t *text, int index)
{
    lims_route_counters_t *route = &counters->routes[index];
    const char *labels = labels_of(index, text->pool);
    apr_uint64_t sum = 0;

    for (int i = 0; i < LIMS_DURATION_BUCKETS; i++) {
        sum += read_counter(&route->buckets[i]);
        if (i < LIMS_DURATION_BUCKETS - 1) {
            lims_exposition_line(
                text, "lims_request_duration_seconds_bucket{%s,le=\"%s\"} %" APR_UINT64_T_FMT "\n",
                labels, bound_names[i], sum);
        }
    }
    lims_exposition_line(text,
                         "lims_request_duration_seconds_bucket{%s,le=\"+Inf\"} %" APR_UINT64_T_FMT
                         "\n"
                         "lims_request_duration_seconds_sum{%s} %.6f\n"
                         "lims_request_duration_seconds_count{%s} %" APR_UINT64_T_FMT "\n",
                         labels, sum, labels, seconds(read_counter(&route->duration)), labels, sum);
}

static void write_routes(lims_counters_t *counters, lims_exposition_t *text)
{
    lims_exposition_head(text, "lims_request_duration_seconds", "histogram",
                         "Time from the request's arrival to its answer being ready.");
    for (int i = 0; i < LIMS_COUNTED_ROUTES_MAX; i++) {
        if (is_used(counters, i)) {
            write_histogram(counters, text, i);
        }
    }
    lims_exposition_head(text, "lims_database_seconds_total", "counter",
                         "Time spent waiting for the database.");
    for (int i = 0; i < LIMS_COUNTED_ROUTES_MAX; i++) {
        if (is_used(counters, i)) {
            lims_exposition_line(text, "lims_database_seconds_total{%s} %.6f\n",
                                 labels_of(i, text->pool),
                                 seconds(read_counter(&counters->routes[i].database)));
        }
    }
    lims_exposition_head(text, "lims_database_round_trips_total", "counter",
                         "Round trips to the database.");
    for (int i = 0; i < LIMS_COUNTED_ROUTES_MAX; i++) {
        if (is_used(counters, i)) {
            lims_exposition_line(
                text, "lims_database_round_trips_total{%s} %" APR_UINT64_T_FMT "\n",
                labels_of(i, text->pool), read_counter(&counters->routes[i].trips));
        }
    }
}

static void write_refusals(lims_counters_t *counters, lims_exposition_t *text)
{
    lims_exposition_head(text, "lims_refusals_total", "counter",
                         "Requests refused or failed, by error slug.");
    for (int i = 0; i < LIMS_E_COUNT; i++) {
        lims_exposition_line(text, "lims_refusals_total{error=\"%s\"} %" APR_UINT64_T_FMT "\n",
                             lims_error_kinds[i].slug, read_counter(&counters->refusals[i]));
    }
}

static void write_pool(lims_counters_t *counters, lims_exposition_t *text)
{
    lims_exposition_head(text, "lims_database_connections_in_use", "gauge",
                         "Connections held by requests.");
    lims_exposition_line(text, "lims_database_connections_in_use %d\n",
                         lims_counters_connections(counters));
    lims_exposition_head(text, "lims_database_waits_total", "counter",
                         "Requests that waited for a connection.");
    lims_exposition_line(text, "lims_database_waits_total %" APR_UINT64_T_FMT "\n",
                         read_counter(&counters->waits));
    lims_exposition_head(text, "lims_database_wait_seconds_total", "counter",
                         "Time waited for a connection.");
    lims_exposition_line(text, "lims_database_wait_seconds_total %.6f\n",
                         seconds(read_counter(&counters->waited)));
    lims_exposition_head(text, "lims_database_exhausted_total", "counter",
                         "Requests that got no connection in LimsDatabaseWait.");
    lims_exposition_line(text, "lims_database_exhausted_total %" APR_UINT64_T_FMT "\n",
                         read_counter(&counters->exhausted));
}

static void write_keys(lims_counters_t *counters, lims_exposition_t *text)
{
    lims_exposition_head(text, "lims_key_lookups_total", "counter",
                         "Requests whose key was known to the process (hit) or not (miss).");
    lims_exposition_line(text, "lims_key_lookups_total{cache=\"hit\"} %" APR_UINT64_T_FMT "\n",
                         read_counter(&counters->keys_known));
    lims_exposition_line(text, "lims_key_lookups_total{cache=\"miss\"} %" APR_UINT64_T_FMT "\n",
                         read_counter(&counters->keys_unknown));
}

static void write_refused_keys(lims_counters_t *counters, lims_exposition_t *text)
{
    lims_exposition_head(text, "lims_keys_refused_total", "counter",
                         "Requests whose key was refused: unknown (revoked and expired ones too), "
                         "malformed, or missing.");
    for (int i = 0; i < LIMS_REFUSED_COUNT; i++) {
        lims_exposition_line(text, "lims_keys_refused_total{reason=\"%s\"} %" APR_UINT64_T_FMT "\n",
                             refused_names[i], read_counter(&counters->refused[i]));
    }
}

/* Written only where machines share the limit. */
static void write_rates(lims_counters_t *counters, lims_exposition_t *text)
{
    lims_memcached_state_t state;

    if (!lims_memcached_state(&state, 0)) {
        return;
    }
    lims_exposition_head(
        text, "lims_rate_limit_counted_total", "counter",
        "Requests counted with the other machines (memcached) or by this one alone (local).");
    lims_exposition_line(
        text, "lims_rate_limit_counted_total{store=\"memcached\"} %" APR_UINT64_T_FMT "\n",
        read_counter(&counters->rates_shared));
    lims_exposition_line(text,
                         "lims_rate_limit_counted_total{store=\"local\"} %" APR_UINT64_T_FMT "\n",
                         read_counter(&counters->rates_local));
    lims_exposition_head(text, "lims_rate_limit_store_up", "gauge",
                         "Whether a memcached server answers.");
    for (int i = 0; lims_memcached_state(&state, i); i++) {
        lims_exposition_line(text, "lims_rate_limit_store_up{server=\"%s\"} %d\n", state.name,
                             state.up);
    }
    lims_exposition_head(
        text, "lims_rate_limit_store_failures_total", "counter",
        "Questions that a memcached server did not answer in LimsRateLimitTimeout.");
    for (int i = 0; lims_memcached_state(&state, i); i++) {
        lims_exposition_line(
            text, "lims_rate_limit_store_failures_total{server=\"%s\"} %" APR_UINT64_T_FMT "\n",
            state.name, state.failures);
    }
}

static void write_extractions(lims_counters_t *counters, lims_exposition_t *text)
{
    lims_exposition_head(text, "lims_extraction_calls_total", "counter",
                         "Files laid before the model service, by what came of it.");
    for (int i = 0; i < LIMS_CALL_COUNT; i++) {
        lims_exposition_line(text,
                             "lims_extraction_calls_total{outcome=\"%s\"} %" APR_UINT64_T_FMT "\n",
                             call_names[i], read_counter(&counters->extractions[i]));
    }
    lims_exposition_head(text, "lims_extraction_seconds_total", "counter",
                         "Time spent waiting for the model service.");
    lims_exposition_line(text, "lims_extraction_seconds_total %.6f\n",
                         seconds(read_counter(&counters->extraction)));
}

static void write_attempts(lims_counters_t *counters, lims_exposition_t *text)
{
    apr_uint64_t sum = 0;

    lims_exposition_head(text, "lims_webhook_attempts_total", "counter",
                         "Attempts to deliver: delivered, failed (to be tried again), given_up.");
    for (int i = 0; i < LIMS_ATTEMPT_COUNT; i++) {
        lims_exposition_line(text,
                             "lims_webhook_attempts_total{outcome=\"%s\"} %" APR_UINT64_T_FMT "\n",
                             attempt_names[i], read_counter(&counters->attempts[i]));
    }
    lims_exposition_head(text, "lims_webhook_arrival_seconds", "histogram",
                         "Time from an event to the receiver's acknowledgement.");
    for (int i = 0; i < LIMS_ARRIVAL_BUCKETS; i++) {
        sum += read_counter(&counters->arrivals[i]);
        lims_exposition_line(
            text, "lims_webhook_arrival_seconds_bucket{le=\"%s\"} %" APR_UINT64_T_FMT "\n",
            i < LIMS_ARRIVAL_BUCKETS - 1 ? arrival_names[i] : "+Inf", sum);
    }
    lims_exposition_line(text,
                         "lims_webhook_arrival_seconds_sum %.6f\n"
                         "lims_webhook_arrival_seconds_count %" APR_UINT64_T_FMT "\n",
                         seconds(read_counter(&counters->arrival)), sum);
}

static void write_gauge(lims_exposition_t *text, const char *name, const char *value,
                        const char *help)
{
    lims_exposition_head(text, name, "gauge", help);
    lims_exposition_line(text, "%s %s\n", name, value);
}

static void write_backlog(lims_exposition_t *text, const lims_backlog_t *backlog)
{
    write_gauge(text, "lims_webhook_deliveries_pending", backlog->pending,
                "Deliveries to be made, due or waiting to be tried again.");
    write_gauge(text, "lims_webhook_deliveries_kept", backlog->kept,
                "Deliveries that wait for a disabled endpoint.");
    write_gauge(text, "lims_webhook_oldest_due_seconds", backlog->oldest_due_seconds,
                "How long the oldest delivery that is due has been so.");
    write_gauge(text, "lims_webhook_endpoints", backlog->endpoints, "Endpoints.");
    write_gauge(text, "lims_webhook_endpoints_disabled", backlog->disabled_endpoints,
                "Endpoints that are disabled.");
}

/* Versions are labels of a metric that is always 1, as in Prometheus' own programs. */
static void write_state(lims_exposition_t *text, const lims_database_metrics_t *metrics)
{
    lims_exposition_head(text, "lims_build_info", "gauge",
                         "This mod_lims, and the schema that it is made for.");
    lims_exposition_line(text, "lims_build_info{version=\"%s\",schema=\"%d\"} 1\n", LIMS_VERSION,
                         lims_migration_version());
    write_gauge(text, "lims_ready", metrics->problem ? "0" : "1",
                "Whether the service can answer requests, as lims-ready says.");
    write_gauge(text, "lims_database_up", metrics->database_up ? "1" : "0",
                "Whether the database answers, asked for this page.");
}

static void write_workers(lims_exposition_t *text)
{
    const lims_workers_t workers = lims_workers_count();

    write_gauge(text, "lims_httpd_workers_busy", apr_itoa(text->pool, workers.busy),
                "Threads of this httpd that are at work, whatever for.");
    write_gauge(text, "lims_httpd_workers_max", apr_itoa(text->pool, workers.most),
                "As many as there may be (MaxRequestWorkers).");
}

static void write_laboratory(lims_exposition_t *text, const lims_database_metrics_t *metrics)
{
    lims_exposition_line(text, "%s", metrics->laboratory);
    write_gauge(text, "lims_figures_timestamp_seconds",
                apr_psprintf(text->pool, "%.3f", seconds((apr_uint64_t)metrics->laboratory_at)),
                "When the database last told the figures of the laboratories; 0: not yet.");
}

const char *lims_metrics_text(const server_rec *s, const lims_database_metrics_t *metrics,
                              apr_pool_t *pool)
{
    lims_counters_t *counters = lims_config_of(s)->counters;
    lims_exposition_t text = { .parts = apr_array_make(pool, 512, sizeof(const char *)),
                               .pool = pool };

    write_state(&text, metrics);
    write_workers(&text);
    write_answers(counters, &text);
    write_routes(counters, &text);
    write_refusals(counters, &text);
    write_pool(counters, &text);
    write_keys(counters, &text);
    write_refused_keys(counters, &text);
    write_rates(counters, &text);
    write_extractions(counters, &text);
    write_attempts(counters, &text);
    if (metrics->backlog) {
        write_backlog(&text, metrics->backlog);
    }
    lims_watchdog_text(&text, s);
    write_laboratory(&text, metrics);
    return apr_array_pstrcat(pool, text.parts, 0);
}

static void json_number(lims_writer_t *w, const char *name, apr_uint64_t value)
{
    lims_writer_key(w, name);
    lims_writer_integer(w, (apr_int64_t)value);
}

/* Writes where the rate limit is counted now, and the state of memcached. */
static void json_store(lims_writer_t *w)
{
    lims_memcached_state_t state;
    apr_uint64_t failures = 0;
    int servers = 0, up = 0;

    for (; lims_memcached_state(&state, servers); servers++) {
        up += state.up;
        failures += state.failures;
    }
    lims_writer_key(w, "rateLimitStore");
    lims_writer_string(w, !servers        ? "this machine"
                          : up == servers ? "memcached"
                          : up            ? "memcached, in part"
                                          : "this machine: memcached does not answer");
    json_number(w, "rateLimitStoreFailures", failures);
}

static void json_text(lims_writer_t *w, const char *name, const char *number)
{
    lims_writer_key(w, name);
    lims_writer_raw(w, number);
}

static void json_webhooks(lims_counters_t *counters, lims_writer_t *w,
                          const lims_backlog_t *backlog)
{
    json_number(w, "webhooksDelivered", read_counter(&counters->attempts[LIMS_ATTEMPT_DELIVERED]));
    json_number(w, "webhooksFailed", read_counter(&counters->attempts[LIMS_ATTEMPT_FAILED]));
    json_number(w, "webhooksGivenUp", read_counter(&counters->attempts[LIMS_ATTEMPT_GIVEN_UP]));
    if (backlog) {
        json_text(w, "webhooksPending", backlog->pending);
        json_text(w, "webhooksKept", backlog->kept);
        json_text(w, "webhooksOldestDueSeconds", backlog->oldest_due_seconds);
        json_text(w, "webhookEndpoints", backlog->endpoints);
        json_text(w, "webhookEndpointsDisabled", backlog->disabled_endpoints);
    }
}

static void json_state(lims_writer_t *w, const lims_database_metrics_t *metrics)
{
    const lims_workers_t workers = lims_workers_count();

    json_number(w, "schema", (apr_uint64_t)lims_migration_version());
    json_number(w, "workersBusy", (apr_uint64_t)workers.busy);
    json_number(w, "workersMost", (apr_uint64_t)workers.most);
    lims_writer_key(w, "databaseUp");
    lims_writer_boolean(w, metrics->database_up);
}

void lims_metrics_json(lims_writer_t *w, const server_rec *s,
                       const lims_database_metrics_t *metrics)
{
    lims_counters_t *counters = lims_config_of(s)->counters;
    apr_uint64_t answered = 0, refused = 0, database = 0, trips = 0;

    for (int i = 0; i < LIMS_COUNTED_ROUTES_MAX; i++) {
        for (int b = 0; b < LIMS_DURATION_BUCKETS; b++) {
            answered += read_counter(&counters->routes[i].buckets[b]);
        }
        database += read_counter(&counters->routes[i].database);
        trips += read_counter(&counters->routes[i].trips);
    }
    for (int i = 0; i < LIMS_E_COUNT; i++) {
        refused += read_counter(&counters->refusals[i]);
    }
    json_state(w, metrics);
    json_number(w, "requests", answered);
    json_number(w, "refusals", refused);
    json_number(w, "rateLimited", read_counter(&counters->refusals[LIMS_E_RATE_LIMITED]));
    json_number(w, "unauthorized", read_counter(&counters->refusals[LIMS_E_UNAUTHORIZED]));
    json_number(w, "databaseMicroseconds", database);
    json_number(w, "databaseRoundTrips", trips);
    json_number(w, "databaseConnectionsInUse", (apr_uint64_t)lims_counters_connections(counters));
    json_number(w, "databaseWaits", read_counter(&counters->waits));
    json_number(w, "databaseExhausted", read_counter(&counters->exhausted));
    json_number(w, "keyCacheHits", read_counter(&counters->keys_known));
    json_number(w, "keyCacheMisses", read_counter(&counters->keys_unknown));
    json_store(w);
    json_webhooks(counters, w, metrics->backlog);
    lims_watchdog_json(w, s);
}
