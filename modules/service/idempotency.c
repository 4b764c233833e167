/* SPDX-License-Identifier: Apache-2.0 */
/* idempotency.c - idempotent POST: done once, however often it is sent. */
#include "service/idempotency.h"

#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/digest.h"
#include "kernel/error.h"
#include "kernel/field.h"

/* Returns the SHA-256 of method, path and body, by which requests are compared. */
static const char *fingerprint(const lims_exchange_t *x, const char *body, apr_size_t length)
{
    char *head = apr_psprintf(x->rq.pool, "%s %s\n", x->method, x->path);
    const struct iovec pieces[] = {
        { .iov_base = head, .iov_len = strlen(head) },
        { .iov_base = (void *)(apr_uintptr_t)body, .iov_len = length },
    };
    unsigned char digest[LIMS_SHA256_LENGTH];

    return lims_sha256_pieces(digest, pieces, (int)LIMS_LENGTH(pieces))
               ? lims_bytea(digest, sizeof(digest), x->rq.pool)
               : NULL;
}

static void replay(lims_exchange_t *x, const lims_result_t *row)
{
    lims_reply_t *reply = x->rq.reply;
    const char *location = lims_result_get(row, 0, "location");
    const char *etag = lims_result_get(row, 0, "etag");

    reply->status = (int)strtol(lims_result_get(row, 0, "status"), NULL, 10);
    reply->body = lims_result_get(row, 0, "body");
    reply->length = strlen(reply->body);
    if (location) {
        apr_table_setn(reply->headers, "Location", location);
    }
    if (etag) {
        apr_table_setn(reply->headers, "ETag", etag);
    }
    apr_table_setn(reply->headers, "Idempotent-Replayed", "true");
}

/* Returns the lease of a claim, which is longer than the work of the route, seconds. */
static const char *lease_of(const lims_exchange_t *x)
{
    return x->rq.route->flags & LIMS_R_QUEUED ? x->rq.settings->import_lease
                                              : x->rq.settings->model_lease;
}

static const lims_error_t *ask(bool *replayed, lims_exchange_t *x, lims_stmt_e statement,
                               const char *body, apr_size_t length)
{
    lims_values_t *values = lims_values_create(x->rq.pool);
    const lims_call_t call = { .statement = statement, .values = values };
    const char *same = fingerprint(x, body, length);
    const lims_error_t *error;
    lims_result_t *row = NULL;
    const char *outcome;

    if (!same) {
        return lims_no_digest(x->rq.pool);
    }
    lims_values_set(values, "idempotencyKey", x->idempotency_key);
    lims_values_set(values, "fingerprint", same);
    lims_values_set(values, "lifetime", x->rq.settings->idempotency_lifetime);
    lims_values_set(values, "lease", lease_of(x));
    lims_values_set(values, "token", x->idempotency_token);
    error = lims_database_run(&row, &x->rq, &call, 1, 0);
    if (error || lims_result_count(row) == 0) {
        return error;
    }
    outcome = lims_result_get(row, 0, "outcome");
    if (strcmp(outcome, "mismatch") == 0) {
        return lims_client_error(x->rq.pool, LIMS_E_IDEMPOTENCY_MISMATCH,
                                 "This Idempotency-Key was used for another request; "
                                 "use a new key for each new request.");
    }
    if (strcmp(outcome, "in_progress") == 0) {
        return lims_client_error(
            x->rq.pool, LIMS_E_IDEMPOTENCY_IN_PROGRESS,
            "The first request with this Idempotency-Key is still being worked on; "
            "try again in a moment.");
    }
    *replayed = strcmp(outcome, "replay") == 0;
    if (*replayed) {
        replay(x, row);
    } else {
        x->idempotency_token = lims_result_get(row, 0, "token");
    }
    return NULL;
}

const lims_error_t *lims_idempotency_claim(bool *replayed, lims_exchange_t *x, const char *body,
                                           apr_size_t length)
{
    return ask(replayed, x, LIMS_STMT_IDEMPOTENCY_CLAIM, body, length);
}

const lims_error_t *lims_idempotency_look(bool *replayed, lims_exchange_t *x, const char *body,
                                          apr_size_t length)
{
    return ask(replayed, x, LIMS_STMT_IDEMPOTENCY_LOOK, body, length);
}

/* Returns a body with null in the place of a secret: a member whose value is a string
 * without escapes. */
static const char *without(const char *body, const char *name, apr_pool_t *pool)
{
    const char *begin = apr_pstrcat(pool, "\"", name, "\":\"", NULL);
    const char *found = strstr(body, begin);
    const char *end = found ? strchr(found + strlen(begin), '"') : NULL;

    return end ? apr_pstrcat(pool,
                             apr_pstrmemdup(pool, body,
                                            (apr_size_t)(found - body) + strlen(begin) - 1),
                             "null", end + 1, NULL)
               : body;
}

/* Returns the body of the reply as it may be kept: secrets are shown once, and stored
 * nowhere. */
static const char *kept_body(const lims_request_t *rq)
{
    const lims_field_t *field = rq->route->output ? rq->route->output : rq->resource->fields;
    const char *body = rq->reply->body;

    for (; field && field->name; field++) {
        if ((field->flags & LIMS_F_SECRET) && (field->flags & LIMS_F_OUT)) {
            body = without(body, field->name, rq->pool);
        }
    }
    return body;
}

lims_call_t lims_idempotency_keep(lims_exchange_t *x)
{
    lims_values_t *values = lims_values_create(x->rq.pool);
    const lims_reply_t *reply = x->rq.reply;

    lims_values_set(values, "idempotencyKey", x->idempotency_key);
    lims_values_set(values, "token", x->idempotency_token);
    lims_values_set(values, "status", apr_itoa(x->rq.pool, reply->status));
    lims_values_set(values, "location", apr_table_get(reply->headers, "Location"));
    lims_values_set(values, "etag", apr_table_get(reply->headers, "ETag"));
    lims_values_set(values, "body", kept_body(&x->rq));
    return (lims_call_t){ .statement = LIMS_STMT_IDEMPOTENCY_KEEP, .values = values };
}

lims_call_t lims_idempotency_release(lims_exchange_t *x)
{
    lims_values_t *values = lims_values_create(x->rq.pool);

    lims_values_set(values, "idempotencyKey", x->idempotency_key);
    lims_values_set(values, "token", x->idempotency_token);
    return (lims_call_t){ .statement = LIMS_STMT_IDEMPOTENCY_RELEASE, .values = values };
}
