/* SPDX-License-Identifier: Apache-2.0 */
/*
 * failure.c - maps PostgreSQL's errors (SQLSTATE) to the API's.
 *
 * The schema raises LM001 if a laboratory rule refuses, with the contract's slug in
 * DETAIL and a message for people in MESSAGE; LM401 if a key is not accepted; LM503 if
 * a restored copy must not be written yet; LM500 if the context that a statement needs
 * is missing. Any other error is a value that validation should have refused (answered
 * 400 and logged), a transient problem (503) or a defect (500).
 */
#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

#include "database/database_private.h"
#include "kernel/blocker.h"
#include "kernel/error.h"
#include "kernel/json.h"
#include "kernel/writer.h"

#define FAILED "The request could not be carried out."
#define CONTENDED "Others were changing the same records; try again."
#define INCAPABLE                                                                                  \
    "The database cannot do this at the moment; nothing was changed. Try again shortly."
#define UNAVAILABLE "The database is out of reach at the moment; try again shortly."

static bool in_class(const char *state, const char *prefix)
{
    return strncmp(state, prefix, strlen(prefix)) == 0;
}

static bool ends_with(const char *text, const char *suffix)
{
    apr_size_t length = strlen(text), tail = strlen(suffix);

    return length >= tail && strcmp(text + length - tail, suffix) == 0;
}

static const char *field_of(const PGresult *result, int code)
{
    const char *text = result ? PQresultErrorField(result, code) : NULL;
    return text ? text : "";
}

const lims_error_t *lims_database_with_retry(const lims_error_t *error, lims_retry_e retry,
                                             apr_pool_t *pool)
{
    lims_error_t *copy = apr_pmemdup(pool, error, sizeof(*error));
    copy->retry = retry;
    return copy;
}

/* Whether the error lists blockers, also if a rule of the database raised it. */
static bool is_gate(lims_error_e kind)
{
    return kind == LIMS_E_ESIGNATURE_REQUIRED ||
           (kind >= LIMS_E_INCOMPLETE_SAMPLE && kind <= LIMS_E_TEST_VERIFIED_LOCKED) ||
           (kind >= LIMS_E_QC_PENDING && kind <= LIMS_E_RETEST_UNDECIDED);
}

/* Writes lists of ids by name, in the form of lims.refuse_for(). */
static void write_ids(lims_writer_t *w, const char *ids, apr_pool_t *pool)
{
    lims_json_t *root = NULL;

    if (!*ids || lims_json_parse(&root, ids, strlen(ids), pool)) {
        return;
    }
    for (const lims_json_t *list = root->first; list; list = list->next) {
        lims_writer_key(w, list->name);
        lims_writer_array_begin(w);
        for (const lims_json_t *id = list->first; id; id = id->next) {
            lims_writer_raw(w, id->text);
        }
        lims_writer_array_end(w);
    }
}

static const char *blocker_of(const char *slug, const char *message, const char *ids,
                              apr_pool_t *pool)
{
    lims_writer_t *w = lims_writer_create(pool);
    apr_size_t length;

    lims_writer_array_begin(w);
    lims_writer_object_begin(w);
    lims_writer_key(w, "slug");
    lims_writer_string(w, slug);
    lims_writer_key(w, "message");
    lims_writer_string(w, lims_sentence(message, pool));
    lims_writer_key(w, "clearedBy");
    lims_writer_string(w, lims_blocker_cleared_by(slug));
    write_ids(w, ids, pool);
    lims_writer_object_end(w);
    lims_writer_array_end(w);
    return apr_pstrcat(pool, "\"blockers\":", lims_writer_finish(&length, w), NULL);
}

static const lims_error_t *refused_by_rule(const PGresult *result, apr_pool_t *pool)
{
    const char *slug = field_of(result, PG_DIAG_MESSAGE_DETAIL);
    const char *message = apr_pstrdup(pool, field_of(result, PG_DIAG_MESSAGE_PRIMARY));
    lims_error_e kind = lims_error_by_slug(slug);

    if (kind == LIMS_E_COUNT) {
        return lims_server_error(
            pool, LIMS_E_INTERNAL, 31,
            apr_psprintf(pool, "rule of unknown slug \"%s\": %s", slug, message), FAILED);
    }
    if (is_gate(kind)) {
        const char *ids = field_of(result, PG_DIAG_MESSAGE_HINT);

        return lims_client_error_with(pool, kind, blocker_of(slug, message, ids, pool), "%s",
                                      message);
    }
    return lims_client_error(pool, kind, "%s", message);
}

/* Returns the field of a violated constraint, whose name is made of table and column:
 * "client_code" of table "client" is the field "code", "sample_test_reagent_lot_id" the
 * field "reagentLotId". */
static const char *field_of_constraint(const PGresult *result, apr_pool_t *pool)
{
    static const char *const endings[] = { "_fkey", "_key", "_idx" };
    const char *table = field_of(result, PG_DIAG_TABLE_NAME);
    char *name = apr_pstrdup(pool, field_of(result, PG_DIAG_CONSTRAINT_NAME));
    char *out;

    if (*table && in_class(name, table) && name[strlen(table)] == '_') {
        name += strlen(table) + 1;
    }
    /* A name that PostgreSQL made: "organization_id_sample_id_fkey"; on partitions also
     * those of named constraints. */
    if (in_class(name, "organization_id_")) {
        name += strlen("organization_id_");
        for (apr_size_t i = 0; i < LIMS_LENGTH(endings); i++) {
            if (ends_with(name, endings[i])) {
                name[strlen(name) - strlen(endings[i])] = '\0';
            }
        }
    }
    out = name;
    for (const char *in = name; *in; in++) {
        if (*in == '_' && in[1]) {
            in++;
            *out++ = (char)apr_toupper(*in);
        } else {
            *out++ = *in;
        }
    }
    *out = '\0';
    return name;
}

static const lims_error_t *refused_by_constraint(const PGresult *result, const char *state,
                                                 const char *cause, apr_pool_t *pool)
{
    const char *field = field_of_constraint(result, pool);

    if (strcmp(state, "23505") == 0) {
        return lims_client_error(pool, LIMS_E_INVALID_BODY,
                                 "%s: another record of your organization has this value already.",
                                 field);
    }
    if (strcmp(state, "23503") == 0) {
        return lims_client_error(pool, LIMS_E_INVALID_REFERENCE,
                                 "%s: there is no such record in your organization.", field);
    }
    return lims_server_error(pool, LIMS_E_INVALID_BODY, 32, cause, "%s: the value is not accepted.",
                             *field ? field : "body");
}

/* Whether a table, column or function is missing or different: the schema was migrated
 * since it was last checked, or there is a defect. A new check of the schema tells. */
static bool is_about_the_schema(const char *state)
{
    return (in_class(state, "42") && strcmp(state, "42501") != 0) || strcmp(state, "3F000") == 0 ||
           strcmp(state, "XX000") == 0;
}

const lims_error_t *lims_database_restored_copy(apr_pool_t *pool)
{
    const lims_error_t *error = lims_server_error(
        pool, LIMS_E_SERVICE_UNAVAILABLE, 364,
        "the database is a copy, and its events come from another cluster, whose "
        "transactions are numbered otherwise: run \"limsctl migrate\" with the "
        "owner's connection",
        "The database was restored and is not ready yet; nothing was changed. Try "
        "again later.");

    return lims_error_with_failure(error, LIMS_FAILURE_RESTORED, pool);
}

static const lims_error_t *plan_is_stale(lims_connection_t *connection, const char *cause,
                                         apr_pool_t *pool)
{
    connection->stale = true;
    return lims_database_with_retry(
        lims_server_error(pool, LIMS_E_SERVICE_UNAVAILABLE, 33, cause, UNAVAILABLE),
        LIMS_RETRY_ROLLED_BACK, pool);
}

/* Whether the error is about a value out of range or of a wrong form. Validation should
 * have refused it, so it is logged. */
static bool is_about_a_value(const char *state)
{
    static const char *const states[] = { "22001", "22003", "22007", "22008",
                                          "22009", "22021", "22P02", "22P05" };

    for (apr_size_t i = 0; i < LIMS_LENGTH(states); i++) {
        if (strcmp(state, states[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether the server process ends: shutdown, terminated by an administrator, or idle in
 * a transaction for too long. */
static bool is_hanging_up(const char *state)
{
    static const char *const states[] = { "57P01", "57P02", "57P05", "25P03" };

    for (apr_size_t i = 0; i < LIMS_LENGTH(states); i++) {
        if (strcmp(state, states[i]) == 0) {
            return true;
        }
    }
    return in_class(state, "08");
}

/* The error if the server is full, starting, damaged or a standby. Only for a standby is
 * the connection broken: another host of the connection string may be the new primary. */
static const lims_error_t *cannot_now(lims_connection_t *connection, const char *state,
                                      const char *cause, apr_pool_t *pool)
{
    const lims_error_t *error =
        lims_server_error(pool, LIMS_E_SERVICE_UNAVAILABLE, 45, cause, INCAPABLE);

    if (strcmp(state, "25006") != 0) {
        return error;
    }
    connection->broken = true;
    return lims_database_with_retry(error, LIMS_RETRY_ROLLED_BACK, pool);
}

static const lims_error_t *broken(lims_connection_t *connection, const char *state,
                                  const char *cause, apr_pool_t *pool)
{
    const lims_error_t *error = lims_server_error(pool, LIMS_E_INTERNAL, 37, cause, FAILED);

    if (!is_about_the_schema(state)) {
        return error;
    }
    connection->stale = true;
    return lims_database_with_retry(error, LIMS_RETRY_ROLLED_BACK, pool);
}

static const lims_error_t *by_state(lims_connection_t *connection, const PGresult *result,
                                    const char *state, const char *cause, apr_pool_t *pool)
{
    if (strcmp(state, "LM001") == 0) {
        return refused_by_rule(result, pool);
    }
    if (strcmp(state, "LM401") == 0) {
        return lims_server_error(pool, LIMS_E_UNAUTHORIZED, 0, cause,
                                 "The API key is missing, unknown, revoked or not entitled.");
    }
    if (strcmp(state, "LM503") == 0) {
        return lims_database_restored_copy(pool);
    }
    if (strcmp(state, "LM500") == 0) {
        return lims_server_error(pool, LIMS_E_INTERNAL, 366, cause, FAILED);
    }
    if (strcmp(state, "26000") == 0 || strcmp(state, "0A000") == 0) {
        return plan_is_stale(connection, cause, pool);
    }
    if (in_class(state, "23")) {
        return refused_by_constraint(result, state, cause, pool);
    }
    if (is_about_a_value(state)) {
        return lims_server_error(pool, LIMS_E_INVALID_BODY, 34, cause,
                                 "A value is outside the range that can be stored.");
    }
    if (strcmp(state, "40001") == 0 || strcmp(state, "40P01") == 0) {
        return lims_database_with_retry(
            lims_server_error(pool, LIMS_E_SERVICE_UNAVAILABLE, 35, cause, CONTENDED),
            LIMS_RETRY_ROLLED_BACK, pool);
    }
    if (strcmp(state, "57014") == 0 || strcmp(state, "55P03") == 0) {
        /* statement_timeout or lock_timeout; a retry would take as
         * long. */
        return lims_error_with_failure(
            lims_server_error(pool, LIMS_E_SERVICE_UNAVAILABLE, 43, cause,
                              "The request took too long and was given up; try again later."),
            LIMS_FAILURE_TIMEOUT, pool);
    }
    if (is_hanging_up(state)) {
        return lims_database_with_retry(
            lims_server_error(pool, LIMS_E_SERVICE_UNAVAILABLE, 36, cause, UNAVAILABLE),
            LIMS_RETRY_LOST, pool);
    }
    if (strcmp(state, "25006") == 0 || in_class(state, "53") || in_class(state, "57") ||
        in_class(state, "58")) {
        return cannot_now(connection, state, cause, pool);
    }
    return broken(connection, state, cause, pool);
}

const char *lims_database_one_line(const char *text, apr_pool_t *pool)
{
    char *words = apr_pstrdup(pool, text);
    apr_size_t length = strlen(words);

    while (length && apr_isspace(words[length - 1])) {
        words[--length] = '\0';
    }
    for (char *c = words; *c; c++) {
        *c = apr_iscntrl(*c) ? ' ' : *c;
    }
    return words;
}

const lims_error_t *lims_database_unreachable(const char *trouble, apr_pool_t *pool)
{
    const char *words = lims_database_one_line(trouble, pool);

    return lims_server_error(pool, LIMS_E_SERVICE_UNAVAILABLE, 30, words,
                             "The database cannot be reached: %s", words);
}

const char *lims_database_words(const lims_connection_t *connection, apr_pool_t *pool)
{
    const char *words = lims_database_one_line(PQerrorMessage(connection->pg), pool);

    /* libpq reports no error for an answer without a request. */
    return *words ? words : "an answer that nothing had asked for";
}

const lims_error_t *lims_database_failure(lims_connection_t *connection, const PGresult *result,
                                          apr_pool_t *pool)
{
    const char *state = field_of(result, PG_DIAG_SQLSTATE);
    const char *cause =
        *state ? apr_pstrcat(pool, state, " ", field_of(result, PG_DIAG_MESSAGE_PRIMARY), NULL)
               : lims_database_words(connection, pool);

    if (connection->overdue) {
        /* Not retried: it would take as long again. */
        cause = apr_psprintf(pool,
                             "no answer within %" APR_TIME_T_FMT " ms, the connection is given up",
                             apr_time_as_msec(connection->timeout));
        return lims_error_with_failure(
            lims_server_error(pool, LIMS_E_SERVICE_UNAVAILABLE, 46, cause, UNAVAILABLE),
            LIMS_FAILURE_UNREACHABLE, pool);
    }
    if (!*state) {
        /* libpq itself failed: the connection to the server is lost. */
        return lims_database_with_retry(
            lims_server_error(pool, LIMS_E_SERVICE_UNAVAILABLE, 38, cause, UNAVAILABLE),
            LIMS_RETRY_LOST, pool);
    }
    return by_state(connection, result, state, cause, pool);
}
