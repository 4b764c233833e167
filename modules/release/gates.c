/* SPDX-License-Identifier: Apache-2.0 */
/* gates.c - refusals by the release gates, as blockers in an answer. */
#include "release/gates.h"

#include <apr_strings.h>
#include <string.h>

#include "database/database.h"
#include "kernel/blocker.h"
#include "kernel/error.h"
#include "kernel/record.h"
#include "kernel/writer.h"

/* Returns the message of the rule that refused. For a caller with an API key it adds
 * that a key cannot sign. */
static const char *message_of(const lims_request_t *rq, const lims_result_t *rows, int row)
{
    const char *slug = lims_result_get(rows, row, "slug");
    const char *message = lims_result_get(rows, row, "message");
    bool unsigned_key = rq->actor.key && lims_error_by_slug(slug) == LIMS_E_ESIGNATURE_REQUIRED;

    return unsigned_key ? apr_pstrcat(rq->pool, message,
                                      ", which an API key cannot give: somebody has to do it in "
                                      "the application",
                                      NULL)
                        : message;
}

/* The value of a blocker's member, from its row. */
static const char *value_of(const char *name, const lims_request_t *rq, const lims_result_t *rows,
                            int row)
{
    const char *slug = lims_result_get(rows, row, "slug");

    if (strcmp(name, "message") == 0) {
        return lims_sentence(message_of(rq, rows, row), rq->pool);
    }
    if (strcmp(name, "clearedBy") != 0) {
        return lims_result_get(rows, row, name);
    }
    /* No approvals were requested yet, so there are none to name. */
    return strcmp(slug, "approval_required") == 0 &&
                   strcmp(lims_result_get(rows, row, "approvalIds"), "{}") == 0
               ? "completing the sample, then approving it"
               : lims_blocker_cleared_by(slug);
}

/* A member is present only if the gate has a value for it. */
static void write_present(lims_writer_t *w, const lims_request_t *rq, const lims_result_t *rows,
                          int row)
{
    for (const lims_field_t *field = lims_blocker_fields; field->name; field++) {
        const char *text = value_of(field->name, rq, rows, row);
        if (text && strcmp(text, "{}") != 0) {
            lims_writer_key(w, field->name);
            lims_record_write_value(w, field, text);
        }
    }
}

/* The contract's members of a gate's refusal, whether the gate is the first or
 * not. */
static void write_contract_members(lims_writer_t *w, const lims_result_t *rows)
{
    for (const lims_field_t *field = lims_gate_fields; field->name; field++) {
        for (int row = 0; row < lims_result_count(rows); row++) {
            const char *text = lims_result_get(rows, row, field->name);
            if (text) {
                lims_writer_key(w, field->name);
                lims_record_write_value(w, field, text);
                break;
            }
        }
    }
}

static void write_blockers(lims_writer_t *w, const lims_request_t *rq, const lims_result_t *rows)
{
    lims_writer_array_begin(w);
    for (int i = 0; i < lims_result_count(rows); i++) {
        lims_writer_object_begin(w);
        write_present(w, rq, rows, i);
        lims_writer_object_end(w);
    }
    lims_writer_array_end(w);
}

/* The members of a JSON object as text, without its braces. */
static const char *inside(lims_writer_t *w, apr_pool_t *pool)
{
    apr_size_t length = 0;
    const char *text = lims_writer_finish(&length, w);

    return apr_pstrndup(pool, text + 1, length - 2);
}

static const lims_error_t *refusal(lims_request_t *rq, const lims_result_t *rows,
                                   const char *members)
{
    const char *slug = lims_result_get(rows, 0, "slug");
    lims_error_e kind = lims_error_by_slug(slug);

    if (kind == LIMS_E_COUNT) {
        /* The schema is newer and has a gate that this code does not know. */
        return lims_server_error(
            rq->pool, LIMS_E_INTERNAL, 44, slug,
            "The request is refused by a gate that this version does not know.");
    }
    return lims_client_error_with(rq->pool, kind, members, "%s", message_of(rq, rows, 0));
}

const lims_error_t *lims_gates_check(lims_request_t *rq, lims_stmt_e blockers)
{
    lims_result_t *rows = NULL;
    const lims_error_t *error = lims_database_call(&rows, rq, blockers);
    lims_writer_t *w;

    if (error || lims_result_count(rows) == 0) {
        return error;
    }
    w = lims_writer_create(rq->pool);
    lims_writer_object_begin(w);
    write_contract_members(w, rows);
    lims_writer_key(w, "blockers");
    write_blockers(w, rq, rows);
    lims_writer_object_end(w);
    return refusal(rq, rows, inside(w, rq->pool));
}
