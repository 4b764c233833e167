/* SPDX-License-Identifier: Apache-2.0 */
/*
 * writer.c - yajl's generator, writing to a buffer in the pool.
 */
#include "kernel/writer.h"

#include <apr_strings.h>
#include <string.h>
#include <yajl/yajl_gen.h>

#include "kernel/yajl_memory.h"

#define FIRST_SIZE 4096

/* Deepest nesting of an answer; yajl's own limit is 128. */
#define DEPTH_MAX 32

struct lims_writer_t {
    apr_pool_t *pool;
    yajl_gen yajl;
    char *text;
    apr_size_t length;
    apr_size_t size;
    int depth;
    bool objects[DEPTH_MAX]; /* whether the container at each depth is an object */
    bool named;              /* a key was written, its value is due */
    bool complete;           /* one whole value was written */
    bool failed;
};

static bool in_object(const lims_writer_t *w)
{
    return w->depth > 0 && w->objects[w->depth - 1];
}

/* Appends to the buffer, which doubles when it is full. A pool frees no single block, but
 * the old buffers together are not larger than the last one. One byte is reserved for the
 * final NUL. */
static void append(void *context, const char *bytes, size_t length)
{
    lims_writer_t *w = context;

    if (w->length + length >= w->size) {
        apr_size_t size = w->size * 2;
        char *text;

        while (w->length + length >= size) {
            size *= 2;
        }
        text = apr_palloc(w->pool, size);
        memcpy(text, w->text, w->length);
        w->text = text;
        w->size = size;
    }
    memcpy(w->text + w->length, bytes, length);
    w->length += length;
}

lims_writer_t *lims_writer_create(apr_pool_t *pool)
{
    lims_writer_t *w = apr_pcalloc(pool, sizeof(*w));
    yajl_alloc_funcs memory = lims_yajl_memory(pool);

    w->pool = pool;
    w->size = FIRST_SIZE;
    w->text = apr_palloc(pool, w->size);
    w->yajl = yajl_gen_alloc(&memory);
    if (!w->yajl) {
        w->failed = true;
        return w;
    }
    yajl_gen_config(w->yajl, yajl_gen_print_callback, append, w);
    return w;
}

apr_pool_t *lims_writer_pool(const lims_writer_t *w)
{
    return w->pool;
}

/* Whether a value may be written here. The nesting is checked here because yajl's
 * generator would close an object as an array, and accept a name without a value. */
static bool may_write_value(lims_writer_t *w)
{
    bool allowed = w->depth == 0 ? !w->complete : in_object(w) == w->named;

    w->failed = w->failed || !allowed;
    w->named = false;
    return !w->failed;
}

static void value_written(lims_writer_t *w, yajl_gen_status status)
{
    w->complete = w->depth == 0;
    w->failed = w->failed || status != yajl_gen_status_ok;
}

static void begin(lims_writer_t *w, bool object)
{
    if (!may_write_value(w)) {
        return;
    }
    if (w->depth == DEPTH_MAX) {
        w->failed = true;
        return;
    }
    w->objects[w->depth++] = object;
    value_written(w, object ? yajl_gen_map_open(w->yajl) : yajl_gen_array_open(w->yajl));
}

static void end(lims_writer_t *w, bool object)
{
    if (w->failed || w->depth == 0 || in_object(w) != object || w->named) {
        w->failed = true;
        return;
    }
    w->depth--;
    value_written(w, object ? yajl_gen_map_close(w->yajl) : yajl_gen_array_close(w->yajl));
}

void lims_writer_object_begin(lims_writer_t *w)
{
    begin(w, true);
}

void lims_writer_object_end(lims_writer_t *w)
{
    end(w, true);
}

void lims_writer_array_begin(lims_writer_t *w)
{
    begin(w, false);
}

void lims_writer_array_end(lims_writer_t *w)
{
    end(w, false);
}

void lims_writer_key(lims_writer_t *w, const char *name)
{
    if (w->failed || !in_object(w) || w->named) {
        w->failed = true;
        return;
    }
    w->named = true;
    w->failed =
        yajl_gen_string(w->yajl, (const unsigned char *)name, strlen(name)) != yajl_gen_status_ok;
}

void lims_writer_string(lims_writer_t *w, const char *text)
{
    if (!text) {
        lims_writer_null(w);
    } else {
        lims_writer_string_n(w, text, strlen(text));
    }
}

void lims_writer_string_n(lims_writer_t *w, const char *text, apr_size_t length)
{
    if (may_write_value(w)) {
        value_written(w, yajl_gen_string(w->yajl, (const unsigned char *)text, length));
    }
}

/* yajl writes the text of a "number" unchanged, with the commas around it. */
void lims_writer_raw(lims_writer_t *w, const char *json)
{
    if (!json) {
        lims_writer_null(w);
    } else if (may_write_value(w)) {
        value_written(w, yajl_gen_number(w->yajl, json, strlen(json)));
    }
}

void lims_writer_null(lims_writer_t *w)
{
    if (may_write_value(w)) {
        value_written(w, yajl_gen_null(w->yajl));
    }
}

void lims_writer_boolean(lims_writer_t *w, bool value)
{
    if (may_write_value(w)) {
        value_written(w, yajl_gen_bool(w->yajl, value));
    }
}

void lims_writer_integer(lims_writer_t *w, apr_int64_t value)
{
    char digits[24];

    apr_snprintf(digits, sizeof(digits), "%" APR_INT64_T_FMT, value);
    lims_writer_raw(w, digits);
}

const char *lims_writer_finish(apr_size_t *length, lims_writer_t *w)
{
    bool sound = !w->failed && w->complete;

    w->failed = true;
    w->text[w->length] = '\0';
    *length = sound ? w->length : 0;
    return sound ? w->text : NULL;
}
