/* SPDX-License-Identifier: Apache-2.0 */
/* memcached.c - a client of memcached for counters that several machines share. */
#include "server/memcached.h"

#include <apr_lib.h>
#include <apr_network_io.h>
#include <apr_shm.h>
#include <apr_strings.h>
#include <apr_thread_mutex.h>
#include <http_log.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "server/server.h"

APLOG_USE_MODULE(lims);

#define SERVERS_MAX 16
#define PORT_DEFAULT 11211
/* Idle connections that a child keeps open to a server. */
#define IDLE_MAX 64
/* Size of an answer: a number, and two lines for each existing counter. */
#define ANSWER_MAX 8192
/* Time for which a server is not used after a failure, and the least time between two
 * log lines of one kind about a server. */
#define PAUSE apr_time_from_sec(1)
#define LOG_PAUSE apr_time_from_sec(10)

/* State of a server, in shared memory of all children. */
typedef struct {
    _Atomic bool down;
    _Atomic bool logged_down;         /* the state that was last logged */
    _Atomic apr_int64_t logged_at[2]; /* when each state was logged: up, down */
    _Atomic apr_int64_t retry_at;
    _Atomic apr_uint64_t failures;
} health_t;

typedef struct {
    apr_pool_t *pool; /* its own, since any thread may make or close it */
    apr_socket_t *socket;
    bool used; /* before; the server may have closed it since */
} connection_t;

typedef struct {
    const char *name;
    apr_sockaddr_t *address; /* list of its addresses; NULL: the name was not resolved */
    int addresses;
    atomic_int answering; /* index of the address that was connected to last */
    health_t *health;
    connection_t *idle[IDLE_MAX];
    int idle_count;
} server_t;

struct lims_memcached_t {
    const char *servers_text;
    server_rec *log;
    apr_interval_time_t timeout;
    apr_thread_mutex_t *mutex; /* guards the idle connections */
    server_t servers[SERVERS_MAX];
    int count;
    lims_memcached_t *next;
};

/* All clients of this configuration; httpd hosts with equal settings share one. */
static lims_memcached_t *all;

/* --- Creation ------------------------------------------------------------- */

static const char *parse(char **host, apr_port_t *port, const char *server, apr_pool_t *pool)
{
    char *scope = NULL;

    *host = NULL;
    *port = 0;
    /* APR takes a port that is no number for a part of the name. */
    if (apr_parse_addr_port(host, &scope, port, server, pool) != APR_SUCCESS || !*host || scope ||
        (*server != '[' && strchr(*host, ':'))) {
        return apr_psprintf(pool, "\"%s\" is not host:port", server);
    }
    if (!*port) {
        *port = PORT_DEFAULT;
    }
    return NULL;
}

const char *lims_memcached_check(const char *servers, apr_pool_t *pool)
{
    char *rest = apr_pstrdup(pool, servers), *state = NULL;
    const char *problem = NULL;
    int count = 0;

    for (char *each = apr_strtok(rest, ",", &state); each && !problem;
         each = apr_strtok(NULL, ",", &state)) {
        char *host;
        apr_port_t port;
        problem = parse(&host, &port, each, pool);
        count++;
    }
    if (!problem && (count < 1 || count > SERVERS_MAX)) {
        problem = apr_psprintf(pool, "1 to %d servers, with commas between them", SERVERS_MAX);
    }
    return problem;
}

static void add_server(lims_memcached_t *memcached, const char *text, health_t *health,
                       apr_pool_t *pool)
{
    server_t *server = &memcached->servers[memcached->count++];
    char *host;
    apr_port_t port;
    apr_status_t rv;

    parse(&host, &port, text, pool);
    server->health = health;
    server->name = apr_pstrdup(pool, text);
    /* Resolved once, since a resolver may be slow. */
    rv = apr_sockaddr_info_get(&server->address, host, APR_UNSPEC, port, 0, pool);
    if (rv != APR_SUCCESS) {
        server->address = NULL;
        ap_log_error(APLOG_MARK, APLOG_WARNING, rv, memcached->log,
                     "LIMS0063: the address of memcached %s is not known; its share of the keys "
                     "is counted by this machine alone until the next restart",
                     text);
    }
    for (apr_sockaddr_t *each = server->address; each; each = each->next) {
        server->addresses++;
    }
}

static apr_status_t forget(void *unused)
{
    (void)unused;
    all = NULL;
    return APR_SUCCESS;
}

apr_status_t lims_memcached_create(lims_memcached_t **made, const char *servers,
                                   apr_interval_time_t timeout, server_rec *s, apr_pool_t *pconf)
{
    lims_memcached_t *memcached = all;
    apr_shm_t *shm = NULL;
    char *state = NULL;
    health_t *health;
    apr_status_t rv;

    while (memcached &&
           (strcmp(memcached->servers_text, servers) != 0 || memcached->timeout != timeout)) {
        memcached = memcached->next;
    }
    *made = memcached;
    if (memcached) {
        return APR_SUCCESS;
    }
    rv = apr_shm_create(&shm, sizeof(health_t) * SERVERS_MAX, NULL, pconf);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    health = memset(apr_shm_baseaddr_get(shm), 0, sizeof(health_t) * SERVERS_MAX);
    memcached = apr_pcalloc(pconf, sizeof(*memcached));
    memcached->servers_text = servers;
    memcached->log = s;
    memcached->timeout = timeout;
    for (char *each = apr_strtok(apr_pstrdup(pconf, servers), ",", &state); each;
         each = apr_strtok(NULL, ",", &state)) {
        add_server(memcached, each, &health[memcached->count], pconf);
    }
    if (!all) {
        apr_pool_cleanup_register(pconf, NULL, forget, apr_pool_cleanup_null);
    }
    memcached->next = all;
    all = memcached;
    *made = memcached;
    return APR_SUCCESS;
}

apr_status_t lims_memcached_child(lims_memcached_t *memcached, apr_pool_t *pchild)
{
    return memcached->mutex
               ? APR_SUCCESS
               : apr_thread_mutex_create(&memcached->mutex, APR_THREAD_MUTEX_DEFAULT, pchild);
}

/* --- Health --------------------------------------------------------------- */

/* Whether to send a request to a server; to one that is down, one request a second. */
static bool may_use(const server_t *server)
{
    apr_int64_t retry_at = atomic_load(&server->health->retry_at), now;

    if (!server->address) {
        return false;
    }
    if (!atomic_load(&server->health->down)) {
        return true;
    }
    now = apr_time_now();
    return now >= retry_at &&
           atomic_compare_exchange_strong(&server->health->retry_at, &retry_at, now + PAUSE);
}

/* Logs a change of state, with a bound on the lines of a flapping server; the last line
 * is always the current state. */
static void log_state(const lims_memcached_t *memcached, const server_t *server, bool down,
                      apr_status_t rv)
{
    health_t *health = server->health;
    apr_int64_t logged_at = atomic_load(&health->logged_at[down]), now = apr_time_now();

    if (atomic_load(&health->logged_down) == down || (logged_at && now - logged_at < LOG_PAUSE) ||
        !atomic_compare_exchange_strong(&health->logged_at[down], &logged_at, now)) {
        return;
    }
    atomic_store(&health->logged_down, down);
    if (down) {
        ap_log_error(APLOG_MARK, APLOG_WARNING, rv, memcached->log,
                     "LIMS0061: memcached %s does not answer; this machine counts requests by "
                     "itself meanwhile",
                     server->name);
    } else {
        ap_log_error(APLOG_MARK, APLOG_NOTICE, 0, memcached->log,
                     "LIMS0062: memcached %s answers again", server->name);
    }
}

static void note(const lims_memcached_t *memcached, const server_t *server, apr_status_t rv)
{
    health_t *health = server->health;
    bool down = rv != APR_SUCCESS;

    if (down) {
        atomic_fetch_add(&health->failures, 1);
        atomic_store(&health->retry_at, apr_time_now() + PAUSE);
    }
    if (atomic_load(&health->down) != down) {
        atomic_store(&health->down, down);
    }
    log_state(memcached, server, down, rv);
}

bool lims_memcached_state(lims_memcached_state_t *state, int index)
{
    for (const lims_memcached_t *memcached = all; memcached; memcached = memcached->next) {
        if (index < memcached->count) {
            const server_t *server = &memcached->servers[index];
            state->name = server->name;
            state->up = server->address && !atomic_load(&server->health->down);
            state->failures = atomic_load(&server->health->failures);
            return true;
        }
        index -= memcached->count;
    }
    return false;
}

/* --- Connections ---------------------------------------------------------- */

static connection_t *take_idle(lims_memcached_t *memcached, server_t *server)
{
    connection_t *connection = NULL;

    apr_thread_mutex_lock(memcached->mutex);
    if (server->idle_count) {
        connection = server->idle[--server->idle_count];
    }
    apr_thread_mutex_unlock(memcached->mutex);
    return connection;
}

static void keep(lims_memcached_t *memcached, server_t *server, connection_t *connection)
{
    bool kept = false;

    connection->used = true;
    apr_thread_mutex_lock(memcached->mutex);
    if (server->idle_count < IDLE_MAX) {
        server->idle[server->idle_count++] = connection;
        kept = true;
    }
    apr_thread_mutex_unlock(memcached->mutex);
    if (!kept) {
        apr_pool_destroy(connection->pool);
    }
}

/* Sets the socket's time-out to the time left; at least a moment, because APR takes 0
 * as no waiting and less as waiting for ever. */
static apr_status_t limit_wait(connection_t *connection, apr_time_t until)
{
    apr_interval_time_t left = until - apr_time_now();

    return left <= 0 ? APR_TIMEUP : apr_socket_timeout_set(connection->socket, left);
}

static apr_status_t connect_address(connection_t *connection, apr_sockaddr_t *address,
                                    apr_time_t until)
{
    apr_status_t rv = apr_socket_create(&connection->socket, address->family, SOCK_STREAM,
                                        APR_PROTO_TCP, connection->pool);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    apr_socket_opt_set(connection->socket, APR_TCP_NODELAY, 1);
    rv = limit_wait(connection, until);
    if (rv == APR_SUCCESS) {
        rv = apr_socket_connect(connection->socket, address);
    }
    if (rv != APR_SUCCESS) {
        apr_socket_close(connection->socket);
    }
    return rv;
}

static apr_sockaddr_t *address_at(const server_t *server, int place)
{
    apr_sockaddr_t *address = server->address;

    for (int i = 0; i < place; i++) {
        address = address->next;
    }
    return address;
}

/* Connects to the address that answered last, else to the others, each with its share
 * of the time left. */
static apr_status_t connect_any(connection_t *connection, server_t *server, apr_time_t until)
{
    int first = atomic_load(&server->answering);
    apr_status_t rv = APR_EGENERAL;

    for (int i = 0; i < server->addresses; i++) {
        int place = (first + i) % server->addresses;
        apr_time_t now = apr_time_now();
        rv = connect_address(connection, address_at(server, place),
                             now + (until - now) / (server->addresses - i));
        if (rv == APR_SUCCESS) {
            atomic_store(&server->answering, place);
            break;
        }
    }
    return rv;
}

/* Lets the next request begin with another address, after one that accepted the
 * connection did not answer. */
static void next_address(server_t *server)
{
    atomic_store(&server->answering, (atomic_load(&server->answering) + 1) % server->addresses);
}

static apr_status_t dial(connection_t **made, server_t *server, apr_time_t until)
{
    apr_allocator_t *allocator = NULL;
    connection_t *connection;
    apr_pool_t *pool = NULL;
    apr_status_t rv = apr_allocator_create(&allocator);

    if (rv == APR_SUCCESS) {
        rv = apr_pool_create_ex(&pool, NULL, NULL, allocator);
    }
    if (rv != APR_SUCCESS) {
        return rv;
    }
    apr_allocator_owner_set(allocator, pool);
    connection = apr_pcalloc(pool, sizeof(*connection));
    connection->pool = pool;
    rv = connect_any(connection, server, until);
    if (rv != APR_SUCCESS) {
        apr_pool_destroy(pool);
        return rv;
    }
    *made = connection;
    return APR_SUCCESS;
}

static apr_status_t send_all(connection_t *connection, const char *bytes, apr_size_t length,
                             apr_time_t until)
{
    apr_status_t rv = APR_SUCCESS;

    while (length > 0 && rv == APR_SUCCESS) {
        apr_size_t sent = length;
        rv = limit_wait(connection, until);
        if (rv == APR_SUCCESS) {
            rv = apr_socket_send(connection->socket, bytes, &sent);
            bytes += sent;
            length -= sent;
        }
    }
    return rv;
}

/* Whether an answer is complete: a number or an error on the first line, then the
 * counters that were read. */
static bool is_complete(const char *answer, apr_size_t length)
{
    static const char end[] = "\r\nEND\r\n";
    apr_size_t size = sizeof(end) - 1;

    return length > size && memcmp(answer + length - size, end, size) == 0;
}

/* Receives until the answer is complete, the time is over or the buffer is full. */
static apr_status_t receive(char *answer, connection_t *connection, apr_time_t until)
{
    apr_size_t length = 0;

    while (!is_complete(answer, length)) {
        apr_size_t got = ANSWER_MAX - 1 - length;
        apr_status_t rv = got ? limit_wait(connection, until) : APR_EGENERAL;
        if (rv == APR_SUCCESS) {
            rv = apr_socket_recv(connection->socket, answer + length, &got);
        }
        if (rv != APR_SUCCESS) {
            return rv;
        }
        length += got;
    }
    answer[length] = '\0';
    return APR_SUCCESS;
}

/* Sends a request on an idle connection or a new one. An idle connection that the
 * server has closed meanwhile is no failure of the server. */
static apr_status_t exchange(char *answer, lims_memcached_t *memcached, server_t *server,
                             const char *question)
{
    apr_time_t until = apr_time_now() + memcached->timeout;
    apr_status_t rv = APR_EGENERAL;
    bool again = true;

    while (again) {
        connection_t *connection = take_idle(memcached, server);
        rv = connection ? APR_SUCCESS : dial(&connection, server, until);
        if (rv != APR_SUCCESS) {
            return rv;
        }
        rv = send_all(connection, question, strlen(question), until);
        if (rv == APR_SUCCESS) {
            rv = receive(answer, connection, until);
        }
        if (rv == APR_SUCCESS && apr_isdigit(answer[0])) {
            keep(memcached, server, connection);
            return APR_SUCCESS;
        }
        if (rv == APR_SUCCESS) {
            rv = APR_ENOSPC; /* no room for a new counter, or no memcached */
        }
        again = connection->used && !APR_STATUS_IS_TIMEUP(rv);
        if (!again) {
            next_address(server);
        }
        apr_pool_destroy(connection->pool);
    }
    return rv;
}

/* --- Counters ------------------------------------------------------------- */

static const char *name_of(const lims_memcached_counter_t *counter, int back, apr_pool_t *pool)
{
    return apr_psprintf(pool, "%s:%" APR_INT64_T_FMT, counter->name, counter->number - back);
}

/* Chooses the server of a name, the same one on all machines. */
static server_t *server_of(lims_memcached_t *memcached, const char *name)
{
    apr_uint32_t hash = 2166136261u; /* FNV-1a */

    for (; *name; name++) {
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    }
    return &memcached->servers[hash % (apr_uint32_t)memcached->count];
}

/* Writes the commands: add the newest counter unless it exists, increment it, read the
 * others. */
static const char *write_request(const lims_memcached_counter_t *counter, int count,
                                 apr_pool_t *pool)
{
    apr_array_header_t *parts = apr_array_make(pool, 2 * count + 3, sizeof(const char *));
    const char *newest = name_of(counter, 0, pool);

    APR_ARRAY_PUSH(parts, const char *) = apr_psprintf(
        pool, "add %s 0 %u 1 noreply\r\n0\r\nincr %s 1\r\nget", newest, counter->lifetime, newest);
    for (int i = 1; i < count; i++) {
        APR_ARRAY_PUSH(parts, const char *) = " ";
        APR_ARRAY_PUSH(parts, const char *) = name_of(counter, i, pool);
    }
    APR_ARRAY_PUSH(parts, const char *) = "\r\n";
    return apr_array_pstrcat(pool, parts, 0);
}

/* Reads "VALUE <name>:<number> <flags> <bytes>\r\n<value>\r\n" of each existing counter;
 * a missing one is 0. */
static void read_values(apr_uint32_t *values, const lims_memcached_counter_t *counter, int count,
                        const char *answer)
{
    const char *at = strstr(answer, "VALUE ");

    while (at) {
        const char *colon = strchr(at, ':');
        const char *data = colon ? strstr(colon, "\r\n") : NULL;
        apr_int64_t back = colon ? counter->number - apr_atoi64(colon + 1) : 0;
        if (data && back > 0 && back < count) {
            values[back] = (apr_uint32_t)strtoul(data + 2, NULL, 10);
        }
        at = data ? strstr(data, "VALUE ") : NULL;
    }
}

bool lims_memcached_count(apr_uint32_t *values, lims_memcached_t *memcached,
                          const lims_memcached_counter_t *counter, int count, apr_pool_t *pool)
{
    server_t *server = server_of(memcached, counter->name);
    char *answer;
    apr_status_t rv;

    if (!may_use(server)) {
        return false;
    }
    answer = apr_palloc(pool, ANSWER_MAX);
    rv = exchange(answer, memcached, server, write_request(counter, count, pool));
    note(memcached, server, rv);
    if (rv != APR_SUCCESS) {
        return false;
    }
    memset(values, 0, sizeof(*values) * (apr_size_t)count);
    values[0] = (apr_uint32_t)strtoul(answer, NULL, 10);
    read_values(values, counter, count, answer);
    return true;
}

void lims_memcached_uncount(lims_memcached_t *memcached, const lims_memcached_counter_t *counter,
                            apr_pool_t *pool)
{
    server_t *server = server_of(memcached, counter->name);
    connection_t *connection = take_idle(memcached, server);
    const char *words = apr_psprintf(pool, "decr %s 1 noreply\r\n", name_of(counter, 0, pool));

    /* The connection that incremented is idle by now, unless another thread took it. A
     * decrement that is left out errs on the safe side. */
    if (!connection) {
        return;
    }
    if (send_all(connection, words, strlen(words), apr_time_now() + memcached->timeout) ==
        APR_SUCCESS) {
        keep(memcached, server, connection);
    } else {
        apr_pool_destroy(connection->pool);
    }
}
