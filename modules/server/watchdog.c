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
#include "server/watchdog_private.h"

APLOG_USE_MODULE(lims);

#define TICK apr_time_from_sec(1)

/* How often that is asked of a job that others wake: mod_watchdog's thread wakes so often
 * anyway. */
#define QUICK_TICK apr_time_from_msec(100)

/* How much longer than its batch a run of a job that runs alone keeps others out, when the
 * process that it is in dies. */
#define ALONE_REST apr_time_from_sec(5)

/* Longer than any run keeps others out: a time further ahead comes from another clock. */
#define BUSY_MAX apr_time_from_sec(120)

/* Longest run of a job before other jobs run; its remaining work is due at once. */
#define RUN_MAX apr_time_from_sec(10)

/* Reply time-out, longer than the statement_timeout of conf/lims.conf. */
#define ANSWER_MAX apr_time_from_sec(6)

apr_array_header_t *lims_job_databases; /* lims_job_database_t */

/* The threads of a child: jobs that run alone have one, so that they begin at once. */
enum { OTHERS, ALONE, THREADS };

/* State of this child. A mutex is held while a job of its thread runs. Its memory has to
 * outlive the child's pool, which is destroyed before mod_watchdog's threads end. */
static apr_thread_mutex_t *running[THREADS];
static atomic_bool started, stopping;

/* --- Configuration ---------------------------------------------------------- */

static bool is_known(const char *name)
{
    for (int i = 0; i < lims_job_databases->nelts; i++) {
        if (strcmp(APR_ARRAY_IDX(lims_job_databases, i, lims_job_database_t).name, name) == 0) {
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
                                         LIMS_JOB_COUNT * sizeof(lims_job_record_t), s);

    *(lims_job_database_t *)apr_array_push(lims_job_databases) =
        (lims_job_database_t){ .name = name,
                               .conninfo = lims_config_conninfo(s, "mod_lims_jobs", pconf),
                               .server = s,
                               .records = memory };
    return rv;
}

static apr_status_t list_databases(apr_pool_t *pconf, server_rec *s)
{
    apr_status_t rv = APR_SUCCESS;

    lims_job_databases = apr_array_make(pconf, 4, sizeof(lims_job_database_t));
    for (; s && rv == APR_SUCCESS; s = s->next) {
        if (lims_config_of(s)->enable == 1 && !is_known(lims_config_database(s))) {
            rv = add_database(s, pconf);
        }
    }
    return rv;
}

/* How often, in seconds, documents are looked for that nobody woke the job for: of limsctl,
 * or after a restart; and without a printer those that wait for one. */
#define PRINT_POLL 5
#define PRINT_POLL_WITHOUT 60

apr_interval_time_t lims_job_interval(const lims_config_t *config, lims_job_e job)
{
    const apr_int64_t seconds_of[] = {
        [LIMS_JOB_SCAN] = config->scan_interval,
        [LIMS_JOB_RETENTION] = config->retention_interval,
        [LIMS_JOB_RECOVERY] = config->recovery_interval,
        [LIMS_JOB_FILES] = config->ingest_resume,
        [LIMS_JOB_AUDIT] = config->audit_interval,
        [LIMS_JOB_PRINT] = config->printer.program ? PRINT_POLL : PRINT_POLL_WITHOUT,
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
    lims_values_set(values, "countAtMost", LIMS_JOB_COUNT_AT_MOST);
    return values;
}

/* --- Running -------------------------------------------------------------- */

/* A run, for the functions that the job calls. */
typedef struct {
    apr_time_t until;
    const lims_job_database_t *database;
    lims_job_record_t *record;
} run_t;

/* Keeps other runs of a job out that runs alone, for one more batch. */
static void stay_alone(const run_t *this)
{
    atomic_store(&this->record->busy, apr_time_now() +
                                          lims_config_of(this->database->server)->printer.timeout +
                                          ALONE_REST);
}

static bool is_enough(void *context)
{
    const run_t *this = context;

    stay_alone(this);
    return atomic_load(&stopping) || apr_time_now() >= this->until;
}

/* Logs what a job has to say: the head of a block of the audit trail, so that a host of
 * logs keeps it; a document that cannot be made. */
static void tell(void *context, const char *line, bool warning)
{
    const run_t *this = context;

    ap_log_error(APLOG_MARK, warning ? APLOG_WARNING : APLOG_NOTICE, 0, this->database->server,
                 "%s", line);
}

/* Logs when a job begins to fail and when it works again. */
static void log_change(const lims_job_database_t *database, const lims_job_t *job,
                       lims_job_record_t *record, const lims_error_t *error)
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

static void record_run(lims_job_record_t *record, const lims_job_report_t *report,
                       const lims_error_t *error, apr_time_t begun)
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

static void run(const lims_job_database_t *database, lims_job_e which, apr_pool_t *pool)
{
    const lims_job_t *job = &lims_jobs[which];
    lims_job_record_t *record = &database->records[which];
    apr_time_t begun = apr_time_now();
    run_t this = { .until = begun + RUN_MAX, .database = database, .record = record };
    const lims_config_t *config = lims_config_of(database->server);
    lims_printer_process_t process = { .pid = 0 };
    const lims_job_host_t host = { .keyring = config->keyring,
                                   .printer = config->printer.program ? &config->printer : NULL,
                                   .process = &process,
                                   .enough = is_enough,
                                   .tell = tell,
                                   .context = &this };
    lims_values_t *values = values_of(config, pool);
    lims_job_report_t report = { .rows = (int)atomic_load(&record->rows) };
    lims_connection_t *connection = NULL;
    const lims_error_t *error;

    stay_alone(&this);
    error = lims_connection_open(&connection, database->conninfo, pool);
    if (!error) {
        lims_connection_set_timeout(connection, ANSWER_MAX);
        error = lims_connection_ready(connection, pool);
    }
    if (!error) {
        error = lims_job_run(&report, job, connection, values, &host, pool);
    }
    lims_printer_end(&process);
    if (!error && !atomic_load(&stopping)) {
        error = lims_job_look(&report, job, connection, values, pool);
    }
    log_change(database, job, record, error);
    record_run(record, &report, error, begun);
    atomic_store(&record->busy, 0);
    if (did_something(&report)) {
        lims_webhooks_wake(database->server);
    }
}

/* Claims a due job for this child; false: not due, or claimed by another. The first run
 * comes one interval after the first check. A due time further ahead than the interval
 * comes from another configuration or clock and is corrected. */
static bool claim(lims_job_record_t *record, const lims_job_t *job, apr_interval_time_t interval)
{
    apr_time_t now = apr_time_now();
    apr_int64_t next = atomic_load(&record->next), busy = atomic_load(&record->busy);

    if (job->alone && busy > now && busy < now + BUSY_MAX) {
        return false;
    }
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
    for (int i = 0; i < lims_job_databases->nelts && !atomic_load(&stopping); i++) {
        const lims_job_database_t *database =
            &APR_ARRAY_IDX(lims_job_databases, i, lims_job_database_t);
        const lims_config_t *config = lims_config_of(database->server);
        apr_pool_t *own;

        if (!claim(&database->records[which], &lims_jobs[which],
                   lims_job_interval(config, which))) {
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
    apr_thread_mutex_t *mutex = running[job->alone ? ALONE : OTHERS];

    (void)pool;
    if (state == AP_WATCHDOG_STATE_RUNNING && atomic_load(&started)) {
        apr_thread_mutex_lock(mutex);
        if (!atomic_load(&stopping)) {
            run_due((lims_job_e)(job - lims_jobs));
            /* Frees OpenSSL's data of this thread now: the thread is not joined before
             * exit(), and would free it while OPENSSL_cleanup() does. */
            OPENSSL_thread_stop();
        }
        apr_thread_mutex_unlock(mutex);
    }
    return APR_SUCCESS;
}

void lims_watchdog_wake(const server_rec *s, lims_job_e job)
{
    for (int i = 0; i < lims_job_databases->nelts; i++) {
        const lims_job_database_t *database =
            &APR_ARRAY_IDX(lims_job_databases, i, lims_job_database_t);

        if (strcmp(database->name, lims_config_database(s)) == 0) {
            atomic_store(&database->records[job].next, apr_time_now());
        }
    }
}

/* --- The life of processes ------------------------------------------------ */

/* Lets the lateness of jobs that never ran count from now. */
static void begin_records(void)
{
    for (int i = 0; i < lims_job_databases->nelts; i++) {
        for (lims_job_e job = 0; job < LIMS_JOB_COUNT; job++) {
            apr_int64_t never = 0;
            atomic_compare_exchange_strong(
                &APR_ARRAY_IDX(lims_job_databases, i, lims_job_database_t).records[job].begun,
                &never, apr_time_now());
        }
    }
}

apr_status_t lims_watchdog_create(apr_pool_t *pconf, server_rec *s)
{
    APR_OPTIONAL_FN_TYPE(ap_watchdog_get_instance) *get =
        APR_RETRIEVE_OPTIONAL_FN(ap_watchdog_get_instance);
    APR_OPTIONAL_FN_TYPE(ap_watchdog_register_callback) *add =
        APR_RETRIEVE_OPTIONAL_FN(ap_watchdog_register_callback);
    static const char *const names[] = { [OTHERS] = "_lims_jobs_", [ALONE] = "_lims_print_" };
    ap_watchdog_t *watchdogs[THREADS] = { NULL };
    apr_status_t rv = list_databases(pconf, s);

    _Static_assert(LIMS_LENGTH(names) == THREADS, "a name for each thread");

    if (rv != APR_SUCCESS || lims_job_databases->nelts == 0) {
        return rv;
    }
    begin_records();
    for (int i = 0; rv == APR_SUCCESS && i < THREADS; i++) {
        rv = get && add ? get(&watchdogs[i], names[i], 0, 0, pconf) : APR_ENOTIMPL;
    }
    for (int i = 0; rv == APR_SUCCESS && i < LIMS_JOB_COUNT; i++) {
        bool alone = lims_jobs[i].alone;

        rv = add(watchdogs[alone ? ALONE : OTHERS], alone ? QUICK_TICK : TICK, &lims_jobs[i], tick);
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
    for (int i = 0; i < THREADS; i++) {
        apr_thread_mutex_lock(running[i]);
        apr_thread_mutex_unlock(running[i]);
    }
    return APR_SUCCESS;
}

apr_status_t lims_watchdog_child(apr_pool_t *pchild, server_rec *s)
{
    apr_status_t rv = APR_SUCCESS;

    for (int i = 0; i < THREADS && rv == APR_SUCCESS; i++) {
        rv = apr_thread_mutex_create(&running[i], APR_THREAD_MUTEX_DEFAULT, s->process->pool);
    }
    if (rv == APR_SUCCESS) {
        apr_pool_pre_cleanup_register(pchild, NULL, await_job);
        atomic_store(&started, true);
    }
    return rv;
}
