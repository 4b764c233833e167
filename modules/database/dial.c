/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dial.c - opening a connection without blocking.
 *
 * With libpq's non-blocking functions the caller has to enforce connect_timeout, and
 * cannot continue with the next host after a time-out. So this file iterates over the
 * hosts of the connection string and their addresses itself, each with one attempt of
 * libpq and a connect_timeout of its own, as PQconnectdb() does.
 */
#include <apr_strings.h>
#include <netdb.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "database/database_private.h"
#include "kernel/error.h"
#include "kernel/time.h"

/* Time-out of an address if the connection string has no connect_timeout. */
#define TIMEOUT_DEFAULT apr_time_from_sec(10)

/* libpq's lower bound of it. */
#define TIMEOUT_MIN apr_time_from_sec(2)

/* One address to try. A NULL member is as in the connection string; the others override
 * it. */
typedef struct {
    const char *host;
    const char *address;
    const char *port;
} target_t;

struct lims_dial_t {
    apr_pool_t *pool;
    const char *conninfo;
    apr_interval_time_t timeout;
    apr_array_header_t *targets; /* target_t */
    int next;
    PGconn *pg; /* of the current attempt */
    PostgresPollingStatusType wants;
    apr_time_t until;
    lims_connection_t *connection; /* the finished connection */
    const char *problem;           /* problem of the last attempt */
};

/* --- Hosts and addresses -------------------------------------------------- */

static const char *option(const PQconninfoOption *options, const char *keyword, apr_pool_t *pool)
{
    for (; options && options->keyword; options++) {
        if (strcmp(options->keyword, keyword) == 0) {
            return options->val && *options->val ? apr_pstrdup(pool, options->val) : NULL;
        }
    }
    return NULL;
}

/* Splits a comma-separated list; an empty element is "". */
static apr_array_header_t *split(const char *list, apr_pool_t *pool)
{
    apr_array_header_t *parts = apr_array_make(pool, 4, sizeof(const char *));
    const char *comma;

    while (list && (comma = strchr(list, ','))) {
        APR_ARRAY_PUSH(parts, const char *) =
            apr_pstrmemdup(pool, list, (apr_size_t)(comma - list));
        list = comma + 1;
    }
    if (list) {
        APR_ARRAY_PUSH(parts, const char *) = list;
    }
    return parts;
}

/* Returns the element for a host, of a list with one for all, one for each, or none. */
static const char *element(const apr_array_header_t *parts, int index)
{
    if (parts->nelts == 0) {
        return NULL;
    }
    return APR_ARRAY_IDX(parts, parts->nelts == 1 ? 0 : index, const char *);
}

static void add_target(lims_dial_t *dial, const char *host, const char *address, const char *port)
{
    *(target_t *)apr_array_push(dial->targets) =
        (target_t){ .host = host, .address = address, .port = port };
}

/* Adds the addresses of a host. Blocks for the system's resolver, as libpq does. */
static void add_addresses(lims_dial_t *dial, const char *host, const char *port)
{
    struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM };
    struct addrinfo *found = NULL;
    char address[NI_MAXHOST];
    int problem = getaddrinfo(host, NULL, &hints, &found);

    if (problem) {
        dial->problem =
            apr_psprintf(dial->pool, "the host \"%s\": %s", host, gai_strerror(problem));
    }
    for (struct addrinfo *each = found; each; each = each->ai_next) {
        if (getnameinfo(each->ai_addr, each->ai_addrlen, address, sizeof(address), NULL, 0,
                        NI_NUMERICHOST) == 0) {
            add_target(dial, host, apr_pstrdup(dial->pool, address), port);
        }
    }
    if (found) {
        freeaddrinfo(found);
    }
}

static bool is_a_name(const char *host)
{
    return host && *host && *host != '/' && *host != '@';
}

static void list_targets(lims_dial_t *dial, const PQconninfoOption *options)
{
    apr_pool_t *pool = dial->pool;
    apr_array_header_t *hosts = split(option(options, "host", pool), pool);
    apr_array_header_t *addresses = split(option(options, "hostaddr", pool), pool);
    apr_array_header_t *ports = split(option(options, "port", pool), pool);
    int count = hosts->nelts > addresses->nelts ? hosts->nelts : addresses->nelts;

    if (count == 0 || option(options, "service", pool) ||
        (ports->nelts > 1 && ports->nelts != count) ||
        (hosts->nelts && addresses->nelts && hosts->nelts != addresses->nelts)) {
        /* Left to libpq, which knows its defaults or reports the problem. */
        add_target(dial, NULL, NULL, NULL);
        return;
    }
    for (int i = 0; i < count; i++) {
        const char *host = element(hosts, i), *address = element(addresses, i);
        if (is_a_name(host) && !(address && *address)) {
            add_addresses(dial, host, element(ports, i));
        } else {
            add_target(dial, host, address, element(ports, i));
        }
    }
}

static apr_interval_time_t connect_timeout_of(const PQconninfoOption *options, apr_pool_t *pool)
{
    const char *text = option(options, "connect_timeout", pool);
    long seconds = text ? strtol(text, NULL, 10) : 0;
    apr_interval_time_t timeout =
        seconds > 0 && seconds < 3600 ? apr_time_from_sec(seconds) : TIMEOUT_DEFAULT;

    return timeout < TIMEOUT_MIN ? TIMEOUT_MIN : timeout;
}

/* --- Attempts ---------------------------------------------------------------- */

static apr_status_t hang_up(void *data)
{
    lims_dial_t *dial = data;

    /* A finished connection is closed by its own cleanup. */
    PQfinish(dial->pg);
    dial->pg = NULL;
    return APR_SUCCESS;
}

lims_dial_t *lims_dial_begin(const char *conninfo, apr_pool_t *pool)
{
    lims_dial_t *dial = apr_pcalloc(pool, sizeof(*dial));
    PQconninfoOption *options = PQconninfoParse(conninfo, NULL);

    dial->pool = pool;
    dial->conninfo = conninfo;
    dial->targets = apr_array_make(pool, 4, sizeof(target_t));
    dial->timeout = connect_timeout_of(options, pool);
    list_targets(dial, options);
    PQconninfoFree(options);
    apr_pool_cleanup_register(pool, dial, hang_up, apr_pool_cleanup_null);
    return dial;
}

static void start(lims_dial_t *dial, const target_t *target)
{
    const char *keywords[5] = { "dbname" }, *values[5] = { dial->conninfo };
    int count = 1;

    /* libpq uses the last of several values. */
    if (target->host) {
        keywords[count] = "host";
        values[count++] = target->host;
    }
    if (target->address) {
        keywords[count] = "hostaddr";
        values[count++] = target->address;
    }
    if (target->port) {
        keywords[count] = "port";
        values[count++] = target->port;
    }
    dial->pg = PQconnectStartParams(keywords, values, 1);
    dial->wants = PGRES_POLLING_WRITING;
    dial->until = lims_time_monotonic() + dial->timeout;
}

static void give_up(lims_dial_t *dial, const char *problem)
{
    lims_connection_t failed = { .pg = dial->pg };

    dial->problem = problem    ? problem
                    : dial->pg ? lims_database_words(&failed, dial->pool)
                               : "there is no memory for a connection";
    hang_up(dial);
}

static bool is_ready(const lims_dial_t *dial)
{
    struct pollfd fd = { .fd = PQsocket(dial->pg),
                         .events = dial->wants == PGRES_POLLING_READING ? POLLIN : POLLOUT };

    return poll(&fd, 1, 0) != 0;
}

/* Advances the current attempt; false: it has to wait for its socket. */
static bool advance(lims_dial_t *dial)
{
    if (!dial->pg || PQstatus(dial->pg) == CONNECTION_BAD) {
        give_up(dial, NULL);
        return true;
    }
    if (!is_ready(dial)) {
        if (lims_time_monotonic() < dial->until) {
            return false;
        }
        give_up(dial, "it does not answer within connect_timeout");
        return true;
    }
    dial->wants = PQconnectPoll(dial->pg);
    if (dial->wants == PGRES_POLLING_OK) {
        if (lims_connection_adopt(&dial->connection, dial->pg, dial->pool) != APR_SUCCESS) {
            give_up(dial, "there is no memory for a connection");
        }
    } else if (dial->wants == PGRES_POLLING_FAILED) {
        give_up(dial, NULL);
    }
    return true;
}

lims_dial_e lims_dial_step(lims_dial_t *dial)
{
    while (!dial->connection) {
        if (!dial->pg) {
            if (dial->next == dial->targets->nelts) {
                return LIMS_DIAL_FAILED;
            }
            start(dial, &APR_ARRAY_IDX(dial->targets, dial->next, target_t));
            dial->next++;
        }
        if (!advance(dial)) {
            return dial->wants == PGRES_POLLING_READING ? LIMS_DIAL_READS : LIMS_DIAL_WRITES;
        }
    }
    return LIMS_DIAL_DONE;
}

int lims_dial_socket(const lims_dial_t *dial)
{
    return dial->pg ? PQsocket(dial->pg) : -1;
}

lims_connection_t *lims_dial_connection(const lims_dial_t *dial)
{
    return dial->connection;
}

const lims_error_t *lims_dial_error(const lims_dial_t *dial, apr_pool_t *pool)
{
    return lims_database_unreachable(dial->problem ? dial->problem : "no host is known", pool);
}
