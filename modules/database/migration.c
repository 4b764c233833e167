/* SPDX-License-Identifier: Apache-2.0 */
/* migration.c - whether the schema fits the code. */
#include "database/migration.h"

#include <apr_strings.h>

int lims_migration_version(void)
{
    return lims_migrations_count ? lims_migrations[lims_migrations_count - 1].version : 0;
}

bool lims_migration_serves(int version, int compatible_since)
{
    return version >= lims_migration_version() && compatible_since <= lims_migration_version();
}

const char *lims_migration_remedy(int version, int compatible_since, apr_pool_t *pool)
{
    if (version < lims_migration_version()) {
        return apr_psprintf(pool,
                            "the database has schema version %d, this mod_lims needs %d: "
                            "run \"limsctl migrate\" with the owner's connection",
                            version, lims_migration_version());
    }
    return apr_psprintf(pool,
                        "the database has schema version %d, which needs a mod_lims made for "
                        "version %d or later, this one is made for %d: install the newer mod_lims",
                        version, compatible_since, lims_migration_version());
}
