/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.c - pipelines: several statements in one round trip.
 *
 * Sent in this order: BEGIN or SAVEPOINT if requested; for each call PREPARE, unless this server
 * process has the statement, and its execution; COMMIT if requested; a synchronisation
 * point. The answers are read in the same order up to the synchronisation point, also
 * after an error, so that the state of the connection is known. If the synchronisation
 * point was not read, the connection is closed: a late answer would be taken for that
 * of the next request, perhaps of another organization.
 */
#include <apr_strings.h>
#include <poll.h>
#include <string.h>

#include "database/database_private.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/statement.h"

#define PARAMETERS_MAX 64

/* Time-out of sending, milliseconds without progress. */
#define FLUSH_TIMEOUT 5000

/* An unnamed statement is then planned for its values. What the functions that it calls for
 * each row have prepared is not, or no longer after a few calls. */
static const char plan_for_values[] = "SELECT set_config('plan_cache_mode', 'auto', true)";

#define RELEASE "RELEASE SAVEPOINT record"

/* A message that was sent and has to be answered. */
typedef enum { SENT_FRAME, SENT_UNDO, SENT_PREPARE, SENT_CALL } sent_e;

typedef struct {
    sent_e what;
    int call; /* SENT_PREPARE, SENT_CALL: index of the call */
} sent_t;

typedef struct lims_trip_t {
    lims_request_t *rq;
    lims_connection_t *connection;
    const lims_call_t *calls;
    lims_result_t **results;
    sent_t sent[2 * LIMS_CALLS_MAX + 6];
    int count;
    int answered;    /* number of messages answered */
    bool has_result; /* the current message has its result; a NULL follows */
    unsigned frame;
    bool under_way; /* answers are outstanding */
    bool synced;    /* the synchronisation point was read */
    apr_time_t begun;
    const lims_error_t *error; /* the first error */
} trip_t;

static apr_status_t clear(void *data)
{
    PQclear(data);
    return APR_SUCCESS;
}

static const char *context_value(const lims_request_t *rq, lims_context_e context)
{
    switch (context) {
    case LIMS_CONTEXT_ORGANIZATION:
        return rq->actor.organization;
    case LIMS_CONTEXT_KEY:
        return rq->actor.key;
    case LIMS_CONTEXT_USER:
        return rq->actor.user;
    case LIMS_CONTEXT_SESSION:
        return rq->actor.session;
    case LIMS_CONTEXT_REQUEST:
        return rq->id;
    case LIMS_CONTEXT_REASON:
        return rq->reason;
    case LIMS_CONTEXT_SIGNATURE:
        return rq->signature;
    case LIMS_CONTEXT_PRINTER:
        return rq->printer ? "on" : NULL;
    case LIMS_CONTEXT_VERIFICATION:
        return rq->verification;
    case LIMS_CONTEXT_COUNT:
        break;
    }
    return NULL;
}

static void bind_values(const char **values, const lims_request_t *rq, const lims_call_t *call)
{
    const lims_statement_t *statement = &lims_statements[call->statement];
    const lims_values_t *given = call->values ? call->values : rq->values;

    for (int i = 0; i < statement->count; i++) {
        const lims_parameter_t *parameter = &statement->parameters[i];
        switch (parameter->kind) {
        case LIMS_P_VALUE:
            values[i] = lims_values_get(given, parameter->name);
            break;
        case LIMS_P_GIVEN:
            values[i] = lims_values_has(given, parameter->name) ? "t" : "f";
            break;
        case LIMS_P_CONTEXT:
            values[i] = context_value(rq, parameter->context);
            break;
        }
    }
}

static bool note(trip_t *trip, int sent, sent_e what, int call)
{
    if (sent) {
        trip->sent[trip->count++] = (sent_t){ .what = what, .call = call };
        return true;
    }
    trip->error = lims_database_failure(trip->connection, NULL, trip->rq->pool);
    return false;
}

static bool send_frame(trip_t *trip, const char *sql)
{
    int sent = PQsendQueryParams(trip->connection->pg, sql, 0, NULL, NULL, NULL, NULL, 0);
    return note(trip, sent, SENT_FRAME, 0);
}

/* Rolls back to the savepoint, which is answered by the word ROLLBACK, as a failed COMMIT. */
static bool send_undo(trip_t *trip)
{
    int sent = PQsendQueryParams(trip->connection->pg, "ROLLBACK TO SAVEPOINT record", 0, NULL,
                                 NULL, NULL, NULL, 0);

    return note(trip, sent, SENT_UNDO, 0) && send_frame(trip, RELEASE);
}

static bool send_call(trip_t *trip, int index)
{
    const lims_call_t *call = &trip->calls[index];
    const lims_statement_t *statement = &lims_statements[call->statement];
    const char *values[PARAMETERS_MAX];
    PGconn *pg = trip->connection->pg;
    bool *prepared = &trip->connection->prepared[call->statement];

    bind_values(values, trip->rq, call);
    if (statement->custom) {
        /* Overrides the connection's setting for this transaction. */
        return send_frame(trip, plan_for_values) &&
               note(trip,
                    PQsendQueryParams(pg, statement->sql, statement->count, NULL, values, NULL,
                                      NULL, 0),
                    SENT_CALL, index);
    }
    if (!*prepared) {
        int sent = PQsendPrepare(pg, statement->label, statement->sql, statement->count, NULL);
        if (!note(trip, sent, SENT_PREPARE, index)) {
            return false;
        }
        /* For a second call in this round trip; reset if PREPARE fails. */
        *prepared = true;
    }
    return note(trip,
                PQsendQueryPrepared(pg, statement->label, statement->count, values, NULL, NULL, 0),
                SENT_CALL, index);
}

static bool send_all(trip_t *trip, int count, unsigned frame)
{
    if (((frame & LIMS_DB_BEGIN) && !send_frame(trip, "BEGIN")) ||
        ((frame & LIMS_DB_UNDO) && !send_undo(trip)) ||
        ((frame & LIMS_DB_SAVEPOINT) && !send_frame(trip, "SAVEPOINT record"))) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        if (!send_call(trip, i)) {
            return false;
        }
    }
    if (((frame & LIMS_DB_RELEASE) && !send_frame(trip, RELEASE)) ||
        ((frame & LIMS_DB_COMMIT) && !send_frame(trip, "COMMIT"))) {
        return false;
    }
    if (!PQpipelineSync(trip->connection->pg)) {
        trip->error = lims_database_failure(trip->connection, NULL, trip->rq->pool);
        return false;
    }
    return true;
}

/* Whether a COMMIT was answered by ROLLBACK, because the transaction had failed. */
static bool was_rolled_back(const sent_t *sent, PGresult *result)
{
    return sent->what == SENT_FRAME && strcmp(PQcmdStatus(result), "ROLLBACK") == 0;
}

/* Handles a result that is not a success. A result that is not expected at all means
 * that answers no longer match requests: the connection is closed. */
static void refuse(trip_t *trip, const PGresult *result)
{
    ExecStatusType status = PQresultStatus(result);

    if (!trip->error && status != PGRES_PIPELINE_ABORTED) {
        trip->error = lims_database_failure(trip->connection, result, trip->rq->pool);
    }
    if (status != PGRES_FATAL_ERROR && status != PGRES_PIPELINE_ABORTED) {
        trip->connection->broken = true;
    }
}

/* Whether the rows of the message that is answered next are taken one by one. */
static const lims_call_t *taken_each(const trip_t *trip)
{
    const sent_t *sent = &trip->sent[trip->answered];

    return trip->answered < trip->count && sent->what == SENT_CALL && trip->calls[sent->call].each
               ? &trip->calls[sent->call]
               : NULL;
}

/* Has libpq give rows one by one, which it takes before the first answer of a message. */
static void prepare_next(trip_t *trip)
{
    if (taken_each(trip) && !PQsetSingleRowMode(trip->connection->pg) && !trip->error) {
        trip->error = lims_database_failure(trip->connection, NULL, trip->rq->pool);
    }
}

static void take_row(trip_t *trip, PGresult *result)
{
    const lims_call_t *call = taken_each(trip);
    const lims_result_t row = { .pg = result };

    if (!trip->error) {
        trip->error = call->each(call->taker, &row);
    }
    PQclear(result);
}

static void take(trip_t *trip, const sent_t *sent, PGresult *result)
{
    apr_pool_t *pool = trip->rq->pool;

    switch (PQresultStatus(result)) {
    case PGRES_TUPLES_OK:
    case PGRES_COMMAND_OK:
        if (was_rolled_back(sent, result) && !trip->error) {
            trip->error =
                lims_server_error(pool, LIMS_E_INTERNAL, 40, "COMMIT answered by ROLLBACK",
                                  "The request could not be carried out.");
        }
        if (sent->what == SENT_CALL) {
            trip->results[sent->call] = apr_palloc(pool, sizeof(lims_result_t));
            trip->results[sent->call]->pg = result;
            apr_pool_cleanup_register(pool, result, clear, apr_pool_cleanup_null);
            return;
        }
        break;
    default:
        refuse(trip, result);
        if (sent->what == SENT_PREPARE) {
            trip->connection->prepared[trip->calls[sent->call].statement] = false;
        }
        break;
    }
    PQclear(result);
}

/* Handles the results after the last answer: the synchronisation point, perhaps after an
 * error in committing the implicit transaction. */
static void handle_last(trip_t *trip, PGresult *result)
{
    if (PQresultStatus(result) == PGRES_PIPELINE_SYNC) {
        trip->synced = true;
        trip->under_way = false;
    } else {
        refuse(trip, result);
    }
    PQclear(result);
}

/* Handles the next result: for each message an answer and a NULL, in the end the
 * synchronisation point. False: that was the end, or the connection is lost. */
static bool handle_next(trip_t *trip, PGresult *result)
{
    bool last = trip->answered == trip->count;

    if (!result && (!trip->has_result || PQstatus(trip->connection->pg) != CONNECTION_OK)) {
        if (!trip->error) {
            trip->error = lims_database_failure(trip->connection, NULL, trip->rq->pool);
        }
        trip->under_way = false;
    } else if (!result) {
        trip->answered += !last;
        trip->has_result = false;
        prepare_next(trip);
    } else if (PQresultStatus(result) == PGRES_SINGLE_TUPLE && taken_each(trip)) {
        take_row(trip, result);
    } else if (trip->has_result) {
        refuse(trip, result);
        PQclear(result);
    } else if (last) {
        trip->has_result = true;
        handle_last(trip, result);
    } else {
        trip->has_result = true;
        take(trip, &trip->sent[trip->answered], result);
    }
    return trip->under_way;
}

static void receive_all(trip_t *trip)
{
    apr_time_t until = lims_database_deadline(trip->connection);

    while (handle_next(trip, lims_database_next(trip->connection, until))) {
    }
}

bool lims_database_has_answered(lims_trip_t *trip)
{
    PGconn *pg = trip->connection->pg;

    if (trip->under_way && PQconsumeInput(pg)) {
        while (!PQisBusy(pg)) {
            if (!handle_next(trip, PQgetResult(pg))) {
                return true;
            }
        }
        return false;
    }
    return true;
}

/* Sets the class of retry after a lost connection: if COMMIT was not sent, the
 * transaction was rolled back and can be repeated; else its outcome is unknown. */
static const lims_error_t *classify_loss(const lims_error_t *error, const lims_request_t *rq,
                                         unsigned frame)
{
    bool overdue = rq->connection->overdue;
    lims_error_t *judged;

    if (!error || (error->retry != LIMS_RETRY_LOST && !overdue)) {
        return error;
    }
    if (frame & LIMS_DB_COMMIT) {
        judged = apr_pmemdup(rq->pool, error, sizeof(*error));
        judged->message = "The database was lost before it confirmed the change, which may have "
                          "been made or not: read the record, or repeat the request with the "
                          "same Idempotency-Key.";
        return judged;
    }
    return (rq->in_transaction || (frame & LIMS_DB_BEGIN)) && !overdue
               ? lims_database_with_retry(error, LIMS_RETRY_ROLLED_BACK, rq->pool)
               : error;
}

/* Sends everything that is buffered, blocking. */
static bool flush(PGconn *pg)
{
    struct pollfd wait = { .fd = PQsocket(pg), .events = POLLIN | POLLOUT };
    int left;

    while ((left = PQflush(pg)) > 0) {
        if (poll(&wait, 1, FLUSH_TIMEOUT) <= 0 ||
            ((wait.revents & POLLIN) && !PQconsumeInput(pg))) {
            return false;
        }
    }
    return left == 0;
}

static trip_t *begin(lims_result_t **results, lims_request_t *rq, const lims_call_t *calls,
                     int count, unsigned frame)
{
    trip_t *trip = apr_pcalloc(rq->pool, sizeof(*trip));
    PGconn *pg = rq->connection->pg;

    trip->rq = rq;
    trip->connection = rq->connection;
    trip->calls = calls;
    trip->results = results;
    trip->frame = frame;
    trip->begun = apr_time_now();
    PQsetnonblocking(pg, 1);
    if (!PQenterPipelineMode(pg)) {
        trip->error = lims_database_failure(rq->connection, NULL, rq->pool);
    } else {
        trip->under_way = send_all(trip, count, frame);
    }
    return trip;
}

lims_trip_t *lims_database_send(lims_result_t **results, lims_request_t *rq,
                                const lims_call_t *calls, int count, unsigned frame)
{
    trip_t *trip = begin(results, rq, calls, count, frame);

    if (trip->under_way && !flush(rq->connection->pg)) {
        trip->under_way = false;
        trip->error = lims_database_failure(rq->connection, NULL, rq->pool);
    }
    return trip;
}

const lims_error_t *lims_database_receive(lims_trip_t *trip)
{
    PGconn *pg = trip->connection->pg;

    if (trip->under_way) {
        receive_all(trip);
    }
    if (!trip->synced || !PQexitPipelineMode(pg)) {
        if (!trip->error) {
            trip->error = lims_database_failure(trip->connection, NULL, trip->rq->pool);
        }
        lims_database_hang_up(trip->connection);
    }
    trip->rq->usage.trips++;
    trip->rq->usage.database += apr_time_now() - trip->begun;
    return classify_loss(trip->error, trip->rq, trip->frame);
}

const lims_error_t *lims_database_run(lims_result_t **results, lims_request_t *rq,
                                      const lims_call_t *calls, int count, unsigned frame)
{
    return lims_database_receive(begin(results, rq, calls, count, frame));
}

const lims_error_t *lims_database_call(lims_result_t **result, lims_request_t *rq,
                                       lims_stmt_e statement)
{
    const lims_call_t call = { .statement = statement };
    return lims_database_run(result, rq, &call, 1, 0);
}

int lims_result_count(const lims_result_t *result)
{
    return PQntuples(result->pg);
}

int lims_result_column(const lims_result_t *result, const char *name, int hint)
{
    int count = PQnfields(result->pg);

    /* PQfnumber folds case and strips quotes; the names here are exact. */
    for (int i = 0; i < count; i++) {
        int column = (hint + i) % count;
        if (strcmp(PQfname(result->pg, column), name) == 0) {
            return column;
        }
    }
    return -1;
}

const char *lims_result_cell(const lims_result_t *result, int row, int column)
{
    if (column < 0 || PQgetisnull(result->pg, row, column)) {
        return NULL;
    }
    return PQgetvalue(result->pg, row, column);
}

const char *lims_result_get(const lims_result_t *result, int row, const char *column)
{
    return lims_result_cell(result, row, lims_result_column(result, column, 0));
}

bool lims_result_true(const lims_result_t *result, int row, const char *column)
{
    const char *text = lims_result_get(result, row, column);
    return text && text[0] == 't';
}

void lims_result_bind(lims_values_t *values, const lims_result_t *result,
                      const char *const *columns)
{
    for (; *columns; columns++) {
        lims_values_set(values, *columns, lims_result_get(result, 0, *columns));
    }
}
