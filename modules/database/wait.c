/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wait.c - the reply time-out.
 *
 * PostgreSQL's statement_timeout works only while the server does. A frozen server, or
 * one behind a broken network, never answers, and libpq would wait until the kernel
 * gives the connection up. So every wait for the socket has a time-out here. A
 * connection whose answer timed out is closed, because a late answer could be taken for
 * that of the next request.
 */
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "database/database_private.h"
#include "kernel/time.h"

void lims_database_hang_up(lims_connection_t *connection)
{
    connection->broken = true;
    if (PQsocket(connection->pg) >= 0) {
        shutdown(PQsocket(connection->pg), SHUT_RDWR);
    }
}

static int milliseconds_until(apr_time_t until)
{
    apr_interval_time_t left;

    if (!until) {
        return -1;
    }
    left = until - lims_time_monotonic();
    return left > 0 ? (int)apr_time_as_msec(left) + 1 : 0;
}

apr_time_t lims_database_deadline(const lims_connection_t *connection)
{
    return connection->timeout ? lims_time_monotonic() + connection->timeout : 0;
}

/* Sends buffered data and reads what has arrived. */
static bool exchange(lims_connection_t *connection, apr_time_t until)
{
    struct pollfd fd = { .fd = PQsocket(connection->pg), .events = POLLIN };
    int unsent = PQflush(connection->pg);
    int ready;

    if (unsent < 0 || fd.fd < 0) {
        return false;
    }
    if (unsent) {
        fd.events |= POLLOUT;
    }
    do {
        ready = poll(&fd, 1, milliseconds_until(until));
    } while (ready < 0 && errno == EINTR);
    if (ready == 0) {
        connection->overdue = true;
        lims_database_hang_up(connection);
        return false;
    }
    return !(fd.revents & ~POLLOUT) || PQconsumeInput(connection->pg);
}

PGresult *lims_database_next(lims_connection_t *connection, apr_time_t until)
{
    while (!connection->overdue && PQisBusy(connection->pg) && exchange(connection, until)) {
    }
    return connection->overdue ? NULL : PQgetResult(connection->pg);
}

PGresult *lims_database_exec(lims_connection_t *connection, const char *sql)
{
    apr_time_t until = lims_database_deadline(connection);
    PGresult *last = NULL, *next;

    PQsetnonblocking(connection->pg, 1);
    if (PQsendQuery(connection->pg, sql)) {
        while ((next = lims_database_next(connection, until))) {
            PQclear(last);
            last = next;
        }
        if (PQtransactionStatus(connection->pg) != PQTRANS_ACTIVE) {
            return last;
        }
    }
    /* The request may have been sent in part, or an answer may still arrive. */
    lims_database_hang_up(connection);
    PQclear(last);
    return NULL;
}
