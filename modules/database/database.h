/* SPDX-License-Identifier: Apache-2.0 */
/*
 * database.h - statements on PostgreSQL connections.
 *
 * The life of a connection: its owner makes it (mod_dbd's pool in httpd, limsctl
 * itself); lims_connection_adopt() adds our state to it, once; before each use
 * lims_connection_ready() checks that it is alive, idle and has the right schema;
 * after each use lims_connection_release() rolls back an open transaction. Statements
 * are prepared at their first use on a server process. A libpq event tells when the
 * connection is reset, by whichever code, and clears the list of prepared ones.
 *
 * lims_database_run() sends several statements in one round trip, as a pipeline.
 * Outside a transaction the pipeline is a transaction of its own, so that local
 * settings of the first statement hold for the others.
 *
 * Only this folder uses libpq.
 */
#ifndef LIMS_DATABASE_H
#define LIMS_DATABASE_H

#include "lims.h"

/* Takes a row as it arrives; `row` has it alone, and is gone afterwards. An error is that of
 * the round trip, and no further row is given. */
typedef const lims_error_t *(lims_row_fn)(void *taker, const lims_result_t *row);

/* One execution of a statement. */
typedef struct {
    lims_stmt_e statement;
    const lims_values_t *values; /* NULL: the request's */
    lims_row_fn *each;           /* takes the rows one by one, where they would not fit memory,
                                    before it is known whether the other calls succeed; the
                                    result then has none of them. NULL: it has all */
    void *taker;                 /* of `each` */
} lims_call_t;

/* Most calls in one round trip. */
#define LIMS_CALLS_MAX 8

/* Transaction control of a round trip. */
enum {
    LIMS_DB_BEGIN = 1 << 0,  /* BEGIN before the first call */
    LIMS_DB_COMMIT = 1 << 1, /* COMMIT after the last call */
    /* One savepoint at a time, in an open transaction: */
    LIMS_DB_SAVEPOINT = 1 << 2, /* SAVEPOINT before the first call */
    LIMS_DB_RELEASE = 1 << 3,   /* RELEASE after the last call: what was done stays */
    LIMS_DB_UNDO = 1 << 4       /* ROLLBACK TO the savepoint and its RELEASE, before the first
                                   call; also after an error */
};

/* Adds our state to `pg`, a PGconn that its owner keeps and closes. Called once;
 * allocated from `pool`, which lives as long as the connection. */
apr_status_t lims_connection_adopt(lims_connection_t **connection, void *pg, apr_pool_t *pool);

/* Opens a connection; it is closed with the pool. */
const lims_error_t *lims_connection_open(lims_connection_t **connection, const char *conninfo,
                                         apr_pool_t *pool);

/* Opens a connection without blocking. Begin, then call lims_dial_step() whenever
 * lims_dial_socket() is readable or writable, as the last step said, and regularly,
 * for connect_timeout. Hosts and their addresses are tried in order, as libpq does;
 * only the resolution of names blocks. The connection is closed with the pool. */
typedef struct lims_dial_t lims_dial_t;

typedef enum { LIMS_DIAL_READS, LIMS_DIAL_WRITES, LIMS_DIAL_DONE, LIMS_DIAL_FAILED } lims_dial_e;

/* Begins to connect. The state lives in `pool`; `conninfo` must outlive it. */
lims_dial_t *lims_dial_begin(const char *conninfo, apr_pool_t *pool);
/* Continues connecting without blocking. Returns whether to wait until the socket is
 * readable or writable, or how connecting ended. */
lims_dial_e lims_dial_step(lims_dial_t *dial);
/* Returns the socket to poll; -1: call the next step at once. */
int lims_dial_socket(const lims_dial_t *dial);
/* Returns the connection once it is made. */
lims_connection_t *lims_dial_connection(const lims_dial_t *dial);
/* Returns why the last host could not be reached, once connecting has failed. */
const lims_error_t *lims_dial_error(const lims_dial_t *dial, apr_pool_t *pool);

/* Sets the reply time-out in microseconds (0, the default: none) and returns the previous
 * one. A connection whose answer times out is closed. */
apr_interval_time_t lims_connection_set_timeout(lims_connection_t *connection,
                                                apr_interval_time_t timeout);

/* Whether the server process seems alive. Costs no round trip, so that a frozen server or
 * a broken network is not noticed. */
bool lims_connection_alive(lims_connection_t *connection);

/* Whether the connection can be used again: seemingly alive and not in a transaction.
 * Call it after lims_connection_release(). */
bool lims_connection_is_reusable(const lims_connection_t *connection);

/* Whether it was closed because an answer timed out. */
bool lims_connection_timed_out(const lims_connection_t *connection);

/* Reconnects, trying the hosts of the connection string again. Blocks for its
 * connect_timeout at most, for each host. */
const lims_error_t *lims_connection_renew(lims_connection_t *connection, apr_pool_t *pool);

/* Checks whether the database can be reached: connects and disconnects. NULL, or the
 * problem on one line. */
const char *lims_connection_probe(const char *conninfo, apr_pool_t *pool);

/* Returns a canonical name of the database of a connection string, without login and
 * other settings: "lims@db1:5432,db2:5432", "lims@/run/postgresql:5432". Host names are
 * not resolved. "": libpq does not understand the string. */
const char *lims_connection_name(const char *conninfo, apr_pool_t *pool);

/* Checks the syntax of a connection string. NULL, or the problem on one line. */
const char *lims_connection_string_problem(const char *conninfo, apr_pool_t *pool);

/* Whether a connection string sets a keyword such as "connect_timeout". */
bool lims_connection_string_has(const char *conninfo, const char *keyword);

/* Makes the connection usable: reconnects if the server process is dead; checks the
 * schema of a new server process, and again after five seconds, since it may be
 * migrated meanwhile; and checks whether a new one serves a restored copy that has to
 * be migrated. The error is LIMS_E_SERVICE_UNAVAILABLE, with the check in .failure. */
const lims_error_t *lims_connection_ready(lims_connection_t *connection, apr_pool_t *pool);

/* Checks a connection likewise, but always with a round trip: for probes, and for
 * connections that may be dead although they seem alive. */
const lims_error_t *lims_connection_check(lims_connection_t *connection, apr_pool_t *pool);

/* Rolls back an open transaction. Must be called before the connection goes back to its
 * pool, also after errors. */
void lims_connection_release(lims_connection_t *connection);

/* Runs `count` calls in one round trip on rq->connection. results[i] is the result of
 * calls[i] and lives in rq->pool. `$name` parameters come from the request itself. An
 * error of any call is returned as the error of all; an open transaction must then be
 * rolled back with lims_connection_release(). */
const lims_error_t *lims_database_run(lims_result_t **results, lims_request_t *rq,
                                      const lims_call_t *calls, int count, unsigned frame);

/* A round trip without blocking: lims_database_send(), then, whenever
 * lims_connection_socket() is readable, lims_database_has_answered() until it is true,
 * then lims_database_receive(). */
typedef struct lims_trip_t lims_trip_t;

/* Sends the calls, with the parameters of lims_database_run(), and returns the round trip,
 * which lives in rq->pool. `calls` and `results` must last until it was received. */
lims_trip_t *lims_database_send(lims_result_t **results, lims_request_t *rq,
                                const lims_call_t *calls, int count, unsigned frame);

/* Reads what has arrived, without waiting. True: the answer is complete. */
bool lims_database_has_answered(lims_trip_t *trip);

/* Returns the outcome, as lims_database_run() does, and fills in the results. Blocks if
 * the answer is not complete. */
const lims_error_t *lims_database_receive(lims_trip_t *trip);

/* Returns the connection's socket; -1: it has none. */
int lims_connection_socket(const lims_connection_t *connection);

/* Runs one statement with the request's values. */
const lims_error_t *lims_database_call(lims_result_t **result, lims_request_t *rq,
                                       lims_stmt_e statement);

/* Returns the number of rows. */
int lims_result_count(const lims_result_t *result);

/* Returns the index of a column; -1: there is none of that name. The search begins at
 * `hint`, which saves time if columns are read in the order of the statement. */
int lims_result_column(const lims_result_t *result, const char *name, int hint);

/* Returns a cell's text, which lives as long as the result; NULL for SQL NULL. */
const char *lims_result_cell(const lims_result_t *result, int row, int column);

/* Returns a cell by the name of its column; NULL also if there is no such column. */
const char *lims_result_get(const lims_result_t *result, int row, const char *column);

/* Returns a boolean cell; false for SQL NULL. */
bool lims_result_true(const lims_result_t *result, int row, const char *column);

/* Binds the cells of the first row to `values` by the names of their columns, of which NULL
 * ends the list; they live as long as the result. */
void lims_result_bind(lims_values_t *values, const lims_result_t *result,
                      const char *const *columns);

#endif /* LIMS_DATABASE_H */
