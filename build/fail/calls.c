/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls.c - the calls of libpq that can fail, with turns at which they do.
 *
 * A call that is refused returns what its documentation gives for failure, and
 * libpq has not seen it: the connection is then not where its user believes. A
 * connection that is cut is cut on its socket, and libpq finds out for itself.
 */
#include <dlfcn.h>
#include <libpq-fe.h>
#include <libpq-events.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "fail.h"

static void *real(const char *name)
{
    static void *library;
    void *address;

    if (!library) {
        library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    }
    address = library ? dlsym(library, name) : NULL;
    if (!address) {
        fprintf(stderr, "calls.so: no %s in libpq\n", name);
        abort();
    }
    return address;
}

static int socket_of(const PGconn *connection)
{
    int (*number)(const PGconn *) = (int (*)(const PGconn *))real("PQsocket");
    return number(connection);
}

static bool refused(const char *name, const PGconn *connection)
{
    if (fail_now(FAIL_LINK, name) && connection && socket_of(connection) >= 0) {
        shutdown(socket_of(connection), SHUT_RDWR);
    }
    return fail_now(FAIL_CALL, name);
}

/* A function of libpq: its type, its name, its parameters, what it is given,
 * and what it returns when it fails. */
#define CALL(type, name, parameters, arguments, connection, failure)                              \
    type name parameters                                                                          \
    {                                                                                             \
        static type(*actual) parameters;                                                          \
        actual = actual ? actual : (type(*) parameters)real(#name);                               \
        return refused(#name, connection) ? failure : actual arguments;                           \
    }

CALL(PGconn *, PQconnectdb, (const char *conninfo), (conninfo), NULL, NULL)
CALL(PGconn *, PQconnectStart, (const char *conninfo), (conninfo), NULL, NULL)
CALL(PostgresPollingStatusType, PQconnectPoll, (PGconn * c), (c), c, PGRES_POLLING_FAILED)
CALL(int, PQresetStart, (PGconn * c), (c), c, 0)
CALL(PostgresPollingStatusType, PQresetPoll, (PGconn * c), (c), c, PGRES_POLLING_FAILED)
CALL(int, PQregisterEventProc, (PGconn * c, PGEventProc proc, const char *name, void *data),
     (c, proc, name, data), c, 0)
CALL(int, PQsetnonblocking, (PGconn * c, int to), (c, to), c, -1)
CALL(int, PQconsumeInput, (PGconn * c), (c), c, 0)
CALL(int, PQflush, (PGconn * c), (c), c, -1)
CALL(int, PQenterPipelineMode, (PGconn * c), (c), c, 0)
CALL(int, PQexitPipelineMode, (PGconn * c), (c), c, 0)
CALL(int, PQpipelineSync, (PGconn * c), (c), c, 0)
CALL(int, PQsendFlushRequest, (PGconn * c), (c), c, 0)
CALL(int, PQsendQuery, (PGconn * c, const char *query), (c, query), c, 0)
CALL(int, PQsendQueryParams,
     (PGconn * c, const char *command, int count, const Oid *types, const char *const *values,
      const int *lengths, const int *formats, int format),
     (c, command, count, types, values, lengths, formats, format), c, 0)
CALL(int, PQsendPrepare,
     (PGconn * c, const char *name, const char *query, int count, const Oid *types),
     (c, name, query, count, types), c, 0)
CALL(int, PQsendQueryPrepared,
     (PGconn * c, const char *name, int count, const char *const *values, const int *lengths,
      const int *formats, int format),
     (c, name, count, values, lengths, formats, format), c, 0)
CALL(PGresult *, PQgetResult, (PGconn * c), (c), c, NULL)
CALL(PGresult *, PQexec, (PGconn * c, const char *query), (c, query), c, NULL)
CALL(PGresult *, PQexecParams,
     (PGconn * c, const char *command, int count, const Oid *types, const char *const *values,
      const int *lengths, const int *formats, int format),
     (c, command, count, types, values, lengths, formats, format), c, NULL)

/* A reset that fails leaves a connection that is none. */
void PQreset(PGconn *c)
{
    void (*actual)(PGconn *) = (void (*)(PGconn *))real("PQreset");
    int (*begin)(PGconn *) = (int (*)(PGconn *))real("PQresetStart");

    if (fail_now(FAIL_CALL, "PQreset") || fail_now(FAIL_LINK, "PQreset")) {
        begin(c);
        return;
    }
    actual(c);
}
