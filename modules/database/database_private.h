/* SPDX-License-Identifier: Apache-2.0 */
/* database_private.h - types and functions that the files of this folder share. */
#ifndef LIMS_DATABASE_PRIVATE_H
#define LIMS_DATABASE_PRIVATE_H

#include <libpq-events.h>
#include <libpq-fe.h>

#include "database/database.h"

struct lims_connection_t {
    PGconn *pg;
    apr_interval_time_t timeout;    /* reply time-out; 0: none */
    apr_time_t checked;             /* when its schema was last checked, or 0 */
    bool stale;                     /* its prepared plans must be discarded */
    bool overdue;                   /* closed, because an answer timed out */
    bool broken;                    /* must not be used again */
    bool prepared[LIMS_STMT_COUNT]; /* by this server process */
};

struct lims_result_t {
    PGresult *pg;
};

/* --- wait.c --------------------------------------------------------------- */

/* Returns when the reply to a request sent now times out; 0: never. */
apr_time_t lims_database_deadline(const lims_connection_t *connection);

/* PQgetResult() with a deadline. NULL: no more results, or timed out. The request must
 * have been sent on a non-blocking connection: else sending would block if the server
 * reads nothing. */
PGresult *lims_database_next(lims_connection_t *connection, apr_time_t until);

/* PQexec() with the connection's reply time-out. NULL: no complete answer, and the
 * connection is closed. */
PGresult *lims_database_exec(lims_connection_t *connection, const char *sql);

/* Shuts the socket of a connection in an unknown state, so that the server notices, and
 * marks it as broken. The owner resets the PGconn. */
void lims_database_hang_up(lims_connection_t *connection);

/* --- failure.c ------------------------------------------------------------ */

/* Returns the error of a failed result (NULL: of the connection) for the caller. Marks
 * the connection's plans as stale or the connection as broken; does not close it, since
 * more results may follow. */
const lims_error_t *lims_database_failure(lims_connection_t *connection, const PGresult *result,
                                          apr_pool_t *pool);

/* Returns the error for a restored copy whose events have not been renumbered yet. */
const lims_error_t *lims_database_restored_copy(apr_pool_t *pool);

/* Returns the error for a database that cannot be reached; `trouble` is copied. */
const lims_error_t *lims_database_unreachable(const char *trouble, apr_pool_t *pool);

/* Returns the error with the class of its retry set. */
const lims_error_t *lims_database_with_retry(const lims_error_t *error, lims_retry_e retry,
                                             apr_pool_t *pool);

/* Joins the lines of a message of libpq's into one. */
const char *lims_database_one_line(const char *text, apr_pool_t *pool);

/* Returns libpq's error message of the connection, on one line. */
const char *lims_database_words(const lims_connection_t *connection, apr_pool_t *pool);

#endif /* LIMS_DATABASE_PRIVATE_H */
