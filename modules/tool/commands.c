/* SPDX-License-Identifier: Apache-2.0 */
/* commands.c - the commands that are no routes, in the order of the help. */
#include "tool/tool.h"

const lims_command_t lims_commands[] = {
    { .name = "migrate",
      .summary = "Bring the database schema up to this version",
      .description = "Applies the numbered migrations that the database lacks, in order, each in "
                     "a transaction of its own together with its record. The login must be "
                     "lims_owner, a member of it, or a superuser; /usr/share/mod_lims/roles.sql "
                     "makes the roles. "
                     "A migration that was changed after it was applied, and a database that is "
                     "newer than this limsctl, are refused.",
      .options = lims_migrate_options,
      .run = lims_command_migrate },
    { .name = "check",
      .summary = "See whether database, schema and clock are as they should be",
      .description = "Looks at the configuration of httpd if asked to, the server and its "
                     "settings, the roles, the version of the "
                     "schema, row-level security, grants and triggers, the clock, and, given the "
                     "key file, whether it has the keys of all webhook secrets. Each "
                     "finding comes with its remedy; exit status 1 if one is a failure.",
      .options = lims_check_options,
      .run = lims_command_check },
    { .name = "secret-key",
      .summary = "Make a new key the first of the key file",
      .description = "The file, --secret-key-file or LIMS_SECRET_KEY_FILE, is the one that the "
                     "directive LimsSecretKeyFile names; it is made if there is none. Its first "
                     "key seals the secrets that webhooks are signed with, every key opens what "
                     "it sealed. To replace a key: make a new one, reload httpd, run webhook "
                     "rekey, take the old line out, reload httpd. Keep a copy of the file apart "
                     "from the copies of the database: without it the secrets are lost.",
      .options = lims_secret_key_options,
      .run = lims_command_secret_key },
    { .name = "webhook rekey",
      .summary = "Seal the secrets of webhooks by the first key of the key file",
      .description = "In all organizations. When it is done, older keys can be taken out of the "
                     "file. A secret that no key opens is told of and left as it is: exit status "
                     "1; its endpoint needs a new one (webhook rotate).",
      .run = lims_command_rekey },
    { .name = "scan",
      .summary = "Run the lifecycle scan now",
      .description = "Looks at the samples that something was changed for, or whose holding time "
                     "turned, and writes the events of those that entered a state: what httpd "
                     "does every LimsScanInterval. Both may run at once. Shows how many samples "
                     "were looked at and how many events that made.",
      .options = lims_scan_options,
      .run = lims_command_scan },
    { .name = "retention",
      .summary = "Take away now what has had its time",
      .description = "Deletes events, with their deliveries and attempts, and answers kept for "
                     "repeated requests, that are older than they are kept, and gives up what "
                     "waited for more than 7 days for an endpoint that is disabled: what httpd "
                     "does every LimsRetentionInterval. Both may run at once. Begin with "
                     "--dry-run.",
      .options = lims_retention_options,
      .run = lims_command_retention },
    { .name = "instrument-file reevaluate-all",
      .summary = "Read all files in quarantine again",
      .description = "After a profile was mended or made active, or samples were registered. By "
                     "itself it only shows what would become of each file; with --dry-run false "
                     "those that can be are imported, each in a transaction of its own, and the "
                     "others keep the reasons that are left.",
      .options = lims_reevaluate_options,
      .run = lims_command_reevaluate },
    { .name = "openapi",
      .summary = "Print the OpenAPI document of the REST API",
      .options = lims_openapi_options,
      .run = lims_command_openapi },
    { .name = "demo",
      .summary = "Load the demonstration data",
      .description = "Four laboratories with people, reference data, lots, QC batches and samples "
                     "in every state, in one transaction, by the owner of the schema; times are "
                     "relative to now. Where they are already, nothing is changed. The file has "
                     "LIMS_API_KEY, LIMS_API_KEY_B, LIMS_API_KEY_C and LIMS_API_KEY_D (an "
                     "administrator's key of each organization), LIMS_UPLOAD_KEY (upload-only, of "
                     "the first) and LIMS_DEMO_PASSWORD (of every user). Not for a database in "
                     "which a laboratory works.",
      .options = lims_demo_options,
      .run = lims_command_demo },
    { .name = "man", .summary = "Print the manual page limsctl(8)", .run = lims_command_man },
    { .name = NULL },
};
