/* SPDX-License-Identifier: Apache-2.0 */
/*
 * migration.h - the numbered migrations of sql/, compiled in.
 *
 * limsctl applies them. The service only checks whether the schema fits, by the names
 * and checksums of the applied migrations, not by their number. A migration that older
 * code can work with keeps the `compatible_since` of the one before it, so that the
 * schema can be migrated while the previous version of the service still runs.
 */
#ifndef LIMS_MIGRATION_H
#define LIMS_MIGRATION_H

#include <apr_pools.h>
#include <stdbool.h>

typedef struct {
    int version;          /* the file's number */
    const char *name;     /* the file's name without number and ending */
    const char *sql;      /* its text */
    const char *checksum; /* SHA-256 of the file, hexadecimal */
    int compatible_since; /* oldest schema version whose code can use this one */
} lims_migration_t;

/* In ascending order of version, which may have gaps (generated). */
extern const lims_migration_t lims_migrations[];
extern const int lims_migrations_count;

/* Returns the schema version of this code: the last migration's number. */
int lims_migration_version(void);

/* A migration as recorded in a database. */
typedef struct {
    int version;
    const char *name;
    const char *checksum;
    int compatible_since;
} lims_migrated_t;

/* Whether a migration number is lower than the last one of this code but not one of its
 * own: the database was made by another series of migrations, and migrating it further
 * cannot make it fit. */
bool lims_migration_is_foreign(int version);

/* Checks whether this code can work on a schema that was made by these migrations: all
 * of its own, with the same names and texts, and none that requires newer code. Returns
 * NULL if so, else what an administrator has to do. */
const char *lims_migration_misfit(const lims_migrated_t *applied, int count, apr_pool_t *pool);

#endif /* LIMS_MIGRATION_H */
