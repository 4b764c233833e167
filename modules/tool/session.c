/* SPDX-License-Identifier: Apache-2.0 */
/* session.c - execution of routes at the command line. */
#include "tool/session.h"

#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include "kernel/header_fields.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/statement.h"
#include "service/permitted.h"
#include "service/retry.h"
#include "service/service.h"
#include "service/signing.h"
#include "tool/signed_preview.h"
#include "tool/tool.h"

/* The command line has no server: Location has the default base path of the API. */
static const lims_settings_t settings = { .surface = LIMS_SURFACE_TOOL, .base = LIMS_API_PREFIX };

const lims_error_t *lims_session_connect(lims_connection_t **connection, const char *conninfo,
                                         apr_pool_t *pool)
{
    /* Settings that the code relies on; they override the user's environment. */
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

/* False for creating and listing organizations, which concern no single organization. */
static bool needs_organization(const lims_route_t *route)
{
    const lims_statement_t *statement = &lims_statements[route->statement];

    if (!(route->flags & LIMS_R_OWNER) || route->statement == LIMS_STMT_NONE) {
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

static const lims_error_t *check_options(const lims_session_t *session, const lims_route_t *route,
                                         apr_pool_t *pool)
{
    if (needs_organization(route) && !session->organization) {
        return lims_client_error(pool, LIMS_E_INVALID_QUERY,
                                 "No organization is named: give --organization CODE.");
    }
    if (!needs_organization(route) && (session->organization || session->user)) {
        return lims_client_error(
            pool, LIMS_E_INVALID_QUERY,
            "This command is for all organizations: do not give --organization or --user.");
    }
    if (!lims_route_reads(route) && !(route->flags & LIMS_R_OWNER) && !session->user) {
        return lims_client_error(pool, LIMS_E_INVALID_QUERY,
                                 "A change needs an acting user: give --user EMAIL.");
    }
    if ((route->flags & LIMS_R_REASON) && !(session->reason && *session->reason)) {
        return lims_client_error(pool, LIMS_E_INVALID_QUERY,
                                 "This command needs a reason: give --reason TEXT.");
    }
    return NULL;
}

/* Requires an acting user to manage users, except where no user exists who can: then
 * the owner of the database may, without --user. */
static const lims_error_t *check_recovery(const lims_session_t *session, const lims_route_t *route,
                                          const lims_result_t *found, apr_pool_t *pool)
{
    const char *recovery = lims_result_get(found, 0, "recovery");

    if (lims_route_reads(route) || !route->permission ||
        strcmp(route->permission, "user.manage") != 0 || strcmp(recovery, "first") == 0) {
        return NULL;
    }
    if (strcmp(recovery, "no") == 0) {
        return lims_client_error(pool, LIMS_E_INVALID_QUERY,
                                 "A change needs an acting user: give --user EMAIL.");
    }
    return session->reason && *session->reason
               ? NULL
               : lims_client_error(pool, LIMS_E_INVALID_QUERY,
                                   "Nobody who manages users can sign in: without --user this "
                                   "command needs --reason TEXT.");
}

static const lims_error_t *adopt_actor(lims_session_t *session, lims_request_t *rq,
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
    rq->actor.permissions = lims_result_get(found, 0, "permissions");
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
    return error ? error : adopt_actor(session, rq, row);
}

/* --- Transactions ----------------------------------------------------------- */

/* Whether the call is done with the rights of the database's owner: where the route says so
 * and no person acts whom a permission rules. */
static bool is_owners(const lims_request_t *rq)
{
    return (rq->route->flags & LIMS_R_OWNER) && !(rq->route->permission && rq->actor.user);
}

static const lims_error_t *begin(lims_request_t *rq)
{
    const lims_call_t act = {
        .statement = is_owners(rq) ? LIMS_STMT_TOOL_ACT_OWNER : LIMS_STMT_TOOL_ACT,
    };
    lims_result_t *ignored = NULL;
    const lims_error_t *error = lims_database_run(&ignored, rq, &act, 1, LIMS_DB_BEGIN);

    rq->in_transaction = true;
    return error;
}

static const lims_error_t *commit(lims_request_t *rq)
{
    const lims_error_t *error = lims_database_run(NULL, rq, NULL, 0, LIMS_DB_COMMIT);

    rq->in_transaction = false;
    return error;
}

/* --- Signing --------------------------------------------------------------- */

static const char *ask(lims_session_t *session)
{
    if (!session->password && session->ask) {
        session->password = session->ask(session);
    }
    return session->password;
}

/* Shows what is signed. */
static const lims_error_t *show(lims_session_t *session, lims_request_t *rq)
{
    const char *act = NULL, *records = NULL;
    const lims_error_t *error = begin(rq);

    if (!error) {
        error = lims_signed_preview(&act, &records, rq);
    }
    lims_connection_release(rq->connection);
    rq->in_transaction = false;
    if (records) {
        session->show(session, act, records);
    }
    return error;
}

/* Writes the line of an account that was locked: there is no server's log here. */
static void log_lock(const lims_error_t *error, apr_pool_t *pool)
{
    openlog("limsctl", LOG_PID | LOG_PERROR, LOG_AUTHPRIV);
    syslog(LOG_WARNING, "LIMS%04d: %s", error->number, lims_printable(error->cause, pool));
    closelog();
}

/* Checks the acting user's password, prompting for it if it was not given, and counts
 * failures. */
static const lims_error_t *check_password(lims_session_t *session, const lims_result_t *found,
                                          lims_request_t *rq)
{
    const char *hash = lims_result_get(found, 0, "passwordHash");
    const lims_error_t *error = hash && session->show ? show(session, rq) : NULL;

    if (error) {
        return error;
    }
    if (hash && !ask(session)) {
        return lims_client_error(rq->pool, LIMS_E_ESIGNATURE_REQUIRED,
                                 "This action needs a signature: give the acting user's "
                                 "password with --password-file FILE.");
    }
    error = begin(rq);
    if (!error) {
        error = lims_signing_check(rq, session->user, hash, session->password);
    }
    /* A failure that was counted is kept. */
    if (!error || error->kind == LIMS_E_SIGNATURE_INVALID) {
        const lims_error_t *failed = commit(rq);

        error = error ? error : failed;
    }
    lims_connection_release(rq->connection);
    if (lims_signing_locked(error)) {
        log_lock(error, rq->pool);
    }
    return error;
}

/* --- One call ------------------------------------------------------------- */

/* Runs what precedes the action of a route: its .check, .prepare and .work. */
static const lims_error_t *run_preparation(lims_request_t *rq)
{
    const lims_error_t *error = rq->route->check ? rq->route->check(rq) : NULL;

    if (error || !rq->route->prepare) {
        return error;
    }
    error = begin(rq);
    if (!error) {
        error = rq->route->prepare(rq);
    }
    if (!error) {
        error = commit(rq);
    }
    return error || rq->reply->body ? error : rq->route->work(rq);
}

static const lims_error_t *transact(lims_request_t *rq, bool signs)
{
    const lims_error_t *error = run_preparation(rq);

    if (error || rq->reply->body) {
        return error;
    }
    error = begin(rq);
    rq->signs = signs;
    if (!error && signs && !(rq->route->flags & LIMS_R_EACH)) {
        error = lims_signing_sign(rq);
    }
    if (!error) {
        error = lims_route_reads(rq->route) ? lims_service_fetch(rq) : lims_service_act(rq, NULL);
    }
    error = error || rq->roll_back ? error : commit(rq);
    return error || rq->route->prepare || !rq->route->work ? error : rq->route->work(rq);
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
    rq->settings = &settings;
    rq->keyring = session->keyring;
    rq->printer = session->printer;
    rq->verification = session->verification;
    rq->reply = apr_pcalloc(pool, sizeof(*rq->reply));
    rq->reply->headers = apr_table_make(pool, 4);
    return rq;
}

typedef struct {
    lims_request_t *rq;
    int given; /* values that came with the call */
    bool signs;
} attempt_t;

static const lims_error_t *attempt_once(void *data)
{
    const attempt_t *attempt = data;
    lims_request_t *rq = attempt->rq;
    const lims_error_t *error;

    lims_service_reset(rq, attempt->given);
    rq->staged = NULL;
    rq->roll_back = false;
    error = lims_connection_ready(rq->connection, rq->pool);
    error = error ? error : transact(rq, attempt->signs);
    lims_connection_release(rq->connection);
    return error;
}

const lims_error_t *lims_session_call(lims_reply_t **reply, lims_session_t *session,
                                      const lims_resource_t *resource, const lims_route_t *route,
                                      lims_values_t *values, apr_pool_t *pool)
{
    lims_request_t *rq = make_request(session, resource, route, values, pool);
    attempt_t attempt = { .rq = rq, .given = values->count };
    const lims_result_t *found = NULL;
    const lims_error_t *error = check_options(session, route, pool);

    if (!error) {
        error = find_actor(&found, session, rq);
    }
    if (!error && found && !rq->actor.user) {
        error = check_recovery(session, route, found, pool);
    }
    if (!error) {
        error = lims_permit_route(rq);
    }
    if (!error && found) {
        bool policy = lims_result_true(found, 0, "esignatureRequired");

        attempt.signs = rq->actor.user && lims_signing_due(rq, policy, !!session->password);
        error = attempt.signs ? check_password(session, found, rq) : NULL;
    }
    if (error) {
        return error;
    }
    *reply = rq->reply;
    return lims_retry(attempt_once, &attempt, false);
}
