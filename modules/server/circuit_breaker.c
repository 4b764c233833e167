/* SPDX-License-Identifier: Apache-2.0 */
/* circuit_breaker.c - the circuit breaker of a child's connections to a database. */
#include "server/circuit_breaker.h"

#include <apr_strings.h>
#include <apr_thread_cond.h>
#include <http_log.h>

#include "database/database.h"
#include "server/server.h"

APLOG_USE_MODULE(lims);

/* Pause between two probes: too short to be noticed once the database is back, long
 * enough that probes which fail at once are no busy loop. */
#define PAUSE apr_time_from_msec(50)

/* A probe that takes longer counts as failed: the host does not answer. If requests
 * waited for its end, they would soon occupy every thread of the child. */
#define SLOW apr_time_from_sec(1)

struct lims_breaker_t {
    apr_thread_mutex_t *mutex; /* the pool's */
    apr_thread_cond_t *changed;
    const char *conninfo;
    server_rec *server;
    bool open;
    bool probing;
    unsigned trips;   /* since the child began */
    unsigned probes;  /* likewise; numbers the probes from 1 */
    unsigned failed;  /* number of the latest probe that failed */
    unsigned refused; /* requests, since the breaker opened */
    unsigned waiting; /* requests, now */
    apr_time_t opened;
    apr_time_t reached; /* when a probe last succeeded */
    apr_time_t probe_began;
    apr_time_t probe_ended;
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
    return breaker->open;
}

unsigned lims_breaker_trips(const lims_breaker_t *breaker)
{
    return breaker->trips;
}

/* --- Probes --------------------------------------------------------------- */

void lims_breaker_trip(lims_breaker_t *breaker, apr_time_t began, const char *cause)
{
    if (breaker->open || began <= breaker->reached) {
        return;
    }
    breaker->open = true;
    breaker->opened = apr_time_now();
    breaker->refused = 0;
    breaker->trips++;
    apr_cpystrn(breaker->cause, cause, sizeof(breaker->cause));
}

static void stay_open(lims_breaker_t *breaker, unsigned number, const char *problem)
{
    breaker->failed = number;
    apr_cpystrn(breaker->cause, problem, sizeof(breaker->cause));
}

static void close_breaker(lims_breaker_t *breaker)
{
    apr_interval_time_t lasted = apr_time_now() - breaker->opened;

    breaker->open = false;
    breaker->reached = apr_time_now();
    ap_log_error(APLOG_MARK, APLOG_NOTICE, 0, breaker->server,
                 "LIMS0056: the database is back; it was out of reach for %" APR_TIME_T_FMT
                 ".%03d s, in which this child refused %u requests",
                 apr_time_sec(lasted), (int)apr_time_msec(lasted), breaker->refused);
}

static void probe(lims_breaker_t *breaker, apr_pool_t *pool)
{
    unsigned number = ++breaker->probes;
    const char *problem;

    breaker->probing = true;
    breaker->probe_began = apr_time_now();
    apr_thread_mutex_unlock(breaker->mutex);
    problem = lims_connection_probe(breaker->conninfo, pool);
    apr_thread_mutex_lock(breaker->mutex);
    breaker->probing = false;
    breaker->probe_ended = apr_time_now();
    if (problem) {
        stay_open(breaker, number, problem);
    } else {
        close_breaker(breaker);
    }
    apr_thread_cond_broadcast(breaker->changed);
}

/* --- Requests ------------------------------------------------------------- */

lims_breaker_waiter_t lims_breaker_waiter(const lims_breaker_t *breaker, apr_time_t deadline)
{
    return (lims_breaker_waiter_t){ .probe = breaker->probes, .deadline = deadline };
}

static bool is_slow(const lims_breaker_t *breaker)
{
    return breaker->probing && apr_time_now() - breaker->probe_began > SLOW;
}

bool lims_breaker_rejects(lims_breaker_waiter_t *waiter, lims_breaker_t *breaker, bool others,
                          apr_pool_t *pool)
{
    bool tried = breaker->failed > waiter->probe;

    if ((breaker->open && ((tried && !others) || is_slow(breaker))) ||
        apr_time_now() >= waiter->deadline) {
        waiter->cause = breaker->open ? apr_pstrdup(pool, breaker->cause) : "connecting takes long";
        breaker->refused++;
        return true;
    }
    return false;
}

static void wait_until(lims_breaker_t *breaker, apr_time_t deadline)
{
    apr_interval_time_t left = deadline - apr_time_now();

    if (left > 0) {
        breaker->waiting++;
        apr_thread_cond_timedwait(breaker->changed, breaker->mutex, left);
        breaker->waiting--;
    }
}

void lims_breaker_wait(lims_breaker_t *breaker, const lims_breaker_waiter_t *waiter,
                       apr_pool_t *pool)
{
    apr_time_t next = breaker->probe_ended + PAUSE;

    if (!breaker->open) {
        next = waiter->deadline;
    } else if (breaker->probing) {
        next = breaker->probe_began + SLOW + 1;
    } else if (apr_time_now() >= next) {
        probe(breaker, pool);
        return;
    }
    wait_until(breaker, next < waiter->deadline ? next : waiter->deadline);
}

void lims_breaker_wake(lims_breaker_t *breaker)
{
    if (breaker->waiting) {
        apr_thread_cond_broadcast(breaker->changed);
    }
}
