/* SPDX-License-Identifier: Apache-2.0 */
/*
 * webhooks.c - the dispatcher threads in httpd's children.
 *
 * Every child has one dispatcher thread for each database, however many hosts share
 * it. Only as many of them are active as there are slots (dispatch/slot.c). The
 * parent opens the slots' lock file and the pipe by which requests wake dispatchers
 * after a commit, once for all generations of children, so that every child can use
 * them.
 *
 * A thread starts in child_init, where all signals are blocked already. It is told to
 * stop in child_stopping, and is joined in a pre-cleanup of the child's pool, before
 * anything that it uses is destroyed.
 */
#include <apr_strings.h>
#include <apr_thread_proc.h>
#include <curl/curl.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "dispatch/dispatch.h"
#include "server/metrics.h"
#include "server/server.h"
#include "server/slot_files.h"

APLOG_USE_MODULE(lims);

/* Time that a child may live beyond its last requests. */
#define GRACE apr_time_from_sec(1)

/* State that the processes of one httpd share for a database. */
typedef struct {
    int slots;
    int hints_in;
    int hints_out;
    bool opened;
} common_t;

typedef struct worker_t {
    lims_dispatch_settings_t settings;
    lims_dispatcher_t *dispatcher;
    server_rec *server;
    apr_pool_t *pool;
    apr_thread_t *thread;
    struct worker_t *next;
} worker_t;

/* The dispatchers of this child. */
static worker_t *workers;

/* --- In the parent ---------------------------------------------------------- */

static const char *conninfo_of(const server_rec *s, apr_pool_t *pool)
{
    return lims_config_conninfo(s, "mod_lims_webhooks", pool);
}

static const char *key_of(const server_rec *s, apr_pool_t *pool)
{
    return apr_psprintf(pool, "mod_lims_webhooks %" APR_SIZE_T_FMT " %s", sizeof(common_t),
                        lims_config_database(s));
}

static apr_status_t open_common(common_t *common, const server_rec *s, apr_pool_t *pool)
{
    int ends[2];

    common->slots = open(lims_slot_file(lims_config_database(s), pool),
                         O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (common->slots < 0) {
        return APR_FROM_OS_ERROR(errno);
    }
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
        apr_status_t rv = APR_FROM_OS_ERROR(errno);
        close(common->slots);
        return rv;
    }
    common->hints_in = ends[0];
    common->hints_out = ends[1];
    common->opened = true;
    return APR_SUCCESS;
}

static apr_status_t clean_up_curl(void *unused)
{
    (void)unused;
    curl_global_cleanup();
    return APR_SUCCESS;
}

static bool sends(const lims_config_t *config)
{
    return config->enable == 1 && config->keyring && config->webhooks.dispatchers > 0;
}

static apr_status_t prepare_database(const server_rec *s, apr_pool_t *pconf)
{
    const char *key = key_of(s, pconf);
    common_t *common = ap_retained_data_get(key);

    if (!common) {
        common = ap_retained_data_create(key, sizeof(*common));
    }
    return common->opened ? APR_SUCCESS : open_common(common, s, pconf);
}

/* Finds the pipe of the host that sends the webhooks of the same database. */
static void find_hints(server_rec *s, apr_pool_t *pconf)
{
    const common_t *common = ap_retained_data_get(key_of(s, pconf));

    lims_config_of(s)->hints = common && common->opened ? common->hints_out : -1;
}

apr_status_t lims_webhooks_prepare(server_rec *s, apr_pool_t *pconf)
{
    apr_array_header_t *files = apr_array_make(pconf, 2, sizeof(const char *));
    apr_status_t rv = lims_dispatch_init(pconf);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    apr_pool_cleanup_register(pconf, NULL, clean_up_curl, apr_pool_cleanup_null);
    for (const server_rec *each = s; each && rv == APR_SUCCESS; each = each->next) {
        if (sends(lims_config_of(each))) {
            APR_ARRAY_PUSH(files, const char *) = lims_slot_file(lims_config_database(each), pconf);
            rv = prepare_database(each, pconf);
        }
    }
    lims_slot_files_tidy(files, pconf);
    for (; s; s = s->next) {
        find_hints(s, pconf);
    }
    return rv;
}

/* --- In a child --------------------------------------------------------------- */

void lims_webhooks_wake(const server_rec *s)
{
    int hints = lims_config_of(s)->hints;

    if (hints >= 0) {
        /* A full pipe wakes the dispatcher just as well. */
        ssize_t written = write(hints, "", 1);
        (void)written;
    }
}

static void log_line(void *data, lims_log_e level, const char *line)
{
    const worker_t *worker = data;

    ap_log_error(APLOG_MARK, (int)level, 0, worker->server, "%s (database %s)", line,
                 lims_config_database(worker->server));
}

static void count_attempts(void *data, lims_attempt_e what, int attempts)
{
    const worker_t *worker = data;

    lims_metrics_attempts(lims_config_of(worker->server)->counters, what, attempts);
}

static void count_arrival(void *data, apr_interval_time_t latency)
{
    const worker_t *worker = data;

    lims_metrics_arrival(lims_config_of(worker->server)->counters, latency);
}

static void fill_settings(worker_t *worker, const common_t *common, apr_pool_t *pool)
{
    const lims_config_t *config = lims_config_of(worker->server);
    const lims_webhook_config_t *webhooks = &config->webhooks;

    worker->settings = (lims_dispatch_settings_t){
        .conninfo = conninfo_of(worker->server, pool),
        .keyring = config->keyring,
        .slots = (int)webhooks->dispatchers,
        .slot_file = common->slots,
        .hints = common->hints_in,
        .poll = webhooks->poll * 1000,
        .timeout = webhooks->timeout * 1000,
        .lease = webhooks->lease * 1000,
        .in_flight = (int)webhooks->in_flight,
        .in_flight_endpoint = (int)webhooks->in_flight_endpoint,
        .schedule = webhooks->schedule,
        .longest = apr_time_from_sec(webhooks->longest_wait),
        .jitter = (double)webhooks->jitter / 100,
        .disable_after = (int)webhooks->disable_after,
        .answer_max = (apr_size_t)webhooks->answer_max,
        .excerpt_max = (apr_size_t)webhooks->excerpt_max,
        .ca_file = webhooks->ca_file,
        .proxy = webhooks->proxy,
        .allowed = webhooks->allowed,
        .log = log_line,
        .count = count_attempts,
        .arrived = count_arrival,
        .data = worker,
    };
}

static void *APR_THREAD_FUNC run(apr_thread_t *thread, void *data)
{
    worker_t *worker = data;

    (void)thread;
    lims_dispatcher_run(worker->dispatcher);
    return NULL;
}

static apr_status_t stop(void *data)
{
    worker_t *worker = data;
    apr_status_t ignored;

    lims_dispatcher_stop(worker->dispatcher, GRACE);
    apr_thread_join(&ignored, worker->thread);
    apr_pool_destroy(worker->pool);
    return APR_SUCCESS;
}

/* Makes a pool with an allocator of its own, used by one thread and so without a lock.
 * Running out of memory ends the child, as with its other pools. */
static apr_status_t create_pool(apr_pool_t **pool, apr_pool_t *pchild)
{
    apr_allocator_t *allocator = NULL;
    apr_status_t rv = apr_allocator_create(&allocator);

    if (rv == APR_SUCCESS) {
        rv = apr_pool_create_ex(pool, NULL, apr_pool_abort_get(pchild), allocator);
    }
    if (rv == APR_SUCCESS) {
        apr_allocator_owner_set(allocator, *pool);
        apr_pool_tag(*pool, "lims_dispatcher");
    }
    return rv;
}

static void start_worker(server_rec *s, const common_t *common, apr_pool_t *pchild)
{
    worker_t *worker = apr_pcalloc(pchild, sizeof(*worker));
    apr_status_t rv = create_pool(&worker->pool, pchild);

    worker->server = s;
    fill_settings(worker, common, pchild);
    if (rv == APR_SUCCESS) {
        worker->dispatcher = lims_dispatcher_create(&worker->settings, worker->pool);
        rv = worker->dispatcher ? ap_thread_create(&worker->thread, NULL, run, worker, pchild)
                                : APR_ENOMEM;
    }
    if (rv != APR_SUCCESS) {
        ap_log_error(
            APLOG_MARK, APLOG_CRIT, rv, s,
            "LIMS0125: a child could not start its dispatcher; other children send the webhooks");
        return;
    }
    worker->next = workers;
    workers = worker;
    apr_pool_pre_cleanup_register(pchild, worker, stop);
}

/* Whether another host's thread serves the database of this one. */
static bool is_served(const server_rec *s)
{
    for (const worker_t *worker = workers; worker; worker = worker->next) {
        if (strcmp(lims_config_database(worker->server), lims_config_database(s)) == 0) {
            return true;
        }
    }
    return false;
}

void lims_webhooks_start(apr_pool_t *pchild, server_rec *s)
{
    workers = NULL;
    for (; s; s = s->next) {
        common_t *common = ap_retained_data_get(key_of(s, pchild));
        if (sends(lims_config_of(s)) && common && common->opened && !is_served(s)) {
            start_worker(s, common, pchild);
        }
    }
}

void lims_webhooks_stopping(apr_pool_t *pchild, int graceful)
{
    (void)pchild;
    for (worker_t *worker = workers; worker; worker = worker->next) {
        lims_dispatcher_stop(worker->dispatcher,
                             graceful ? worker->settings.timeout + GRACE : GRACE);
    }
}
