/* SPDX-License-Identifier: Apache-2.0 */
/* request_check.c - checks of a request that need no database. */
#include "service/request_check.h"

#include <apr_strings.h>
#include <openssl/crypto.h>
#include <string.h>

#include "kernel/header_fields.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/form.h"
#include "kernel/json.h"
#include "service/reserved.h"

/* Returns advice if only a trailing slash makes the path unknown, a common mistake. */
static const char *slash_hint(const lims_exchange_t *x)
{
    apr_size_t length = strlen(x->path);
    const char *without = apr_pstrmemdup(x->rq.pool, x->path, length > 0 ? length - 1 : 0);
    lims_route_match_t match;

    return length > 0 && x->path[length - 1] == '/' &&
                   lims_route_match(&match, x->rq.settings->router, x->method, without,
                                    x->rq.pool) != LIMS_ROUTE_UNKNOWN
               ? ": leave out the slash at the end"
               : "";
}

void lims_request_find_route(lims_exchange_t *x)
{
    lims_request_t *rq = &x->rq;

    switch (lims_route_match(&x->match, x->rq.settings->router, x->method, x->path, rq->pool)) {
    case LIMS_ROUTE_FOUND:
        rq->resource = x->match.resource;
        rq->route = x->match.route;
        return;
    case LIMS_ROUTE_UNKNOWN:
        x->refusal = lims_client_error(rq->pool, LIMS_E_NOT_FOUND, "There is nothing at %s%s%s.",
                                       x->rq.settings->base, x->path, slash_hint(x));
        return;
    case LIMS_ROUTE_METHOD:
        x->refusal = lims_client_error(rq->pool, LIMS_E_METHOD_NOT_ALLOWED,
                                       "%s is not possible here; possible are: %s.", x->method,
                                       x->match.allow);
        return;
    }
}

/* Takes the id behind :id as the value of its field. */
static const lims_error_t *adopt_inner(lims_exchange_t *x)
{
    const lims_field_t *field = x->match.inner ? x->rq.route->input : NULL;

    while (field && field->name && !(field->flags & LIMS_F_INNER)) {
        field++;
    }
    return field && field->name
               ? lims_field_text(x->rq.values, field, x->match.inner, LIMS_E_INVALID_ID, x->rq.pool)
               : NULL;
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
        error = adopt_inner(x);
    }
    return error;
}

static bool is_form(const lims_exchange_t *x)
{
    return x->rq.route->form && lims_multipart_is(x->content_type);
}

/* Returns the mistake in the media type or the coding of the body; NULL: none. */
static const char *media_fault(const lims_exchange_t *x, bool coded)
{
    if (coded) {
        return apr_psprintf(x->rq.pool,
                            "The body came with Content-Encoding %s, and must not be "
                            "compressed",
                            lims_excerpt(x->content_encoding, x->rq.pool));
    }
    if (!x->content_type) {
        return x->content_length == 0 ? "There is no body" : "The body came without a Content-Type";
    }
    return apr_psprintf(x->rq.pool, "The body came as %s",
                        lims_excerpt(x->content_type, x->rq.pool));
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
    return lims_client_error(
        x->rq.pool, LIMS_E_UNSUPPORTED_MEDIA_TYPE, "%s: send %s.", media_fault(x, coded),
        !route->form                   ? "JSON, with Content-Type: application/json"
        : lims_route_takes_json(route) ? "JSON or a form, with Content-Type: application/json or "
                                         "multipart/form-data"
                                       : "a form, with Content-Type: multipart/form-data");
}

static apr_size_t body_max(const lims_exchange_t *x)
{
    if (is_form(x)) {
        return x->rq.settings->file_max + LIMS_MULTIPART_OVERHEAD_MAX;
    }
    return x->rq.route->flags & LIMS_R_FILE ? x->rq.settings->file_body_max
                                            : x->rq.settings->body_max;
}

const lims_error_t *lims_request_too_large(const lims_exchange_t *x)
{
    apr_pool_t *pool = x->rq.pool;
    const char *file =
        apr_psprintf(pool, "The file may have at most %" APR_SIZE_T_FMT " bytes (%.4g MB)",
                     x->rq.settings->file_max, (double)x->rq.settings->file_max / (1024 * 1024));

    if (is_form(x)) {
        return lims_client_error(pool, LIMS_E_PAYLOAD_TOO_LARGE, "%s.", file);
    }
    if (x->rq.route->flags & LIMS_R_FILE) {
        return lims_client_error(pool, LIMS_E_PAYLOAD_TOO_LARGE,
                                 "%s, and the JSON that brings it %" APR_SIZE_T_FMT " bytes.", file,
                                 body_max(x));
    }
    return lims_client_error(pool, LIMS_E_PAYLOAD_TOO_LARGE,
                             "The body may have at most %" APR_SIZE_T_FMT " bytes.", body_max(x));
}

static const lims_error_t *check_length(lims_exchange_t *x)
{
    return x->content_length > (apr_int64_t)body_max(x) ? lims_request_too_large(x) : NULL;
}

static const lims_error_t *check_headers(lims_exchange_t *x)
{
    if (!x->idempotency_key) {
        return NULL;
    }
    if (strcmp(x->rq.route->method, "POST") != 0 ||
        (x->rq.route->flags & (LIMS_R_NO_SESSION | LIMS_R_PASSWORD))) {
        /* PATCH sets values and is idempotent; nobody has no records; and a password could
         * be guessed by the fingerprint of its body. */
        x->idempotency_key = NULL;
        return NULL;
    }
    if (!lims_idempotency_key_valid(x->idempotency_key)) {
        return lims_client_error(
            x->rq.pool, LIMS_E_BAD_REQUEST,
            "Idempotency-Key must be one value of 1 to 255 visible ASCII characters, "
            "without spaces; '%s' is not.",
            lims_excerpt(x->idempotency_key, x->rq.pool));
    }
    return NULL;
}

/* Refuses members that are known, but set by other routes: the nested records of a
 * resource, and fields of the record that the input of a change does not have. */
static const lims_error_t *check_elsewhere(const lims_request_t *rq, const lims_json_t *root)
{
    const lims_route_t *route = rq->route;
    const lims_resource_t *resource = rq->resource;
    bool change = route->input && strcmp(route->method, "PATCH") == 0;

    for (const lims_json_t *member = root->first; member; member = member->next) {
        const lims_field_t *field = lims_field_find(resource->fields, member->name);

        if ((route->body || change) && resource->nested &&
            strcmp(member->name, resource->nested) == 0) {
            return lims_client_error(rq->pool, LIMS_E_FIELD_NOT_PATCHABLE,
                                     "%s cannot be set here: they are records of their own.",
                                     member->name);
        }
        if (change && field && !lims_field_find(route->input, member->name)) {
            return lims_field_elsewhere(field, rq->pool);
        }
    }
    return NULL;
}

static const lims_error_t *validate_body(lims_exchange_t *x, const char **body,
                                         apr_size_t *length)
{
    static const lims_field_t nothing[] = { LIMS_FIELD_END };
    lims_request_t *rq = &x->rq;
    const lims_route_t *route = rq->route;
    lims_json_t *root = NULL;
    const lims_error_t *error;

    if ((route->flags & LIMS_R_NO_BODY) && *length == 0) {
        return NULL;
    }
    error = lims_json_parse(&root, *body, *length, rq->pool);
    if (!error && root->type == LIMS_JSON_OBJECT &&
        rq->settings->surface == LIMS_SURFACE_APPLICATION) {
        error = lims_reserved_take(x, root, body, length);
    }
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

/* A growing buffer for a whole body. */
typedef struct {
    char *bytes;
    apr_size_t length;
    apr_size_t size; /* allocated */
    apr_pool_t *pool;
} buffer_t;

#define BUFFER_MIN 1024

static const lims_error_t *append(void *data, const char *bytes, apr_size_t length)
{
    buffer_t *buffer = data;

    if (length > buffer->size - buffer->length) {
        apr_size_t size = 2 * (buffer->length + length);
        char *larger = apr_palloc(buffer->pool, size);

        memcpy(larger, buffer->bytes, buffer->length);
        buffer->bytes = larger;
        buffer->size = size;
    }
    memcpy(buffer->bytes + buffer->length, bytes, length);
    buffer->length += length;
    return NULL;
}

/* Reads a body of JSON. The first buffer has its stated length, which was found to be
 * within the limit. */
static const lims_error_t *read_json(const char **body, apr_size_t *length, lims_exchange_t *x)
{
    apr_size_t size = x->content_length > BUFFER_MIN ? (apr_size_t)x->content_length : BUFFER_MIN;
    buffer_t buffer = { .size = size, .pool = x->rq.pool };
    const lims_error_t *error;

    buffer.bytes = apr_palloc(buffer.pool, size);
    error = x->transport->read_body(x, body_max(x), append, &buffer);
    *body = buffer.bytes;
    *length = buffer.length;
    return error;
}

static const lims_error_t *feed_form(void *data, const char *bytes, apr_size_t length)
{
    return lims_multipart_feed(data, bytes, length);
}

/* Reads a form and validates it. `*body` becomes a digest of its parts: the boundary
 * between them differs each time that the same form is sent. */
static const lims_error_t *read_form(const char **body, apr_size_t *length, lims_exchange_t *x)
{
    lims_request_t *rq = &x->rq;
    const lims_field_t *fields = rq->route->form;
    const apr_array_header_t *parts = NULL;
    lims_multipart_t *form = NULL;
    const lims_error_t *error = lims_multipart_create(
        &form, x->content_type, lims_form_file(fields), x->rq.settings->file_max, rq->pool);

    if (!error) {
        error = x->transport->read_body(x, body_max(x), feed_form, form);
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

/* Takes the reason from the body. Refuses a body without one, where the route requires
 * it. */
static const lims_error_t *adopt_reason(lims_request_t *rq)
{
    const lims_field_t *field =
        lims_field_find(rq->route->input ? rq->route->input : rq->resource->fields, "reason");

    if (field && lims_values_get(rq->values, "reason")) {
        rq->reason = lims_values_get(rq->values, "reason");
    }
    if ((rq->route->flags & LIMS_R_REASON) && !rq->reason) {
        return lims_client_error(rq->pool, LIMS_E_INVALID_BODY,
                                 "reason is missing: it must say why.");
    }
    return NULL;
}

static const lims_error_t *validate_query(lims_exchange_t *x)
{
    return lims_field_query(x->rq.values, x->rq.route->query,
                            x->rq.settings->surface != LIMS_SURFACE_API, x->query, x->rq.pool);
}

void lims_request_check_write(lims_exchange_t *x, const char **body, apr_size_t *length)
{
    const lims_error_t *path = check_path(x);

    x->body_checked = true;
    x->late_refusal = check_media(x);
    if (!x->late_refusal) {
        x->late_refusal = check_length(x);
    }
    if (!x->late_refusal && is_form(x)) {
        x->late_refusal = read_form(body, length, x);
    } else if (!x->late_refusal) {
        x->late_refusal = read_json(body, length, x);
    }
    if (!x->late_refusal) {
        x->late_refusal = path;
    }
    if (!x->late_refusal) {
        x->late_refusal = check_headers(x);
    }
    if (!x->late_refusal) {
        x->late_refusal = validate_query(x);
    }
    if (!x->late_refusal && !is_form(x)) {
        x->late_refusal = validate_body(x, body, length);
    }
    if (x->rq.route->flags & LIMS_R_PASSWORD) {
        OPENSSL_cleanse((char *)(apr_uintptr_t)*body, *length);
        *length = 0;
    }
    if (!x->late_refusal) {
        x->late_refusal = adopt_reason(&x->rq);
    }
    if (!x->late_refusal && x->rq.route->check) {
        x->late_refusal = x->rq.route->check(&x->rq);
    }
}

void lims_request_check_read(lims_exchange_t *x)
{
    x->late_refusal = check_path(x);
    if (!x->late_refusal) {
        x->late_refusal = validate_query(x);
    }
}
