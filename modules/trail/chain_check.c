/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chain_check.c - verifying the chain of the audit trail: the entries between the
 * positions of each block are hashed again by the database and compared with the marks
 * that were made when the block was closed, in pieces of some 20,000 entries.
 */
#include "trail/chain_check.h"

#include <apr_hash.h>
#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

#include "database/database.h"
#include "kernel/ed25519.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "service/service.h"
#include "trail/kept_heads.h"

/* An entry may have begun so much earlier than one that was written before it: its time is
 * that of the beginning of its transaction. */
#define EARLIER_MAX ((apr_int64_t)APR_USEC_PER_SEC * 3600)

typedef struct {
    lims_request_t *rq;
    lims_verdict_t *verdict;
    apr_hash_t *heads;              /* kept outside: number of the block to its head */
    apr_hash_t *chains;             /* lims_chain_t by the key's id */
    lims_trail_finding_t backdated; /* the first such entry, told if nothing else is found */
    apr_int64_t latest;             /* latest time of an entry so far */
    apr_array_header_t *archives;   /* archive_t, in order */
    bool found;                     /* something does not fit in the present block */
    bool ended;                     /* nothing behind it can be verified */
    /* End, number and head of the block before. */
    const char *position;
    const char *last;
    const char *head;
} check_t;

/* An archive that this service signed: its blocks, and whether all entries are removed. */
typedef struct {
    apr_int64_t from;
    apr_int64_t to;
    bool removed;
} archive_t;

/* The entries of a piece, and the next that no block has. */
typedef struct {
    const lims_result_t *rows;
    int next;
} entries_t;

/* A block with the entries that it had when it was closed. */
typedef struct {
    const char *id;
    apr_int64_t to;
    int count;
    char **ids;
    const char *marks; /* in hexadecimal */
} block_t;

/* --- Findings --------------------------------------------------------------- */

static void find(check_t *check, lims_trail_e kind, const char *block, const char *entry)
{
    check->found = true;
    lims_findings_add(check->verdict->findings, kind, block, entry);
}

/* --- Heads that were kept outside ------------------------------------------- */

static void compare_head(check_t *check, const block_t *block, const char *head)
{
    const char *kept = apr_hash_get(check->heads, block->id, APR_HASH_KEY_STRING);

    if (kept) {
        check->verdict->heads++;
        if (strcmp(kept, head) != 0) {
            find(check, LIMS_TRAIL_OTHER_HEAD, block->id, block->count > 0 ? block->ids[0] : NULL);
        }
    }
}

/* Finds the blocks behind the last one whose heads were kept outside. */
static void find_cut_off(check_t *check)
{
    const apr_array_header_t *numbers =
        lims_kept_heads_behind(check->heads, apr_atoi64(check->last), check->rq->pool);

    for (int i = 0; i < numbers->nelts; i++) {
        find(check, LIMS_TRAIL_CUT_OFF, APR_ARRAY_IDX(numbers, i, const char *), NULL);
    }
}

/* --- Blocks ----------------------------------------------------------------- */

/* Splits "{1,2,3}". */
static void split_ids(block_t *block, const char *array, apr_pool_t *pool)
{
    char *text = apr_pstrdup(pool, array + 1);
    int size = 1;

    for (const char *p = text; *p; p++) {
        size += *p == ',';
    }
    block->ids = apr_palloc(pool, sizeof(*block->ids) * (apr_size_t)size);
    block->count = 0;
    for (char *state = NULL, *id = apr_strtok(text, ",}", &state); id;
         id = apr_strtok(NULL, ",}", &state)) {
        block->ids[block->count++] = id;
    }
}

static bool is_at(const entries_t *entries, const char *id)
{
    return strcmp(lims_result_cell(entries->rows, entries->next, 0), id) == 0;
}

/* Whether the next entry lies below a position. */
static bool is_below(const entries_t *entries, apr_int64_t position)
{
    return entries->next < lims_result_count(entries->rows) &&
           apr_atoi64(lims_result_cell(entries->rows, entries->next, 1)) < position;
}

/* Notes an entry whose time lies too far before that of earlier ones. */
static void check_time(check_t *check, const entries_t *entries, const char *block)
{
    apr_int64_t at = apr_atoi64(lims_result_cell(entries->rows, entries->next, 3));

    if (at < check->latest - EARLIER_MAX && check->backdated.kind == LIMS_TRAIL_SOUND) {
        check->backdated.kind = LIMS_TRAIL_BACKDATED;
        check->backdated.block = apr_pstrdup(check->rq->pool, block);
        check->backdated.entry =
            apr_pstrdup(check->rq->pool, lims_result_cell(entries->rows, entries->next, 0));
    }
    check->latest = at > check->latest ? at : check->latest;
}

/* Finds out why another entry than the expected one is next: the expected one is gone, or
 * an entry is there that the block did not have. */
static void find_difference(check_t *check, const block_t *block, int expected,
                            const entries_t *entries)
{
    bool known = !is_below(entries, block->to);

    for (int i = expected + 1; i < block->count && !known; i++) {
        known = is_at(entries, block->ids[i]);
    }
    find(check, known ? LIMS_TRAIL_REMOVED : LIMS_TRAIL_INSERTED, block->id,
         known ? block->ids[expected] : lims_result_cell(entries->rows, entries->next, 0));
}

/* Compares the next entry with the expected one and its mark. */
static void check_entry(check_t *check, const block_t *block, int expected, entries_t *entries,
                        lims_chain_t *chain)
{
    unsigned char digest[LIMS_SHA256_LENGTH];

    if (!is_below(entries, block->to) || !is_at(entries, block->ids[expected])) {
        find_difference(check, block, expected, entries);
        return;
    }
    if (!lims_block_digest(digest, lims_result_cell(entries->rows, entries->next, 2)) ||
        !lims_chain_add(chain, digest)) {
        find(check, LIMS_TRAIL_CHANGED, block->id, block->ids[expected]);
        return;
    }
    if (!lims_chain_fits_mark(chain, block->marks, expected)) {
        find(check, LIMS_TRAIL_CHANGED, block->id, block->ids[expected]);
        return;
    }
    check_time(check, entries, block->id);
    check->verdict->entries++;
    entries->next++;
}

static void check_entries(check_t *check, const block_t *block, entries_t *entries,
                          lims_chain_t *chain, const char *head)
{
    for (int i = 0; i < block->count && !check->found; i++) {
        check_entry(check, block, i, entries, chain);
    }
    if (!check->found && is_below(entries, block->to)) {
        find(check, LIMS_TRAIL_INSERTED, block->id,
             lims_result_cell(entries->rows, entries->next, 0));
    }
    if (!check->found && !lims_chain_fits_head(chain, head)) {
        find(check, LIMS_TRAIL_CHANGED, block->id,
             block->count > 0 ? block->ids[block->count - 1] : NULL);
    }
}

/* Goes on behind a block. */
static void step(check_t *check, const lims_result_t *blocks, int row)
{
    apr_pool_t *pool = check->rq->pool;

    check->last = apr_pstrdup(pool, lims_result_get(blocks, row, "id"));
    check->head = apr_pstrdup(pool, lims_result_get(blocks, row, "head"));
    check->position = apr_pstrdup(pool, lims_result_get(blocks, row, "toPosition"));
}

/* Finds the archive that has the entries of a block; NULL: they are in none. */
static const archive_t *archive_of(const check_t *check, apr_int64_t block)
{
    for (int i = 0; i < check->archives->nelts; i++) {
        const archive_t *archive = &APR_ARRAY_IDX(check->archives, i, const archive_t);

        if (archive->from <= block && block <= archive->to) {
            return archive;
        }
    }
    return NULL;
}

/* Verifies the entries of the block of a row by their MACs. */
static const lims_error_t *check_macs(check_t *check, const block_t *block,
                                      const lims_result_t *blocks, int row, entries_t *entries,
                                      apr_pool_t *pool)
{
    lims_chain_t *chain = lims_chain_of(check->chains, check->rq->keyring,
                                        lims_result_get(blocks, row, "keyId"));
    const lims_block_header_t header = { .organization = check->rq->actor.organization,
                                         .id = block->id,
                                         .from_position = check->position,
                                         .to_position = lims_result_get(blocks, row, "toPosition"),
                                         .closed_at = lims_result_get(blocks, row, "closedAt"),
                                         .entries = block->count,
                                         .last_head = check->head };

    if (!chain) {
        find(check, LIMS_TRAIL_KEY_MISSING, block->id, NULL);
        check->ended = true;
        return NULL;
    }
    if (!lims_block_begin(chain, &header, pool)) {
        return lims_no_digest(check->rq->pool);
    }
    check_entries(check, block, entries, chain, lims_result_get(blocks, row, "head"));
    check->verdict->blocks += check->found ? 0 : 1;
    return NULL;
}

/* Verifies a block whose entries are archived: none is there, or, while they are being removed,
 * block by block, all of them are as they were. */
static const lims_error_t *check_archived(check_t *check, const archive_t *archive,
                                          const block_t *block, const lims_result_t *blocks,
                                          int row, entries_t *entries, apr_pool_t *pool)
{
    if (!is_below(entries, block->to)) {
        check->verdict->archived++;
        return NULL;
    }
    if (!archive->removed) {
        return check_macs(check, block, blocks, row, entries, pool);
    }
    find(check, LIMS_TRAIL_INSERTED, block->id, lims_result_cell(entries->rows, entries->next, 0));
    return NULL;
}

/* Finds the blocks between the last one and this one, which are not there. */
static void find_missing(check_t *check, apr_int64_t id)
{
    apr_int64_t due = apr_atoi64(check->last) + 1;

    do {
        find(check, LIMS_TRAIL_BLOCK_MISSING,
             apr_psprintf(check->rq->pool, "%" APR_INT64_T_FMT, due), NULL);
    } while (++due < id && check->verdict->findings->nelts < LIMS_FINDINGS_MAX);
}

/* Verifies the block of a row, after the one before it. A block behind one that is missing is
 * taken as it is kept: what its MACs begin with is not known. */
static const lims_error_t *check_block(check_t *check, const lims_result_t *blocks, int row,
                                       entries_t *entries, apr_pool_t *pool)
{
    block_t block = { .id = lims_result_get(blocks, row, "id"),
                      .to = apr_atoi64(lims_result_get(blocks, row, "toPosition")),
                      .marks = lims_result_get(blocks, row, "marks") + 2 };
    apr_int64_t id = apr_atoi64(block.id);
    const archive_t *archive = archive_of(check, id);
    const lims_error_t *error = NULL;

    check->found = false;
    split_ids(&block, lims_result_get(blocks, row, "entryIds"), pool);
    if (id != apr_atoi64(check->last) + 1 ||
        strcmp(check->position, lims_result_get(blocks, row, "fromPosition")) != 0) {
        find_missing(check, id);
    } else if (archive) {
        error = check_archived(check, archive, &block, blocks, row, entries, pool);
    } else {
        error = check_macs(check, &block, blocks, row, entries, pool);
    }
    if (!error && !check->ended) {
        compare_head(check, &block, lims_result_get(blocks, row, "head"));
        while (is_below(entries, block.to)) {
            entries->next++;
        }
        step(check, blocks, row);
    }
    return error;
}

/* Verifies a piece; `*more`: another may follow. `rq`: the request, with a pool of the
 * piece. */
static const lims_error_t *check_piece(bool *more, check_t *check, lims_request_t *rq)
{
    lims_values_t *values = lims_values_create(rq->pool);
    const lims_call_t next = { .statement = LIMS_STMT_AUDIT_BLOCK_NEXT, .values = values };
    const lims_call_t read = { .statement = LIMS_STMT_AUDIT_BLOCK_ENTRIES, .values = values };
    lims_result_t *blocks = NULL;
    lims_result_t *rows = NULL;
    entries_t entries = { .next = 0 };
    const lims_error_t *error;
    int count;

    lims_values_set(values, "after", check->last);
    error = lims_service_read(&blocks, rq, &next, 1);
    count = error ? 0 : lims_result_count(blocks);
    *more = count > 0;
    if (!*more) {
        return error;
    }
    lims_values_set(values, "from", check->position);
    lims_values_set(values, "to", lims_result_get(blocks, count - 1, "toPosition"));
    error = lims_service_read(&rows, rq, &read, 1);
    entries.rows = rows;
    for (int i = 0; i < count && !error && !check->ended; i++) {
        error = check_block(check, blocks, i, &entries, rq->pool);
    }
    return error;
}

/* Looks at what lies behind the last block. */
static const lims_error_t *check_tail(check_t *check)
{
    lims_verdict_t *verdict = check->verdict;
    lims_values_t *values = lims_values_create(check->rq->pool);
    const lims_call_t call = { .statement = LIMS_STMT_AUDIT_BLOCK_TAIL, .values = values };
    lims_result_t *row = NULL;
    const lims_error_t *error;

    lims_values_set(values, "from", check->position);
    error = lims_service_read(&row, check->rq, &call, 1);
    if (error) {
        return error;
    }
    verdict->open = apr_atoi64(lims_result_get(row, 0, "open"));
    verdict->first_open = lims_result_get(row, 0, "firstOpen");
    if (lims_result_get(row, 0, "inserted")) {
        find(check, LIMS_TRAIL_INSERTED, NULL, lims_result_get(row, 0, "inserted"));
    }
    find_cut_off(check);
    return NULL;
}

/* --- The whole -------------------------------------------------------------- */

/* Finds which blocks' entries are archived, by the records of archives that this service
 * signed. */
static const lims_error_t *find_archived(check_t *check)
{
    const lims_call_t call = { .statement = LIMS_STMT_AUDIT_ARCHIVE_SIGNED };
    lims_result_t *rows = NULL;
    const lims_error_t *error = lims_service_read(&rows, check->rq, &call, 1);

    for (int i = 0; !error && i < lims_result_count(rows); i++) {
        if (lims_ed25519_verify(check->rq->keyring, lims_result_get(rows, i, "keyId"),
                                lims_result_get(rows, i, "signature"),
                                lims_result_get(rows, i, "signed"), check->rq->pool)) {
            APR_ARRAY_PUSH(check->archives, archive_t) =
                (archive_t){ .from = apr_atoi64(lims_result_get(rows, i, "fromBlock")),
                             .to = apr_atoi64(lims_result_get(rows, i, "toBlock")),
                             .removed = lims_result_true(rows, i, "removed") };
        } else {
            find(check, LIMS_TRAIL_ARCHIVE_FORGED, lims_result_get(rows, i, "fromBlock"), NULL);
        }
    }
    return error;
}

/* Finds where the verification begins. */
static const lims_error_t *begin(check_t *check, const char *from)
{
    lims_values_t *values = lims_values_create(check->rq->pool);
    const lims_call_t call = { .statement = LIMS_STMT_AUDIT_BLOCK_BEFORE, .values = values };
    lims_result_t *row = NULL;
    const lims_error_t *error = find_archived(check);

    check->last = apr_psprintf(check->rq->pool, "%" APR_INT64_T_FMT, apr_atoi64(from) - 1);
    check->position = "0";
    check->head = "-";
    if (error || strcmp(check->last, "0") == 0) {
        return error;
    }
    lims_values_set(values, "after", check->last);
    error = lims_service_read(&row, check->rq, &call, 1);
    if (!error && lims_result_count(row) == 0) {
        find(check, LIMS_TRAIL_BLOCK_MISSING, check->last, NULL);
        check->ended = true;
    } else if (!error) {
        check->position = lims_result_get(row, 0, "toPosition");
        check->head = lims_result_get(row, 0, "head");
    }
    return error;
}

static const lims_error_t *check_blocks(check_t *check, apr_time_t until)
{
    lims_request_t piece = *check->rq;
    const lims_error_t *error = NULL;
    bool more = !check->ended;

    apr_pool_create(&piece.pool, check->rq->pool);
    while (more && !error && !check->ended && !check->verdict->next) {
        error = check_piece(&more, check, &piece);
        if (!error) {
            apr_pool_clear(piece.pool);
        }
        if (more && until && apr_time_now() > until) {
            check->verdict->next =
                apr_psprintf(check->rq->pool, "%" APR_INT64_T_FMT, apr_atoi64(check->last) + 1);
        }
    }
    return error;
}

const lims_error_t *lims_trail_verify(lims_verdict_t *verdict, lims_request_t *rq, const char *from,
                                      const char *heads, apr_interval_time_t most)
{
    check_t check = { .rq = rq,
                      .verdict = verdict,
                      .heads = lims_kept_heads(rq, heads),
                      .chains = apr_hash_make(rq->pool),
                      .archives = apr_array_make(rq->pool, 8, sizeof(archive_t)) };
    const lims_error_t *error;

    *verdict = (lims_verdict_t){ .findings = lims_findings_create(rq->pool) };
    error = begin(&check, from);
    if (!error) {
        error = check_blocks(&check, most ? apr_time_now() + most : 0);
    }
    if (!error && !check.ended && !verdict->next) {
        error = check_tail(&check);
    }
    if (verdict->findings->nelts == 0 && check.backdated.kind != LIMS_TRAIL_SOUND) {
        find(&check, LIMS_TRAIL_BACKDATED, check.backdated.block, check.backdated.entry);
    }
    if (strcmp(check.last, "0") != 0) {
        verdict->last_block = check.last;
        verdict->last_head = apr_pstrcat(rq->pool, LIMS_AUDIT_HEAD, rq->actor.organization, ":",
                                         check.last, ":", check.head, NULL);
    }
    return error;
}
