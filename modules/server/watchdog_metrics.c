/* SPDX-License-Identifier: Apache-2.0 */
/* watchdog_metrics.c - the metrics of the background jobs. */
#include <apr_strings.h>
#include <stdatomic.h>
#include <string.h>

#include "server/watchdog.h"
#include "server/watchdog_private.h"

/* Whether a host shows a database: its own, or every one if it serves none. */
static bool is_shown(const lims_job_database_t *database, const server_rec *s)
{
    return lims_config_of(s)->enable != 1 || strcmp(database->name, lims_config_database(s)) == 0;
}

static double seconds(apr_int64_t microseconds)
{
    return (double)microseconds / (double)APR_USEC_PER_SEC;
}

static apr_int64_t at(const lims_job_record_t *record, apr_size_t offset)
{
    return atomic_load((lims_shared_figure_t *)(void *)((char *)record + offset));
}

/* Writes a metric with a sample for each job: a count, or microseconds as seconds. */
static void write_each(lims_exposition_t *text, const server_rec *s, const char *metric,
                       const char *more, apr_size_t offset, bool time)
{
    for (int i = 0; i < lims_job_databases->nelts; i++) {
        const lims_job_database_t *database =
            &APR_ARRAY_IDX(lims_job_databases, i, lims_job_database_t);

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
    write_each(text, s, metric, more, APR_OFFSETOF(lims_job_record_t, figure), time)

/* Returns the seconds since a job last succeeded, or since it was first configured. */
static double since_success(const lims_job_database_t *database, lims_job_e job)
{
    const lims_job_record_t *record = &database->records[job];
    apr_time_t success = atomic_load(&record->last_success), begun = atomic_load(&record->begun);

    return seconds(apr_time_now() - (success > begun ? success : begun));
}

static double interval_in_seconds(const lims_job_database_t *database, lims_job_e job)
{
    return seconds(lims_job_interval(lims_config_of(database->server), job));
}

static void write_times(lims_exposition_t *text, const server_rec *s, const char *metric,
                        double (*time_of)(const lims_job_database_t *database, lims_job_e job))
{
    for (int i = 0; i < lims_job_databases->nelts; i++) {
        const lims_job_database_t *database =
            &APR_ARRAY_IDX(lims_job_databases, i, lims_job_database_t);

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
    for (int i = 0; i < lims_job_databases->nelts; i++) {
        const lims_job_database_t *database =
            &APR_ARRAY_IDX(lims_job_databases, i, lims_job_database_t);

        for (lims_job_e job = 0; job < LIMS_JOB_COUNT && is_shown(database, s); job++) {
            const lims_job_figure_t *names = gauges ? lims_jobs[job].gauges : lims_jobs[job].counts;
            const lims_shared_figure_t *values =
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
                         "retention, up to " LIMS_JOB_COUNT_AT_MOST " of a kind.");
    write_figures(text, s, "lims_job_backlog", true);
}

/* --- Metrics as JSON --------------------------------------------------------- */

/* Returns the sum over the databases shown: one, unless the host serves none. */
static apr_int64_t sum_of(const server_rec *s, lims_job_e job, apr_size_t offset)
{
    apr_int64_t sum = 0;

    for (int i = 0; i < lims_job_databases->nelts; i++) {
        const lims_job_database_t *database =
            &APR_ARRAY_IDX(lims_job_databases, i, lims_job_database_t);
        sum += is_shown(database, s) ? at(&database->records[job], offset) : 0;
    }
    return sum;
}

#define SUM(s, job, figure) sum_of(s, job, APR_OFFSETOF(lims_job_record_t, figure))

static apr_int64_t figure_of(const server_rec *s, lims_job_e job, apr_size_t offset, int index)
{
    return sum_of(s, job, offset + (apr_size_t)index * sizeof(lims_shared_figure_t));
}

/* Returns the longest time since a success among the databases shown. */
static apr_int64_t oldest_success(const server_rec *s, lims_job_e job)
{
    apr_int64_t oldest = 0;
    bool first = true;

    for (int i = 0; i < lims_job_databases->nelts; i++) {
        const lims_job_database_t *database =
            &APR_ARRAY_IDX(lims_job_databases, i, lims_job_database_t);
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
                        figure_of(s, job, APR_OFFSETOF(lims_job_record_t, counts), i));
        }
        for (int i = 0; i < LIMS_JOB_FIGURES && each->gauges[i].name; i++) {
            json_figure(w, job, each->gauges[i].name, "Left",
                        figure_of(s, job, APR_OFFSETOF(lims_job_record_t, gauges), i));
        }
    }
}
