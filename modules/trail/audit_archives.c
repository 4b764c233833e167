/* SPDX-License-Identifier: Apache-2.0 */
/* audit_archives.c - the list of the archives of the audit trail. */
#include "kernel/field.h"
#include "trail/trail.h"

static const lims_field_t fields[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Number of the archive in the chain of the organization; also its cursor value." },
    { .name = "fromBlock",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "First block whose entries it has." },
    { .name = "toBlock", .type = LIMS_T_ID, .flags = LIMS_F_OUT, .doc = "Last of these blocks." },
    { .name = "entries",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Number of its entries." },
    { .name = "lastEntryAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "Time of its youngest entry, UTC: entries up to then are archived." },
    { .name = "fileName",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Name of the file as it was written." },
    { .name = "sha256",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "SHA-256 of the lines of the file but the last, hexadecimal." },
    { .name = "keyId",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Id of the key in the key file that signed it." },
    { .name = "writtenAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "When the file was written and read again, UTC." },
    { .name = "removedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "When the last of its entries was removed from the database, UTC; null: not yet." },
    LIMS_FIELD_END,
};

static const lims_field_t list_query[] = { LIMS_PAGING_FIELDS, LIMS_FIELD_END };

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/audit-archives",
      .command = "audit archives",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "listAuditArchives",
      .summary = "List the archives of the audit trail",
      .description = "Signed files with the entries of old blocks, which are no longer in the "
                     "database. `limsctl audit archive` writes one, `limsctl audit verify-archive` "
                     "verifies it.",
      .permission = "audit.read",
      .flags = LIMS_R_LIST,
      .query = list_query,
      .status = 200,
      .statement = LIMS_STMT_AUDIT_ARCHIVE_LIST },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_audit_archive = {
    .name = "audit archive",
    .title = "Audit trail",
    .schema = "AuditArchive",
    .doc = "Archive of old entries of the audit trail.",
    .fields = fields,
    .routes = routes,
};
