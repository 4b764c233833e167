/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool.c - connections out of mod_dbd's pool.
 *
 * mod_dbd lends connections and nothing else: statements run through libpq in
 * modules/database, because the driver loses SQLSTATE and prepared statements.
 * A connection is held only while statements run: taken after the body was read,
 * given back before the answer is sent.
 *
 * Three mechanisms stand in front of mod_dbd's pool. A bound with a time-out: mod_dbd
 * itself waits for ever when its connections are all in use. A fair semaphore
 * (fair_semaphore.h) for short reads and one for storing files: otherwise the
 * database would get as many of them at once as there are connections. And a circuit
 * breaker (circuit_breaker.h): otherwise every thread would try to reach a database
 * that is down. Dead connections are kept apart and renewed only while the breaker is
 * closed, so that the live ones stay usable.
 */
#include <apr_dbd.h>
#include <apr_optional.h>
#include <apr_strings.h>
#include <apr_thread_cond.h>
#include <apr_thread_mutex.h>
#include <mod_dbd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/error.h"
#include "kernel/fair_semaphore.h"
#include "server/foreign_directives.h"
#include "server/metrics.h"
#include "server/circuit_breaker.h"
#include "server/server.h"

/* mod_dbd's own defaults. */
enum { DBD_MIN_DEFAULT = 1, DBD_KEEP_DEFAULT = 2, DBD_MAX_DEFAULT = 10, DBD_EXPTIME_DEFAULT = 300 };

/* Least number of concurrent short reads where it follows the processors. */
#define READS_MIN 2

/* Lifetime of a fair semaphore's permit: ten times what short work takes on a busy
 * machine. A holder that takes longer blocks the others for no more than this. */
#define PERMIT_LIFETIME apr_time_from_msec(100)

/* Key of a pool's userdata under which the pool of a connection keeps its member. */
static const char member_key[] = "lims_connection";

static APR_OPTIONAL_FN_TYPE(ap_dbd_open) * dbd_open;
static APR_OPTIONAL_FN_TYPE(ap_dbd_close) * dbd_close;

typedef enum {
    MEMBER_IDLE, /* in mod_dbd's pool */
    MEMBER_USED, /* by a request */
    MEMBER_DEAD  /* in the list of dead ones, to be renewed */
} member_state_e;

/* Our state of one of mod_dbd's connections; lives as long as the connection. */
typedef struct member_t {
    ap_dbd_t *dbd;
    lims_pool_t *pool;
    server_rec *server; /* through which mod_dbd lent it, and gets it back */
    lims_connection_t *connection;
    member_state_e state;
    unsigned trips; /* of the breaker, when the connection last worked */
    struct member_t *next_dead;
} member_t;

/* State that is kept for one of mod_dbd's pools. */
struct lims_pool_t {
    const char *name; /* of name_of(): servers with the same one share a pool */
    apr_thread_mutex_t *mutex;
    apr_thread_cond_t *left;
    lims_fair_semaphore_t *fair_semaphores[LIMS_SHORT_WORK_COUNT]; /* NULL: unbounded */
    lims_breaker_t *breaker;
    lims_counters_t *counters;
    lims_counted_child_t *child; /* the counters of this process */
    member_t *dead;
    int free; /* requests that may still enter */
    int used; /* members by state */
    int idle;
    int reserved; /* idle ones that threads are about to take */
    bool opening; /* mod_dbd makes a connection: one at a time, under its lock */
    lims_pool_t *next;
};

static int connections_of(const server_rec *s)
{
    long max = lims_foreign_directive_number(s, LIMS_FOREIGN_MAX, DBD_MAX_DEFAULT);

    return max > 0 && max < 10000 ? (int)max : DBD_MAX_DEFAULT;
}

static int reads_of(const server_rec *s)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int chosen = (int)lims_config_of(s)->database_reads;

    return chosen ? chosen : processors > READS_MIN ? (int)processors : READS_MIN;
}

/* Returns a text of everything by which mod_dbd distinguishes its pools: servers with
 * equal texts share a pool, and servers of two databases never do. */
static const char *name_of(const server_rec *s, apr_pool_t *pool)
{
    const char *persist = lims_foreign_directive(s, LIMS_FOREIGN_PERSIST);

    return apr_psprintf(pool, "%s\n%ld %ld %ld %ld %d", lims_config_conninfo(s, NULL, pool),
                        lims_foreign_directive_number(s, LIMS_FOREIGN_MIN, DBD_MIN_DEFAULT),
                        lims_foreign_directive_number(s, LIMS_FOREIGN_KEEP, DBD_KEEP_DEFAULT),
                        lims_foreign_directive_number(s, LIMS_FOREIGN_MAX, DBD_MAX_DEFAULT),
                        lims_foreign_directive_number(s, LIMS_FOREIGN_EXPTIME, DBD_EXPTIME_DEFAULT),
                        persist && strcasecmp(persist, "off") == 0);
}

static apr_status_t create(lims_pool_t **made, server_rec *s, const char *name, apr_pool_t *pool)
{
    lims_pool_t *fresh = apr_pcalloc(pool, sizeof(*fresh));
    const char *conninfo = lims_config_conninfo(s, NULL, pool);
    apr_status_t rv = apr_thread_mutex_create(&fresh->mutex, APR_THREAD_MUTEX_DEFAULT, pool);

    if (rv == APR_SUCCESS) {
        rv = apr_thread_cond_create(&fresh->left, pool);
    }
    if (rv == APR_SUCCESS) {
        rv = lims_fair_semaphore_create(&fresh->fair_semaphores[LIMS_SHORT_WORK_READ], reads_of(s),
                                        PERMIT_LIFETIME, pool);
    }
    if (rv == APR_SUCCESS) {
        rv = lims_fair_semaphore_create(&fresh->fair_semaphores[LIMS_SHORT_WORK_PREPARE], 1,
                                        PERMIT_LIFETIME, pool);
    }
    if (rv == APR_SUCCESS) {
        rv = lims_breaker_create(&fresh->breaker, fresh->mutex, conninfo, s, pool);
    }
    fresh->name = name;
    fresh->free = connections_of(s);
    *made = fresh;
    return rv;
}

/* Gives dead connections back to mod_dbd: httpd aborts a child at its end if any is
 * missing. */
static apr_status_t return_dead(void *data)
{
    lims_pool_t *pool = data;

    for (member_t *each = pool->dead, *next; each; each = next) {
        next = each->next_dead;
        dbd_close(each->server, each->dbd);
    }
    pool->dead = NULL;
    return APR_SUCCESS;
}

apr_status_t lims_pool_init(apr_pool_t *pchild, server_rec *s)
{
    lims_pool_t *pools = NULL;

    dbd_open = APR_RETRIEVE_OPTIONAL_FN(ap_dbd_open);
    dbd_close = APR_RETRIEVE_OPTIONAL_FN(ap_dbd_close);
    for (; s; s = s->next) {
        const char *name = name_of(s, pchild);
        lims_pool_t *pool = pools;
        if (lims_config_of(s)->enable != 1) {
            continue;
        }
        while (pool && strcmp(pool->name, name) != 0) {
            pool = pool->next;
        }
        if (!pool) {
            apr_status_t rv = create(&pool, s, name, pchild);
            if (rv != APR_SUCCESS) {
                return rv;
            }
            pool->counters = lims_config_of(s)->counters;
            pool->child = lims_metrics_child(pool->counters);
            pool->next = pools;
            pools = pool;
            apr_pool_pre_cleanup_register(pchild, pool, return_dead);
        }
        lims_config_of(s)->pool = pool;
    }
    return APR_SUCCESS;
}

/* --- Members -------------------------------------------------------------- */

static void change(member_t *member, member_state_e state)
{
    lims_pool_t *pool = member->pool;

    pool->idle += (state == MEMBER_IDLE) - (member->state == MEMBER_IDLE);
    pool->used += (state == MEMBER_USED) - (member->state == MEMBER_USED);
    member->state = state;
}

/* Puts a connection aside until it is renewed. */
static void set_dead_aside(member_t *member)
{
    lims_pool_t *pool = member->pool;

    if (lims_connection_timed_out(member->connection)) {
        /* Other connections may be dead too, although they look alive. */
        lims_breaker_trip(pool->breaker, apr_time_now(), "an answer did not come in time");
    }
    change(member, MEMBER_DEAD);
    member->next_dead = pool->dead;
    pool->dead = member;
}

/* Cleanup of a connection that mod_dbd closes, because it was idle for long. */
static apr_status_t forget(void *data)
{
    member_t *member = data;

    apr_thread_mutex_lock(member->pool->mutex);
    change(member, MEMBER_DEAD);
    apr_thread_mutex_unlock(member->pool->mutex);
    return APR_SUCCESS;
}

/* Returns our state of a connection, made at its first use; NULL: out of memory. */
static member_t *member_of(ap_dbd_t *dbd, lims_pool_t *pool, server_rec *server)
{
    member_t *member = NULL;
    void *known = NULL;

    apr_pool_userdata_get(&known, member_key, dbd->pool);
    if (known) {
        return known;
    }
    member = apr_pcalloc(dbd->pool, sizeof(*member));
    *member = (member_t){ .dbd = dbd, .pool = pool, .server = server, .state = MEMBER_DEAD };
    if (lims_connection_adopt(&member->connection, apr_dbd_native_handle(dbd->driver, dbd->handle),
                              dbd->pool) != APR_SUCCESS) {
        return NULL;
    }
    apr_pool_userdata_setn(member, member_key, NULL, dbd->pool);
    apr_pool_cleanup_register(dbd->pool, member, forget, apr_pool_cleanup_null);
    return member;
}

/* Takes an idle or new connection from mod_dbd. Called without the mutex. */
static member_t *open_member(lims_pool_t *pool, const lims_lease_t *lease)
{
    ap_dbd_t *dbd = dbd_open(lease->pool, lease->server);
    member_t *member = dbd ? member_of(dbd, pool, lease->server) : NULL;

    if (dbd && !member) {
        dbd_close(lease->server, dbd);
    }
    return member;
}

/* --- Taking --------------------------------------------------------------- */

/* The following functions are called with the mutex held, and release it while they wait. */

/* Waits for a free place until `until`; false: timed out. */
static bool enter(bool *waited, lims_pool_t *pool, apr_time_t until)
{
    apr_time_t now = apr_time_now();

    *waited = *waited || pool->free <= 0;
    while (pool->free <= 0 && now < until) {
        apr_thread_cond_timedwait(pool->left, pool->mutex, until - now);
        now = apr_time_now();
    }
    if (pool->free <= 0) {
        return false;
    }
    pool->free--;
    return true;
}

static void leave_pool(lims_pool_t *pool)
{
    pool->free++;
    apr_thread_cond_signal(pool->left);
}

static const lims_error_t *unavailable(const lims_lease_t *lease, int number, const char *cause)
{
    return lims_server_error(lease->pool, LIMS_E_SERVICE_UNAVAILABLE, number, cause,
                             "The database is out of reach at the moment; try again shortly.");
}

/* Makes sure that a connection works; called without the mutex. `trips` is how often
 * the breaker has opened: a connection that last worked before the latest time is
 * checked with a round trip. An error that is returned would occur on any connection. */
static const lims_error_t *make_ready(bool *dead, member_t *member, unsigned trips,
                                      const lims_lease_t *lease)
{
    lims_connection_t *connection = member->connection;
    const lims_error_t *error = NULL;

    lims_connection_set_timeout(connection, lims_config_of(lease->server)->database_timeout * 1000);
    *dead = !lims_connection_alive(connection);
    if (!*dead) {
        error = member->trips == trips ? lims_connection_ready(connection, lease->pool)
                                       : lims_connection_check(connection, lease->pool);
        *dead = error && !lims_connection_alive(connection);
    }
    return *dead ? NULL : error;
}

/* Takes an idle connection of mod_dbd's; NULL: it was dead. */
static member_t *take_idle(const lims_error_t **error, lims_pool_t *pool, const lims_lease_t *lease)
{
    unsigned trips = lims_breaker_trips(pool->breaker);
    member_t *member;
    bool dead = false;

    pool->reserved++;
    apr_thread_mutex_unlock(pool->mutex);
    member = open_member(pool, lease);
    *error = member ? make_ready(&dead, member, trips, lease) : NULL;
    apr_thread_mutex_lock(pool->mutex);
    pool->reserved--;
    if (member && dead) {
        set_dead_aside(member);
        return NULL;
    }
    return member;
}

/* Renews a dead connection, or has mod_dbd make one; called without the mutex. */
static member_t *revive(bool *dead, member_t *member, lims_pool_t *pool, const lims_lease_t *lease)
{
    *dead = member && lims_connection_renew(member->connection, lease->pool);
    return member ? member : open_member(pool, lease);
}

/* Makes or renews a connection; NULL: the database cannot be reached. */
static member_t *connect_anew(const lims_error_t **error, lims_pool_t *pool,
                              const lims_lease_t *lease)
{
    unsigned trips = lims_breaker_trips(pool->breaker);
    apr_time_t began = apr_time_now();
    member_t *member = pool->dead;
    bool opening = !member;
    bool dead;

    pool->opening = pool->opening || opening;
    pool->dead = member ? member->next_dead : NULL;
    apr_thread_mutex_unlock(pool->mutex);
    member = revive(&dead, member, pool, lease);
    if (member && !dead) {
        member->trips = trips;
        *error = make_ready(&dead, member, trips, lease);
    }
    apr_thread_mutex_lock(pool->mutex);
    pool->opening = pool->opening && !opening;
    if (!member || dead) {
        lims_breaker_trip(pool->breaker, began, "a connection could not be made");
    }
    if (member && dead) {
        set_dead_aside(member);
        member = NULL;
    }
    lims_breaker_wake(pool->breaker);
    return member;
}

/* Obtains an idle or a new connection, whichever comes first, or an error. */
static const lims_error_t *obtain(member_t **member, lims_pool_t *pool, const lims_lease_t *lease,
                                  apr_time_t until)
{
    lims_breaker_waiter_t waiter = lims_breaker_waiter(pool->breaker, until);
    const lims_error_t *error = NULL;

    for (bool first = true; !*member; first = false) {
        bool others = pool->used + pool->idle > 0;

        if (!first && lims_breaker_rejects(&waiter, pool->breaker, others, lease->pool)) {
            return lims_error_with_failure(unavailable(lease, 51, waiter.cause),
                                           LIMS_FAILURE_UNREACHABLE, lease->pool);
        }
        if (pool->idle > pool->reserved) {
            *member = take_idle(&error, pool, lease);
        } else if (!lims_breaker_is_open(pool->breaker) && (pool->dead || !pool->opening)) {
            *member = connect_anew(&error, pool, lease);
        } else {
            lims_breaker_wait(pool->breaker, &waiter, lease->pool);
        }
    }
    change(*member, MEMBER_USED);
    return error;
}

const lims_error_t *lims_pool_take(lims_connection_t **connection, lims_lease_t *lease)
{
    const lims_config_t *config = lims_config_of(lease->server);
    lims_pool_t *pool = config->pool;
    apr_time_t begun = apr_time_now();
    apr_time_t until = begun + config->database_wait * 1000;
    const lims_error_t *error;
    member_t *member = NULL;
    bool waited = false;

    if (pool->fair_semaphores[lease->short_work]) {
        /* Advisory: a request that gets no permit in time goes on all the same. */
        lease->permit = lims_fair_semaphore_acquire(
            &waited, pool->fair_semaphores[lease->short_work], until, lease->pool);
    }
    apr_thread_mutex_lock(pool->mutex);
    if (enter(&waited, pool, until)) {
        error = obtain(&member, pool, lease, until);
        if (!member) {
            leave_pool(pool);
        }
    } else {
        error = unavailable(lease, 50, "all database connections are in use: raise DBDMax");
        lims_metrics_exhausted(pool->counters);
    }
    apr_thread_mutex_unlock(pool->mutex);
    lims_metrics_connection(pool->counters, pool->child,
                            waited || !member ? apr_time_now() - begun : 0, member);
    lease->held = member;
    if (error) {
        lims_pool_give_back(lease);
        return error;
    }
    *connection = member->connection;
    return NULL;
}

/* --- Giving back ---------------------------------------------------------- */

/* Whether a used connection can go back to mod_dbd; a dead one is put aside. */
static bool is_reusable(member_t *member)
{
    if (!lims_connection_is_reusable(member->connection)) {
        set_dead_aside(member);
        return false;
    }
    member->trips = lims_breaker_trips(member->pool->breaker);
    change(member, MEMBER_IDLE);
    return true;
}

static void give_member_back(lims_pool_t *pool, member_t *member)
{
    bool whole;

    apr_thread_mutex_lock(pool->mutex);
    whole = is_reusable(member);
    apr_thread_mutex_unlock(pool->mutex);
    if (whole) {
        /* Without the mutex: mod_dbd may end idle ones now, see forget(). */
        dbd_close(member->server, member->dbd);
    }
    apr_thread_mutex_lock(pool->mutex);
    leave_pool(pool);
    lims_breaker_wake(pool->breaker);
    apr_thread_mutex_unlock(pool->mutex);
    lims_metrics_connection_back(pool->child);
}

void lims_pool_give_back(lims_lease_t *lease)
{
    lims_pool_t *pool = lims_config_of(lease->server)->pool;

    if (lease->held) {
        give_member_back(pool, lease->held);
        lease->held = NULL;
    }
    if (lease->permit) {
        lims_fair_semaphore_release(pool->fair_semaphores[lease->short_work], lease->permit);
        lease->permit = NULL;
    }
}
