/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.c - conversion of PostgreSQL's text values to the JSON of the API.
 */
#include "kernel/record.h"

#include <apr_escape.h>
#include <apr_sha1.h>
#include <apr_strings.h>
#include <string.h>
#include <strings.h>

#include "kernel/time.h"

/* Bytes of a SHA-1 in a record's tag, as in an entity tag (etag.c). */
#define TAG_BYTES 16

/* NaN and Infinity are values of numeric, but not of JSON. */
static void write_number(lims_writer_t *w, const char *text)
{
    const char *first = *text == '-' ? text + 1 : text;

    lims_writer_raw(w, *first >= '0' && *first <= '9' ? text : NULL);
}

/* Reads one element of an array literal into `value`, which has room for it, and returns
 * its end: the comma or the closing brace. In a quoted element a backslash escapes. */
static const char *read_element(char *value, bool *quoted, const char *text)
{
    *quoted = *text == '"';
    text += *quoted ? 1 : 0;
    while (*text != '\0' && (*quoted ? *text != '"' : *text != ',' && *text != '}')) {
        if (*text == '\\' && text[1] != '\0') {
            text++;
        }
        *value++ = *text++;
    }
    *value = '\0';
    return text + (*quoted && *text == '"' ? 1 : 0);
}

/* Writes a one-dimensional array literal (PostgreSQL manual, 8.15) as JSON; an unquoted
 * NULL is null. */
static void write_array(lims_writer_t *w, bool numbers, const char *text)
{
    char *value = apr_palloc(lims_writer_pool(w), strlen(text) + 1);
    const char *p = strchr(text, '{');

    lims_writer_array_begin(w);
    while (p && (*p == '{' || *p == ',') && p[1] != '}' && p[1] != '\0') {
        bool quoted;

        p = read_element(value, &quoted, p + 1);
        if (!quoted && strcasecmp(value, "NULL") == 0) {
            lims_writer_null(w);
        } else if (numbers) {
            write_number(w, value);
        } else {
            lims_writer_string(w, value);
        }
    }
    lims_writer_array_end(w);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Removes the blanks between tokens, which PostgreSQL writes in JSON. */
static const char *compact(const char *text, apr_pool_t *pool)
{
    char *copy = apr_palloc(pool, strlen(text) + 1);
    char *out = copy;
    bool inside = false; /* a string */

    for (; *text != '\0'; text++) {
        if (inside && *text == '\\' && text[1] != '\0') {
            *out++ = *text++;
        } else if (*text == '"') {
            inside = !inside;
        } else if (!inside && is_blank(*text)) {
            continue;
        }
        *out++ = *text;
    }
    *out = '\0';
    return copy;
}

void lims_record_write_value(lims_writer_t *w, const lims_field_t *field, const char *text)
{
    if (!text) {
        lims_writer_null(w);
        return;
    }
    switch (field->type) {
    case LIMS_T_ID:
    case LIMS_T_INTEGER:
    case LIMS_T_DECIMAL:
        write_number(w, text);
        break;
    case LIMS_T_BOOLEAN:
        lims_writer_boolean(w, text[0] == 't');
        break;
    case LIMS_T_STRING:
    case LIMS_T_ENUM:
    case LIMS_T_DATE:
        lims_writer_string(w, text);
        break;
    case LIMS_T_TIMESTAMP:
    case LIMS_T_MOMENT:
    case LIMS_T_MOMENT_END:
        lims_writer_string(w, lims_time_from_database(text, lims_writer_pool(w)));
        break;
    case LIMS_T_ID_LIST:
    case LIMS_T_STRING_LIST:
        write_array(w, field->type == LIMS_T_ID_LIST, text);
        break;
    case LIMS_T_OBJECT:
    case LIMS_T_OBJECT_LIST:
    case LIMS_T_JSON:
    case LIMS_T_FILE:
    case LIMS_T_COUNT:
        lims_writer_raw(w, compact(text, lims_writer_pool(w)));
        break;
    }
}

void lims_record_write(lims_writer_t *w, const lims_field_t *fields, lims_record_value_fn *value,
                       void *row)
{
    for (const lims_field_t *field = fields; field->name; field++) {
        if ((field->flags & LIMS_F_OUT) != 0) {
            lims_writer_key(w, field->name);
            lims_record_write_value(w, field, value(row, field->name));
        }
    }
}

/* Returns what a tag takes of a member: a time as the record shows it, since PostgreSQL
 * writes it in the zone of the session; else the text as it came. */
static const char *tagged_text(const lims_field_t *field, const char *text, apr_pool_t *pool)
{
    return text && field->type == LIMS_T_TIMESTAMP ? lims_time_from_database(text, pool) : text;
}

const char *lims_record_tag(const lims_field_t *fields, const int *columns,
                            lims_record_cell_fn *cell, void *result, int row, apr_pool_t *pool)
{
    const unsigned chosen = LIMS_F_OUT | LIMS_F_UNTAGGED | LIMS_F_DIGEST;
    apr_array_header_t *texts = apr_array_make(pool, 32, sizeof(char *));
    unsigned char digest[APR_SHA1_DIGESTSIZE];
    apr_size_t size = 0, length = 0;
    apr_sha1_ctx_t context;
    unsigned char *bytes;

    for (int i = 0; fields[i].name; i++) {
        if ((fields[i].flags & chosen) == LIMS_F_OUT) {
            const char *text = columns[i] < 0 ? NULL : cell(result, row, columns[i]);

            APR_ARRAY_PUSH(texts, const char *) = tagged_text(&fields[i], text, pool);
            size += text ? strlen(text) + 32 : 1;
        }
    }
    /* Each member with its NUL; one without a value is a byte that no text begins with. */
    bytes = apr_palloc(pool, size + 1);
    for (int i = 0; i < texts->nelts; i++) {
        const char *text = APR_ARRAY_IDX(texts, i, const char *);
        apr_size_t taken = text ? strlen(text) + 1 : 1;

        memcpy(bytes + length, text ? text : "\xFF", taken);
        length += taken;
    }
    /* A tag finds changes and is not a secret: SHA-1 by APR, which needs no memory and so
     * cannot fail, where every record has one. */
    apr_sha1_init(&context);
    apr_sha1_update_binary(&context, bytes, (unsigned)length);
    apr_sha1_final(digest, &context);
    return apr_pescape_hex(pool, digest, TAG_BYTES, 0);
}

static void write_included(lims_writer_t *w, const lims_field_t *field, const char *text)
{
    if (text) {
        lims_writer_key(w, field->name);
        lims_record_write_value(w, field, text);
    }
}

void lims_record_write_columns(lims_writer_t *w, const lims_field_t *fields, const int *columns,
                               lims_record_cell_fn *cell, void *result, int row)
{
    for (int i = 0; fields[i].name; i++) {
        if ((fields[i].flags & LIMS_F_DIGEST) != 0) {
            lims_writer_key(w, fields[i].name);
            lims_writer_string(
                w, lims_record_tag(fields, columns, cell, result, row, lims_writer_pool(w)));
        } else if ((fields[i].flags & LIMS_F_OUT) != 0) {
            lims_writer_key(w, fields[i].name);
            lims_record_write_value(w, &fields[i],
                                    columns[i] < 0 ? NULL : cell(result, row, columns[i]));
        } else if ((fields[i].flags & LIMS_F_INCLUDED) != 0 && columns[i] >= 0) {
            write_included(w, &fields[i], cell(result, row, columns[i]));
        }
    }
}

void lims_record_write_texts(lims_writer_t *w, const lims_field_t *fields, const char *const *texts)
{
    for (int i = 0; fields[i].name; i++) {
        if ((fields[i].flags & LIMS_F_OUT) != 0) {
            lims_writer_key(w, fields[i].name);
            lims_record_write_value(w, &fields[i], texts[i]);
        }
    }
}
