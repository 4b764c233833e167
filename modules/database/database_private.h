/* SPDX-License-Identifier: Apache-2.0 */
/* database_private.h - what the files of this folder share. */
#ifndef LIMS_DATABASE_PRIVATE_H
#define LIMS_DATABASE_PRIVATE_H

#include <libpq-events.h>
#include <libpq-fe.h>

#include "database/database.h"

struct lims_connection_t {
    PGconn *pg;
    apr_interval_time_t patience;   /* longest wait for an answer, 0: for ever */
    apr_time_t checked;             /* when its schema was last found to fit, or 0 */
    bool stale;                     /* its prepared plans are to be dropped */
    bool overdue;                   /* hung up, because an answer did not come in time */
    bool unfit;                     /* whatever comes, nothing is to be asked on it again */
    bool prepared[LIMS_STMT_COUNT]; /* known to this server process */
};

struct lims_result_t {
    PGresult *pg;
};

/* --- wait.c --------------------------------------------------------------- */

/* When an answer that is asked for now is overdue; 0: never. */
apr_time_t lims_database_deadline(const lims_connection_t *connection);

/* PQgetResult() that waits until then at most. NULL: no more results, or
 * overdue. What was sent must have been sent on a non-blocking connection, or a
 * server that takes nothing would be waited for there. */
PGresult *lims_database_next(lims_connection_t *connection, apr_time_t until);

/* PQexec() with the connection's patience. NULL: no answer, or none to its end,
 * and the connection is hung up. */
PGresult *lims_database_exec(lims_connection_t *connection, const char *sql);

/* Ends a connection of which nothing good can be expected: the server finds out,
 * and the connection is unfit. What libpq has of it is the owner's to reset. */
void lims_database_hang_up(lims_connection_t *connection);

/* --- failure.c ------------------------------------------------------------ */

/* The error that a failed result (or, where it is NULL, the connection)
 * stands for, in the caller's terms. Marks on the connection that its plans are
 * stale or that it is unfit; hangs up nothing, as there may be more to read. */
const lims_error_t *lims_database_failure(lims_connection_t *connection, const PGresult *result,
                                          apr_pool_t *pool);

/* A copy of a database whose events do not follow each other yet. */
const lims_error_t *lims_database_displaced(apr_pool_t *pool);

/* No host that there is a connection to; `trouble` is copied. */
const lims_error_t *lims_database_unreachable(const char *trouble, apr_pool_t *pool);

/* The same error, of which is known what may be tried again. */
const lims_error_t *lims_database_with_retry(const lims_error_t *error, lims_retry_e retry,
                                             apr_pool_t *pool);

/* libpq's words, which end in a line break and have more between, on one line. */
const char *lims_database_one_line(const char *text, apr_pool_t *pool);

/* What libpq has to say about the connection, on one line. */
const char *lims_database_words(const lims_connection_t *connection, apr_pool_t *pool);

#endif /* LIMS_DATABASE_PRIVATE_H */
