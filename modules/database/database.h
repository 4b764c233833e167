/* SPDX-License-Identifier: Apache-2.0 */
/*
 * database.h - statements on PostgreSQL connections.
 *
 * The life of a connection: a pool (mod_dbd's in httpd, a single one in
 * limsctl) makes it; lims_connection_adopt() puts our state beside it once;
 * before each use lims_connection_ready() makes sure that a live, idle server
 * process with the right schema is behind it; after each use
 * lims_connection_release() rolls back whatever was left open. Statements are
 * prepared on first use, once per server process: a reset of the connection,
 * by whomever, is noticed through libpq's event and forgets them.
 *
 * Several statements travel in one round trip: lims_database_run() sends them
 * as a pipeline, which outside a transaction is one transaction of its own, so
 * that transaction-local settings made by the first hold for the others.
 *
 * Only this folder names libpq.
 */
#ifndef LIMS_DATABASE_H
#define LIMS_DATABASE_H

#include "lims.h"

/* One execution of a statement. */
typedef struct {
    lims_stmt_e statement;
    const lims_values_t *values; /* NULL: the request's */
} lims_call_t;

/* Most calls in one round trip. */
#define LIMS_CALLS_MAX 8

/* What frames the calls of a round trip. */
enum {
    LIMS_DB_BEGIN = 1 << 0, /* open a transaction before the first */
    LIMS_DB_COMMIT = 1 << 1 /* commit after the last */
};

/* State beside a PGconn, allocated once from `pool`, which lives as long as the
 * connection. `pg` is a PGconn; it stays its owner's. */
apr_status_t lims_connection_adopt(lims_connection_t **connection, void *pg, apr_pool_t *pool);

/* A connection of one's own, closed with the pool. */
const lims_error_t *lims_connection_open(lims_connection_t **connection, const char *conninfo,
                                         apr_pool_t *pool);

/* The same for a thread that has other things to do meanwhile: begun, then called
 * as often as lims_dial_socket() can be read or written, as the last step said,
 * and once in a while, for connect_timeout. Hosts and their addresses are tried
 * one after the other, as libpq does; only their names are waited for. What was
 * made, or is being made, is closed with the pool. */
typedef struct lims_dial_t lims_dial_t;

typedef enum { LIMS_DIAL_READS, LIMS_DIAL_WRITES, LIMS_DIAL_DONE, LIMS_DIAL_FAILED } lims_dial_e;

/* `conninfo` has to last as long. */
lims_dial_t *lims_dial_begin(const char *conninfo, apr_pool_t *pool);
lims_dial_e lims_dial_step(lims_dial_t *dial);
/* -1: call the next step at once. */
int lims_dial_socket(const lims_dial_t *dial);
/* Once it is done. */
lims_connection_t *lims_dial_connection(const lims_dial_t *dial);
/* Once it has failed: why the last host was not to be had. */
const lims_error_t *lims_dial_error(const lims_dial_t *dial, apr_pool_t *pool);

/* How long an answer is waited for at most; 0, the default: for ever. What is
 * overdue ends the connection. What it was before. */
apr_interval_time_t lims_connection_limit(lims_connection_t *connection,
                                          apr_interval_time_t patience);

/* Whether a server process seems to be there. Costs no round trip: one that is
 * frozen, or behind a network that was cut, seems so too. */
bool lims_connection_alive(lims_connection_t *connection);

/* Whether the connection can be lent again: alive as far as is known, and in no
 * transaction. To be asked after lims_connection_release(). */
bool lims_connection_whole(const lims_connection_t *connection);

/* Whether it was ended because an answer did not come in time. */
bool lims_connection_overdue(const lims_connection_t *connection);

/* Replaces the server process, going through the hosts of the connection string
 * again. Takes as long as its connect_timeout allows. */
const lims_error_t *lims_connection_renew(lims_connection_t *connection, apr_pool_t *pool);

/* Whether the database can be reached: connects, hangs up, and returns NULL or
 * what was wrong, on one line. */
const char *lims_connection_probe(const char *conninfo, apr_pool_t *pool);

/* What names the database that a connection string leads to, whoever connects and
 * with whichever settings: "lims@db1:5432,db2:5432", "lims@/run/postgresql:5432".
 * A host is as it is written there. A string that libpq does not understand has
 * none: "". */
const char *lims_connection_name(const char *conninfo, apr_pool_t *pool);

/* NULL, or what libpq does not understand of a connection string, on one line. */
const char *lims_connection_misspelt(const char *conninfo, apr_pool_t *pool);

/* Whether a connection string sets a keyword such as "connect_timeout". */
bool lims_connection_says(const char *conninfo, const char *keyword);

/* Makes the connection usable or says why it is not: a dead server process is
 * replaced; a new one has its schema checked, and so has one that was not asked
 * for five seconds, since a schema can be migrated under it. Of a new one it is
 * also found out whether a restored copy still has to be migrated. The error
 * is LIMS_E_SERVICE_UNAVAILABLE; its .failure says which of these it was. */
const lims_error_t *lims_connection_ready(lims_connection_t *connection, apr_pool_t *pool);

/* The same with a round trip in any case: for probes, and for connections that
 * may be dead without knowing it. */
const lims_error_t *lims_connection_check(lims_connection_t *connection, apr_pool_t *pool);

/* Rolls back an open transaction. To be called before the connection goes back
 * to its pool, whatever happened. */
void lims_connection_release(lims_connection_t *connection);

/* Runs `count` calls in one round trip on rq->connection. results[i] is the
 * outcome of calls[i], valid as long as rq->pool. `$name` parameters come from
 * the request itself. An error of any call is the outcome of all; inside a
 * transaction it is then to be rolled back by lims_connection_release(). */
const lims_error_t *lims_database_run(lims_result_t **results, lims_request_t *rq,
                                      const lims_call_t *calls, int count, unsigned frame);

/* The same in two halves, for a thread that has other things to do while the
 * database works: something to be read on lims_connection_socket() says that an
 * answer is coming in. lims_database_has_answered() takes what has come of it, and
 * waits for nothing; once it is true, or always for who would rather wait,
 * lims_database_receive() has the outcome. `calls` and `results` have to last
 * until then. */
typedef struct lims_trip_t lims_trip_t;

lims_trip_t *lims_database_send(lims_result_t **results, lims_request_t *rq,
                                const lims_call_t *calls, int count, unsigned frame);
bool lims_database_has_answered(lims_trip_t *trip);
const lims_error_t *lims_database_receive(lims_trip_t *trip);

/* The descriptor of the connection's socket, -1 if it has none. */
int lims_connection_socket(const lims_connection_t *connection);

/* One statement with the request's values. */
const lims_error_t *lims_database_call(lims_result_t **result, lims_request_t *rq,
                                       lims_stmt_e statement);

/* Rows of a result. */
int lims_result_count(const lims_result_t *result);

/* The position of a column, -1 when there is none of that name. Looked for from
 * `hint` on, for those who ask in about the order of the statement; else 0. */
int lims_result_column(const lims_result_t *result, const char *name, int hint);

/* A cell's text, NULL for SQL NULL; lives as long as the result. */
const char *lims_result_cell(const lims_result_t *result, int row, int column);

/* Likewise by name; NULL too for a column that does not exist. */
const char *lims_result_get(const lims_result_t *result, int row, const char *column);

/* A boolean cell: false for SQL NULL. */
bool lims_result_true(const lims_result_t *result, int row, const char *column);

#endif /* LIMS_DATABASE_H */
