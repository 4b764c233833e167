/* SPDX-License-Identifier: Apache-2.0 */
/*
 * migrate.h - applying the migrations; for limsctl only.
 *
 * Each migration runs in a transaction of its own together with its record in
 * lims.schema_migration, under one transaction-level advisory lock, so that two
 * runs at once apply everything once. What a record says is compared with what
 * is compiled in: a migration is never changed after it was applied.
 *
 * LIMS_FAILURE_SCHEMA: the database is newer than the code, holds a changed
 * migration, or one of another making, or this login may not migrate it.
 * LIMS_E_INTERNAL: PostgreSQL refused, in its own words.
 */
#ifndef LIMS_MIGRATE_H
#define LIMS_MIGRATE_H

#include "database/database.h"
#include "database/migration.h"

typedef enum {
    LIMS_MIGRATION_APPLIED,
    LIMS_MIGRATION_PENDING,
    LIMS_MIGRATION_CHANGED, /* applied with another text */
    LIMS_MIGRATION_UNKNOWN, /* applied by a newer limsctl, or another one */
    LIMS_MIGRATION_STATE_COUNT
} lims_migration_state_e;

typedef struct {
    int version;
    const char *name;
    lims_migration_state_e state;
    const char *applied_at; /* in the form of PostgreSQL; NULL: not applied */
    const char *applied_by; /* login */
} lims_migration_row_t;

typedef struct {
    int count;
    const lims_migration_row_t *rows; /* in order of version, unknown ones last */
    const char *misfit;               /* why the service cannot work on the schema; NULL: it can */
} lims_migration_plan_t;

/* Called before and, with `done`, after each migration. */
typedef void(lims_migrate_tell_fn)(const lims_migration_row_t *row, bool done, void *data);

/* Lists the migrations, applied and pending; changes nothing. */
const lims_error_t *lims_migrate_plan(lims_migration_plan_t **plan, lims_connection_t *connection,
                                      apr_pool_t *pool);

/* Applies the pending migrations and returns the resulting plan. `dry`: in one
 * transaction, which is rolled back. */
const lims_error_t *lims_migrate(lims_migration_plan_t **plan, lims_connection_t *connection,
                                 bool dry, lims_migrate_tell_fn *tell, void *data,
                                 apr_pool_t *pool);

#endif /* LIMS_MIGRATE_H */
