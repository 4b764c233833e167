/* SPDX-License-Identifier: Apache-2.0 */
/* session.c - carrying out routes at the command line. */
#include "tool/session.h"

#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/header_fields.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/password.h"
#include "kernel/statement.h"
#include "service/service.h"

/* How often a call is begun anew after the database rolled it back for reasons
 * of its own. */
#define ATTEMPTS 3

/* Bytes of a file that a command brings: as LimsMaxUpload has it at most. */
#define FILE_MAX (64 * 1024 * 1024)

/* Shown in Location and the like; there is no server at the command line. */
#define BASE "/api/v1"

const lims_error_t *lims_session_connect(lims_connection_t **connection, const char *conninfo,
                                         apr_pool_t *pool)
{
    /* What the code relies on, whatever the user's environment says. */
    setenv("PGCLIENTENCODING", "UTF8", 1);
    setenv("PGDATESTYLE", "ISO", 1);
    setenv("PGAPPNAME", "limsctl", 0);
    return lims_connection_open(connection, conninfo ? conninfo : "", pool);
}

const lims_error_t *lims_session_open(lims_session_t **session, const char *conninfo,
                                      apr_pool_t *pool)
{
    lims_session_t *s = apr_pcalloc(pool, sizeof(*s));
    const lims_error_t *error = lims_session_connect(&s->connection, conninfo, pool);

    if (!error) {
        error = lims_connection_ready(s->connection, pool);
    }
    *session = s;
    return error;
}

/* --- Who acts ------------------------------------------------------------- */

/* Creating and listing organizations is about none of them in particular. */
static bool needs_organization(const lims_route_t *route)
{
    const lims_statement_t *statement = &lims_statements[route->statement];

    if (!(route->flags & LIMS_R_OWNER) || route->handler) {
        return true;
    }
    for (int i = 0; i < statement->count; i++) {
        if (statement->parameters[i].kind == LIMS_P_CONTEXT &&
            statement->parameters[i].context == LIMS_CONTEXT_ORGANIZATION) {
            return true;
        }
    }
    return false;
}

static const lims_error_t *check_named(const lims_session_t *session, const lims_route_t *route,
                                       apr_pool_t *pool)
{
    if (needs_organization(route) && !session->organization) {
        return lims_client_error(pool, LIMS_E_INVALID_QUERY,
                                 "Which organization? Give --organization CODE.");
    }
    if (!needs_organization(route) && (session->organization || session->user)) {
        return lims_client_error(
            pool, LIMS_E_INVALID_QUERY,
            "This is about all organizations: --organization and --user are for "
            "what is done in one of them.");
    }
    if (!lims_route_reads(route) && !(route->flags & LIMS_R_OWNER) && !session->user) {
        return lims_client_error(pool, LIMS_E_INVALID_QUERY,
                                 "Who does it? A change needs an acting user: --user EMAIL.");
    }
    if ((route->flags & LIMS_R_REASON) && !(session->reason && *session->reason)) {
        return lims_client_error(pool, LIMS_E_INVALID_QUERY, "Why? Give --reason TEXT.");
    }
    return NULL;
}

static const lims_error_t *judge_found(lims_session_t *session, lims_request_t *rq,
                                       const lims_result_t *found)
{
    if (lims_result_count(found) == 0) {
        return lims_client_error(rq->pool, LIMS_E_NOT_FOUND,
                                 "There is no organization \"%s\", or this login may not see it "
                                 "(limsctl connects as lims_owner).",
                                 session->organization);
    }
    rq->actor.organization = lims_result_get(found, 0, "organizationId");
    rq->actor.user = lims_result_get(found, 0, "userId");
    if (session->user && !lims_result_true(found, 0, "userActive")) {
        return lims_client_error(rq->pool, LIMS_E_NOT_FOUND,
                                 "The organization has no active user \"%s\".", session->user);
    }
    return NULL;
}

static const lims_error_t *find_actor(const lims_result_t **found, lims_session_t *session,
                                      lims_request_t *rq)
{
    lims_values_t *values = lims_values_create(rq->pool);
    const lims_call_t call = { .statement = LIMS_STMT_TOOL_FIND, .values = values };
    lims_result_t *row = NULL;
    const lims_error_t *error;

    if (!session->organization) {
        return NULL;
    }
    lims_values_set(values, "organizationCode", session->organization);
    lims_values_set(values, "userEmail", session->user);
    error = lims_database_run(&row, rq, &call, 1, 0);
    *found = row;
    return error ? error : judge_found(session, rq, row);
}

/* --- Signing (21 CFR 11.50, 11.200) --------------------------------------- */

static bool must_sign(const lims_session_t *session, const lims_route_t *route,
                      const lims_result_t *found)
{
    return route->meaning && ((route->flags & LIMS_R_SIGN) || session->password ||
                              lims_result_true(found, 0, "esignatureRequired"));
}

/* Checks the acting user's password, before a transaction holds any lock. */
static const lims_error_t *check_password(lims_session_t *session, lims_request_t *rq,
                                          const lims_result_t *found)
{
    const char *encoded = lims_result_get(found, 0, "passwordHash");

    if (!encoded) {
        return lims_client_error(
            rq->pool, LIMS_E_ESIGNATURE_REQUIRED,
            "This act is signed, and user \"%s\" has no password to sign with: "
            "limsctl user set-password.",
            session->user);
    }
    if (!session->password && session->ask) {
        session->password = session->ask(session);
    }
    if (!session->password) {
        return lims_client_error(rq->pool, LIMS_E_ESIGNATURE_REQUIRED,
                                 "This act is signed: give the acting user's password with "
                                 "--password-file FILE.");
    }
    if (!lims_password_verify(encoded, session->password, rq->pool)) {
        return lims_client_error(rq->pool, LIMS_E_ESIGNATURE_REQUIRED,
                                 "The password is not that of user \"%s\"; nothing was signed.",
                                 session->user);
    }
    return NULL;
}

/* A meaning is a word, or ":field" for the value of that field. */
static const char *meaning_of(const lims_request_t *rq)
{
    const char *meaning = rq->route->meaning;

    return meaning[0] == ':' ? lims_values_get(rq->values, meaning + 1) : meaning;
}

static const lims_error_t *sign(lims_request_t *rq)
{
    lims_values_t *values = lims_values_create(rq->pool);
    const lims_call_t call = { .statement = LIMS_STMT_TOOL_SIGN, .values = values };
    lims_result_t *row = NULL;
    const lims_error_t *error = NULL;

    if (rq->resource->lock) {
        /* What is signed may not change until the act is done. */
        error = lims_database_call(&row, rq, rq->resource->lock);
        if (error || lims_result_count(row) == 0) {
            return error; /* the action itself says that there is no record */
        }
    }
    lims_values_set(values, "meaning", meaning_of(rq));
    lims_values_set(values, "signs", rq->route->signs);
    lims_values_set(values, "id", lims_values_get(rq->values, "id"));
    error = lims_database_run(&row, rq, &call, 1, 0);
    if (!error) {
        rq->signature = lims_result_get(row, 0, "id");
    }
    return error;
}

/* --- One call ------------------------------------------------------------- */

static const lims_error_t *begin(lims_request_t *rq)
{
    const lims_call_t act = {
        .statement =
            rq->route->flags & LIMS_R_OWNER ? LIMS_STMT_TOOL_ACT_OWNER : LIMS_STMT_TOOL_ACT,
    };
    lims_result_t *ignored = NULL;

    return lims_database_run(&ignored, rq, &act, 1, LIMS_DB_BEGIN);
}

/* What comes before the action: see .prepare of a route. */
static const lims_error_t *get_ready(lims_request_t *rq)
{
    const lims_error_t *error = rq->route->check ? rq->route->check(rq) : NULL;

    if (error || !rq->route->work) {
        return error;
    }
    error = begin(rq);
    if (!error) {
        error = rq->route->prepare(rq);
    }
    if (!error) {
        error = lims_database_run(NULL, rq, NULL, 0, LIMS_DB_COMMIT);
    }
    return error || rq->reply->body ? error : rq->route->work(rq);
}

static const lims_error_t *transact(lims_request_t *rq, bool signs)
{
    const lims_error_t *error = get_ready(rq);

    if (error || rq->reply->body) {
        return error;
    }
    error = begin(rq);
    if (!error && signs) {
        error = sign(rq);
    }
    if (!error) {
        error = lims_route_reads(rq->route) ? lims_service_fetch(rq) : lims_service_act(rq, NULL);
    }
    if (!error && !rq->roll_back) {
        error = lims_database_run(NULL, rq, NULL, 0, LIMS_DB_COMMIT);
    }
    return error;
}

static lims_request_t *make_request(lims_session_t *session, const lims_resource_t *resource,
                                    const lims_route_t *route, lims_values_t *values,
                                    apr_pool_t *pool)
{
    lims_request_t *rq = apr_pcalloc(pool, sizeof(*rq));

    rq->pool = pool;
    rq->resource = resource;
    rq->route = route;
    rq->id = lims_request_id_create(pool);
    rq->reason = session->reason;
    rq->values = values;
    rq->connection = session->connection;
    /* There is no exchange behind this request: see lims_service_read(). */
    rq->in_transaction = true;
    rq->base = BASE;
    rq->keyring = session->keyring;
    rq->file_max = FILE_MAX;
    return rq;
}

/* A creation adds the new id to the values, which a second attempt must not
 * take for the id of a record to change. */
static lims_values_t *copy_values(const lims_values_t *values, apr_pool_t *pool)
{
    lims_values_t *copy = apr_pmemdup(pool, values, sizeof(*values));

    copy->pool = pool;
    copy->items =
        apr_pmemdup(pool, values->items, (apr_size_t)values->size * sizeof(*values->items));
    return copy;
}

static void begin_anew(lims_request_t *rq, const lims_values_t *values)
{
    rq->signature = NULL;
    rq->staged = NULL;
    rq->roll_back = false;
    rq->values = copy_values(values, rq->pool);
    rq->reply = apr_pcalloc(rq->pool, sizeof(*rq->reply));
    rq->reply->headers = apr_table_make(rq->pool, 4);
}

const lims_error_t *lims_session_call(lims_reply_t **reply, lims_session_t *session,
                                      const lims_resource_t *resource, const lims_route_t *route,
                                      lims_values_t *values, apr_pool_t *pool)
{
    lims_request_t *rq = make_request(session, resource, route, values, pool);
    const lims_result_t *found = NULL;
    const lims_error_t *error = check_named(session, route, pool);
    bool signs = false;

    if (!error) {
        error = find_actor(&found, session, rq);
    }
    if (!error && found) {
        signs = must_sign(session, route, found);
        error = signs ? check_password(session, rq, found) : NULL;
    }
    if (error) {
        return error;
    }
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        begin_anew(rq, values);
        error = lims_connection_ready(session->connection, pool);
        error = error ? error : transact(rq, signs);
        lims_connection_release(session->connection);
        if (!error || error->retry != LIMS_RETRY_ROLLED_BACK) {
            break;
        }
    }
    *reply = rq->reply;
    return error;
}
