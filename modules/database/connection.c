/* SPDX-License-Identifier: Apache-2.0 */
/*
 * connection.c - the life of a connection.
 *
 * After a restart of the database mod_dbd's driver resets the connection in place: it
 * then has a new server process without our prepared statements. libpq reports every
 * reset to the event procedure that is registered here.
 */
#include <apr_strings.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "database/migration.h"
#include "database/database_private.h"
#include "kernel/error.h"
#include "kernel/statement.h"

static void forget_server_process(lims_connection_t *connection)
{
    memset(connection->prepared, 0, sizeof(connection->prepared));
    connection->checked = 0;
    connection->stale = false;
}

/* Lifetime of a check of the schema: a migration to a schema that does not fit is
 * noticed within this time. */
#define SCHEMA_VALID apr_time_from_sec(5)

/* Reply time-out of the round trip that checks whether the database answers. */
#define CHECK_TIMEOUT apr_time_from_sec(2)

static int on_event(PGEventId event, void *info, void *data)
{
    lims_connection_t *connection = data;

    (void)info;
    if (event == PGEVT_CONNRESET) {
        forget_server_process(connection);
        connection->overdue = false;
        connection->broken = false;
    }
    return 1;
}

/* Logs notices without SQLSTATE, which come from libpq itself: data without a request,
 * or a cell out of range. The server logs its own notices. A result may outlive its
 * connection, which is therefore not used here. */
static void on_any_notice(void *data, const PGresult *result)
{
    (void)data;
    if (!PQresultErrorField(result, PG_DIAG_SQLSTATE)) {
        fprintf(stderr, "LIMS0058: libpq: %s", PQresultErrorMessage(result));
    }
}

apr_status_t lims_connection_adopt(lims_connection_t **connection, void *pg, apr_pool_t *pool)
{
    lims_connection_t *c = apr_pcalloc(pool, sizeof(*c));

    c->pg = pg;
    PQsetNoticeReceiver(c->pg, on_any_notice, NULL);
    if (!PQregisterEventProc(c->pg, on_event, "mod_lims", c)) {
        return APR_EGENERAL;
    }
    *connection = c;
    return APR_SUCCESS;
}

static apr_status_t finish(void *data)
{
    PQfinish(data);
    return APR_SUCCESS;
}

const lims_error_t *lims_connection_open(lims_connection_t **connection, const char *conninfo,
                                         apr_pool_t *pool)
{
    PGconn *pg = PQconnectdb(conninfo);
    lims_connection_t *c = NULL;

    apr_pool_cleanup_register(pool, pg, finish, apr_pool_cleanup_null);
    if (PQstatus(pg) != CONNECTION_OK || lims_connection_adopt(&c, pg, pool) != APR_SUCCESS) {
        return lims_database_unreachable(PQerrorMessage(pg), pool);
    }
    *connection = c;
    return NULL;
}

/* Ends a transaction or round trip that an interrupted use left open. */
static void make_idle(lims_connection_t *connection)
{
    if (connection->broken || PQpipelineStatus(connection->pg) != PQ_PIPELINE_OFF ||
        PQtransactionStatus(connection->pg) == PQTRANS_ACTIVE) {
        /* Answers of an abandoned round trip may still arrive; reconnecting
         * is safer than reading them. */
        lims_database_hang_up(connection);
    } else if (PQtransactionStatus(connection->pg) != PQTRANS_IDLE) {
        PQclear(lims_database_exec(connection, "ROLLBACK"));
        if (PQtransactionStatus(connection->pg) != PQTRANS_IDLE) {
            /* The server releases the locks of the transaction when the
             * connection ends. */
            lims_database_hang_up(connection);
        }
    }
}

/* Whether the error says that the table of migrations does not exist: an empty
 * database. */
static bool is_empty_database(const PGresult *result)
{
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    return state && (strcmp(state, "42P01") == 0 || strcmp(state, "3F000") == 0);
}

static bool is_forbidden(const PGresult *result)
{
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    return state && strcmp(state, "42501") == 0;
}

static const lims_migrated_t *applied_of(const PGresult *result, apr_pool_t *pool)
{
    lims_migrated_t *applied =
        apr_pcalloc(pool, sizeof(*applied) * (apr_size_t)(PQntuples(result) + 1));

    for (int i = 0; i < PQntuples(result); i++) {
        applied[i] = (lims_migrated_t){
            .version = (int)strtol(PQgetvalue(result, i, 0), NULL, 10),
            .name = PQgetvalue(result, i, 1),
            .checksum = PQgetvalue(result, i, 2),
            .compatible_since = (int)strtol(PQgetvalue(result, i, 3), NULL, 10),
        };
    }
    return applied;
}

static const lims_error_t *check_schema(lims_connection_t *connection, apr_pool_t *pool)
{
    PGresult *result = lims_database_exec(connection, lims_statements[LIMS_STMT_MIGRATIONS].sql);
    const lims_error_t *error = NULL;
    const char *misfit;

    if (is_forbidden(result)) {
        misfit = "lims_app has lost its rights on the schema lims: \"limsctl migrate\" with the "
                 "owner's connection gives them back";
    } else if (PQresultStatus(result) == PGRES_TUPLES_OK || is_empty_database(result)) {
        misfit = lims_migration_misfit(applied_of(result, pool), PQntuples(result), pool);
    } else {
        error = lims_database_failure(connection, result, pool);
        goto leave;
    }
    if (misfit) {
        error = lims_error_with_failure(
            lims_server_error(pool, LIMS_E_SERVICE_UNAVAILABLE, 39, misfit,
                              "The database schema does not fit this version of the service."),
            LIMS_FAILURE_SCHEMA, pool);
    }
leave:
    PQclear(result);
    return error;
}

/* Checks whether the database is a restored copy whose events have not been renumbered;
 * see sql/170_events.sql. Only for a new server process: later writes are refused by
 * the database itself. */
static const lims_error_t *check_events(lims_connection_t *connection, apr_pool_t *pool)
{
    PGresult *result =
        lims_database_exec(connection, lims_statements[LIMS_STMT_EVENTS_DISPLACED].sql);
    const lims_error_t *error = NULL;

    if (PQresultStatus(result) != PGRES_TUPLES_OK) {
        error = lims_database_failure(connection, result, pool);
    } else if (PQgetvalue(result, 0, 0)[0] == 't') {
        error = lims_database_restored_copy(pool);
    }
    PQclear(result);
    return error;
}

static const lims_error_t *check_fit(lims_connection_t *connection, apr_pool_t *pool)
{
    bool fresh = connection->checked == 0;
    const lims_error_t *error = check_schema(connection, pool);

    if (!error && fresh) {
        error = check_events(connection, pool);
    }
    if (!error) {
        connection->checked = apr_time_now();
    }
    return error;
}

/* Whether nothing can be read from an idle connection, neither data nor its end. */
static bool is_silent(PGconn *pg)
{
    char byte;

    return recv(PQsocket(pg), &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
           (errno == EAGAIN || errno == EWOULDBLOCK);
}

/* Receives the notices while the connection is idle: the server's last message as a
 * notice with SQLSTATE, and libpq's own about unexpected data without one. */
static void on_notice_when_idle(void *data, const PGresult *result)
{
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *severity = PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
    bool *stray = data;

    *stray = *stray || !state || (severity && strchr("EFP", severity[0]));
}

/* Whether unexpected data has arrived on an idle connection, other than notices: an
 * answer to an unknown request, after which no answer can be assigned safely. */
static bool has_strays(PGconn *pg)
{
    bool stray = false;

    PQsetNoticeReceiver(pg, on_notice_when_idle, &stray);
    PQisBusy(pg);
    PQsetNoticeReceiver(pg, on_any_notice, NULL);
    return stray;
}

/* A server process that is told to end sends a message before it disconnects: the first
 * read gets the message, the second the end. */
bool lims_connection_alive(lims_connection_t *connection)
{
    PGconn *pg = connection->pg;

    return !connection->broken && PQstatus(pg) == CONNECTION_OK &&
           (is_silent(pg) || (PQconsumeInput(pg) && PQconsumeInput(pg))) && !has_strays(pg);
}

bool lims_connection_is_reusable(const lims_connection_t *connection)
{
    return !connection->broken && PQstatus(connection->pg) == CONNECTION_OK &&
           PQpipelineStatus(connection->pg) == PQ_PIPELINE_OFF &&
           PQtransactionStatus(connection->pg) == PQTRANS_IDLE;
}

bool lims_connection_timed_out(const lims_connection_t *connection)
{
    return connection->overdue;
}

const lims_error_t *lims_connection_renew(lims_connection_t *connection, apr_pool_t *pool)
{
    PQreset(connection->pg);
    return PQstatus(connection->pg) == CONNECTION_OK
               ? NULL
               : lims_database_failure(connection, NULL, pool);
}

const lims_error_t *lims_connection_ready(lims_connection_t *connection, apr_pool_t *pool)
{
    const lims_error_t *error = NULL;

    lims_connection_release(connection);
    if (!lims_connection_alive(connection)) {
        error = lims_connection_renew(connection, pool);
    }
    if (error) {
        return error;
    }
    if (connection->stale) {
        PQclear(lims_database_exec(connection, "DEALLOCATE ALL"));
        forget_server_process(connection);
    }
    return apr_time_now() - connection->checked < SCHEMA_VALID ? NULL : check_fit(connection, pool);
}

const lims_error_t *lims_connection_check(lims_connection_t *connection, apr_pool_t *pool)
{
    apr_interval_time_t timeout = connection->timeout;
    const lims_error_t *error;

    connection->checked = 0;
    if (timeout > CHECK_TIMEOUT) {
        connection->timeout = CHECK_TIMEOUT;
    }
    error = lims_connection_ready(connection, pool);
    connection->timeout = timeout;
    return error;
}

apr_interval_time_t lims_connection_set_timeout(lims_connection_t *connection,
                                                apr_interval_time_t timeout)
{
    apr_interval_time_t before = connection->timeout;

    connection->timeout = timeout;
    return before;
}

void lims_connection_release(lims_connection_t *connection)
{
    if (PQstatus(connection->pg) == CONNECTION_OK) {
        make_idle(connection);
    }
}

const char *lims_connection_probe(const char *conninfo, apr_pool_t *pool)
{
    lims_connection_t probe = { .pg = PQconnectdb(conninfo) };
    const char *trouble =
        PQstatus(probe.pg) == CONNECTION_OK ? NULL : lims_database_words(&probe, pool);

    PQfinish(probe.pg);
    return trouble;
}

int lims_connection_socket(const lims_connection_t *connection)
{
    return PQsocket(connection->pg);
}
