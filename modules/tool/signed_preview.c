/* SPDX-License-Identifier: Apache-2.0 */
/* signed_preview.c - what a signature at the command line will cover. */
#include "tool/signed_preview.h"

#include <apr_strings.h>
#include <string.h>

#include "database/database.h"
#include "kernel/field.h"
#include "kernel/writer.h"
#include "service/signing.h"

/* Returns the list of records of an act over many, or NULL: the one whose elements may name
 * the content that their signer saw. */
static const lims_field_t *list_of(const lims_route_t *route)
{
    for (const lims_field_t *f = route->input; f && f->name; f++) {
        for (const lims_field_t *m = f->members; m && m->name; m++) {
            if (strcmp(m->name, "contentHash") == 0) {
                return f;
            }
        }
    }
    return NULL;
}

/* Returns the id of the one record that is signed; NULL: there is none. */
static const lims_error_t *find_id(const char **id, lims_request_t *rq)
{
    const lims_error_t *error;
    lims_result_t *row = NULL;

    *id = lims_values_get(rq->values, "id");
    if (*id) {
        return NULL;
    }
    *id = rq->actor.organization;
    if (!rq->resource->lock) {
        return NULL;
    }
    error = lims_database_call(&row, rq, rq->resource->lock);
    *id = !error && lims_result_count(row) ? lims_result_get(row, 0, "id") : NULL;
    return error;
}

static const lims_error_t *list_records(const char **items, const lims_field_t *list,
                                        lims_request_t *rq)
{
    const char *id = NULL;
    const lims_error_t *error;

    if (list) {
        *items = lims_values_get(rq->values, list->name);
        return NULL;
    }
    error = find_id(&id, rq);
    *items = id ? apr_psprintf(rq->pool, "[{\"id\":%s}]", id) : NULL;
    return error;
}

static void write_given(lims_writer_t *w, const lims_value_t *value)
{
    if (value->field->type == LIMS_T_BOOLEAN) {
        lims_writer_raw(w, value->text[0] == 't' ? "true" : "false");
    } else {
        lims_writer_string(w, value->text);
    }
}

/* Returns the meaning of the signature and what was given for the act, as a JSON object. */
static const char *act_of(const lims_request_t *rq, const lims_field_t *list)
{
    lims_writer_t *w = lims_writer_create(rq->pool);
    const char *meaning = lims_signing_meaning(rq);
    apr_size_t length = 0;

    lims_writer_object_begin(w);
    if (meaning) {
        lims_writer_key(w, "meaning");
        lims_writer_string(w, meaning);
    }
    for (int i = 0; i < rq->values->count; i++) {
        const lims_value_t *value = &rq->values->items[i];

        if (value->field && value->text && !(value->field->flags & LIMS_F_SECRET) &&
            !(list && strcmp(value->name, list->name) == 0)) {
            lims_writer_key(w, value->name);
            write_given(w, value);
        }
    }
    lims_writer_object_end(w);
    return lims_writer_finish(&length, w);
}

const lims_error_t *lims_signed_preview(const char **act, const char **records, lims_request_t *rq)
{
    const lims_field_t *list = list_of(rq->route);
    lims_values_t *values = lims_values_create(rq->pool);
    const lims_call_t call = { .statement = LIMS_STMT_SIGNED_PREVIEW, .values = values };
    const char *items = NULL;
    const lims_error_t *error = list_records(&items, list, rq);
    lims_result_t *row = NULL;

    *act = act_of(rq, list);
    *records = NULL;
    if (error || !items) {
        return error;
    }
    lims_values_set(values, "signs", rq->route->signs);
    lims_values_set(values, "items", items);
    lims_values_set(values, "idMember", list ? list->unique : "id");
    error = lims_database_run(&row, rq, &call, 1, 0);
    if (error) {
        return error;
    }
    *records = lims_result_get(row, 0, "records");
    if (list) {
        lims_values_set(rq->values, list->name, lims_result_get(row, 0, "items"));
    } else {
        rq->content_hash = lims_result_get(row, 0, "contentHash");
    }
    return NULL;
}
