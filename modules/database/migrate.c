/* SPDX-License-Identifier: Apache-2.0 */
/* migrate.c - applying the migrations. */
#include "database/migrate.h"

#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "database/database_private.h"
#include "database/script.h"
#include "kernel/error.h"

/* A migration that waits for a table lock blocks all later requests for that table, as
 * long as an earlier transaction lasts. So it waits for a short time only, pauses to let
 * requests pass, and tries again. */
#define LOCK_TIMEOUT "SET LOCAL lock_timeout = '2s'"
#define LOCK_PAUSE apr_time_from_sec(1)
#define LOCK_ATTEMPTS 30

/* Serializes concurrent runs; the key is "lims" as a number. */
#define LOCK "SELECT pg_advisory_xact_lock(1818848627)"

/* Overrides limits that are set for the login. */
static const char settings[] = "SET client_min_messages = warning;"
                               "SET statement_timeout = 0;"
                               "SET lock_timeout = 0;"
                               "SET idle_in_transaction_session_timeout = 0";

static const char make_table[] = "CREATE SCHEMA IF NOT EXISTS lims;"
                                 "CREATE TABLE IF NOT EXISTS lims.schema_migration ("
                                 "    version integer PRIMARY KEY,"
                                 "    name text NOT NULL,"
                                 "    checksum text NOT NULL,"
                                 "    compatible_since integer NOT NULL,"
                                 "    applied_at timestamptz NOT NULL DEFAULT now(),"
                                 "    applied_by text NOT NULL DEFAULT session_user"
                                 ");"
                                 "GRANT USAGE ON SCHEMA lims TO lims_app;"
                                 "GRANT SELECT ON lims.schema_migration TO lims_app";

typedef struct {
    lims_connection_t *connection;
    apr_pool_t *pool;
    bool dry;
    lims_migrate_tell_fn *tell;
    void *data;
} run_t;

/* --- Statements ------------------------------------------------------------- */

static apr_status_t clear(void *data)
{
    PQclear(data);
    return APR_SUCCESS;
}

static const lims_error_t *failure(const run_t *run, const PGresult *result, const char *what)
{
    PGconn *pg = run->connection->pg;
    const char *words = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);

    if (PQstatus(pg) != CONNECTION_OK || !words) {
        return lims_database_failure(run->connection, NULL, run->pool);
    }
    return lims_server_error(run->pool, LIMS_E_INTERNAL, 0, NULL, "%s: %s", what, words);
}

/* Runs a query; the result lives as long as the pool. */
static const lims_error_t *query(PGresult **result, const run_t *run, const char *sql,
                                 const char *what)
{
    *result = PQexec(run->connection->pg, sql);
    apr_pool_cleanup_register(run->pool, *result, clear, apr_pool_cleanup_null);
    if (PQresultStatus(*result) == PGRES_TUPLES_OK || PQresultStatus(*result) == PGRES_COMMAND_OK) {
        return NULL;
    }
    return failure(run, *result, what);
}

static const lims_error_t *execute(const run_t *run, const char *sql, const char *what)
{
    PGresult *ignored = NULL;

    return query(&ignored, run, sql, what);
}

static const lims_error_t *begin(const run_t *run)
{
    return execute(run, "BEGIN;" LOCK ";" LOCK_TIMEOUT, "The migration lock");
}

/* --- Roles ---------------------------------------------------------------- */

static const lims_error_t *refused(const run_t *run, const char *words)
{
    return lims_error_with_failure(
        lims_client_error(run->pool, LIMS_E_PRECONDITION_FAILED, "%s", words), LIMS_FAILURE_SCHEMA,
        run->pool);
}

/* Makes lims_owner the owner of new objects, whichever role runs the migration. */
static const lims_error_t *become_owner(const run_t *run)
{
    PGresult *row = NULL;
    const lims_error_t *error;

    error = query(&row, run,
                  "SELECT count(*) = 2,"
                  "       bool_and(rolname <> 'lims_owner' OR pg_has_role(oid, 'MEMBER'))"
                  "  FROM pg_catalog.pg_roles"
                  " WHERE rolname IN ('lims_owner', 'lims_app')",
                  "The roles");
    if (error) {
        return error;
    }
    if (PQgetvalue(row, 0, 0)[0] != 't') {
        return refused(run, "The roles lims_owner and lims_app are not there: have a superuser "
                            "run /usr/share/mod_lims/roles.sql in this database.");
    }
    if (PQgetvalue(row, 0, 1)[0] != 't') {
        return refused(run, "This login is neither lims_owner nor a member of it: only the owner "
                            "of the schema may migrate it.");
    }
    error = execute(run, settings, "Settings of the session");
    return error ? error : execute(run, "SET ROLE lims_owner", "The role lims_owner");
}

/* --- Applied migrations ----------------------------------------------------- */

static const lims_error_t *read_records(PGresult **records, const run_t *run)
{
    PGresult *row = NULL;
    const lims_error_t *error;

    *records = NULL;
    error =
        query(&row, run, "SELECT to_regclass('lims.schema_migration')", "The record of migrations");
    if (error || PQgetisnull(row, 0, 0)) {
        return error;
    }
    return query(records, run,
                 "SELECT version, name, checksum, applied_at, applied_by, compatible_since"
                 "  FROM lims.schema_migration"
                 " ORDER BY version",
                 "The record of migrations");
}

static int version_of(const PGresult *records, int row)
{
    return (int)strtol(PQgetvalue(records, row, 0), NULL, 10);
}

/* Returns the row of a version; -1: not recorded. */
static int find_record(const PGresult *records, int version)
{
    for (int i = 0; records && i < PQntuples(records); i++) {
        if (version_of(records, i) == version) {
            return i;
        }
    }
    return -1;
}

static lims_migration_row_t recorded(const PGresult *records, int row, const char *checksum)
{
    lims_migration_state_e state = LIMS_MIGRATION_UNKNOWN;

    if (checksum) {
        state = strcmp(PQgetvalue(records, row, 2), checksum) == 0 ? LIMS_MIGRATION_APPLIED
                                                                   : LIMS_MIGRATION_CHANGED;
    }
    return (lims_migration_row_t){
        .version = version_of(records, row),
        .name = PQgetvalue(records, row, 1),
        .state = state,
        .applied_at = PQgetvalue(records, row, 3),
        .applied_by = PQgetvalue(records, row, 4),
    };
}

/* Returns why the service could not work on this schema, by its own check; or NULL. */
static const char *misfit_of(const PGresult *records, apr_pool_t *pool)
{
    int count = records ? PQntuples(records) : 0;
    lims_migrated_t *applied = apr_palloc(pool, sizeof(*applied) * (apr_size_t)(count + 1));

    for (int i = 0; i < count; i++) {
        applied[i] = (lims_migrated_t){
            .version = version_of(records, i),
            .name = PQgetvalue(records, i, 1),
            .checksum = PQgetvalue(records, i, 2),
            .compatible_since = (int)strtol(PQgetvalue(records, i, 5), NULL, 10),
        };
    }
    return lims_migration_misfit(applied, count, pool);
}

static lims_migration_plan_t *compare(const PGresult *records, apr_pool_t *pool)
{
    int known = records ? PQntuples(records) : 0;
    lims_migration_plan_t *plan = apr_pcalloc(pool, sizeof(*plan));
    lims_migration_row_t *rows =
        apr_palloc(pool, sizeof(*rows) * (apr_size_t)(known + lims_migrations_count + 1));

    plan->rows = rows;
    plan->misfit = misfit_of(records, pool);
    for (int i = 0; i < lims_migrations_count; i++) {
        const lims_migration_t *own = &lims_migrations[i];
        int row = find_record(records, own->version);

        rows[plan->count] = row >= 0 ? recorded(records, row, own->checksum)
                                     : (lims_migration_row_t){ .version = own->version,
                                                               .name = own->name,
                                                               .state = LIMS_MIGRATION_PENDING };
        plan->count++;
    }
    for (int i = 0; i < known; i++) {
        int version = version_of(records, i);

        if (version > lims_migration_version() || lims_migration_is_foreign(version)) {
            rows[plan->count++] = recorded(records, i, NULL);
        }
    }
    return plan;
}

static const lims_error_t *read_plan(lims_migration_plan_t **plan, const run_t *run)
{
    PGresult *records = NULL;
    const lims_error_t *error = read_records(&records, run);

    if (!error) {
        *plan = compare(records, run->pool);
    }
    return error;
}

static const lims_error_t *check_plan(const run_t *run, const lims_migration_plan_t *plan)
{
    for (int i = 0; i < plan->count; i++) {
        const lims_migration_row_t *row = &plan->rows[i];

        if (row->state == LIMS_MIGRATION_UNKNOWN && lims_migration_is_foreign(row->version)) {
            return refused(
                run,
                apr_psprintf(run->pool,
                             "The database was made by other migrations, of which %03d (%s) is "
                             "not known here. They cannot be taken over: use the limsctl that "
                             "belongs to this database, or migrate an empty one.",
                             row->version, row->name));
        }
        if (row->state == LIMS_MIGRATION_UNKNOWN) {
            return refused(
                run,
                apr_psprintf(run->pool,
                             "The database is newer than this limsctl: it has migration %03d (%s), "
                             "the last one known here is %03d. Use the newer limsctl.",
                             row->version, row->name, lims_migration_version()));
        }
        if (row->state == LIMS_MIGRATION_CHANGED) {
            return refused(
                run, apr_psprintf(run->pool,
                                  "Migration %03d (%s) was applied with another text than the one "
                                  "known here: a migration is never changed after it was applied. "
                                  "Use the limsctl that belongs to this database.",
                                  row->version, row->name));
        }
    }
    return NULL;
}

/* --- Applying ------------------------------------------------------------- */

static const lims_error_t *run_text(const run_t *run, const lims_migration_t *migration)
{
    const char *file =
        apr_psprintf(run->pool, "Migration %03d_%s.sql", migration->version, migration->name);

    return lims_script_run(run->connection, file, migration->sql, run->pool);
}

static const lims_error_t *record(const run_t *run, const lims_migration_t *migration)
{
    const char *values[] = { apr_itoa(run->pool, migration->version), migration->name,
                             migration->checksum,
                             apr_itoa(run->pool, migration->compatible_since) };
    PGresult *result = PQexecParams(run->connection->pg,
                                    "INSERT INTO lims.schema_migration"
                                    " (version, name, checksum, compatible_since)"
                                    " VALUES ($1, $2, $3, $4)",
                                    4, NULL, values, NULL, NULL, 0);

    apr_pool_cleanup_register(run->pool, result, clear, apr_pool_cleanup_null);
    return PQresultStatus(result) == PGRES_COMMAND_OK
               ? NULL
               : failure(run, result, "The record of a migration");
}

static const lims_error_t *apply_text(const run_t *run, const lims_migration_t *migration)
{
    const lims_error_t *error = run_text(run, migration);

    if (!error) {
        error = record(run, migration);
    }
    return error;
}

static const lims_error_t *apply(const run_t *run, const lims_migration_row_t *row,
                                 const lims_migration_t *migration)
{
    PGresult *records = NULL;
    bool pending = true;
    const lims_error_t *error = run->dry ? NULL : begin(run);

    if (!error && !run->dry) {
        /* Another run may have applied it while this one waited for the lock. */
        error = read_records(&records, run);
        pending = find_record(records, migration->version) < 0;
    }
    if (!error && pending) {
        error = apply_text(run, migration);
    }
    if (!error && !run->dry) {
        error = execute(run, "COMMIT", "The commit of a migration");
    }
    if (!error) {
        run->tell(row, true, run->data);
    }
    return error;
}

static const lims_error_t *apply_patiently(const run_t *run, const lims_migration_row_t *row,
                                           const lims_migration_t *migration)
{
    const lims_error_t *error = NULL;

    run->tell(row, false, run->data);
    for (int attempt = 0; attempt < LOCK_ATTEMPTS; attempt++) {
        error = apply(run, row, migration);
        if (!error || error->retry != LIMS_RETRY_ROLLED_BACK || run->dry) {
            return error;
        }
        lims_connection_release(run->connection);
        apr_sleep(LOCK_PAUSE);
    }
    return lims_server_error(run->pool, LIMS_E_INTERNAL, 0, NULL,
                             "%s Other transactions hold what it needs (see pg_stat_activity); run "
                             "\"limsctl migrate\" again when they have ended.",
                             error->message);
}

static const lims_error_t *apply_pending(const run_t *run, const lims_migration_plan_t *plan)
{
    const lims_error_t *error = check_plan(run, plan);

    /* The plan begins with the migrations known here, in their order. */
    for (int i = 0; i < lims_migrations_count && !error; i++) {
        if (plan->rows[i].state == LIMS_MIGRATION_PENDING) {
            error = apply_patiently(run, &plan->rows[i], &lims_migrations[i]);
        }
    }
    return error;
}

static const lims_error_t *prepare(const run_t *run)
{
    const lims_error_t *error = become_owner(run);

    if (!error) {
        error = begin(run);
    }
    if (!error) {
        error = execute(run, make_table, "The schema lims");
    }
    if (!error && !run->dry) {
        error = execute(run, "COMMIT", "The schema lims");
    }
    return error;
}

const lims_error_t *lims_migrate_plan(lims_migration_plan_t **plan, lims_connection_t *connection,
                                      apr_pool_t *pool)
{
    const run_t run = { .connection = connection, .pool = pool };

    return read_plan(plan, &run);
}

const lims_error_t *lims_migrate(lims_migration_plan_t **plan, lims_connection_t *connection,
                                 bool dry, lims_migrate_tell_fn *tell, void *data, apr_pool_t *pool)
{
    const run_t run = {
        .connection = connection, .pool = pool, .dry = dry, .tell = tell, .data = data
    };
    const lims_error_t *error = prepare(&run);

    if (!error) {
        error = read_plan(plan, &run);
    }
    if (!error) {
        error = apply_pending(&run, *plan);
    }
    if (!error && !dry) {
        /* Renumbers events after a restore into another cluster; otherwise does nothing. */
        error = execute(&run, "SELECT lims.rebase_events()", "The order of the events");
    }
    if (!error) {
        error = read_plan(plan, &run);
    }
    lims_connection_release(connection);
    return error;
}
