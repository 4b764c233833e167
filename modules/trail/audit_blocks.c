/* SPDX-License-Identifier: Apache-2.0 */
/*
 * audit_blocks.c - the blocks of the audit trail's chain: their heads, for keeping outside,
 * and the verification of the whole trail.
 */
#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/writer.h"
#include "service/service.h"
#include "trail/chain_check.h"

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
    { .name = "fromBlock",
      .type = LIMS_T_ID,
      .fallback = "1",
      .doc = "Block to begin with; the ones before are taken as verified." },
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
    { .name = "blocks",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Number of blocks that were verified." },
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

static void write_verdict(lims_writer_t *w, const lims_verdict_t *verdict, bool compared)
{
    lims_writer_object_begin(w);
    lims_writer_key(w, "sound");
    lims_writer_boolean(w, verdict->kind == LIMS_TRAIL_SOUND);
    write_text(w, "problem", lims_trail_kinds[verdict->kind]);
    write_text(w, "message", verdict->message);
    write_number(w, "block", verdict->block);
    write_number(w, "entryId", verdict->entry);
    write_count(w, "blocks", verdict->blocks);
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

static const lims_error_t *verify(lims_request_t *rq)
{
    const char *heads = lims_values_get(rq->values, "heads");
    lims_writer_t *w = lims_writer_create(rq->pool);
    lims_verdict_t verdict;
    const lims_error_t *error = lims_trail_verify(
        &verdict, rq, lims_values_get(rq->values, "fromBlock"), heads, rq->exchange ? PART : 0);

    if (!error) {
        write_verdict(w, &verdict, heads);
        rq->reply->failed = verdict.kind != LIMS_TRAIL_SOUND;
        lims_render_finish(rq, w);
    }
    return error;
}

static const lims_error_e verify_errors[] = { LIMS_E_INVALID_QUERY, LIMS_E_COUNT };

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
      .description = "Names the first entry that was changed, removed or inserted since its block "
                     "was closed, also by the owner of the database, who does not have the key of "
                     "the blocks. Entries of the last minute are in no block yet.",
      .permission = "audit.read",
      .flags = LIMS_R_NO_RECORD | LIMS_R_KEYRING,
      .query = verify_query,
      .output = verify_output,
      .status = 200,
      .handler = verify,
      .errors = verify_errors },
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
