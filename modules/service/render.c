/* SPDX-License-Identifier: Apache-2.0 */
/* render.c - writes rows of the database as the body of a reply. */
#include <apr_strings.h>
#include <stdlib.h>

#include "kernel/etag.h"
#include "kernel/field.h"
#include "kernel/record.h"
#include "kernel/route.h"
#include "service/service.h"

static const char *cell(void *result, int row, int column)
{
    return lims_result_cell(result, row, column);
}

static int count_fields(const lims_field_t *fields)
{
    int count = 0;

    while (fields[count].name) {
        count++;
    }
    return count;
}

/* Returns the column of each field, so that names are compared once for all rows. */
static const int *resolve(const lims_field_t *fields, const lims_result_t *rows, apr_pool_t *pool)
{
    int count = count_fields(fields);
    int *columns = apr_palloc(pool, sizeof(int) * (apr_size_t)(count + 1));
    int next = 0;

    for (int i = 0; i < count; i++) {
        /* A digest is made of the other members, and what is only sent has no column. */
        bool shown = (fields[i].flags & (LIMS_F_OUT | LIMS_F_INCLUDED)) != 0 &&
                     (fields[i].flags & LIMS_F_DIGEST) == 0;

        columns[i] = shown ? lims_result_column(rows, fields[i].name, next) : -1;
        next = columns[i] < 0 ? next : columns[i] + 1;
    }
    return columns;
}

static void write_rows(lims_writer_t *w, const lims_field_t *fields, const lims_result_t *rows,
                       int count, apr_pool_t *pool)
{
    const int *columns = resolve(fields, rows, pool);

    lims_writer_array_begin(w);
    for (int i = 0; i < count; i++) {
        lims_writer_object_begin(w);
        /* The callback does not change the result. */
        lims_record_write_columns(w, fields, columns, cell, (void *)(apr_uintptr_t)rows, i);
        lims_writer_object_end(w);
    }
    lims_writer_array_end(w);
}

void lims_render_rows(lims_writer_t *w, const lims_resource_t *resource, const lims_result_t *rows,
                      int count, apr_pool_t *pool)
{
    write_rows(w, resource->fields, rows, count, pool);
}

void lims_render_counts(lims_writer_t *w, const lims_result_t *rows)
{
    lims_writer_object_begin(w);
    for (int i = 0; i < lims_result_count(rows); i++) {
        const char *count = lims_result_get(rows, i, "count");

        lims_writer_key(w, lims_result_get(rows, i, "state"));
        if (strtol(count, NULL, 10) > LIMS_COUNTED_MAX) {
            lims_writer_string(w, "10,000+");
        } else {
            lims_writer_raw(w, count);
        }
    }
    lims_writer_object_end(w);
}

void lims_render_objects(lims_writer_t *w, const lims_field_t *fields, const lims_result_t *rows,
                         int count, apr_pool_t *pool)
{
    write_rows(w, fields, rows, count, pool);
}

void lims_render_row(lims_writer_t *w, const lims_resource_t *resource, const lims_result_t *rows,
                     int row, apr_pool_t *pool)
{
    lims_writer_object_begin(w);
    lims_record_write_columns(w, resource->fields, resolve(resource->fields, rows, pool), cell,
                              (void *)(apr_uintptr_t)rows, row);
    lims_writer_object_end(w);
}

const char *const *lims_render_tags(const lims_resource_t *resource, const lims_result_t *rows,
                                    apr_pool_t *pool)
{
    const int *columns = resolve(resource->fields, rows, pool);
    int count = lims_result_count(rows);
    const char **tags = apr_palloc(pool, sizeof(*tags) * (apr_size_t)(count + 1));

    for (int i = 0; i < count; i++) {
        tags[i] =
            lims_record_tag(resource->fields, columns, cell, (void *)(apr_uintptr_t)rows, i, pool);
    }
    return tags;
}

void lims_render_finish(lims_request_t *rq, lims_writer_t *w)
{
    rq->reply->body = lims_writer_finish(&rq->reply->length, w);
}

void lims_render_etag(lims_request_t *rq)
{
    const char *etag = lims_etag(rq->reply->body, rq->reply->length, rq->pool);

    if (etag) {
        apr_table_setn(rq->reply->headers, "ETag", etag);
    }
}

void lims_render_record(lims_request_t *rq, const lims_result_t *row, const lims_result_t *nested)
{
    const lims_resource_t *resource = rq->resource;
    lims_writer_t *w = lims_writer_create(rq->pool);

    lims_writer_object_begin(w);
    lims_record_write_columns(w, resource->fields, resolve(resource->fields, row, rq->pool), cell,
                              (void *)(apr_uintptr_t)row, 0);
    if (nested) {
        lims_writer_key(w, resource->nested);
        write_rows(w, resource->nested_resource->fields, nested, lims_result_count(nested),
                   rq->pool);
    }
    lims_writer_object_end(w);
    lims_render_finish(rq, w);
    lims_render_etag(rq);
}

void lims_render_object(lims_writer_t *w, const lims_field_t *fields, const lims_result_t *row,
                        apr_pool_t *pool)
{
    lims_writer_object_begin(w);
    lims_record_write_columns(w, fields, resolve(fields, row, pool), cell,
                              (void *)(apr_uintptr_t)row, 0);
    lims_writer_object_end(w);
}

void lims_render_members(lims_request_t *rq, const lims_field_t *fields, const lims_result_t *row)
{
    lims_writer_t *w = lims_writer_create(rq->pool);

    lims_render_object(w, fields, row, rq->pool);
    lims_render_finish(rq, w);
}

/* Returns the cursor of the next page: the last record's column "cursor" if the list has an
 * order of its own, else its id. */
static const char *next_cursor(const lims_result_t *rows, int last)
{
    bool ordered = lims_result_column(rows, "cursor", 0) >= 0;

    return lims_result_get(rows, last, ordered ? "cursor" : "id");
}

static void write_cursor(lims_writer_t *w, const lims_route_t *route, const char *cursor)
{
    if (lims_route_has_text_cursor(route)) {
        lims_writer_string(w, cursor);
    } else {
        lims_writer_raw(w, cursor);
    }
}

/* The statement reads one row more than a page has, which tells whether there are more. */
void lims_render_page(lims_request_t *rq, const lims_result_t *rows)
{
    int limit = (int)strtol(lims_values_get(rq->values, "limit"), NULL, 10);
    int found = lims_result_count(rows);
    int count = found > limit ? limit : found;
    lims_writer_t *w = lims_writer_create(rq->pool);

    lims_writer_object_begin(w);
    lims_writer_key(w, "data");
    write_rows(w, rq->resource->fields, rows, count, rq->pool);
    lims_writer_key(w, "nextCursor");
    write_cursor(w, rq->route,
                 count ? next_cursor(rows, count - 1) : lims_values_get(rq->values, "cursor"));
    lims_writer_key(w, "hasMore");
    lims_writer_boolean(w, found > limit);
    lims_writer_object_end(w);
    lims_render_finish(rq, w);
    if (rq->settings && rq->settings->surface == LIMS_SURFACE_APPLICATION) {
        /* Pages of people are live: they are asked for again and again. */
        lims_render_etag(rq);
    }
}
