/* SPDX-License-Identifier: Apache-2.0 */
/* database_metrics.c - metrics read from the database, and their cache. */
#include "server/database_metrics.h"

#include <apr_strings.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "database/database.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "server/exposition.h"

APLOG_USE_MODULE(lims);

/* Least age at which the metrics by organization are read again; where the query is
 * slow, a hundred times its duration. */
#define ASK_EVERY apr_time_from_sec(60)
#define REST_FACTOR 100

/* Bound on counting the samples or files of an organization. */
#define COUNT_AT_MOST "10000"

/* Size of the text of some thousand organizations; further lines are left out. */
#define TEXT_MAX (1024 * 1024)

typedef enum { PENDING, KEPT, OLDEST_DUE, ENDPOINTS, DISABLED, NUMBERS } number_e;

static const char *const columns[] = {
    [PENDING] = "pending",
    [KEPT] = "kept",
    [OLDEST_DUE] = "oldestDueSeconds",
    [ENDPOINTS] = "endpoints",
    [DISABLED] = "disabledEndpoints",
};

_Static_assert(LIMS_LENGTH(columns) == NUMBERS, "a column for each number");

typedef struct {
    apr_size_t length;
    char bytes[TEXT_MAX];
} text_t;

/* The cache. It has two texts: one is read while the other is written; a reader that
 * was overtaken by two changes reads again. */
struct lims_database_metrics_memory_t {
    _Atomic apr_int64_t numbers[NUMBERS]; /* thousandths */
    _Atomic apr_time_t numbers_at;        /* when they were read, or 0 */
    _Atomic apr_time_t asked;             /* when the last query for the text began */
    _Atomic apr_interval_time_t took;     /* duration of that query */
    _Atomic apr_time_t text_at;
    _Atomic unsigned changes;
    text_t texts[2];
};

apr_status_t lims_database_metrics_create(lims_config_t *config, server_rec *s)
{
    const char *name =
        apr_pstrcat(s->process->pconf, "mod_lims_figures ", lims_config_database(s), NULL);
    void *memory = NULL;
    apr_status_t rv =
        lims_shared_memory(&memory, name, sizeof(struct lims_database_metrics_memory_t), s);

    config->database_metrics = memory;
    return rv;
}

/* --- Webhooks ------------------------------------------------------------- */

static void keep_numbers(struct lims_database_metrics_memory_t *memory, const lims_result_t *row)
{
    for (int i = 0; i < NUMBERS; i++) {
        const char *text = lims_result_get(row, 0, columns[i]);
        atomic_store(&memory->numbers[i], (apr_int64_t)(text ? strtod(text, NULL) * 1000 : 0));
    }
    atomic_store(&memory->numbers_at, apr_time_now());
}

static const char *number_text(struct lims_database_metrics_memory_t *memory, number_e which,
                               apr_pool_t *pool)
{
    apr_int64_t value = atomic_load(&memory->numbers[which]);

    return which == OLDEST_DUE ? apr_psprintf(pool, "%.3f", (double)value / 1000)
                               : apr_psprintf(pool, "%" APR_INT64_T_FMT, value / 1000);
}

static const lims_backlog_t *last_backlog(struct lims_database_metrics_memory_t *memory,
                                          apr_pool_t *pool)
{
    lims_backlog_t *backlog = NULL;

    if (atomic_load(&memory->numbers_at)) {
        backlog = apr_palloc(pool, sizeof(*backlog));
        backlog->pending = number_text(memory, PENDING, pool);
        backlog->kept = number_text(memory, KEPT, pool);
        backlog->oldest_due_seconds = number_text(memory, OLDEST_DUE, pool);
        backlog->endpoints = number_text(memory, ENDPOINTS, pool);
        backlog->disabled_endpoints = number_text(memory, DISABLED, pool);
    }
    return backlog;
}

/* --- Organizations -------------------------------------------------------- */

/* The metrics, with the name under which each has the row's `label`. */
static const struct {
    const char *figure;
    const char *metric;
    const char *label; /* NULL: no label */
    const char *help;
} kinds[] = {
    { "samples", "lims_samples", "status",
      "Samples that are not reported, by status; up to " COUNT_AT_MOST " of each." },
    { "waiting", "lims_samples_waiting", "state",
      "Those of them that wait for a person, by release state." },
    { "waiting_since", "lims_samples_waiting_since_timestamp_seconds", "state",
      "When the oldest of these was received." },
    { "holding", "lims_samples_holding", "status",
      "Those of them whose holding time expires soon or is over." },
    { "qc_failed", "lims_qc_batches_failed", NULL,
      "QC batches that failed in the last seven days and were not overridden." },
    { "quarantined", "lims_instrument_files_quarantined", NULL,
      "Files of instruments that wait for a person." },
    { "webhooks_late", "lims_webhook_endpoints_late", NULL,
      "Endpoints with a delivery that has been due for more than a minute." },
    { "latest_file", "lims_instrument_latest_file_timestamp_seconds", "key",
      "When the latest file came under a key; before the first: when an upload-only key was "
      "made." },
    { "key_expires", "lims_key_expires_timestamp_seconds", "key", "When a key expires." },
};

/* Escapes the value of a label. */
static const char *escaped(const char *text, apr_pool_t *pool)
{
    char *out = apr_palloc(pool, 2 * strlen(text) + 1), *at = out;

    for (; *text; text++) {
        if (*text == '"' || *text == '\\' || *text == '\n') {
            *at++ = '\\';
        }
        *at++ = (char)(*text == '\n' ? 'n' : *text);
    }
    *at = '\0';
    return out;
}

static const char *labels_of(const lims_result_t *rows, int row, const char *label,
                             apr_pool_t *pool)
{
    const char *name = lims_result_get(rows, row, "name");
    const char *value = lims_result_get(rows, row, "label");
    const char *labels =
        apr_pstrcat(pool, "organization=\"",
                    escaped(lims_result_get(rows, row, "organization"), pool), "\"", NULL);

    if (label && value) {
        labels = apr_pstrcat(pool, labels, ",", label, "=\"", escaped(value, pool), "\"", NULL);
    }
    return name ? apr_pstrcat(pool, labels, ",name=\"", escaped(name, pool), "\"", NULL) : labels;
}

static const char *lines_of(const lims_result_t *rows, apr_pool_t *pool)
{
    lims_exposition_t text = { .parts = apr_array_make(pool, 512, sizeof(const char *)),
                               .pool = pool };

    for (apr_size_t i = 0; i < LIMS_LENGTH(kinds); i++) {
        lims_exposition_head(&text, kinds[i].metric, "gauge", kinds[i].help);
        for (int row = 0; row < lims_result_count(rows); row++) {
            if (strcmp(lims_result_get(rows, row, "figure"), kinds[i].figure) == 0) {
                lims_exposition_line(&text, "%s{%s} %.3f\n", kinds[i].metric,
                                     labels_of(rows, row, kinds[i].label, pool),
                                     strtod(lims_result_get(rows, row, "value"), NULL));
            }
        }
    }
    return apr_array_pstrcat(pool, text.parts, 0);
}

static void keep_text(struct lims_database_metrics_memory_t *memory, const char *lines)
{
    text_t *text = &memory->texts[(atomic_load(&memory->changes) + 1) % 2];
    apr_size_t length = strlen(lines);

    if (length > TEXT_MAX) {
        for (length = TEXT_MAX; length > 0 && lines[length - 1] != '\n'; length--) {
        }
    }
    memcpy(text->bytes, lines, length);
    text->length = length;
    atomic_store(&memory->text_at, apr_time_now());
    atomic_fetch_add(&memory->changes, 1);
}

static const char *last_text(struct lims_database_metrics_memory_t *memory, apr_pool_t *pool)
{
    unsigned before, after;
    const char *copy;

    do {
        const text_t *text;
        before = atomic_load(&memory->changes);
        text = &memory->texts[before % 2];
        copy = apr_pstrmemdup(pool, text->bytes, text->length <= TEXT_MAX ? text->length : 0);
        after = atomic_load(&memory->changes);
    } while (after > before + 1);
    return copy;
}

/* Claims the query for the text if it is due. A time in the future was set by another
 * clock, and counts as due. */
static bool is_due(struct lims_database_metrics_memory_t *memory)
{
    apr_time_t now = apr_time_now(), asked = atomic_load(&memory->asked);
    apr_interval_time_t rest = atomic_load(&memory->took) * REST_FACTOR;

    return (asked + (rest > ASK_EVERY ? rest : ASK_EVERY) <= now || asked > now) &&
           atomic_compare_exchange_strong(&memory->asked, &asked, now);
}

/* --- Queries -------------------------------------------------------------- */

/* Takes a connection and checks it with a round trip: its own state is no proof that
 * the database answers. On success the lease holds the connection. */
static const lims_error_t *reach(lims_connection_t **connection, lims_lease_t *lease)
{
    const lims_error_t *error = lims_pool_take(connection, lease);

    if (!error) {
        error = lims_connection_check(*connection, lease->pool);
        if (error) {
            lims_connection_release(*connection);
            lims_pool_give_back(lease);
        }
    }
    return error;
}

static bool is_unreachable(const lims_error_t *error)
{
    return error->retry == LIMS_RETRY_LOST || error->failure == LIMS_FAILURE_UNREACHABLE;
}

/* Whether the database answers; fills in the reason if it does not. */
static bool check_database(lims_database_metrics_t *metrics, lims_connection_t **connection,
                           lims_lease_t *lease)
{
    const lims_config_t *config = lims_config_of(lease->server);
    const lims_error_t *error;

    *metrics = (lims_database_metrics_t){ .laboratory = "" };
    if (config->enable != 1) {
        metrics->problem = "LimsEnable is off in this server";
        return false;
    }
    if (!config->pool) {
        metrics->problem = "this child process could not be set up: the error log says why";
        return false;
    }
    error = reach(connection, lease);
    if (error && error->retry == LIMS_RETRY_LOST) {
        error = reach(connection, lease);
    }
    metrics->database_up = !error || !is_unreachable(error);
    if (error) {
        metrics->problem = error->cause ? error->cause : error->message;
    }
    return !error;
}

static void read_organizations(struct lims_database_metrics_memory_t *memory, lims_request_t *rq,
                               const server_rec *s)
{
    apr_time_t begun = apr_time_now();
    lims_result_t *rows = NULL;
    const lims_error_t *error;

    lims_values_set(rq->values, "countAtMost", COUNT_AT_MOST);
    error = lims_database_call(&rows, rq, LIMS_STMT_LABORATORY_FIGURES);
    atomic_store(&memory->took, apr_time_now() - begun);
    if (error) {
        ap_log_error(APLOG_MARK, APLOG_WARNING, 0, s,
                     "LIMS0380: the metrics go on with the laboratories' former figures: "
                     "LIMS%04d: %s",
                     error->number, error->cause ? error->cause : error->message);
        return;
    }
    keep_text(memory, lines_of(rows, rq->pool));
}

static void read_all(struct lims_database_metrics_memory_t *memory, lims_connection_t *connection,
                     const server_rec *s, apr_pool_t *pool)
{
    lims_request_t rq = { .pool = pool,
                          .values = lims_values_create(pool),
                          .connection = connection };
    lims_result_t *row = NULL;

    if (!lims_database_call(&row, &rq, LIMS_STMT_WEBHOOK_BACKLOG)) {
        keep_numbers(memory, row);
    }
    if (is_due(memory)) {
        read_organizations(memory, &rq, s);
    }
}

void lims_database_metrics_ready(lims_database_metrics_t *metrics, server_rec *s, apr_pool_t *pool)
{
    lims_lease_t lease = { .pool = pool, .server = s };
    lims_connection_t *connection = NULL;

    if (check_database(metrics, &connection, &lease)) {
        lims_connection_release(connection);
        lims_pool_give_back(&lease);
    }
}

void lims_database_metrics_read(lims_database_metrics_t *metrics, server_rec *s, apr_pool_t *pool)
{
    struct lims_database_metrics_memory_t *memory = lims_config_of(s)->database_metrics;
    lims_lease_t lease = { .pool = pool, .server = s };
    lims_connection_t *connection = NULL;

    if (check_database(metrics, &connection, &lease)) {
        read_all(memory, connection, s, pool);
        lims_connection_release(connection);
        lims_pool_give_back(&lease);
    }
    if (memory) {
        metrics->backlog = last_backlog(memory, pool);
        metrics->laboratory = last_text(memory, pool);
        metrics->laboratory_at = atomic_load(&memory->text_at);
    }
}
