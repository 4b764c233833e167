/* SPDX-License-Identifier: Apache-2.0 */
/* reserved.c - reason and signature in the bodies of the application. */
#include "service/reserved.h"

#include <openssl/crypto.h>
#include <string.h>

#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/writer.h"

/* Takes a member out of an object; NULL: it has none of that name. */
static lims_json_t *detach(lims_json_t *object, const char *name)
{
    for (lims_json_t **link = &object->first; *link; link = &(*link)->next) {
        lims_json_t *member = *link;

        if (strcmp(member->name, name) == 0) {
            *link = member->next;
            object->count--;
            member->next = NULL;
            return member;
        }
    }
    return NULL;
}

static void write_value(lims_writer_t *w, const lims_json_t *value)
{
    bool object = value->type == LIMS_JSON_OBJECT;

    if (value->type == LIMS_JSON_STRING) {
        lims_writer_string_n(w, value->text, value->length);
        return;
    }
    if (!object && value->type != LIMS_JSON_ARRAY) {
        lims_writer_raw(w, value->type == LIMS_JSON_NULL ? "null" : value->text);
        return;
    }
    if (object) {
        lims_writer_object_begin(w);
    } else {
        lims_writer_array_begin(w);
    }
    for (const lims_json_t *child = value->first; child; child = child->next) {
        if (object) {
            lims_writer_key(w, child->name);
        }
        write_value(w, child);
    }
    if (object) {
        lims_writer_object_end(w);
    } else {
        lims_writer_array_end(w);
    }
}

static void replace_body(const char **body, apr_size_t *length, const lims_json_t *root,
                         apr_pool_t *pool)
{
    lims_writer_t *w = lims_writer_create(pool);

    OPENSSL_cleanse((char *)(apr_uintptr_t)*body, *length);
    write_value(w, root);
    *body = lims_writer_finish(length, w);
}

static const lims_error_t *take_signature(lims_exchange_t *x, lims_json_t *signature)
{
    lims_values_t *values = lims_values_create(x->rq.pool);
    const lims_error_t *error;

    error = lims_field_body(values, lims_reserved_fields[LIMS_RESERVED_SIGNATURE].members, 0,
                            signature, x->rq.pool);
    if (error) {
        return lims_client_error(x->rq.pool, LIMS_E_INVALID_BODY,
                                 "signature must be an object with the signer's password and the "
                                 "contentHash that the record showed.");
    }
    x->password = lims_values_get(values, "password");
    x->rq.content_hash = lims_values_get(values, "contentHash");
    return NULL;
}

static bool has_own_reason(const lims_request_t *rq)
{
    const lims_route_t *route = rq->route;
    const lims_field_t *own =
        lims_field_find(route->input ? route->input : rq->resource->fields, "reason");

    return own && (route->input || (own->flags & route->body) != 0);
}

static const lims_error_t *take_reason(lims_exchange_t *x, lims_json_t *root)
{
    lims_values_t *values = lims_values_create(x->rq.pool);
    lims_json_t *reason = has_own_reason(&x->rq) ? NULL : detach(root, "reason");
    const lims_field_t fields[] = { lims_reserved_fields[LIMS_RESERVED_REASON], LIMS_FIELD_END };
    lims_json_t alone = { .type = LIMS_JSON_OBJECT, .count = 1, .first = reason };
    const lims_error_t *error = NULL;

    if (reason) {
        error = lims_field_body(values, fields, LIMS_F_CREATE, &alone, x->rq.pool);
        x->rq.reason = lims_values_get(values, "reason");
    }
    return error;
}

const lims_error_t *lims_reserved_take(lims_exchange_t *x, lims_json_t *root, const char **body,
                                       apr_size_t *length)
{
    lims_json_t *signature = x->rq.route->meaning ? detach(root, "signature") : NULL;
    const lims_error_t *error = NULL;

    if (signature) {
        replace_body(body, length, root, x->rq.pool);
        error = take_signature(x, signature);
    }
    return error ? error : take_reason(x, root);
}
