/* SPDX-License-Identifier: Apache-2.0 */
/*
 * closing.c - closing blocks of the audit trail's chain.
 *
 * The lock of an organization's row in lims.audit_closing is the lease: any number of
 * machines may do this at once. The MACs are computed here, because the database does not
 * have their key.
 */
#include <apr_escape.h>
#include <apr_strings.h>
#include <string.h>

#include "database/database.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/seal.h"
#include "trail/trail.h"

/* Space for an id as decimal text, and a comma. */
#define ID_MAX 21

bool lims_block_begin(lims_chain_t *chain, const lims_block_header_t *header, apr_pool_t *pool)
{
    return lims_chain_begin(
        chain, apr_psprintf(pool, LIMS_AUDIT_HEAD "%s:%s:%s:%s:%s:%d:%s", header->organization,
                            header->id, header->from_position, header->to_position,
                            header->closed_at, header->entries, header->last_head));
}

bool lims_block_digest(unsigned char digest[LIMS_SHA256_LENGTH], const char *bytea)
{
    apr_size_t length = 0;

    return bytea && strlen(bytea) == 2 + 2 * LIMS_SHA256_LENGTH &&
           apr_unescape_hex(digest, bytea + 2, 2 * LIMS_SHA256_LENGTH, 0, &length) == APR_SUCCESS;
}

/* Returns the ids of the entries as a PostgreSQL array. */
static const char *ids_of(const lims_result_t *entries, apr_pool_t *pool)
{
    int count = lims_result_count(entries);
    char *text = apr_palloc(pool, (apr_size_t)count * ID_MAX + 2);
    char *end = text;

    for (int i = 0; i < count; i++) {
        const char *id = lims_result_cell(entries, i, 0);

        *end++ = i == 0 ? '{' : ',';
        end = apr_cpystrn(end, id, ID_MAX);
    }
    *end++ = '}';
    *end = '\0';
    return text;
}

/* Computes the MACs of the entries; binds ids, marks and head. */
static const lims_error_t *compute(lims_request_t *rq, const lims_result_t *block,
                                   const lims_result_t *entries)
{
    int count = lims_result_count(entries);
    const char *key_id = lims_keyring_first(rq->keyring);
    lims_chain_t *chain = lims_chain_create(rq->keyring, key_id, rq->pool);
    const lims_block_header_t header = {
        .organization = lims_result_get(block, 0, "organization"),
        .id = lims_result_get(block, 0, "block"),
        .from_position = lims_result_get(block, 0, "chainEnd"),
        .to_position = lims_result_get(block, 0, "toPosition"),
        .closed_at = lims_result_get(block, 0, "closedAt"),
        .entries = count,
        .last_head = lims_result_get(block, 0, "lastHead"),
    };
    unsigned char *marks = apr_palloc(rq->pool, LIMS_CHAIN_MARK * (apr_size_t)count);
    unsigned char digest[LIMS_SHA256_LENGTH];
    bool done = chain && lims_block_begin(chain, &header, rq->pool);

    for (int i = 0; done && i < count; i++) {
        done = lims_block_digest(digest, lims_result_cell(entries, i, 1)) &&
               lims_chain_add(chain, digest);
        memcpy(marks + (apr_size_t)i * LIMS_CHAIN_MARK, lims_chain_mac(chain), LIMS_CHAIN_MARK);
    }
    if (!done) {
        return lims_no_digest(rq->pool);
    }
    lims_values_set(rq->values, "keyId", key_id);
    lims_values_set(rq->values, "entryIds", ids_of(entries, rq->pool));
    lims_values_set(rq->values, "marks",
                    lims_bytea(marks, LIMS_CHAIN_MARK * (apr_size_t)count, rq->pool));
    lims_values_set(rq->values, "head",
                    lims_bytea(lims_chain_mac(chain), LIMS_SHA256_LENGTH, rq->pool));
    return NULL;
}

/* Closes the block that was taken, in the open transaction. */
static const lims_error_t *close_block(int *entries, lims_request_t *rq, const lims_result_t *block)
{
    static const char *const columns[] = { "organization", "block",  "chainEnd", "fromPosition",
                                           "toPosition",   "behind", "closedAt", NULL };
    lims_result_t *found = NULL;
    lims_result_t *ignored = NULL;
    const lims_error_t *error;

    lims_result_bind(rq->values, block, columns);
    error = lims_database_call(&found, rq, LIMS_STMT_AUDIT_TO_CLOSE);
    *entries = error ? 0 : lims_result_count(found);
    if (*entries > 0) {
        error = compute(rq, block, found);
    }
    return error ? error : lims_database_call(&ignored, rq, LIMS_STMT_AUDIT_CLOSE);
}

/* Notes when this run began, by the clock of the database: each chain is closed once in a
 * run. */
static const lims_error_t *begin_run(const char **begun, lims_request_t *rq,
                                     const lims_values_t *values)
{
    lims_result_t *row = NULL;
    const lims_error_t *error = NULL;

    *begun = lims_values_get(values, "begun");
    if (!*begun) {
        error = lims_database_call(&row, rq, LIMS_STMT_AUDIT_BEGIN);
        *begun = error ? NULL : apr_pstrdup(values->pool, lims_result_get(row, 0, "begun"));
    }
    return error;
}

static const lims_error_t *take_and_close(bool *more, int *entries, const char **line,
                                          lims_request_t *rq)
{
    const lims_call_t take = { .statement = LIMS_STMT_AUDIT_TAKE };
    lims_result_t *block = NULL;
    const lims_error_t *error = lims_database_run(&block, rq, &take, 1, LIMS_DB_BEGIN);

    *more = !error && lims_result_count(block) > 0;
    if (*more) {
        error = close_block(entries, rq, block);
    }
    if (!error) {
        error = lims_database_run(NULL, rq, NULL, 0, LIMS_DB_COMMIT);
    }
    lims_connection_release(rq->connection);
    if (!error && *entries > 0) {
        *line = apr_psprintf(
            rq->pool, LIMS_AUDIT_HEAD "%s:%s:%s", lims_result_get(block, 0, "organization"),
            lims_result_get(block, 0, "block"), lims_values_get(rq->values, "head") + 2);
    }
    return error;
}

const lims_error_t *lims_audit_close(bool *more, int *entries, const char **line,
                                     lims_request_t *rq, int rows)
{
    lims_values_t *values = rq->values;
    const char *begun = NULL;
    const lims_error_t *error;

    *more = false;
    *entries = 0;
    *line = NULL;
    if (!rq->keyring) {
        return NULL;
    }
    error = begin_run(&begun, rq, values);
    if (!error) {
        lims_values_set(values, "begun", begun);
        rq->values = lims_values_create(rq->pool);
        lims_values_set(rq->values, "begun", begun);
        lims_values_set(rq->values, "rows", apr_itoa(rq->pool, rows));
        error = take_and_close(more, entries, line, rq);
        rq->values = values;
    }
    return error;
}
