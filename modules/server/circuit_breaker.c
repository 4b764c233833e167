/* SPDX-License-Identifier: Apache-2.0 */
/* circuit_breaker.c - what a child process knows of a database out of reach. */
#include "server/circuit_breaker.h"

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

struct lims_breaker_t {
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

apr_status_t lims_breaker_create(lims_breaker_t **breaker, apr_thread_mutex_t *mutex,
                                 const char *conninfo, server_rec *s, apr_pool_t *pool)
{
    lims_breaker_t *fresh = apr_pcalloc(pool, sizeof(*fresh));

    fresh->mutex = mutex;
    fresh->conninfo = conninfo;
    fresh->server = s;
    *breaker = fresh;
    return apr_thread_cond_create(&fresh->changed, pool);
}

bool lims_breaker_is_open(const lims_breaker_t *breaker)
{
    return breaker->lasts;
}

unsigned lims_breaker_trips(const lims_breaker_t *breaker)
{
    return breaker->count;
}

/* --- Attempts ------------------------------------------------------------- */

void lims_breaker_trip(lims_breaker_t *breaker, apr_time_t began, const char *cause)
{
    if (breaker->lasts || began <= breaker->reached) {
        return;
    }
    breaker->lasts = true;
    breaker->since = apr_time_now();
    breaker->refused = 0;
    breaker->count++;
    apr_cpystrn(breaker->cause, cause, sizeof(breaker->cause));
}

static void note_failure(lims_breaker_t *breaker, unsigned number, const char *trouble)
{
    breaker->failed = number;
    apr_cpystrn(breaker->cause, trouble, sizeof(breaker->cause));
}

static void note_success(lims_breaker_t *breaker)
{
    apr_interval_time_t lasted = apr_time_now() - breaker->since;

    breaker->lasts = false;
    breaker->reached = apr_time_now();
    ap_log_error(APLOG_MARK, APLOG_NOTICE, 0, breaker->server,
                 "LIMS0056: the database is back; it was out of reach for %" APR_TIME_T_FMT
                 ".%03d s, in which this child refused %u requests",
                 apr_time_sec(lasted), (int)apr_time_msec(lasted), breaker->refused);
}

static void attempt(lims_breaker_t *breaker, apr_pool_t *pool)
{
    unsigned number = ++breaker->begun;
    const char *trouble;

    breaker->trying = true;
    breaker->attempt_began = apr_time_now();
    apr_thread_mutex_unlock(breaker->mutex);
    trouble = lims_connection_probe(breaker->conninfo, pool);
    apr_thread_mutex_lock(breaker->mutex);
    breaker->trying = false;
    breaker->attempt_ended = apr_time_now();
    if (trouble) {
        note_failure(breaker, number, trouble);
    } else {
        note_success(breaker);
    }
    apr_thread_cond_broadcast(breaker->changed);
}

/* --- Requests ------------------------------------------------------------- */

lims_breaker_waiter_t lims_breaker_waiter(const lims_breaker_t *breaker, apr_time_t until)
{
    return (lims_breaker_waiter_t){ .attempt = breaker->begun, .until = until };
}

static bool is_slow(const lims_breaker_t *breaker)
{
    return breaker->trying && apr_time_now() - breaker->attempt_began > SLOW;
}

bool lims_breaker_rejects(lims_breaker_waiter_t *waiter, lims_breaker_t *breaker, bool others,
                          apr_pool_t *pool)
{
    bool tried = breaker->failed > waiter->attempt;

    if ((breaker->lasts && ((tried && !others) || is_slow(breaker))) ||
        apr_time_now() >= waiter->until) {
        waiter->cause =
            breaker->lasts ? apr_pstrdup(pool, breaker->cause) : "connecting takes long";
        breaker->refused++;
        return true;
    }
    return false;
}

static void sleep_until(lims_breaker_t *breaker, apr_time_t until)
{
    apr_interval_time_t left = until - apr_time_now();

    if (left > 0) {
        breaker->waiting++;
        apr_thread_cond_timedwait(breaker->changed, breaker->mutex, left);
        breaker->waiting--;
    }
}

void lims_breaker_wait(lims_breaker_t *breaker, const lims_breaker_waiter_t *waiter,
                       apr_pool_t *pool)
{
    apr_time_t next = breaker->attempt_ended + PAUSE;

    if (!breaker->lasts) {
        next = waiter->until;
    } else if (breaker->trying) {
        next = breaker->attempt_began + SLOW + 1;
    } else if (apr_time_now() >= next) {
        attempt(breaker, pool);
        return;
    }
    sleep_until(breaker, next < waiter->until ? next : waiter->until);
}

void lims_breaker_wake(lims_breaker_t *breaker)
{
    if (breaker->waiting) {
        apr_thread_cond_broadcast(breaker->changed);
    }
}
