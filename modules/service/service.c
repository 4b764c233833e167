/* SPDX-License-Identifier: Apache-2.0 */
/* service.c - the life of a request: the order of its checks and its trips. */
#include "service/service.h"

#include <apr_strings.h>
#include <string.h>

#include "kernel/check.h"
#include "kernel/error.h"
#include "kernel/etag.h"
#include "kernel/field.h"
#include "kernel/form.h"
#include "kernel/json.h"
#include "kernel/statement.h"
#include "service/caller.h"
#include "service/idempotency.h"

/* How often a request is begun anew after the database rolled it back for
 * reasons of its own (a deadlock, a plan outdated by a migration). */
#define ATTEMPTS 3

apr_status_t lims_service_init(apr_pool_t *pool)
{
    return lims_caller_init(pool);
}

/* --- What can be judged from the request alone ---------------------------- */

static void find_route(lims_exchange_t *x)
{
    lims_request_t *rq = &x->rq;

    switch (lims_route_match(&x->match, x->settings->router, x->method, x->path, rq->pool)) {
    case LIMS_ROUTE_FOUND:
        rq->resource = x->match.resource;
        rq->route = x->match.route;
        return;
    case LIMS_ROUTE_UNKNOWN:
        x->refusal = lims_fail(rq->pool, LIMS_E_NOT_FOUND, "There is nothing at %s%s.",
                               x->settings->base, x->path);
        return;
    case LIMS_ROUTE_METHOD:
        x->refusal =
            lims_fail(rq->pool, LIMS_E_METHOD_NOT_ALLOWED,
                      "%s is not possible here; possible are: %s.", x->method, x->match.allow);
        return;
    }
}

static bool is_read(const lims_exchange_t *x)
{
    return strcmp(x->match.route->method, "GET") == 0;
}

static const lims_error_t *check_path(lims_exchange_t *x)
{
    const char *id = NULL;
    const lims_error_t *error;

    if (!x->match.id) {
        return NULL;
    }
    error = lims_field_id(&id, x->match.id, x->rq.pool);
    if (!error) {
        lims_values_set(x->rq.values, "id", id);
    }
    return error;
}

static bool is_form(const lims_exchange_t *x)
{
    return x->rq.route->form && lims_multipart_is(x->content_type);
}

static const lims_error_t *check_media(lims_exchange_t *x)
{
    const lims_route_t *route = x->rq.route;
    bool coded = x->content_encoding && strcasecmp(x->content_encoding, "identity") != 0;
    bool untyped = (route->flags & LIMS_R_NO_BODY) && !x->content_type;
    bool json = lims_route_takes_json(route) && lims_media_type_json(x->content_type);

    if (!coded && (untyped || json || is_form(x))) {
        return NULL;
    }
    return lims_fail(x->rq.pool, LIMS_E_UNSUPPORTED_MEDIA_TYPE,
                     "The body must be %s, not compressed.",
                     !route->form ? "JSON: Content-Type: application/json"
                     : lims_route_takes_json(route)
                         ? "JSON or a form: Content-Type: application/json or multipart/form-data"
                         : "a form: Content-Type: multipart/form-data");
}

static apr_size_t body_max(const lims_exchange_t *x)
{
    if (is_form(x)) {
        return x->settings->file_max + LIMS_MULTIPART_OVERHEAD_MAX;
    }
    return x->rq.route->flags & LIMS_R_FILE ? x->settings->file_body_max : x->settings->body_max;
}

static const lims_error_t *check_length(lims_exchange_t *x)
{
    if (x->content_length > (apr_int64_t)body_max(x)) {
        return lims_fail(x->rq.pool, LIMS_E_PAYLOAD_TOO_LARGE,
                         "The body may have at most %" APR_SIZE_T_FMT " bytes.", body_max(x));
    }
    return NULL;
}

static const lims_error_t *check_headers(lims_exchange_t *x)
{
    if (!x->idempotency_key) {
        return NULL;
    }
    if (strcmp(x->rq.route->method, "POST") != 0) {
        x->idempotency_key = NULL; /* PATCH states its outcome: it is idempotent */
        return NULL;
    }
    if (!lims_idempotency_key_valid(x->idempotency_key)) {
        return lims_fail(x->rq.pool, LIMS_E_BAD_REQUEST,
                         "Idempotency-Key: 1 to 255 visible ASCII characters.");
    }
    return NULL;
}

/* What a record shows besides its own fields, and what a change by an input of
 * its own leaves to other routes: known, and not to be set here. */
static const lims_error_t *check_elsewhere(const lims_request_t *rq, const lims_json_t *root)
{
    const lims_route_t *route = rq->route;
    const lims_resource_t *resource = rq->resource;
    bool change = route->input && strcmp(route->method, "PATCH") == 0;

    for (const lims_json_t *member = root->first; member; member = member->next) {
        if ((route->body && resource->nested && strcmp(member->name, resource->nested) == 0) ||
            (change && lims_field_find(resource->fields, member->name) &&
             !lims_field_find(route->input, member->name))) {
            return lims_fail(rq->pool, LIMS_E_FIELD_NOT_PATCHABLE,
                             "%s cannot be set here: it is read-only or has an endpoint of its own",
                             member->name);
        }
    }
    return NULL;
}

static const lims_error_t *validate_body(lims_exchange_t *x, const char *bytes, apr_size_t length)
{
    static const lims_field_t nothing[] = { LIMS_FIELD_END };
    lims_request_t *rq = &x->rq;
    const lims_route_t *route = rq->route;
    lims_json_t *root = NULL;
    const lims_error_t *error;

    if ((route->flags & LIMS_R_NO_BODY) && length == 0) {
        return NULL;
    }
    error = lims_json_parse(&root, bytes, length, rq->pool);
    if (!error && root->type == LIMS_JSON_OBJECT) {
        error = check_elsewhere(rq, root);
    }
    if (error) {
        return error;
    }
    if (route->body) {
        return lims_field_body(rq->values, rq->resource->fields, route->body, root, rq->pool);
    }
    return lims_field_body(rq->values, route->input ? route->input : nothing, 0, root, rq->pool);
}

static const lims_error_t *feed_form(void *data, const char *bytes, apr_size_t length)
{
    return lims_multipart_feed(data, bytes, length);
}

/* Takes a form and validates it. What it says is told by a digest of its parts,
 * since what stands between them is another each time it is sent. */
static const lims_error_t *take_form(const char **body, apr_size_t *length, lims_exchange_t *x)
{
    lims_request_t *rq = &x->rq;
    const lims_field_t *fields = rq->route->form;
    const apr_array_header_t *parts = NULL;
    lims_multipart_t *form = NULL;
    const lims_error_t *error = lims_multipart_create(
        &form, x->content_type, lims_form_file(fields), x->settings->file_max, rq->pool);

    if (!error) {
        error = x->transport->feed(x, body_max(x), feed_form, form);
    }
    if (!error) {
        error = lims_multipart_finish(&parts, form);
    }
    if (!error) {
        error = lims_form_take(&rq->file, rq->values, fields, parts, rq->pool);
    }
    if (!error) {
        *body = lims_multipart_digest(parts, rq->pool);
        *length = *body ? strlen(*body) : 0;
        error = *body ? NULL : lims_no_digest(rq->pool);
    }
    return error;
}

/* Takes the body and finds what is wrong with the request, in order. */
static void check_write(lims_exchange_t *x, const char **body, apr_size_t *length)
{
    const lims_error_t *path = check_path(x);

    x->late_refusal = check_media(x);
    if (!x->late_refusal) {
        x->late_refusal = check_length(x);
    }
    if (!x->late_refusal && is_form(x)) {
        x->late_refusal = take_form(body, length, x);
    } else if (!x->late_refusal) {
        x->late_refusal = x->transport->body(body, length, x, body_max(x));
    }
    if (!x->late_refusal) {
        x->late_refusal = path;
    }
    if (!x->late_refusal) {
        x->late_refusal = check_headers(x);
    }
    if (!x->late_refusal) {
        x->late_refusal = lims_field_query(x->rq.values, x->rq.route->query, x->query, x->rq.pool);
    }
    if (!x->late_refusal && !is_form(x)) {
        x->late_refusal = validate_body(x, *body, *length);
    }
    if (!x->late_refusal && x->rq.route->check) {
        x->late_refusal = x->rq.route->check(&x->rq);
    }
}

static void check_read(lims_exchange_t *x)
{
    x->late_refusal = check_path(x);
    if (!x->late_refusal) {
        x->late_refusal = lims_field_query(x->rq.values, x->rq.route->query, x->query, x->rq.pool);
    }
}

/* --- Trips ---------------------------------------------------------------- */

/* The key alone, with whatever was remembered against the request. */
static const lims_error_t *check_caller(lims_exchange_t *x)
{
    const lims_call_t call = lims_caller_check(x, false);
    lims_result_t *found = NULL;
    const lims_error_t *error = lims_database_run(&found, &x->rq, &call, 1, 0);

    return error ? error : lims_caller_judge(x, found);
}

const lims_error_t *lims_service_read(lims_result_t **results, lims_request_t *rq,
                                      const lims_call_t *calls, int count)
{
    lims_exchange_t *x = (lims_exchange_t *)rq;
    lims_call_t trip[LIMS_CALLS_MAX];
    lims_result_t *found[LIMS_CALLS_MAX] = { NULL };
    const lims_error_t *error, *refusal;

    if (rq->in_transaction) {
        return count ? lims_database_run(results, rq, calls, count, 0) : NULL;
    }
    if (!rq->actor.organization) {
        /* First sight of this key: its organization is not known yet. */
        error = check_caller(x);
        if (error) {
            return error;
        }
    }
    trip[0] = lims_caller_check(x, false);
    for (int i = 0; i < count; i++) {
        trip[i + 1] = calls[i];
    }
    error = lims_database_run(found, rq, trip, count + 1, 0);
    /* Whoever may not have the data is not told of trouble with it either. */
    refusal = found[0] ? lims_caller_judge(x, found[0]) : NULL;
    error = refusal ? refusal : error;
    for (int i = 0; i < count && !error; i++) {
        results[i] = found[i + 1];
    }
    return error;
}

static const lims_error_t *read_once(lims_exchange_t *x, const char *body, apr_size_t length)
{
    (void)body;
    (void)length;
    return x->refusal || x->late_refusal || x->limited ? check_caller(x)
                                                       : lims_service_fetch(&x->rq);
}

/* Opens the transaction of a write and checks its key in one round trip, which
 * also takes the lock of the record where nothing has to come before that. */
static const lims_error_t *begin(lims_exchange_t *x)
{
    lims_request_t *rq = &x->rq;
    bool lock = x->match.id && rq->resource->lock && !x->idempotency_key;
    const lims_call_t calls[] = { lims_caller_check(x, true), { .statement = rq->resource->lock } };
    lims_result_t *found[2] = { NULL, NULL };
    const lims_error_t *error = lims_database_run(found, rq, calls, lock ? 2 : 1, LIMS_DB_BEGIN);
    const lims_error_t *refusal = found[0] ? lims_caller_judge(x, found[0]) : NULL;

    rq->in_transaction = true;
    rq->commit_with_answer = !x->idempotency_key && !rq->roll_back;
    rq->locked = found[1];
    return refusal ? refusal : error;
}

static const lims_error_t *commit(lims_exchange_t *x)
{
    lims_result_t *kept = NULL;
    lims_call_t calls[1];
    int count = 0;

    if (!x->rq.in_transaction || x->rq.roll_back) {
        return NULL; /* it went with the answer, or goes with the connection */
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
    if (!error && !replayed) {
        error = lims_service_act(&x->rq, x->if_match);
        if (!error) {
            error = commit(x);
        }
    }
    return error;
}

/* The first half of an action with work between: nothing of it is undone by what
 * follows, so it claims the Idempotency-Key before it keeps anything. */
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

static bool try_again(const lims_exchange_t *x, const lims_error_t *error, bool read)
{
    if (!error || x->error) {
        return false;
    }
    return error->retry == LIMS_RETRY_ROLLED_BACK || (read && error->retry == LIMS_RETRY_LOST);
}

/* Before a first and before a new attempt: nothing of an earlier one is left,
 * neither its answer nor what it added to the values (the id of a record that
 * was never committed). */
static void forget_answer(lims_exchange_t *x, int given)
{
    x->rq.values->count = given;
    x->rq.in_transaction = false;
    x->rq.locked = NULL;
    x->rq.reply->body = NULL;
    apr_table_unset(x->rq.reply->headers, "ETag");
    apr_table_unset(x->rq.reply->headers, "Location");
}

typedef const lims_error_t *(once_fn)(lims_exchange_t *x, const char *body, apr_size_t length);

/* With a connection, which goes back before the answer is sent. */
static const lims_error_t *on_connection(lims_exchange_t *x, once_fn *once, const char *body,
                                         apr_size_t length)
{
    bool read = once == read_once;
    int given = x->rq.values->count;
    const lims_error_t *error = NULL;

    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        forget_answer(x, given);
        error = x->transport->connect(&x->rq.connection, x);
        if (error) {
            return error;
        }
        error = once(x, body, length);
        lims_connection_release(x->rq.connection);
        x->rq.in_transaction = false;
        lims_caller_touch(x);
        x->transport->disconnect(x, x->rq.connection);
        x->rq.connection = NULL;
        if (!try_again(x, error, read)) {
            break;
        }
    }
    return error;
}

/* A body is only taken from a caller whose key was valid at some time. */
static const lims_error_t *vouch(lims_exchange_t *x)
{
    const lims_error_t *error = NULL;

    if (x->rq.actor.key) {
        return NULL;
    }
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        error = x->transport->connect(&x->rq.connection, x);
        if (error) {
            return error;
        }
        error = check_caller(x);
        lims_connection_release(x->rq.connection);
        x->transport->disconnect(x, x->rq.connection);
        if (!try_again(x, error, true)) {
            break;
        }
    }
    return error;
}

static const lims_error_t *work_and_write(lims_exchange_t *x, const char *body, apr_size_t length)
{
    const lims_error_t *error = x->rq.route->work(&x->rq);

    return error ? error : on_connection(x, write_once, body, length);
}

/* With work between: what comes before it, which may be all, and holding nothing but
 * its turn the work, and what follows. */
static const lims_error_t *write_with_work(lims_exchange_t *x, const char *body, apr_size_t length)
{
    const lims_error_t *error = on_connection(x, prepare_once, body, length);

    if (error || x->rq.reply->body) {
        return error;
    }
    if (!(x->rq.route->flags & LIMS_R_TURNS)) {
        return work_and_write(x, body, length);
    }
    error = x->transport->take_turn(x);
    x->has_turn = !error;
    if (!error) {
        error = work_and_write(x, body, length);
        x->transport->give_turn_back(x);
    }
    return error;
}

static const lims_error_t *change(lims_exchange_t *x, const char *body, apr_size_t length)
{
    bool refused = x->refusal || x->late_refusal || x->limited;

    return x->rq.route->work && !refused ? write_with_work(x, body, length)
                                         : on_connection(x, write_once, body, length);
}

static const lims_error_t *answer(lims_exchange_t *x)
{
    const lims_error_t *error = lims_caller_present(x);
    const char *body = "";
    apr_size_t length = 0;

    if (error) {
        return error;
    }
    find_route(x);
    lims_caller_count(x);
    if (x->limited && lims_caller_was_accepted(x)) {
        return x->limited;
    }
    if (!x->refusal && is_read(x)) {
        check_read(x);
    } else if (!x->refusal && !x->limited) {
        error = vouch(x);
        if (error) {
            return error;
        }
        if (!x->limited) {
            check_write(x, &body, &length);
        }
    }
    if (!x->rq.route || is_read(x)) {
        return on_connection(x, read_once, body, length);
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
    apr_table_unset(reply->headers, "ETag");
    apr_table_unset(reply->headers, "Location");
    if (error != x->limited) {
        /* Over its limit as well, but that is not what it is told. */
        apr_table_unset(reply->headers, "Retry-After");
    }
    apr_table_setn(reply->headers, "Cache-Control", "no-store");
    switch (error->kind) {
    case LIMS_E_UNAUTHORIZED:
        apr_table_setn(reply->headers, "WWW-Authenticate", "Bearer");
        /* These would tell a key that was good once from one that never was. */
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
    default:
        break;
    }
}

/* A record may be kept by its owner as long as it is asked for again; a page
 * may not be kept at all. */
static void finish(lims_exchange_t *x)
{
    lims_reply_t *reply = x->rq.reply;
    const char *etag = apr_table_get(reply->headers, "ETag");

    apr_table_setn(reply->headers, "Cache-Control", etag ? "private, no-cache" : "no-store");
    if (etag && is_read(x) && x->if_none_match && lims_etag_matches(x->if_none_match, etag, true)) {
        reply->status = 304;
        reply->body = NULL;
        reply->length = 0;
    }
}

void lims_service_answer(lims_exchange_t *x)
{
    const lims_error_t *error = answer(x);

    if (error) {
        refuse(x, error);
    } else {
        finish(x);
    }
}
