/* SPDX-License-Identifier: Apache-2.0 */
/* outage.c - what a child process knows of a database out of reach. */
#include "server/outage.h"

#include <apr_strings.h>
#include <apr_thread_cond.h>
#include <http_log.h>

#include "database/database.h"
#include "server/server.h"

APLOG_USE_MODULE(lims);

/* Between two attempts: short enough that nobody notices it once the database
 * is back, long enough that failing at once does not become a busy loop. */
#define PAUSE apr_time_from_msec(50)

/* An attempt that takes longer is one at a host that does not answer. Requests
 * do not wait for its end, or they would soon have all threads of the child. */
#define SLOW apr_time_from_sec(1)

struct lims_outage_t {
    apr_thread_mutex_t *mutex; /* the pool's */
    apr_thread_cond_t *changed;
    const char *conninfo;
    server_rec *server;
    bool lasts;
    bool trying;
    unsigned count;   /* outages so far */
    unsigned begun;   /* attempts so far */
    unsigned failed;  /* the latest attempt that failed */
    unsigned refused; /* requests, in this outage */
    unsigned waiting; /* requests, at the moment */
    apr_time_t since;
    apr_time_t reached; /* when an attempt last succeeded */
    apr_time_t attempt_began;
    apr_time_t attempt_ended;
    char cause[512];
};

apr_status_t lims_outage_create(lims_outage_t **outage, apr_thread_mutex_t *mutex,
                                const char *conninfo, server_rec *s, apr_pool_t *pool)
{
    lims_outage_t *fresh = apr_pcalloc(pool, sizeof(*fresh));

    fresh->mutex = mutex;
    fresh->conninfo = conninfo;
    fresh->server = s;
    *outage = fresh;
    return apr_thread_cond_create(&fresh->changed, pool);
}

bool lims_outage_lasts(const lims_outage_t *outage)
{
    return outage->lasts;
}

unsigned lims_outage_count(const lims_outage_t *outage)
{
    return outage->count;
}

/* --- Attempts ------------------------------------------------------------- */

void lims_outage_begin(lims_outage_t *outage, apr_time_t began, const char *cause)
{
    if (outage->lasts || began <= outage->reached) {
        return;
    }
    outage->lasts = true;
    outage->since = apr_time_now();
    outage->refused = 0;
    outage->count++;
    apr_cpystrn(outage->cause, cause, sizeof(outage->cause));
}

static void note_failure(lims_outage_t *outage, unsigned number, const char *trouble)
{
    outage->failed = number;
    apr_cpystrn(outage->cause, trouble, sizeof(outage->cause));
}

static void note_success(lims_outage_t *outage)
{
    apr_interval_time_t lasted = apr_time_now() - outage->since;

    outage->lasts = false;
    outage->reached = apr_time_now();
    ap_log_error(APLOG_MARK, APLOG_NOTICE, 0, outage->server,
                 "LIMS0056: the database is back; it was out of reach for %" APR_TIME_T_FMT
                 ".%03d s, in which this child refused %u requests",
                 apr_time_sec(lasted), (int)apr_time_msec(lasted), outage->refused);
}

static void attempt(lims_outage_t *outage, apr_pool_t *pool)
{
    unsigned number = ++outage->begun;
    const char *trouble;

    outage->trying = true;
    outage->attempt_began = apr_time_now();
    apr_thread_mutex_unlock(outage->mutex);
    trouble = lims_connection_probe(outage->conninfo, pool);
    apr_thread_mutex_lock(outage->mutex);
    outage->trying = false;
    outage->attempt_ended = apr_time_now();
    if (trouble) {
        note_failure(outage, number, trouble);
    } else {
        note_success(outage);
    }
    apr_thread_cond_broadcast(outage->changed);
}

/* --- Requests ------------------------------------------------------------- */

lims_outage_visit_t lims_outage_visit(const lims_outage_t *outage, apr_time_t until)
{
    return (lims_outage_visit_t){ .attempt = outage->begun, .until = until };
}

static bool is_slow(const lims_outage_t *outage)
{
    return outage->trying && apr_time_now() - outage->attempt_began > SLOW;
}

bool lims_outage_hopeless(lims_outage_visit_t *visit, lims_outage_t *outage, bool others,
                          apr_pool_t *pool)
{
    bool tried = outage->failed > visit->attempt;

    if ((outage->lasts && ((tried && !others) || is_slow(outage))) ||
        apr_time_now() >= visit->until) {
        visit->cause = outage->lasts ? apr_pstrdup(pool, outage->cause) : "connecting takes long";
        outage->refused++;
        return true;
    }
    return false;
}

static void sleep_until(lims_outage_t *outage, apr_time_t until)
{
    apr_interval_time_t left = until - apr_time_now();

    if (left > 0) {
        outage->waiting++;
        apr_thread_cond_timedwait(outage->changed, outage->mutex, left);
        outage->waiting--;
    }
}

void lims_outage_wait(lims_outage_t *outage, const lims_outage_visit_t *visit, apr_pool_t *pool)
{
    apr_time_t next = outage->attempt_ended + PAUSE;

    if (!outage->lasts) {
        next = visit->until;
    } else if (outage->trying) {
        next = outage->attempt_began + SLOW + 1;
    } else if (apr_time_now() >= next) {
        attempt(outage, pool);
        return;
    }
    sleep_until(outage, next < visit->until ? next : visit->until);
}

void lims_outage_wake(lims_outage_t *outage)
{
    if (outage->waiting) {
        apr_thread_cond_broadcast(outage->changed);
    }
}
