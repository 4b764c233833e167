/* SPDX-License-Identifier: Apache-2.0 */
/* commands.c - the commands that are no routes, in the order of the help. */
#include "tool/tool.h"

const lims_command_t lims_commands[] = {
    { .name = "migrate",
      .summary = "Bring the database schema up to this version",
      .description = "Applies the numbered migrations that the database lacks, in order, each in "
                     "a transaction of its own together with its record. The login must be "
                     "lims_owner, a member of it, or a superuser; sql/roles.sql makes the roles. "
                     "A migration that was changed after it was applied, and a database that is "
                     "newer than this limsctl, are refused.",
      .options = lims_migrate_options,
      .run = lims_command_migrate },
    { .name = NULL },
};
