/* SPDX-License-Identifier: Apache-2.0 */
/* commands.c - the commands that are not routes, in the order of the help. */
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
      .summary = "Check database, schema, roles and clock",
      .description =
          "Checks the configuration of httpd if asked to, the server and its settings, the roles, "
          "the version of the schema, row-level security, grants and triggers, the clock, and, "
          "whether the key file has the keys of all webhook secrets and of all blocks of the audit "
          "trail. Each finding is "
          "printed with its remedy; the exit status is 1 if one is a failure.",
      .options = lims_check_options,
      .run = lims_command_check },
    { .name = "secret-key",
      .summary = "Add a new key to the key file, as its first",
      .description =
          "The file, --secret-key-file or LIMS_SECRET_KEY_FILE, is the one that the directive "
          "LimsSecretKeyFile names; it is created if it does not exist. Its first key encrypts the "
          "secrets of webhook endpoints and closes the blocks of the audit trail; each key "
          "decrypts "
          "the secrets that it encrypted and verifies the blocks that it closed. To replace a key: "
          "run this command, reload httpd, run webhook rekey. The old key's line can be deleted "
          "unless it closed blocks of the audit trail, which check says. Keep a copy of the file "
          "apart from the backups of the database: "
          "without it the secrets are lost.",
      .options = lims_secret_key_options,
      .run = lims_command_secret_key },
    { .name = "webhook rekey",
      .summary = "Encrypt the secrets of webhooks with the first key of the key file",
      .description = "For all organizations. Afterwards the older keys can be deleted from the "
                     "file, but those that closed blocks of the audit trail (check says which). A "
                     "secret that no key decrypts is reported and left as it is, with exit "
                     "status 1; its endpoint needs a new secret (webhook rotate).",
      .run = lims_command_rekey },
    { .name = "scan",
      .summary = "Run the lifecycle scan now",
      .description =
          "Looks at the samples that were changed, or whose holding status changed with time, and "
          "writes the events of those that entered a new state, as httpd does every "
          "LimsScanInterval. Both may run at once. Prints the numbers of samples and of events.",
      .options = lims_scan_options,
      .run = lims_command_scan },
    { .name = "retention",
      .summary = "Delete expired events, deliveries and stored answers now",
      .description =
          "Deletes events with their deliveries and attempts, and stored answers to repeated "
          "requests, when their retention time has passed, and gives up deliveries that have "
          "waited for more than 7 days for a disabled endpoint, as httpd does every "
          "LimsRetentionInterval. Both may run at once. Begin with --dry-run.",
      .options = lims_retention_options,
      .run = lims_command_retention },
    { .name = "print",
      .summary = "Print the documents of certificates that wait, once",
      .description =
          "httpd does this by itself where it has a printer (LimsPrinter). Here the program is the "
          "one that LIMS_PRINTER names, in the environment or in /etc/mod_lims/limsctl.conf; "
          "without it, events are written that have waited for a document for a minute.",
      .options = lims_print_options,
      .run = lims_command_print },
    { .name = "audit close",
      .summary = "Close blocks of the audit trail now",
      .description =
          "Closes the audit trail of each organization by a block under the first key of the key "
          "file, as httpd does every LimsAuditInterval. Both may run at once. Prints the numbers "
          "of "
          "blocks and entries, and the head of each block on standard error.",
      .options = lims_scan_options,
      .run = lims_command_audit_close },
    { .name = "audit export-all-heads",
      .summary = "Export the heads of the audit trails of all organizations, each signed",
      .description =
          "For a job every night, as the owner of the schema: writes to standard output what audit "
          "export-heads writes, of each organization in turn: `limsctl ... > FILE`. "
          "audit verify --against FILE finds the part of its organization. Keep the files where "
          "nobody who administers the database can change them.",
      .options = lims_export_all_heads_options,
      .run = lims_command_audit_export_all_heads },
    { .name = "audit archive",
      .summary = "Write old blocks of the audit trail to a signed file, and remove their entries",
      .description =
          "For one organization, as the owner of the schema. The file has a line of JSON for each "
          "block and entry, and is signed by Ed25519 under the first key of the key file. It is "
          "written, synchronized with the disk and read again with every digest; then the database "
          "records it, and the entries are removed in short transactions. The blocks stay with "
          "their heads, so that the chain goes on. If it was interrupted, the same command goes "
          "on. "
          "Keep the file as long as the records: the trail in it is part of them.",
      .options = lims_archive_options,
      .run = lims_command_audit_archive },
    { .name = "audit verify-archive",
      .summary = "Verify an archive of the audit trail, with the database as one chain",
      .description =
          "Computes every digest and MAC of the file anew, checks its signature, and compares the "
          "head of each of its blocks with the database's. Together with audit verify the whole "
          "chain is verified.",
      .options = lims_verify_archive_options,
      .run = lims_command_audit_verify_archive },
    { .name = "instrument-file reevaluate-all",
      .summary = "Read all quarantined files again",
      .description = "For use after a profile was corrected or activated, or samples were "
                     "registered. By default it only shows the outcome for each file. With "
                     "--dry-run false, the files without a blocking reason are imported, each in a "
                     "transaction of its own; the others keep the reasons that remain.",
      .options = lims_reevaluate_options,
      .run = lims_command_reevaluate },
    { .name = "openapi",
      .summary = "Print the OpenAPI document of the REST API",
      .options = lims_openapi_options,
      .run = lims_command_openapi },
    { .name = "demo",
      .summary = "Load the demonstration data",
      .description =
          "Loads four laboratories with people, reference data, lots, QC batches and samples in "
          "every state, in one transaction, as the owner of the schema; times are relative to now. "
          "If they exist already, nothing is changed. The file --keys-to gets LIMS_API_KEY, "
          "LIMS_API_KEY_B, LIMS_API_KEY_C and LIMS_API_KEY_D (an administrator's key for each "
          "organization), LIMS_UPLOAD_KEY (an upload-only key of the first) and LIMS_DEMO_PASSWORD "
          "(the password of every user). Do not load it into a database in which a laboratory "
          "works.",
      .options = lims_demo_options,
      .run = lims_command_demo },
    { .name = "man", .summary = "Print the manual page limsctl(8)", .run = lims_command_man },
    { .name = NULL },
};
