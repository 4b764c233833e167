/* SPDX-License-Identifier: Apache-2.0 */
/* service.c - the life of a request: the order of its checks and its trips. */
#include "service/service.h"

#include <apr_strings.h>
#include <string.h>

#include "kernel/error.h"
#include "kernel/etag.h"
#include "kernel/field.h"
#include "kernel/statement.h"
#include "service/caller.h"
#include "service/caller_session.h"
#include "service/download.h"
#include "service/http_signing.h"
#include "service/idempotency.h"
#include "service/permitted.h"
#include "service/request_check.h"
#include "service/retry.h"
#include "service/signing.h"

apr_status_t lims_service_init(apr_pool_t *pool)
{
    return lims_caller_init(pool);
}

/* --- Round trips ------------------------------------------------------------ */

/* Checks the key alone, and answers the refusal that was remembered. */
static const lims_error_t *check_caller(lims_exchange_t *x)
{
    const lims_call_t call = lims_caller_check(x, false);
    lims_result_t *found = NULL;
    const lims_error_t *error = lims_database_run(&found, &x->rq, &call, 1, 0);

    return error ? error : lims_caller_authorize(x, found);
}

/* Runs the check of the caller and the calls of a read in one round trip. */
static const lims_error_t *read_checked(lims_result_t **results, lims_exchange_t *x,
                                        const lims_call_t *calls, int count)
{
    lims_call_t trip[LIMS_CALLS_MAX];
    lims_result_t *found[LIMS_CALLS_MAX] = { NULL };
    const lims_error_t *error, *refusal;

    if (!x->rq.actor.organization) {
        /* The key is not cached: its organization is unknown. */
        error = check_caller(x);
        if (error) {
            return error;
        }
    }
    trip[0] = lims_caller_check(x, false);
    for (int i = 0; i < count; i++) {
        trip[i + 1] = calls[i];
    }
    error = lims_database_run(found, &x->rq, trip, count + 1, 0);
    /* A caller without the right to the data is not told of errors in reading it. */
    refusal = found[0] ? lims_caller_authorize(x, found[0]) : NULL;
    error = refusal ? refusal : error;
    for (int i = 0; i < count && !error; i++) {
        results[i] = found[i + 1];
    }
    return error;
}

const lims_error_t *lims_service_read(lims_result_t **results, lims_request_t *rq,
                                      const lims_call_t *calls, int count)
{
    if (!rq->in_transaction) {
        return read_checked(results, rq->exchange, calls, count);
    }
    return count ? lims_database_run(results, rq, calls, count, 0) : NULL;
}

static const lims_error_t *check_once(lims_exchange_t *x, const char *body, apr_size_t length)
{
    (void)body;
    (void)length;
    return check_caller(x);
}

static const lims_error_t *read_once(lims_exchange_t *x, const char *body, apr_size_t length)
{
    const lims_error_t *error;

    (void)body;
    (void)length;
    if (x->refusal || x->late_refusal || x->limited) {
        return check_caller(x);
    }
    error = lims_service_fetch(&x->rq);
    return error ? error : lims_permit_route(&x->rq);
}

/* Opens the transaction of a write and checks its key in one round trip, which also locks
 * the record unless something has to be done before. */
static const lims_error_t *begin(lims_exchange_t *x)
{
    lims_request_t *rq = &x->rq;
    bool lock = x->match.id && rq->resource->lock && !x->idempotency_key;
    const lims_call_t calls[] = { lims_caller_check(x, true), { .statement = rq->resource->lock } };
    lims_result_t *found[2] = { NULL, NULL };
    const lims_error_t *error = lims_database_run(found, rq, calls, lock ? 2 : 1, LIMS_DB_BEGIN);
    const lims_error_t *refusal = found[0] ? lims_caller_authorize(x, found[0]) : NULL;

    rq->in_transaction = true;
    rq->commit_with_answer = !x->idempotency_key && !rq->roll_back && !lims_permission_lacking(rq);
    rq->locked = found[1];
    return refusal ? refusal : error;
}

static const lims_error_t *commit(lims_exchange_t *x)
{
    lims_result_t *kept = NULL;
    lims_call_t calls[1];
    int count = 0;

    if (!x->rq.in_transaction || x->rq.roll_back) {
        return NULL; /* committed with the last statement, or rolled back on release */
    }
    if (x->idempotency_key) {
        calls[count++] = lims_idempotency_keep(x);
    }
    return lims_database_run(&kept, &x->rq, calls, count, LIMS_DB_COMMIT);
}

static const lims_error_t *write_once(lims_exchange_t *x, const char *body, apr_size_t length)
{
    bool replayed = false;
    const lims_error_t *error;

    if (x->refusal || x->late_refusal || x->limited) {
        return check_caller(x);
    }
    error = begin(x);
    if (!error && x->idempotency_key) {
        error = lims_idempotency_claim(&replayed, x, body, length);
    }
    if (!error && !replayed && x->rq.signs && !(x->rq.route->flags & LIMS_R_EACH)) {
        error = lims_signing_sign(&x->rq);
    }
    if (!error && !replayed) {
        error = lims_service_act(&x->rq, x->if_match);
        if (!error) {
            error = lims_permit_route(&x->rq);
        }
        if (!error) {
            error = commit(x);
        }
    }
    return error;
}

/* The first transaction of a route with long work. It is committed before the work
 * begins, so it claims the Idempotency-Key before it writes anything. */
static const lims_error_t *prepare_once(lims_exchange_t *x, const char *body, apr_size_t length)
{
    bool replayed = false;
    bool claims = x->idempotency_key && !x->rq.roll_back;
    const lims_error_t *error = begin(x);
    lims_result_t *kept = NULL;
    lims_call_t calls[1];
    int count = 0;

    if (!error && x->idempotency_key) {
        error = claims ? lims_idempotency_claim(&replayed, x, body, length)
                       : lims_idempotency_look(&replayed, x, body, length);
    }
    if (!error && !replayed) {
        /* Permission is checked in the transaction that is committed before the work
         * begins. */
        error = lims_permit_route(&x->rq);
    }
    if (!error && !replayed) {
        error = x->rq.route->prepare(&x->rq);
    }
    if (error) {
        return error;
    }
    if (claims && !replayed && x->rq.reply->body) {
        calls[count++] = lims_idempotency_keep(x);
    }
    return lims_database_run(&kept, &x->rq, calls, count, LIMS_DB_COMMIT);
}

void lims_service_reset(lims_request_t *rq, int given)
{
    rq->values->count = given;
    rq->in_transaction = false;
    rq->locked = NULL;
    rq->signature = NULL;
    rq->reply->body = NULL;
    rq->reply->file = NULL;
    apr_table_unset(rq->reply->headers, "ETag");
    apr_table_unset(rq->reply->headers, "Location");
}

typedef const lims_error_t *(attempt_fn)(lims_exchange_t *x, const char *body, apr_size_t length);

typedef struct {
    lims_exchange_t *x;
    attempt_fn *once;
    const char *body;
    apr_size_t length;
    int given; /* values that came with the request */
} attempt_t;

/* Makes one attempt on a connection, which is released before the answer is sent. */
static const lims_error_t *attempt_once(void *data)
{
    const attempt_t *attempt = data;
    lims_exchange_t *x = attempt->x;
    const lims_error_t *error;

    lims_service_reset(&x->rq, attempt->given);
    error = x->transport->connect(&x->rq.connection, x);
    if (error) {
        return error;
    }
    error = attempt->once(x, attempt->body, attempt->length);
    lims_connection_release(x->rq.connection);
    x->rq.in_transaction = false;
    lims_caller_touch(x);
    x->transport->disconnect(x, x->rq.connection);
    x->rq.connection = NULL;
    return error;
}

static const lims_error_t *on_connection(lims_exchange_t *x, attempt_fn *once, const char *body,
                                         apr_size_t length)
{
    attempt_t attempt = {
        .x = x, .once = once, .body = body, .length = length, .given = x->rq.values->count
    };

    return lims_retry(attempt_once, &attempt, once == read_once || once == check_once);
}

/* Authenticates a caller that is not in the cache before the body is read: unknown
 * callers send no bodies. */
static const lims_error_t *authenticate_first(lims_exchange_t *x)
{
    return x->rq.actor.organization || lims_session_is_needless(x)
               ? NULL
               : on_connection(x, check_once, NULL, 0);
}

/* Gives up the claim of an Idempotency-Key whose request came to no answer, so that
 * it can be sent again at once. Where this fails too, the claim ends with its lease. */
static const lims_error_t *release_once(lims_exchange_t *x, const char *body, apr_size_t length)
{
    const lims_error_t *error = begin(x);
    const lims_call_t call = lims_idempotency_release(x);
    lims_result_t *released = NULL;

    (void)body;
    (void)length;
    return error ? error : lims_database_run(&released, &x->rq, &call, 1, LIMS_DB_COMMIT);
}

static const lims_error_t *work_and_write(lims_exchange_t *x, const char *body, apr_size_t length)
{
    const lims_error_t *error = x->rq.route->work(&x->rq);

    return error ? error : on_connection(x, write_once, body, length);
}

static const lims_error_t *work_when_admitted(lims_exchange_t *x, const char *body,
                                              apr_size_t length)
{
    const lims_error_t *error;

    if (!(x->rq.route->flags & LIMS_R_QUEUED)) {
        return work_and_write(x, body, length);
    }
    error = x->transport->enter_queue(x, LIMS_QUEUE_IMPORT);
    x->admitted = !error;
    if (!error) {
        error = work_and_write(x, body, length);
        x->transport->leave_queue(x, LIMS_QUEUE_IMPORT);
    }
    return error;
}

/* A route with long work: the first transaction, which may answer the request already;
 * else the work and the second transaction. During the work the request holds only its
 * admission and the claim of its Idempotency-Key. */
static const lims_error_t *write_with_work(lims_exchange_t *x, const char *body, apr_size_t length)
{
    const lims_error_t *error = on_connection(x, prepare_once, body, length);

    if (error || x->rq.reply->body) {
        return error;
    }
    error = work_when_admitted(x, body, length);
    if (error && x->idempotency_token) {
        on_connection(x, release_once, body, length);
    }
    return error;
}

static const lims_error_t *note_once(lims_exchange_t *x, const char *body, apr_size_t length)
{
    (void)body;
    (void)length;
    return lims_http_signing_note(x);
}

/* Calls that precede a signed act; none where the act is not signed. */
static const lims_error_t *check_signer(lims_exchange_t *x, const char *body, apr_size_t length)
{
    const lims_error_t *error = on_connection(x, lims_http_signing_look, body, length);

    if (error || x->rq.reply->body || !x->rq.signs) {
        return error;
    }
    error = lims_http_signing_verify(x);
    return error ? error : on_connection(x, note_once, body, length);
}

static const lims_error_t *change(lims_exchange_t *x, const char *body, apr_size_t length)
{
    bool refused = x->refusal || x->late_refusal || x->limited;
    const lims_error_t *error = NULL;

    if (!refused && lims_http_signing_concerns(x)) {
        error = check_signer(x, body, length);
    }
    if (error || x->rq.reply->body) {
        return error;
    }

    return x->rq.route->work && !refused ? write_with_work(x, body, length)
                                         : on_connection(x, write_once, body, length);
}

/* A read, and with nothing held the work that makes its answer. */
static const lims_error_t *read_and_work(lims_exchange_t *x)
{
    const lims_error_t *error = on_connection(x, read_once, NULL, 0);

    return error || !x->rq.route || !x->rq.route->work ? error : x->rq.route->work(&x->rq);
}

/* Takes the caller from the request, and finds the route: in the application first, for
 * the route says whether somebody has to be signed in. */
static const lims_error_t *identify(lims_exchange_t *x)
{
    bool first = lims_session_is_asked(x);
    const lims_error_t *error;

    if (first) {
        lims_request_find_route(x);
    }
    error = lims_caller_present(x);
    if (!error) {
        error = lims_caller_check_unknown(x);
    }
    if (!error && !first) {
        lims_request_find_route(x);
    }
    return error;
}

static const lims_error_t *answer(lims_exchange_t *x)
{
    const char *body = "";
    apr_size_t length = 0;
    const lims_error_t *error = identify(x);

    if (error) {
        return error;
    }
    lims_caller_count(x);
    if (x->limited && lims_caller_was_accepted(x)) {
        return x->limited;
    }
    if (!x->refusal && lims_route_reads(x->match.route)) {
        lims_request_check_read(x);
    } else if (!x->refusal && !x->limited) {
        error = authenticate_first(x);
        if (error) {
            return error;
        }
        if (!x->limited) {
            lims_request_check_write(x, &body, &length);
        }
    }
    if (!x->rq.route || lims_route_reads(x->match.route)) {
        return read_and_work(x);
    }
    return change(x, body, length);
}

/* --- The answer ----------------------------------------------------------- */

static void refuse(lims_exchange_t *x, const lims_error_t *error)
{
    lims_reply_t *reply = x->rq.reply;

    x->error = error;
    reply->status = lims_error_kinds[error->kind].status;
    reply->body = lims_error_body(&reply->length, error, x->rq.pool);
    reply->file = NULL;
    apr_table_unset(reply->headers, "ETag");
    apr_table_unset(reply->headers, "Location");
    if (error != x->limited) {
        /* Over its limit as well, but another refusal comes first. */
        apr_table_unset(reply->headers, "Retry-After");
    }
    apr_table_setn(reply->headers, "Cache-Control", "no-store");
    switch (error->kind) {
    case LIMS_E_UNAUTHORIZED:
        if (!lims_session_is_asked(x)) {
            apr_table_setn(reply->headers, "WWW-Authenticate", "Bearer");
        }
        /* These fields would distinguish revoked keys from unknown ones. */
        apr_table_unset(reply->headers, "RateLimit-Limit");
        apr_table_unset(reply->headers, "RateLimit-Remaining");
        apr_table_unset(reply->headers, "RateLimit-Reset");
        break;
    case LIMS_E_METHOD_NOT_ALLOWED:
        apr_table_setn(reply->headers, "Allow", x->match.allow);
        break;
    case LIMS_E_SERVICE_UNAVAILABLE:
    case LIMS_E_IDEMPOTENCY_IN_PROGRESS:
        apr_table_setn(reply->headers, "Retry-After", "1");
        break;
    case LIMS_E_ACCOUNT_LOCKED:
        apr_table_setn(reply->headers, "Retry-After", x->retry_after ? x->retry_after : "60");
        break;
    case LIMS_E_RATE_LIMITED:
        if (error != x->limited) {
            apr_table_setn(reply->headers, "Retry-After", "60");
        }
        break;
    default:
        break;
    }
}

/* Cache-Control (RFC 9111): a record may be stored by its client and revalidated, a
 * page of the REST API may not be stored. 304 where the answer is unchanged. */
static void finish(lims_exchange_t *x)
{
    lims_reply_t *reply = x->rq.reply;
    const char *etag = apr_table_get(reply->headers, "ETag");

    apr_table_setn(reply->headers, "Cache-Control", etag ? "private, no-cache" : "no-store");
    if (etag && lims_route_reads(x->match.route) && x->if_none_match &&
        lims_etag_matches(x->if_none_match, etag, true)) {
        reply->status = 304;
        reply->body = NULL;
        reply->length = 0;
    }
}

void lims_service_answer(lims_exchange_t *x)
{
    const lims_error_t *error;

    x->rq.exchange = x;
    error = answer(x);
    if (!error && lims_route_is_file(x->match.route, x->rq.settings->surface)) {
        error = lims_download_answer(&x->rq);
    }
    if (error && error->kind == LIMS_E_UNAUTHORIZED) {
        error = lims_caller_refused(x, error);
    }
    if (error) {
        refuse(x, error);
    } else {
        finish(x);
    }
}
