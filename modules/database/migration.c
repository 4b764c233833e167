/* SPDX-License-Identifier: Apache-2.0 */
/* migration.c - checks whether the schema fits this version of the code. */
#include "database/migration.h"

#include <apr_strings.h>
#include <string.h>

int lims_migration_version(void)
{
    return lims_migrations_count ? lims_migrations[lims_migrations_count - 1].version : 0;
}

static const lims_migrated_t *find(const lims_migrated_t *applied, int count, int version)
{
    for (int i = 0; i < count; i++) {
        if (applied[i].version == version) {
            return &applied[i];
        }
    }
    return NULL;
}

static bool is_own(int version)
{
    for (int i = 0; i < lims_migrations_count; i++) {
        if (lims_migrations[i].version == version) {
            return true;
        }
    }
    return false;
}

/* Returns the first applied migration that comes before the last one of this code but is
 * not one of its own; or NULL. */
static const lims_migrated_t *foreign(const lims_migrated_t *applied, int count)
{
    for (int i = 0; i < count; i++) {
        if (lims_migration_is_foreign(applied[i].version)) {
            return &applied[i];
        }
    }
    return NULL;
}

bool lims_migration_is_foreign(int version)
{
    return version < lims_migration_version() && !is_own(version);
}

static const char *missing(const lims_migration_t *own, int version, apr_pool_t *pool)
{
    if (version < lims_migration_version()) {
        return apr_psprintf(pool,
                            "the database has schema version %d, this mod_lims needs %d: "
                            "run \"limsctl migrate\" with the owner's connection",
                            version, lims_migration_version());
    }
    return apr_psprintf(pool,
                        "the database lacks migration %03d (%s): run \"limsctl migrate\" with the "
                        "owner's connection",
                        own->version, own->name);
}

const char *lims_migration_misfit(const lims_migrated_t *applied, int count, apr_pool_t *pool)
{
    const lims_migrated_t *other = foreign(applied, count);
    int version = 0, since = 0;

    if (other) {
        return apr_psprintf(pool,
                            "the database was made by other migrations, of which %03d (%s) is not "
                            "known here: install the mod_lims that belongs to this database, or "
                            "run \"limsctl migrate\" in an empty one",
                            other->version, other->name);
    }
    for (int i = 0; i < count; i++) {
        version = applied[i].version > version ? applied[i].version : version;
        since = applied[i].compatible_since > since ? applied[i].compatible_since : since;
    }
    for (int i = 0; i < lims_migrations_count; i++) {
        const lims_migration_t *own = &lims_migrations[i];
        const lims_migrated_t *row = find(applied, count, own->version);

        if (!row) {
            return missing(own, version, pool);
        }
        if (strcmp(row->name, own->name) != 0 || strcmp(row->checksum, own->checksum) != 0) {
            return apr_psprintf(pool,
                                "migration %03d (%s) was applied with another text than the one "
                                "known here: install the mod_lims that belongs to this database "
                                "(\"limsctl migrate --status\" lists them)",
                                row->version, row->name);
        }
    }
    return since <= lims_migration_version()
               ? NULL
               : apr_psprintf(pool,
                              "the database has schema version %d, which needs a mod_lims made for "
                              "version %d or later, this one is made for %d: install the newer "
                              "mod_lims",
                              version, since, lims_migration_version());
}
