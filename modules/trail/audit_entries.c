/* SPDX-License-Identifier: Apache-2.0 */
/*
 * audit_entries.c - the audit trail: who changed what, when, why and through what
 * (21 CFR 11.10(e)).
 *
 * Entries are found by their record, or in a period of at most 31 days: the two indexes
 * that the table has, because it is written with every result.
 */
#include <string.h>

#include "database/database.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/writer.h"
#include "service/service.h"
#include "trail/entry_export.h"
#include "trail/trail.h"

/* "archived" is no change: it stands for what the database has no more. */
static const char *const actions[] = { "insert", "update", "delete", "archived", NULL };

static const char *const surfaces[] = { "api", "application",     "command line",
                                        "job", "instrument file", NULL };

static const lims_field_t change_fields[] = {
    { .name = "field", .type = LIMS_T_STRING, .flags = LIMS_F_OUT, .doc = "Name of the column." },
    { .name = "old",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Former value as JSON; null where there was no record before." },
    { .name = "new",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "New value as JSON; null where the record was deleted." },
    { .name = "oldName",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Name of the record to which the former value refers; null: it refers to none.",
      .example = "Mateo Ortiz" },
    { .name = "newName",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Name of the record to which the new value refers; null: it refers to none." },
    LIMS_FIELD_END,
};

static const lims_field_t fields[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the entry; also its cursor value." },
    { .name = "occurredAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "When the change was made, UTC." },
    { .name = "table",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Table of the record.",
      .example = "sample_test" },
    { .name = "recordId", .type = LIMS_T_ID, .flags = LIMS_F_OUT, .doc = "Id of the record." },
    { .name = "record",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Name of the record as it is now, with that of its sample where it is a part of "
             "one; null: it has none, or is gone.",
      .example = "COD of CB-26-0000042-Q" },
    { .name = "action",
      .type = LIMS_T_ENUM,
      .values = actions,
      .flags = LIMS_F_OUT,
      .doc = "Kind of the change; archived: earlier entries of the record are in files outside "
             "the database, as `reason` says." },
    { .name = "changes",
      .type = LIMS_T_OBJECT_LIST,
      .members = change_fields,
      .flags = LIMS_F_OUT,
      .doc = "Changed columns with former and new value. A secret is shown as such." },
    { .name = "userId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Id of the person who acted, or for whom the API key acted." },
    { .name = "person",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Name of this person." },
    { .name = "apiKeyId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Id of the API key that acted." },
    { .name = "apiKey",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Name of this API key." },
    { .name = "surface",
      .type = LIMS_T_ENUM,
      .values = surfaces,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Surface through which the change came." },
    { .name = "sessionId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Id of the session of a person who was signed in." },
    { .name = "address",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Network address from which that person signed in." },
    { .name = "browser",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Browser of that session, as it named itself." },
    { .name = "requestId",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Id of the request, its `X-Request-Id`." },
    { .name = "reason",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Reason that was given; of archived entries, up to when they are in which files." },
    { .name = "signatureId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Id of the electronic signature under which it was done." },
    { .name = "block",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Number of the block of the chain that has the entry; null while it is not yet "
             "closed." },
    LIMS_FIELD_END,
};

static const char *const orders[] = { "-id", NULL };

/* clang-format off */
/* The parameters of the list of audit entries. */
#define FILTERS \
    { .name = "table", \
      .type = LIMS_T_STRING, \
      .min = 1, \
      .max = 63, \
      .doc = "Only entries of this table.", \
      .example = "sample_test" }, \
    { .name = "recordId", \
      .type = LIMS_T_ID, \
      .doc = "Only entries of this record of `table`, whatever their age." }, \
    { .name = "userId", .type = LIMS_T_ID, .doc = "Only what this person did." }, \
    { .name = "apiKeyId", .type = LIMS_T_ID, .doc = "Only what this API key did." }, \
    { .name = "requestId", \
      .type = LIMS_T_STRING, \
      .min = 1, \
      .max = 200, \
      .doc = "Only what this request did." }, \
    { .name = "surface", \
      .type = LIMS_T_ENUM, \
      .values = surfaces, \
      .doc = "Only what came through this surface." }, \
    { .name = "from", \
      .type = LIMS_T_MOMENT, \
      .doc = "Only entries from this time on; by default 31 days before `to`." }, \
    { .name = "to", \
      .type = LIMS_T_MOMENT_END, \
      .doc = "Only entries until this time; by default now." }
/* clang-format on */

static const lims_field_t filters[] = {
    { .name = "limit",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_CLAMP,
      .min = 1,
      .max = 500,
      .fallback = "50",
      .doc = "Number of entries on a page. More than 500 is taken as 500.",
      .example = "50" },
    { .name = "cursor",
      .type = LIMS_T_STRING,
      .min = 1,
      .max = 40,
      .pattern = "^[0-9]{1,19}(-[0-9]{1,18})?$",
      .fallback = "0",
      .doc = "Cursor to read from: nextCursor of the page before.",
      .example = "0" },
    { .name = "order",
      .type = LIMS_T_ENUM,
      .values = orders,
      .fallback = "-id",
      .doc = "Order of the list: -id, from the newest entry on, which is the only one." },
    FILTERS,
    LIMS_FIELD_END,
};

static const char *const formats[] = { "csv", "json", NULL };

static const lims_field_t export_query[] = {
    { .name = "format",
      .type = LIMS_T_ENUM,
      .values = formats,
      .fallback = "csv",
      .doc = "Format of the file: csv, a line for each changed field (RFC 4180); json, a line of "
             "JSON for each entry." },
    FILTERS,
    LIMS_FIELD_END,
};

static const lims_field_t verify_input[] = {
    { .name = "file",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_REQUIRED | LIMS_F_FILE,
      .min = 1,
      .max = LIMS_ENTRY_EXPORT_MAX,
      .doc = "Text of a file that was exported." },
    LIMS_FIELD_END,
};

static const lims_field_t verify_output[] = {
    { .name = "sound",
      .type = LIMS_T_BOOLEAN,
      .flags = LIMS_F_OUT,
      .doc = "Whether the file is as it was exported, which is true: any other is refused." },
    { .name = "keyId",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Id of the key that signed it, in the key file." },
    LIMS_FIELD_END,
};

/* Fills in the period; refuses one that is too long for a walk along the index of time. */
static const lims_error_t *find_period(lims_request_t *rq)
{
    static const char *const columns[] = { "from", "to", "before", NULL };
    const lims_call_t call = { .statement = LIMS_STMT_AUDIT_ENTRY_PERIOD };
    lims_result_t *row = NULL;
    const lims_error_t *error = lims_service_read(&row, rq, &call, 1);

    if (error) {
        return error;
    }
    if (lims_result_true(row, 0, "backward") || lims_result_true(row, 0, "tooLong")) {
        return lims_client_error(
            rq->pool, LIMS_E_INVALID_QUERY,
            "from, to: give a period of at most 31 days, or a record by table and recordId.");
    }
    if (lims_result_get(row, 0, "archived")) {
        return lims_client_error(
            rq->pool, LIMS_E_INVALID_QUERY,
            "from, to: entries up to %s are archived and no longer here: ask for a later period. "
            "The list of archives (audit archives) names their files.",
            lims_result_get(row, 0, "archived"));
    }
    lims_result_bind(rq->values, row, columns);
    return NULL;
}

/* Determines the scope of a request: a record, or else a period. */
static const lims_error_t *find_scope(lims_request_t *rq)
{
    if (!lims_values_get(rq->values, "recordId")) {
        return find_period(rq);
    }
    return lims_values_get(rq->values, "table")
               ? NULL
               : lims_client_error(rq->pool, LIMS_E_INVALID_QUERY,
                                   "recordId needs table, and table needs recordId.");
}

/* The columns of the CSV file. */
static const lims_field_t line_fields[] = {
    { .name = "id", .type = LIMS_T_ID, .flags = LIMS_F_OUT, .doc = "Id of the entry." },
    { .name = "occurredAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "Time of the change." },
    { .name = "table",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Table of the changed record." },
    { .name = "recordId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the changed record." },
    { .name = "record",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Name of the record, as people know it." },
    { .name = "action",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Kind of the change: insert, update or delete; archived: entries that are in files "
             "outside the database." },
    { .name = "field",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Name of the changed field." },
    { .name = "old",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Value before the change." },
    { .name = "new", .type = LIMS_T_STRING, .flags = LIMS_F_OUT, .doc = "Value after the change." },
    { .name = "person",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Name of the person who made the change." },
    { .name = "apiKey",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Name of the API key that made the change." },
    { .name = "surface",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Surface by which the change came." },
    { .name = "sessionId",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Id of the session in which it was made." },
    { .name = "address",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Network address of that session." },
    { .name = "browser",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Browser of that session." },
    { .name = "requestId",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Id of the request that made it." },
    { .name = "reason",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Reason that was given." },
    { .name = "signatureId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the signature that covers the change." },
    { .name = "block",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Number of the block of the chain that holds the entry." },
    LIMS_FIELD_END,
};

static const lims_error_t *export(lims_request_t *rq)
{
    const lims_error_t *error = find_scope(rq);

    return error ? error : lims_entry_export(rq, line_fields);
}

static const lims_error_t *verify_export(lims_request_t *rq)
{
    lims_writer_t *w = lims_writer_create(rq->pool);
    const char *key_id = NULL;
    /* Nothing is read of the database, but whether the caller may ask. */
    const lims_error_t *error = lims_service_read(NULL, rq, NULL, 0);

    if (!error) {
        error = lims_entry_export_check(&key_id, rq, lims_values_get(rq->values, "file"));
    }
    if (!error) {
        lims_writer_object_begin(w);
        lims_writer_key(w, "sound");
        lims_writer_boolean(w, true);
        lims_writer_key(w, "keyId");
        lims_writer_string(w, key_id);
        lims_writer_object_end(w);
        lims_render_finish(rq, w);
    }
    return error;
}

static const lims_error_t *list(lims_request_t *rq)
{
    lims_call_t call = { .statement = LIMS_STMT_AUDIT_ENTRY_OF_RECORD };
    lims_result_t *rows = NULL;
    const lims_error_t *error = find_scope(rq);

    if (!lims_values_get(rq->values, "recordId")) {
        call.statement = LIMS_STMT_AUDIT_ENTRY_OF_PERIOD;
    }
    if (!error) {
        error = lims_service_read(&rows, rq, &call, 1);
    }
    if (!error) {
        lims_render_page(rq, rows);
    }
    return error;
}

static const lims_error_e verify_errors[] = { LIMS_E_BAD_REQUEST, LIMS_E_COUNT };
static const lims_error_e list_errors[] = { LIMS_E_INVALID_QUERY, LIMS_E_COUNT };

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/audit-entries",
      .command = "audit list",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "listAuditEntries",
      .summary = "List the changes of a record, or of a period, newest first",
      .description =
          "Entries are found by their record, or in a period of at most 31 days. `cursor` "
          "is nextCursor of the page before; 0: from the newest.",
      .permission = "audit.read",
      .flags = LIMS_R_LIST,
      .query = filters,
      .status = 200,
      .handler = list,
      .errors = list_errors },
    { .method = "GET",
      .path = "/audit-entries/export",
      .command = "audit export",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "exportAuditEntries",
      .summary = "Export the changes of a record, or of a period, in a signed file",
      .description = "At most 50,000 entries. The last line signs those before it by Ed25519: "
                     "whoever has the public key (audit public-key) sees that the file was made "
                     "by this service and not changed. It goes to standard output: "
                     "`limsctl ... > trail.csv`. With --json it is in base64.",
      .permission = "audit.read",
      .flags = LIMS_R_NO_RECORD | LIMS_R_DOCUMENT | LIMS_R_BYTES | LIMS_R_KEYRING,
      .query = export_query,
      .status = 200,
      .handler = export,
      .errors = list_errors },
    { .method = "POST",
      .path = "/audit-entries/verify-export",
      .command = "audit verify-export",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "verifyAuditExport",
      .summary = "Verify that an exported file of the audit trail is as it was signed",
      .description =
          "A file that was not signed by this service, is of another organization, or "
          "was changed or cut off, is refused. A spreadsheet that stores it anew changes "
          "it.",
      .permission = "audit.read",
      .flags = LIMS_R_NO_RECORD | LIMS_R_FILE | LIMS_R_KEYRING,
      .input = verify_input,
      .output = verify_output,
      .status = 200,
      .handler = verify_export,
      .errors = verify_errors },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_audit_entry = {
    .name = "audit entry",
    .title = "Audit trail",
    .schema = "AuditEntry",
    .doc = "Change of a record: who made it, when, why and through what.",
    .fields = fields,
    .routes = routes,
};
