/* SPDX-License-Identifier: Apache-2.0 */
/* command_migrate.c - limsctl migrate. */
#include <apr_strings.h>
#include <string.h>

#include "database/migrate.h"
#include "kernel/error.h"
#include "kernel/time.h"
#include "kernel/writer.h"
#include "tool/session.h"
#include "tool/tool.h"

const lims_field_t lims_migrate_options[] = {
    { .name = "status",
      .type = LIMS_T_BOOLEAN,
      .fallback = "false",
      .doc = "Whether only to list the migrations and whether each is applied. The exit status is "
             "5 unless the service can work with them: all are applied, unchanged, and newer ones "
             "allow it." },
    { .name = "dryRun",
      .type = LIMS_T_BOOLEAN,
      .fallback = "false",
      .doc = "Whether to apply the pending migrations in one transaction and roll it back." },
    LIMS_FIELD_END,
};

static const char *const state_names[] = {
    [LIMS_MIGRATION_APPLIED] = "applied",
    [LIMS_MIGRATION_PENDING] = "pending",
    [LIMS_MIGRATION_CHANGED] = "changed",
    [LIMS_MIGRATION_UNKNOWN] = "unknown",
};

_Static_assert(LIMS_LENGTH(state_names) == LIMS_MIGRATION_STATE_COUNT, "a state has no name");

static bool is_on(const lims_tool_t *tool, const char *option)
{
    return strcmp(lims_values_get(tool->values, option), "t") == 0;
}

static void write_plan(lims_writer_t *w, const lims_migration_plan_t *plan, apr_pool_t *pool)
{
    lims_writer_array_begin(w);
    for (int i = 0; i < plan->count; i++) {
        const lims_migration_row_t *row = &plan->rows[i];

        lims_writer_object_begin(w);
        lims_writer_key(w, "version");
        lims_writer_integer(w, row->version);
        lims_writer_key(w, "name");
        lims_writer_string(w, row->name);
        lims_writer_key(w, "state");
        lims_writer_string(w, state_names[row->state]);
        lims_writer_key(w, "appliedAt");
        lims_writer_string(w,
                           row->applied_at ? lims_time_from_database(row->applied_at, pool) : NULL);
        lims_writer_key(w, "appliedBy");
        lims_writer_string(w, row->applied_by);
        lims_writer_object_end(w);
    }
    lims_writer_array_end(w);
}

static void print_plan(const lims_tool_t *tool, const lims_migration_plan_t *plan)
{
    lims_writer_t *w = lims_writer_create(tool->pool);
    apr_size_t length = 0;
    const char *json;

    if (tool->json) {
        lims_writer_object_begin(w);
        lims_writer_key(w, "migrations");
        write_plan(w, plan, tool->pool);
        lims_writer_object_end(w);
        json = lims_writer_finish(&length, w);
        printf("%s\n", json);
    } else {
        write_plan(w, plan, tool->pool);
        json = lims_writer_finish(&length, w);
        lims_print(stdout, json, length, tool->pool);
    }
}

/* Prints progress at once: migrating a large database takes a while. */
static void print_progress(const lims_migration_row_t *row, bool done, void *data)
{
    const lims_tool_t *tool = data;

    if (!tool->json) {
        printf(done ? "done\n" : "%03d %s ... ", row->version, row->name);
        fflush(stdout);
    }
}

static const lims_error_t *apply(lims_tool_t *tool, lims_connection_t *connection)
{
    lims_migration_plan_t *plan = NULL;
    bool dry = is_on(tool, "dryRun");
    const lims_error_t *error =
        lims_migrate(&plan, connection, dry, print_progress, tool, tool->pool);

    if (error) {
        return error;
    }
    if (tool->json) {
        print_plan(tool, plan);
    } else if (dry) {
        puts("Dry run: all migrations were rolled back.");
    } else {
        printf("The schema is at version %d.\n", lims_migration_version());
    }
    return NULL;
}

lims_exit_e lims_command_migrate(lims_tool_t *tool)
{
    lims_connection_t *connection = NULL;
    lims_migration_plan_t *plan = NULL;
    const lims_error_t *error = lims_session_connect(&connection, tool->database, tool->pool);

    if (!error && !is_on(tool, "status")) {
        error = apply(tool, connection);
    } else if (!error) {
        error = lims_migrate_plan(&plan, connection, tool->pool);
    }
    if (error) {
        return lims_print_error(tool, error);
    }
    if (plan) {
        print_plan(tool, plan);
        return plan->misfit ? LIMS_EXIT_SCHEMA : LIMS_EXIT_OK;
    }
    return LIMS_EXIT_OK;
}
