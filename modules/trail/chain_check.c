/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chain_check.c - verifying the chain of the audit trail: the entries between the
 * positions of each block are hashed again by the database and compared with the marks
 * that were made when the block was closed, in pieces of some 20,000 entries.
 */
#include "trail/chain_check.h"

#include <apr_escape.h>
#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

#include "database/database.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "service/service.h"

/* An entry may have begun so much earlier than one that was written before it: its time is
 * that of the beginning of its transaction. */
#define EARLIER_MAX ((apr_int64_t)APR_USEC_PER_SEC * 3600)

const char *const lims_trail_kinds[LIMS_TRAIL_KINDS + 1] = {
    [LIMS_TRAIL_SOUND] = NULL,
    [LIMS_TRAIL_CHANGED] = "changed",
    [LIMS_TRAIL_REMOVED] = "removed",
    [LIMS_TRAIL_INSERTED] = "inserted",
    [LIMS_TRAIL_BACKDATED] = "backdated",
    [LIMS_TRAIL_BLOCK_MISSING] = "block_missing",
    [LIMS_TRAIL_KEY_MISSING] = "key_missing",
    [LIMS_TRAIL_OTHER_HEAD] = "other_head",
    [LIMS_TRAIL_CUT_OFF] = "cut_off",
    [LIMS_TRAIL_KINDS] = NULL,
};

_Static_assert(LIMS_LENGTH(lims_trail_kinds) == LIMS_TRAIL_KINDS + 1, "a name for each kind");

typedef struct {
    lims_request_t *rq;
    lims_verdict_t *verdict;
    apr_hash_t *heads;        /* kept outside: number of the block to its head */
    apr_hash_t *chains;       /* lims_chain_t by the key's id */
    lims_verdict_t backdated; /* the first such entry, told if nothing else is found */
    apr_int64_t latest;       /* latest time of an entry so far */
    /* End, number and head of the block before. */
    const char *position;
    const char *last;
    const char *head;
} check_t;

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

static void find(lims_verdict_t *verdict, apr_pool_t *pool, lims_trail_e kind, const char *block,
                 const char *entry)
{
    verdict->kind = kind;
    verdict->block = apr_pstrdup(pool, block);
    verdict->entry = apr_pstrdup(pool, entry);
}

static bool is_sound(const check_t *check)
{
    return check->verdict->kind == LIMS_TRAIL_SOUND;
}

/* Says in words what was found. */
static const char *words_of(const lims_verdict_t *verdict, apr_pool_t *pool)
{
    static const char *const words[LIMS_TRAIL_KINDS] = {
        [LIMS_TRAIL_CHANGED] = "Entry %2$s is not as it was when block %1$s was closed.",
        [LIMS_TRAIL_REMOVED] = "Entry %2$s was in block %1$s when that was closed, and is gone.",
        [LIMS_TRAIL_INSERTED] = "Entry %2$s was not there when its part of the trail was closed.",
        [LIMS_TRAIL_BACKDATED] = "The time of entry %2$s, in block %1$s, is earlier by more than "
                                 "an hour than that of entries written before it.",
        [LIMS_TRAIL_BLOCK_MISSING] = "Block %1$s is missing, or does not begin where the one "
                                     "before it ends.",
        [LIMS_TRAIL_KEY_MISSING] = "The key file does not have the key of block %1$s, without "
                                   "which nothing from there on can be verified.",
        [LIMS_TRAIL_OTHER_HEAD] = "Block %1$s has another head than the one that was kept "
                                  "outside: the chain was made anew.",
        [LIMS_TRAIL_CUT_OFF] = "Block %1$s, whose head was kept outside, is not there: the end of "
                               "the trail was cut off.",
    };
    const char *text = words[verdict->kind];
    const char *block = verdict->block ? verdict->block : "";
    const char *entry = verdict->entry ? verdict->entry : "";
    const char *sentence = text;
    const char *place = text ? strchr(text, '%') : NULL;

    for (; place; place = strchr(sentence, '%')) {
        sentence = apr_pstrcat(pool, apr_pstrmemdup(pool, sentence, (apr_size_t)(place - sentence)),
                               place[1] == '1' ? block : entry, place + 4, NULL);
    }
    return sentence;
}

/* --- Heads that were kept outside ------------------------------------------- */

/* Reads one head behind LIMS_AUDIT_HEAD: ORGANIZATION:BLOCK:HEX. */
static void read_head(check_t *check, const char *text)
{
    apr_pool_t *pool = check->rq->pool;
    const char *block = strchr(text, ':');
    const char *hex = block ? strchr(block + 1, ':') : NULL;
    const char *number;
    const char *head;
    const char *known;

    if (!hex || strspn(hex + 1, "0123456789abcdef") < 2 * LIMS_SHA256_LENGTH ||
        strspn(text, "0123456789") != (apr_size_t)(block - text) ||
        strspn(block + 1, "0123456789") != (apr_size_t)(hex - block - 1) ||
        strcmp(apr_pstrmemdup(pool, text, (apr_size_t)(block - text)),
               check->rq->actor.organization) != 0) {
        return;
    }
    number = apr_pstrmemdup(pool, block + 1, (apr_size_t)(hex - block - 1));
    head = apr_pstrmemdup(pool, hex + 1, 2 * LIMS_SHA256_LENGTH);
    known = apr_hash_get(check->heads, number, APR_HASH_KEY_STRING);
    /* Two heads of one block: no block has both. */
    apr_hash_set(check->heads, number, APR_HASH_KEY_STRING,
                 known && strcmp(known, head) != 0 ? "" : head);
}

static void read_heads(check_t *check, const char *text)
{
    const apr_size_t length = strlen(LIMS_AUDIT_HEAD);

    const char *place = text ? strstr(text, LIMS_AUDIT_HEAD) : NULL;

    for (; place; place = strstr(place, LIMS_AUDIT_HEAD)) {
        place += length;
        read_head(check, place);
    }
}

static void compare_head(check_t *check, const block_t *block, const char *head)
{
    const char *kept = apr_hash_get(check->heads, block->id, APR_HASH_KEY_STRING);

    if (kept) {
        check->verdict->heads++;
        if (strcmp(kept, head) != 0) {
            find(check->verdict, check->rq->pool, LIMS_TRAIL_OTHER_HEAD, block->id,
                 block->count > 0 ? block->ids[0] : NULL);
        }
    }
}

/* Finds the first block that was kept outside and is not there. */
static void find_cut_off(check_t *check)
{
    apr_int64_t last = check->last ? apr_atoi64(check->last) : 0;
    apr_int64_t first = APR_INT64_MAX;

    for (apr_hash_index_t *i = apr_hash_first(check->rq->pool, check->heads); i;
         i = apr_hash_next(i)) {
        const void *number;
        apr_hash_this(i, &number, NULL, NULL);
        if (apr_atoi64(number) > last && apr_atoi64(number) < first) {
            first = apr_atoi64(number);
        }
    }
    if (first != APR_INT64_MAX) {
        find(check->verdict, check->rq->pool, LIMS_TRAIL_CUT_OFF,
             apr_psprintf(check->rq->pool, "%" APR_INT64_T_FMT, first), NULL);
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

static lims_chain_t *chain_of(check_t *check, const char *key_id)
{
    lims_chain_t *chain = apr_hash_get(check->chains, key_id, APR_HASH_KEY_STRING);

    if (!chain) {
        chain = lims_chain_create(check->rq->keyring, key_id, check->rq->pool);
        apr_hash_set(check->chains, apr_pstrdup(check->rq->pool, key_id), APR_HASH_KEY_STRING,
                     chain);
    }
    return chain;
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
        find(&check->backdated, check->rq->pool, LIMS_TRAIL_BACKDATED, block,
             lims_result_cell(entries->rows, entries->next, 0));
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
    find(check->verdict, check->rq->pool, known ? LIMS_TRAIL_REMOVED : LIMS_TRAIL_INSERTED,
         block->id,
         known ? block->ids[expected] : lims_result_cell(entries->rows, entries->next, 0));
}

/* Compares the next entry with the expected one and its mark. */
static void check_entry(check_t *check, const block_t *block, int expected, entries_t *entries,
                        lims_chain_t *chain)
{
    unsigned char digest[LIMS_SHA256_LENGTH];
    char mark[2 * LIMS_CHAIN_MARK + 1];

    if (!is_below(entries, block->to) || !is_at(entries, block->ids[expected])) {
        find_difference(check, block, expected, entries);
        return;
    }
    if (!lims_block_digest(digest, lims_result_cell(entries->rows, entries->next, 2)) ||
        !lims_chain_add(chain, digest)) {
        find(check->verdict, check->rq->pool, LIMS_TRAIL_CHANGED, block->id, block->ids[expected]);
        return;
    }
    apr_escape_hex(mark, lims_chain_mac(chain), LIMS_CHAIN_MARK, 0, NULL);
    if (strncmp(mark, block->marks + (apr_size_t)expected * 2 * LIMS_CHAIN_MARK,
                2 * LIMS_CHAIN_MARK) != 0) {
        find(check->verdict, check->rq->pool, LIMS_TRAIL_CHANGED, block->id, block->ids[expected]);
        return;
    }
    check_time(check, entries, block->id);
    check->verdict->entries++;
    entries->next++;
}

static void check_entries(check_t *check, const block_t *block, entries_t *entries,
                          lims_chain_t *chain, const char *head)
{
    char made[2 * LIMS_SHA256_LENGTH + 1];

    for (int i = 0; i < block->count && is_sound(check); i++) {
        check_entry(check, block, i, entries, chain);
    }
    if (is_sound(check) && is_below(entries, block->to)) {
        find(check->verdict, check->rq->pool, LIMS_TRAIL_INSERTED, block->id,
             lims_result_cell(entries->rows, entries->next, 0));
    }
    apr_escape_hex(made, lims_chain_mac(chain), LIMS_SHA256_LENGTH, 0, NULL);
    if (is_sound(check) && strcmp(made, head) != 0) {
        find(check->verdict, check->rq->pool, LIMS_TRAIL_CHANGED, block->id,
             block->count > 0 ? block->ids[block->count - 1] : NULL);
    }
}

/* Verifies the block of a row, after the one before it. */
static const lims_error_t *check_block(check_t *check, const lims_result_t *blocks, int row,
                                       entries_t *entries, apr_pool_t *pool)
{
    const char *head = lims_result_get(blocks, row, "head");
    block_t block = { .id = lims_result_get(blocks, row, "id"),
                      .to = apr_atoi64(lims_result_get(blocks, row, "toPosition")),
                      .marks = lims_result_get(blocks, row, "marks") + 2 };
    const char *due = apr_psprintf(pool, "%" APR_INT64_T_FMT, apr_atoi64(check->last) + 1);
    lims_chain_t *chain = chain_of(check, lims_result_get(blocks, row, "keyId"));
    lims_block_header_t header = { .organization = check->rq->actor.organization,
                                   .id = block.id,
                                   .from_position = check->position,
                                   .to_position = lims_result_get(blocks, row, "toPosition"),
                                   .closed_at = lims_result_get(blocks, row, "closedAt"),
                                   .last_head = check->head };

    split_ids(&block, lims_result_get(blocks, row, "entryIds"), pool);
    header.entries = block.count;
    if (strcmp(due, block.id) != 0 ||
        strcmp(check->position, lims_result_get(blocks, row, "fromPosition")) != 0) {
        find(check->verdict, check->rq->pool, LIMS_TRAIL_BLOCK_MISSING, due, NULL);
        return NULL;
    }
    if (!chain) {
        find(check->verdict, check->rq->pool, LIMS_TRAIL_KEY_MISSING, block.id, NULL);
        return NULL;
    }
    if (!lims_block_begin(chain, &header, pool)) {
        return lims_no_digest(check->rq->pool);
    }
    check_entries(check, &block, entries, chain, head);
    if (is_sound(check)) {
        compare_head(check, &block, head);
    }
    if (is_sound(check)) {
        check->verdict->blocks++;
        check->last = apr_pstrdup(check->rq->pool, block.id);
        check->head = apr_pstrdup(check->rq->pool, head);
        check->position = apr_pstrdup(check->rq->pool, header.to_position);
    }
    return NULL;
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
    for (int i = 0; i < count && !error && is_sound(check); i++) {
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
        find(verdict, check->rq->pool, LIMS_TRAIL_INSERTED, NULL,
             lims_result_get(row, 0, "inserted"));
    } else {
        find_cut_off(check);
    }
    return NULL;
}

/* --- The whole -------------------------------------------------------------- */

/* Finds where the verification begins. */
static const lims_error_t *begin(check_t *check, const char *from)
{
    lims_values_t *values = lims_values_create(check->rq->pool);
    const lims_call_t call = { .statement = LIMS_STMT_AUDIT_BLOCK_BEFORE, .values = values };
    lims_result_t *row = NULL;
    const lims_error_t *error;

    check->last = apr_psprintf(check->rq->pool, "%" APR_INT64_T_FMT, apr_atoi64(from) - 1);
    check->position = "0";
    check->head = "-";
    if (strcmp(check->last, "0") == 0) {
        return NULL;
    }
    lims_values_set(values, "after", check->last);
    error = lims_service_read(&row, check->rq, &call, 1);
    if (!error && lims_result_count(row) == 0) {
        find(check->verdict, check->rq->pool, LIMS_TRAIL_BLOCK_MISSING, check->last, NULL);
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
    bool more = is_sound(check);

    apr_pool_create(&piece.pool, check->rq->pool);
    while (more && !error && is_sound(check) && !check->verdict->next) {
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
                      .heads = apr_hash_make(rq->pool),
                      .chains = apr_hash_make(rq->pool) };
    const lims_error_t *error;

    *verdict = (lims_verdict_t){ .kind = LIMS_TRAIL_SOUND };
    read_heads(&check, heads);
    error = begin(&check, from);
    if (!error) {
        error = check_blocks(&check, most ? apr_time_now() + most : 0);
    }
    if (!error && is_sound(&check) && !verdict->next) {
        error = check_tail(&check);
    }
    if (is_sound(&check) && check.backdated.kind != LIMS_TRAIL_SOUND) {
        find(verdict, rq->pool, LIMS_TRAIL_BACKDATED, check.backdated.block, check.backdated.entry);
    }
    if (strcmp(check.last, "0") != 0) {
        verdict->last_block = check.last;
        verdict->last_head = apr_pstrcat(rq->pool, LIMS_AUDIT_HEAD, rq->actor.organization, ":",
                                         check.last, ":", check.head, NULL);
    }
    verdict->message = words_of(verdict, rq->pool);
    return error;
}
