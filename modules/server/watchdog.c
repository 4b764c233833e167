/* SPDX-License-Identifier: Apache-2.0 */
/* watchdog.c - the scheduler of the background jobs. */
#include "server/watchdog.h"

#include <apr_allocator.h>
#include <apr_optional.h>
#include <apr_strings.h>
#include <apr_thread_mutex.h>
#include <mod_watchdog.h>
#include <openssl/crypto.h>
#include <stdatomic.h>
#include <string.h>

#include "database/database.h"
#include "jobs/jobs.h"
#include "kernel/field.h"
#include "server/server.h"

APLOG_USE_MODULE(lims);

#define TICK apr_time_from_sec(1)

/* Longest run of a job before other jobs run; its remaining work is due at once. */
#define RUN_MAX apr_time_from_sec(10)

/* Reply time-out, longer than the statement_timeout of conf/lims.conf. */
#define ANSWER_MAX apr_time_from_sec(6)

/* Bound on counting a backlog: after months without retention a full count would
 * exceed the statement_timeout. */
#define COUNT_AT_MOST "100000"

typedef _Atomic apr_int64_t figure_t;

/* State of a job on a database, shared by all children. Times are apr_time_t. */
typedef struct {
    figure_t begun; /* when the job was first configured */
    figure_t next;  /* when the job is due */
    figure_t runs;
    figure_t failures;
    figure_t failing; /* the last run failed, which was logged */
    figure_t batches;
    figure_t duration; /* sum of all runs */
    figure_t last_duration;
    figure_t last_success;
    figure_t rows; /* size of a batch after the last run; 0: the default */
    figure_t counts[LIMS_JOB_FIGURES];
    figure_t gauges[LIMS_JOB_FIGURES];
} record_t;

/* A database, with the first server that names it; that server's directives hold. */
typedef struct {
    const char *name;
    const char *conninfo;
    server_rec *server;
    record_t *records; /* one for each job, in shared memory of that name */
} database_t;

static apr_array_header_t *databases; /* database_t */

/* State of this child. The mutex is held while a job runs. Its memory has to outlive
 * the child's pool, which is destroyed before mod_watchdog's thread ends. */
static apr_thread_mutex_t *running;
static atomic_bool started, stopping;

/* --- Configuration ---------------------------------------------------------- */

static bool is_known(const char *name)
{
    for (int i = 0; i < databases->nelts; i++) {
        if (strcmp(APR_ARRAY_IDX(databases, i, database_t).name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Adds a database. The state of its jobs is found again by name after a restart, also
 * if other databases were added or removed. */
static apr_status_t add_database(server_rec *s, apr_pool_t *pconf)
{
    const char *name = lims_config_database(s);
    void *memory = NULL;
    apr_status_t rv = lims_shared_memory(&memory, apr_pstrcat(pconf, "mod_lims_jobs ", name, NULL),
                                         LIMS_JOB_COUNT * sizeof(record_t), s);

    *(database_t *)apr_array_push(databases) =
        (database_t){ .name = name,
                      .conninfo = lims_config_conninfo(s, "mod_lims_jobs", pconf),
                      .server = s,
                      .records = memory };
    return rv;
}

static apr_status_t list_databases(apr_pool_t *pconf, server_rec *s)
{
    apr_status_t rv = APR_SUCCESS;

    databases = apr_array_make(pconf, 4, sizeof(database_t));
    for (; s && rv == APR_SUCCESS; s = s->next) {
        if (lims_config_of(s)->enable == 1 && !is_known(lims_config_database(s))) {
            rv = add_database(s, pconf);
        }
    }
    return rv;
}

static apr_interval_time_t interval_of(const lims_config_t *config, lims_job_e job)
{
    const apr_int64_t seconds_of[] = {
        [LIMS_JOB_SCAN] = config->scan_interval,
        [LIMS_JOB_RETENTION] = config->retention_interval,
        [LIMS_JOB_RECOVERY] = config->recovery_interval,
        [LIMS_JOB_FILES] = config->ingest_resume,
        [LIMS_JOB_AUDIT] = config->audit_interval,
    };

    _Static_assert(LIMS_LENGTH(seconds_of) == LIMS_JOB_COUNT, "an interval for each job");
    return apr_time_from_sec(seconds_of[job]);
}

/* Returns the parameters of the jobs' statements. */
static lims_values_t *values_of(const lims_config_t *config, apr_pool_t *pool)
{
    lims_values_t *values = lims_values_create(pool);

    lims_values_set(values, "eventRetention",
                    apr_psprintf(pool, "%" APR_INT64_T_FMT, config->event_retention));
    lims_values_set(values, "idempotencyLifetime", config->settings.idempotency_lifetime);
    lims_values_set(values, "resumeAfter",
                    apr_psprintf(pool, "%" APR_INT64_T_FMT, config->ingest_resume));
    lims_values_set(values, "rejectedFileDays",
                    apr_psprintf(pool, "%" APR_INT64_T_FMT, config->rejected_file_days));
    lims_values_set(values, "fileStorage", config->settings.file_storage);
    lims_values_set(values, "countAtMost", COUNT_AT_MOST);
    return values;
}

/* --- Running -------------------------------------------------------------- */

/* A run, for the functions that the job calls. */
typedef struct {
    apr_time_t until;
    const database_t *database;
} run_t;

static bool is_enough(void *context)
{
    const run_t *this = context;

    return atomic_load(&stopping) || apr_time_now() >= this->until;
}

/* Logs the head of a block of the audit trail, so that a host of logs keeps it. */
static void tell(void *context, const char *line)
{
    const run_t *this = context;

    ap_log_error(APLOG_MARK, APLOG_NOTICE, 0, this->database->server,
                 "LIMS0384: a block of the audit trail was closed: %s", line);
}

/* Logs when a job begins to fail and when it works again. */
static void log_change(const database_t *database, const lims_job_t *job, record_t *record,
                       const lims_error_t *error)
{
    if (error && atomic_exchange(&record->failing, 1) == 0) {
        ap_log_error(
            APLOG_MARK, error->kind == LIMS_E_SERVICE_UNAVAILABLE ? APLOG_WARNING : APLOG_ERR, 0,
            database->server,
            "LIMS0090: the job \"%s\" of the database %s cannot work and will go on "
            "trying: LIMS%04d: %s",
            job->name, database->name, error->number, error->cause ? error->cause : error->message);
    } else if (!error && atomic_exchange(&record->failing, 0) == 1) {
        ap_log_error(APLOG_MARK, APLOG_NOTICE, 0, database->server,
                     "LIMS0091: the job \"%s\" of the database %s works again", job->name,
                     database->name);
    }
}

static void record_run(record_t *record, const lims_job_report_t *report, const lims_error_t *error,
                       apr_time_t begun)
{
    apr_time_t now = apr_time_now();

    for (int i = 0; i < LIMS_JOB_FIGURES; i++) {
        atomic_fetch_add(&record->counts[i], report->counts[i]);
    }
    atomic_fetch_add(&record->batches, report->batches);
    atomic_store(&record->rows, report->rows);
    atomic_fetch_add(&record->duration, now - begun);
    atomic_store(&record->last_duration, now - begun);
    atomic_fetch_add(error ? &record->failures : &record->runs, 1);
    if (error) {
        return;
    }
    atomic_store(&record->last_success, now);
    for (int i = 0; i < LIMS_JOB_FIGURES; i++) {
        atomic_store(&record->gauges[i], report->gauges[i]);
    }
    if (report->more) {
        atomic_store(&record->next, now);
    }
}

static bool did_something(const lims_job_report_t *report)
{
    for (int i = 0; i < LIMS_JOB_FIGURES; i++) {
        if (report->counts[i]) {
            return true;
        }
    }
    return false;
}

static void run(const database_t *database, lims_job_e which, apr_pool_t *pool)
{
    const lims_job_t *job = &lims_jobs[which];
    record_t *record = &database->records[which];
    apr_time_t begun = apr_time_now();
    run_t this = { .until = begun + RUN_MAX, .database = database };
    const lims_job_host_t host = { .keyring = lims_config_of(database->server)->keyring,
                                   .enough = is_enough,
                                   .tell = tell,
                                   .context = &this };
    lims_values_t *values = values_of(lims_config_of(database->server), pool);
    lims_job_report_t report = { .rows = (int)atomic_load(&record->rows) };
    lims_connection_t *connection = NULL;
    const lims_error_t *error = lims_connection_open(&connection, database->conninfo, pool);

    if (!error) {
        lims_connection_set_timeout(connection, ANSWER_MAX);
        error = lims_connection_ready(connection, pool);
    }
    if (!error) {
        error = lims_job_run(&report, job, connection, values, &host, pool);
    }
    if (!error && !atomic_load(&stopping)) {
        error = lims_job_look(&report, job, connection, values, pool);
    }
    log_change(database, job, record, error);
    record_run(record, &report, error, begun);
    if (did_something(&report)) {
        lims_webhooks_wake(database->server);
    }
}

/* Claims a due job for this child; false: not due, or claimed by another. The first run
 * comes one interval after the first check. A due time further ahead than the interval
 * comes from another configuration or clock and is corrected. */
static bool claim(record_t *record, apr_interval_time_t interval)
{
    apr_time_t now = apr_time_now();
    apr_int64_t next = atomic_load(&record->next);

    return (next <= now || next > now + interval) &&
           atomic_compare_exchange_strong(&record->next, &next, now + interval) && next != 0;
}

/* Makes a pool with an allocator of its own: mod_watchdog's pools descend from the
 * configuration's, which is not safe to use in this thread. */
static apr_pool_t *own_pool(const server_rec *s)
{
    apr_allocator_t *allocator = NULL;
    apr_pool_t *pool = NULL;

    if (apr_allocator_create(&allocator) != APR_SUCCESS) {
        return NULL;
    }
    if (apr_pool_create_unmanaged_ex(&pool, apr_pool_abort_get(s->process->pool), allocator) !=
        APR_SUCCESS) {
        apr_allocator_destroy(allocator);
        return NULL;
    }
    apr_allocator_owner_set(allocator, pool);
    apr_pool_tag(pool, "lims_job");
    return pool;
}

static void run_due(lims_job_e which)
{
    for (int i = 0; i < databases->nelts && !atomic_load(&stopping); i++) {
        const database_t *database = &APR_ARRAY_IDX(databases, i, database_t);
        const lims_config_t *config = lims_config_of(database->server);
        apr_pool_t *own;

        if (!claim(&database->records[which], interval_of(config, which))) {
            continue;
        }
        own = own_pool(database->server);
        if (own) {
            run(database, which, own);
            apr_pool_destroy(own);
            /* The job may have written events, or made deliveries due. */
            lims_webhooks_wake(database->server);
        }
    }
}

/* Callback of mod_watchdog, every second. Always returns APR_SUCCESS: after an error
 * mod_watchdog would never call it again. */
static apr_status_t tick(int state, void *data, apr_pool_t *pool)
{
    const lims_job_t *job = data;

    (void)pool;
    if (state == AP_WATCHDOG_STATE_RUNNING && atomic_load(&started)) {
        apr_thread_mutex_lock(running);
        if (!atomic_load(&stopping)) {
            run_due((lims_job_e)(job - lims_jobs));
            /* Frees OpenSSL's data of this thread now: the thread is not joined before
             * exit(), and would free it while OPENSSL_cleanup() does. */
            OPENSSL_thread_stop();
        }
        apr_thread_mutex_unlock(running);
    }
    return APR_SUCCESS;
}

/* --- The life of processes ------------------------------------------------ */

/* Lets the lateness of jobs that never ran count from now. */
static void begin_records(void)
{
    for (int i = 0; i < databases->nelts; i++) {
        for (lims_job_e job = 0; job < LIMS_JOB_COUNT; job++) {
            apr_int64_t never = 0;
            atomic_compare_exchange_strong(
                &APR_ARRAY_IDX(databases, i, database_t).records[job].begun, &never,
                apr_time_now());
        }
    }
}

apr_status_t lims_watchdog_create(apr_pool_t *pconf, server_rec *s)
{
    APR_OPTIONAL_FN_TYPE(ap_watchdog_get_instance) *get =
        APR_RETRIEVE_OPTIONAL_FN(ap_watchdog_get_instance);
    APR_OPTIONAL_FN_TYPE(ap_watchdog_register_callback) *add =
        APR_RETRIEVE_OPTIONAL_FN(ap_watchdog_register_callback);
    ap_watchdog_t *watchdog = NULL;
    apr_status_t rv = list_databases(pconf, s);

    if (rv != APR_SUCCESS || databases->nelts == 0) {
        return rv;
    }
    begin_records();
    rv = get && add ? get(&watchdog, "_lims_jobs_", 0, 0, pconf) : APR_ENOTIMPL;
    for (int i = 0; rv == APR_SUCCESS && i < LIMS_JOB_COUNT; i++) {
        rv = add(watchdog, TICK, &lims_jobs[i], tick);
    }
    return rv;
}

void lims_watchdog_stopping(apr_pool_t *pool, int graceful)
{
    (void)pool;
    (void)graceful;
    atomic_store(&stopping, true);
}

/* Pre-cleanup of the child's pool: waits for the running job and prevents further
 * ones. */
static apr_status_t await_job(void *unused)
{
    (void)unused;
    atomic_store(&stopping, true);
    apr_thread_mutex_lock(running);
    apr_thread_mutex_unlock(running);
    return APR_SUCCESS;
}

apr_status_t lims_watchdog_child(apr_pool_t *pchild, server_rec *s)
{
    apr_status_t rv = apr_thread_mutex_create(&running, APR_THREAD_MUTEX_DEFAULT, s->process->pool);

    if (rv == APR_SUCCESS) {
        apr_pool_pre_cleanup_register(pchild, NULL, await_job);
        atomic_store(&started, true);
    }
    return rv;
}

/* --- Metrics ---------------------------------------------------------------- */

/* Whether a host shows a database: its own, or every one if it serves none. */
static bool is_shown(const database_t *database, const server_rec *s)
{
    return lims_config_of(s)->enable != 1 || strcmp(database->name, lims_config_database(s)) == 0;
}

static double seconds(apr_int64_t microseconds)
{
    return (double)microseconds / (double)APR_USEC_PER_SEC;
}

static apr_int64_t at(const record_t *record, apr_size_t offset)
{
    return atomic_load((figure_t *)(void *)((char *)record + offset));
}

/* Writes a metric with a sample for each job: a count, or microseconds as seconds. */
static void write_each(lims_exposition_t *text, const server_rec *s, const char *metric,
                       const char *more, apr_size_t offset, bool time)
{
    for (int i = 0; i < databases->nelts; i++) {
        const database_t *database = &APR_ARRAY_IDX(databases, i, database_t);

        for (lims_job_e job = 0; job < LIMS_JOB_COUNT && is_shown(database, s); job++) {
            apr_int64_t value = at(&database->records[job], offset);

            lims_exposition_line(text, "%s{task=\"%s\"%s,database=\"%s\"} %s\n", metric,
                                 lims_jobs[job].name, more,
                                 lims_exposition_label(database->name, text->pool),
                                 time ? apr_psprintf(text->pool, "%.6f", seconds(value))
                                      : apr_psprintf(text->pool, "%" APR_INT64_T_FMT, value));
        }
    }
}

#define EACH(text, s, metric, more, figure, time)                                                  \
    write_each(text, s, metric, more, APR_OFFSETOF(record_t, figure), time)

/* Returns the seconds since a job last succeeded, or since it was first configured. */
static double since_success(const database_t *database, lims_job_e job)
{
    const record_t *record = &database->records[job];
    apr_time_t success = atomic_load(&record->last_success), begun = atomic_load(&record->begun);

    return seconds(apr_time_now() - (success > begun ? success : begun));
}

static double interval_in_seconds(const database_t *database, lims_job_e job)
{
    return seconds(interval_of(lims_config_of(database->server), job));
}

static void write_times(lims_exposition_t *text, const server_rec *s, const char *metric,
                        double (*time_of)(const database_t *database, lims_job_e job))
{
    for (int i = 0; i < databases->nelts; i++) {
        const database_t *database = &APR_ARRAY_IDX(databases, i, database_t);

        for (lims_job_e job = 0; job < LIMS_JOB_COUNT && is_shown(database, s); job++) {
            lims_exposition_line(
                text, "%s{task=\"%s\",database=\"%s\"} %.3f\n", metric, lims_jobs[job].name,
                lims_exposition_label(database->name, text->pool), time_of(database, job));
        }
    }
}

static void write_runs(lims_exposition_t *text, const server_rec *s)
{
    lims_exposition_head(text, "lims_job_runs_total", "counter",
                         "Runs of the background jobs, by outcome.");
    EACH(text, s, "lims_job_runs_total", ",outcome=\"done\"", runs, false);
    EACH(text, s, "lims_job_runs_total", ",outcome=\"failed\"", failures, false);
    lims_exposition_head(text, "lims_job_seconds_total", "counter",
                         "Time that the background jobs took.");
    EACH(text, s, "lims_job_seconds_total", "", duration, true);
    lims_exposition_head(text, "lims_job_last_seconds", "gauge",
                         "Time that the latest run of a job took.");
    EACH(text, s, "lims_job_last_seconds", "", last_duration, true);
    lims_exposition_head(text, "lims_job_last_success_timestamp_seconds", "gauge",
                         "When a job last ended well, since httpd was started; 0: not yet.");
    EACH(text, s, "lims_job_last_success_timestamp_seconds", "", last_success, true);
    lims_exposition_head(text, "lims_job_since_success_seconds", "gauge",
                         "How long ago a job last ended well; before the first time: how long ago "
                         "httpd was started.");
    write_times(text, s, "lims_job_since_success_seconds", since_success);
    lims_exposition_head(text, "lims_job_interval_seconds", "gauge",
                         "How often a job is run (LimsScanInterval and the like).");
    write_times(text, s, "lims_job_interval_seconds", interval_in_seconds);
}

/* Writes the counts or the gauges of a job; `names` is their array in its table. */
static void write_figures(lims_exposition_t *text, const server_rec *s, const char *metric,
                          bool gauges)
{
    for (int i = 0; i < databases->nelts; i++) {
        const database_t *database = &APR_ARRAY_IDX(databases, i, database_t);

        for (lims_job_e job = 0; job < LIMS_JOB_COUNT && is_shown(database, s); job++) {
            const lims_job_figure_t *names = gauges ? lims_jobs[job].gauges : lims_jobs[job].counts;
            const figure_t *values =
                gauges ? database->records[job].gauges : database->records[job].counts;

            for (int k = 0; k < LIMS_JOB_FIGURES && names[k].name; k++) {
                lims_exposition_line(
                    text, "%s{task=\"%s\",of=\"%s\",database=\"%s\"} %" APR_INT64_T_FMT "\n",
                    metric, lims_jobs[job].name, names[k].name,
                    lims_exposition_label(database->name, text->pool), atomic_load(&values[k]));
            }
        }
    }
}

void lims_watchdog_text(lims_exposition_t *text, const server_rec *s)
{
    write_runs(text, s);
    lims_exposition_head(text, "lims_job_done_total", "counter",
                         "What the background jobs did: samples looked at and events written by "
                         "the scan, rows that retention took away.");
    write_figures(text, s, "lims_job_done_total", false);
    lims_exposition_head(text, "lims_job_backlog", "gauge",
                         "What was before the background jobs when they last ended; of "
                         "retention, up to " COUNT_AT_MOST " of a kind.");
    write_figures(text, s, "lims_job_backlog", true);
}

/* --- Metrics as JSON --------------------------------------------------------- */

/* Returns the sum over the databases shown: one, unless the host serves none. */
static apr_int64_t sum_of(const server_rec *s, lims_job_e job, apr_size_t offset)
{
    apr_int64_t sum = 0;

    for (int i = 0; i < databases->nelts; i++) {
        const database_t *database = &APR_ARRAY_IDX(databases, i, database_t);
        sum += is_shown(database, s) ? at(&database->records[job], offset) : 0;
    }
    return sum;
}

#define SUM(s, job, figure) sum_of(s, job, APR_OFFSETOF(record_t, figure))

static apr_int64_t figure_of(const server_rec *s, lims_job_e job, apr_size_t offset, int index)
{
    return sum_of(s, job, offset + (apr_size_t)index * sizeof(figure_t));
}

/* Returns the longest time since a success among the databases shown. */
static apr_int64_t oldest_success(const server_rec *s, lims_job_e job)
{
    apr_int64_t oldest = 0;
    bool first = true;

    for (int i = 0; i < databases->nelts; i++) {
        const database_t *database = &APR_ARRAY_IDX(databases, i, database_t);
        apr_int64_t success = atomic_load(&database->records[job].last_success);
        if (is_shown(database, s)) {
            oldest = first || success < oldest ? success : oldest;
            first = false;
        }
    }
    return oldest;
}

/* Writes a member such as scanRuns, scanSamples or retentionEventsLeft. */
static void json_figure(lims_writer_t *w, lims_job_e job, const char *name, const char *suffix,
                        apr_int64_t value)
{
    char member[64];

    apr_snprintf(member, sizeof(member), "%s%c%s%s", lims_jobs[job].name, name[0] & ~0x20, name + 1,
                 suffix);
    lims_writer_key(w, member);
    lims_writer_integer(w, value);
}

void lims_watchdog_json(lims_writer_t *w, const server_rec *s)
{
    for (lims_job_e job = 0; job < LIMS_JOB_COUNT; job++) {
        const lims_job_t *each = &lims_jobs[job];

        json_figure(w, job, "runs", "", SUM(s, job, runs));
        json_figure(w, job, "failures", "", SUM(s, job, failures));
        json_figure(w, job, "lastMicroseconds", "", SUM(s, job, last_duration));
        json_figure(w, job, "lastSuccess", "", apr_time_sec(oldest_success(s, job)));
        for (int i = 0; i < LIMS_JOB_FIGURES && each->counts[i].name; i++) {
            json_figure(w, job, each->counts[i].name, "",
                        figure_of(s, job, APR_OFFSETOF(record_t, counts), i));
        }
        for (int i = 0; i < LIMS_JOB_FIGURES && each->gauges[i].name; i++) {
            json_figure(w, job, each->gauges[i].name, "Left",
                        figure_of(s, job, APR_OFFSETOF(record_t, gauges), i));
        }
    }
}
