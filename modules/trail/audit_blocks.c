/* SPDX-License-Identifier: Apache-2.0 */
/*
 * audit_blocks.c - the blocks of the audit trail's chain: their heads, for keeping outside,
 * and the verification of the whole trail.
 */
#include <apr_strings.h>

#include "kernel/ed25519.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/seal.h"
#include "kernel/writer.h"
#include "service/service.h"
#include "trail/chain_check.h"
#include "trail/head_export.h"

/* Over HTTP a verification is done in parts of this time at most. */
#define PART apr_time_from_sec(5)

static const lims_field_t fields[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Number of the block in the chain of the organization; also its cursor value." },
    { .name = "closedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "When the block was closed, UTC." },
    { .name = "entries",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Number of its entries." },
    { .name = "keyId",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Id of the key in the key file that made its MACs." },
    { .name = "head",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Head of the block, as the error log has it: organization, number and MAC." },
    LIMS_FIELD_END,
};

static const lims_field_t list_query[] = { LIMS_PAGING_FIELDS, LIMS_FIELD_END };

static const lims_field_t verify_query[] = {
    { .name = "heads",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_PATH,
      .min = 1,
      .max = 16 * 1024 * 1024,
      .doc = "Text with heads that were kept outside, such as the error log or the list of "
             "heads. Without it the answer cannot tell whether the end was cut off.",
      .example = "error.log" },
    { .name = "against",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_PATH,
      .min = 1,
      .max = LIMS_ALL_HEADS_MAX,
      .doc = "Signed file of heads, of `audit export-heads` or `audit export-all-heads`, of which "
             "the organization's own part is taken, to compare with: what was changed, "
             "removed, inserted or cut off since is named. A file that was not signed by this "
             "service, or was changed or cut off, is refused.",
      .example = "audit-heads-CEDAR-2026-11-01.jsonl" },
    { .name = "fromBlock",
      .type = LIMS_T_ID,
      .fallback = "1",
      .doc = "Block to begin with; the ones before are taken as verified." },
    LIMS_FIELD_END,
};

static const lims_field_t export_query[] = {
    { .name = "fromBlock",
      .type = LIMS_T_ID,
      .doc = "Block to begin with; of a longer chain the last 80,000 blocks are exported." },
    LIMS_FIELD_END,
};

static const lims_field_t key_query[] = {
    { .name = "keyId",
      .type = LIMS_T_STRING,
      .min = 1,
      .max = 32,
      .pattern = "^[A-Za-z0-9._-]+$",
      .doc = "Id of the key in the key file; by default the first one, which signs now.",
      .example = "2026-11" },
    LIMS_FIELD_END,
};

static const lims_field_t key_output[] = {
    { .name = "keyId",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Id of the key in the key file." },
    { .name = "publicKey",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Public key (Ed25519) of the signatures by this key, as PEM." },
    LIMS_FIELD_END,
};

static const lims_field_t compare_input[] = {
    { .name = "file",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_REQUIRED,
      .min = 1,
      .max = LIMS_HEAD_EXPORT_MAX,
      .doc = "Text of a signed file of heads, as it was downloaded." },
    LIMS_FIELD_END,
};

static const lims_field_t finding_fields[] = {
    { .name = "problem",
      .type = LIMS_T_ENUM,
      .values = &lims_trail_kinds[LIMS_TRAIL_CHANGED],
      .flags = LIMS_F_OUT,
      .doc = "Kind of what does not fit." },
    { .name = "block",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Number of the block in which it is." },
    { .name = "entryId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Id of the first entry of the block that does not fit." },
    { .name = "message", .type = LIMS_T_STRING, .flags = LIMS_F_OUT, .doc = "The same in words." },
    LIMS_FIELD_END,
};

static const lims_field_t compare_output[] = {
    { .name = "sound",
      .type = LIMS_T_BOOLEAN,
      .flags = LIMS_F_OUT,
      .doc = "Whether the chain has every head of the file." },
    { .name = "headsCompared",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Number of heads of the file." },
    { .name = "lastBlock",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Number of its last block." },
    { .name = "findings",
      .type = LIMS_T_OBJECT_LIST,
      .members = finding_fields,
      .flags = LIMS_F_OUT,
      .doc = "Blocks that are not there, or have another head, the first 1,000." },
    LIMS_FIELD_END,
};

static const lims_field_t verify_output[] = {
    { .name = "sound",
      .type = LIMS_T_BOOLEAN,
      .flags = LIMS_F_OUT,
      .doc = "Whether every entry fits." },
    { .name = "problem",
      .type = LIMS_T_ENUM,
      .values = &lims_trail_kinds[LIMS_TRAIL_CHANGED],
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Kind of what does not fit; null: nothing." },
    { .name = "message",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "The same in words." },
    { .name = "block",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Number of the block in which it is." },
    { .name = "entryId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Id of the first entry that does not fit." },
    { .name = "findings",
      .type = LIMS_T_OBJECT_LIST,
      .members = finding_fields,
      .flags = LIMS_F_OUT,
      .doc = "Everything that does not fit, of each block the first entry; the first 1,000." },
    { .name = "blocks",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Number of blocks that were verified." },
    { .name = "archivedBlocks",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Number of blocks whose entries are archived: of them the heads alone are there." },
    { .name = "entries",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Number of entries that were verified." },
    { .name = "lastBlock",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Number of the last block that was verified." },
    { .name = "lastHead",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Head of that block." },
    { .name = "headsCompared",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Number of blocks whose head was compared with one that was kept outside." },
    { .name = "notYetClosed",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Number of younger entries, which are in no block yet; at most 100,000 are "
             "counted." },
    { .name = "firstNotYetClosed",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Id of the first of these." },
    { .name = "unseen",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Statement of what could not be seen; null: everything could." },
    { .name = "nextBlock",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Block to go on with as `fromBlock`; null: the end was reached." },
    LIMS_FIELD_END,
};

static void write_text(lims_writer_t *w, const char *name, const char *text)
{
    lims_writer_key(w, name);
    lims_writer_string(w, text);
}

static void write_number(lims_writer_t *w, const char *name, const char *text)
{
    lims_writer_key(w, name);
    if (text) {
        lims_writer_raw(w, text);
    } else {
        lims_writer_null(w);
    }
}

static void write_count(lims_writer_t *w, const char *name, apr_int64_t count)
{
    lims_writer_key(w, name);
    lims_writer_integer(w, count);
}

static void write_finding(lims_writer_t *w, const lims_trail_finding_t *finding)
{
    write_text(w, "problem", lims_trail_kinds[finding->kind]);
    write_text(w, "message", finding->message);
    write_number(w, "block", finding->block);
    write_number(w, "entryId", finding->entry);
}

static void write_findings(lims_writer_t *w, const apr_array_header_t *findings)
{
    lims_writer_key(w, "findings");
    lims_writer_array_begin(w);
    for (int i = 0; i < findings->nelts; i++) {
        lims_writer_object_begin(w);
        write_finding(w, &APR_ARRAY_IDX(findings, i, lims_trail_finding_t));
        lims_writer_object_end(w);
    }
    lims_writer_array_end(w);
}

static void write_verdict(lims_writer_t *w, const lims_verdict_t *verdict, bool compared)
{
    const lims_trail_finding_t none = { .kind = LIMS_TRAIL_SOUND };
    bool sound = verdict->findings->nelts == 0;

    lims_writer_object_begin(w);
    lims_writer_key(w, "sound");
    lims_writer_boolean(w, sound);
    write_finding(w, sound ? &none : &APR_ARRAY_IDX(verdict->findings, 0, lims_trail_finding_t));
    write_findings(w, verdict->findings);
    write_count(w, "blocks", verdict->blocks);
    write_count(w, "archivedBlocks", verdict->archived);
    write_count(w, "entries", verdict->entries);
    write_number(w, "lastBlock", verdict->last_block);
    write_text(w, "lastHead", verdict->last_head);
    write_count(w, "headsCompared", verdict->heads);
    write_count(w, "notYetClosed", verdict->open);
    write_number(w, "firstNotYetClosed", verdict->first_open);
    write_text(w, "unseen",
               compared ? NULL
                        : "Whether the end of the trail was cut off: that is seen only by "
                          "comparison with heads that were kept outside.");
    write_number(w, "nextBlock", verdict->next);
    lims_writer_object_end(w);
}

/* Returns the heads that were kept outside: of any text, and of a signed file. */
static const lims_error_t *find_heads(const char **heads, lims_request_t *rq)
{
    const char *against = lims_values_get(rq->values, "against");
    const char *text = lims_values_get(rq->values, "heads");
    const lims_error_t *error = NULL;

    *heads = text;
    if (against) {
        error = lims_service_read(NULL, rq, NULL, 0);
    }
    if (!error && against) {
        error = lims_head_export_read(heads, rq, against);
    }
    if (!error && against && text) {
        *heads = apr_pstrcat(rq->pool, *heads, text, NULL);
    }
    return error;
}

static const lims_error_t *verify(lims_request_t *rq)
{
    lims_writer_t *w = lims_writer_create(rq->pool);
    const char *heads = NULL;
    lims_verdict_t verdict;
    const lims_error_t *error = find_heads(&heads, rq);

    if (!error) {
        error = lims_trail_verify(&verdict, rq, lims_values_get(rq->values, "fromBlock"), heads,
                                  rq->exchange ? PART : 0);
    }
    if (!error) {
        write_verdict(w, &verdict, heads);
        rq->reply->failed = verdict.findings->nelts > 0;
        lims_render_finish(rq, w);
    }
    return error;
}

static const lims_error_t *compare(lims_request_t *rq)
{
    lims_writer_t *w = lims_writer_create(rq->pool);
    const char *heads = NULL;
    lims_verdict_t verdict;
    const lims_error_t *error =
        lims_head_export_read(&heads, rq, lims_values_get(rq->values, "file"));

    if (!error) {
        error = lims_trail_compare(&verdict, rq, heads);
    }
    if (!error) {
        lims_writer_object_begin(w);
        lims_writer_key(w, "sound");
        lims_writer_boolean(w, verdict.findings->nelts == 0);
        write_count(w, "headsCompared", verdict.heads);
        write_number(w, "lastBlock", verdict.last_block);
        write_findings(w, verdict.findings);
        lims_writer_object_end(w);
        lims_render_finish(rq, w);
    }
    return error;
}

static const lims_error_t *show_key(lims_request_t *rq)
{
    const char *asked = lims_values_get(rq->values, "keyId");
    const char *key_id = asked ? asked : lims_keyring_first(rq->keyring);
    const char *text = lims_ed25519_public_key(rq->keyring, key_id, rq->pool);
    lims_writer_t *w = lims_writer_create(rq->pool);
    /* Nothing is read of the database, but whether the caller may ask. */
    const lims_error_t *error = lims_service_read(NULL, rq, NULL, 0);

    if (error) {
        return error;
    }
    if (!text) {
        return lims_client_error(rq->pool, LIMS_E_NOT_FOUND, "The key file has no key \"%s\".",
                                 key_id);
    }
    lims_writer_object_begin(w);
    write_text(w, "keyId", key_id);
    write_text(w, "publicKey", text);
    lims_writer_object_end(w);
    lims_render_finish(rq, w);
    return NULL;
}

static const lims_error_e verify_errors[] = { LIMS_E_BAD_REQUEST, LIMS_E_INVALID_QUERY,
                                              LIMS_E_COUNT };
static const lims_error_e export_errors[] = { LIMS_E_INVALID_QUERY, LIMS_E_COUNT };
static const lims_error_e compare_errors[] = { LIMS_E_BAD_REQUEST, LIMS_E_COUNT };
static const lims_error_e key_errors[] = { LIMS_E_INVALID_QUERY, LIMS_E_NOT_FOUND, LIMS_E_COUNT };

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/audit-blocks",
      .command = "audit heads",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "listAuditBlocks",
      .summary = "List the heads of the blocks of the audit trail",
      .description = "Kept outside, they show later whether the end of the trail was cut off.",
      .permission = "audit.read",
      .flags = LIMS_R_LIST,
      .query = list_query,
      .status = 200,
      .statement = LIMS_STMT_AUDIT_BLOCK_LIST },
    { .method = "GET",
      .path = "/audit-blocks/verify",
      .command = "audit verify",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "verifyAuditTrail",
      .summary = "Verify that the audit trail is as it was written",
      .description = "Names, of each block, the first entry that was changed, removed or inserted "
                     "since the block was closed, also by the owner of the database, who does not "
                     "have the key of the blocks. Entries of the last minute are in no block yet.",
      .permission = "audit.read",
      .flags = LIMS_R_NO_RECORD | LIMS_R_KEYRING,
      .query = verify_query,
      .output = verify_output,
      .status = 200,
      .handler = verify,
      .errors = verify_errors },
    { .method = "GET",
      .path = "/audit-blocks/export",
      .command = "audit export-heads",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "exportAuditHeads",
      .summary = "Export the heads of the audit trail in a signed file",
      .description =
          "A line of JSON for each block, and a last one that signs them by Ed25519. Kept outside, "
          "it shows later what was changed, removed, inserted or cut off since, and whoever has "
          "the public key (audit public-key) sees that it was made by this service. The file goes "
          "to standard output: `limsctl ... > FILE`.",
      .permission = "audit.read",
      .flags = LIMS_R_NO_RECORD | LIMS_R_DOCUMENT | LIMS_R_BYTES | LIMS_R_KEYRING,
      .query = export_query,
      .status = 200,
      .handler = lims_head_export,
      .errors = export_errors },
    { .method = "GET",
      .path = "/audit-blocks/public-key",
      .command = "audit public-key",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "getAuditPublicKey",
      .summary = "Public key of the signatures of heads and archives",
      .description = "Signatures are by Ed25519, under a key that is derived from one of the key "
                     "file: a key that signed stays in the file.",
      .permission = "audit.read",
      .flags = LIMS_R_NO_RECORD | LIMS_R_KEYRING,
      .query = key_query,
      .output = key_output,
      .status = 200,
      .handler = show_key,
      .errors = key_errors },
    { .method = "POST",
      .path = "/audit-blocks/compare",
      .surfaces = LIMS_SURFACE_APPLICATION,
      .operation = "compareAuditHeads",
      .summary = "Compare a signed file of heads with the audit trail",
      .description =
          "Compares heads alone, at once: whether entries fit their heads, `verify` says. "
          "A file that was not signed by this service, or was changed or cut off, is "
          "refused.",
      .permission = "audit.read",
      .flags = LIMS_R_NO_RECORD | LIMS_R_FILE | LIMS_R_KEYRING,
      .input = compare_input,
      .output = compare_output,
      .status = 200,
      .handler = compare,
      .errors = compare_errors },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_audit_block = {
    .name = "audit block",
    .title = "Audit trail",
    .schema = "AuditBlock",
    .doc = "Block of the audit trail's chain.",
    .fields = fields,
    .routes = routes,
};
