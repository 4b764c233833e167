/* SPDX-License-Identifier: Apache-2.0 */
/* script.c - scripts of many SQL statements. */
#include "database/script.h"

#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "database/database_private.h"
#include "kernel/error.h"

/* Returns the line number of a character position; both count from 1. */
static int line_of(const char *text, const char *position)
{
    long left = strtol(position, NULL, 10);
    int line = 1;

    /* Positions count characters; continuation bytes of UTF-8 are not counted. */
    for (; *text && left > 1; text++) {
        line += *text == '\n';
        left -= ((unsigned char)text[1] & 0xC0) != 0x80;
    }
    return line;
}

/* lock_not_available (after lock_timeout) and deadlock_detected: other transactions hold
 * what the script needs, and it may be run again. */
static bool locked_out(const PGresult *result)
{
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);

    return strcmp(state, "55P03") == 0 || strcmp(state, "40P01") == 0;
}

static const lims_error_t *script_failure(lims_connection_t *connection, const PGresult *result,
                                          const char *file, const char *sql, apr_pool_t *pool)
{
    const char *words = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    const char *position = PQresultErrorField(result, PG_DIAG_STATEMENT_POSITION);
    const lims_error_t *error;
    const char *where = position ? apr_psprintf(pool, ", line %d,", line_of(sql, position)) : "";

    if (PQstatus(connection->pg) != CONNECTION_OK || !words) {
        return lims_database_failure(connection, NULL, pool);
    }
    error = lims_server_error(pool, LIMS_E_INTERNAL, 0, NULL, "%s%s failed and was undone: %s",
                              file, where, words);
    return locked_out(result) ? lims_database_with_retry(error, LIMS_RETRY_ROLLED_BACK, pool)
                              : error;
}

const lims_error_t *lims_script_run(lims_connection_t *connection, const char *file,
                                    const char *sql, apr_pool_t *pool)
{
    PGresult *result = PQexec(connection->pg, sql);
    ExecStatusType status = PQresultStatus(result);
    const lims_error_t *error = NULL;

    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) {
        error = script_failure(connection, result, file, sql, pool);
    }
    PQclear(result);
    return error;
}
