/* SPDX-License-Identifier: Apache-2.0 */
/*
 * writer.c - JSON text (RFC 8259), written into a buffer in the pool. The pages of lists
 * are thousands of short strings, so each of them is scanned once and copied in pieces.
 */
#include "kernel/writer.h"

#include <apr_strings.h>
#include <string.h>

#define FIRST_SIZE 4096

/* Deepest nesting of an answer. */
#define DEPTH_MAX 32

/* Longest escape of a character, "\u001F". */
#define ESCAPE_MAX 6

struct lims_writer_t {
    apr_pool_t *pool;
    char *text;
    apr_size_t length;
    apr_size_t size;
    int depth;
    bool objects[DEPTH_MAX]; /* whether the container at each depth is an object */
    bool named;              /* a key was written, its value is due */
    bool follows;            /* the innermost container has a member or an element already */
    bool complete;           /* one whole value was written */
    bool failed;
};

static bool in_object(const lims_writer_t *w)
{
    return w->depth > 0 && w->objects[w->depth - 1];
}

/* Doubles the buffer until so many bytes more fit in. A pool frees no single block, but the
 * old buffers together are not larger than the last one. */
static void grow(lims_writer_t *w, apr_size_t length)
{
    char *text;

    while (w->length + length >= w->size) {
        w->size *= 2;
    }
    text = apr_palloc(w->pool, w->size);
    memcpy(text, w->text, w->length);
    w->text = text;
}

/* Makes room for so many bytes. One more is reserved for the final NUL. */
static void make_room(lims_writer_t *w, apr_size_t length)
{
    if (w->length + length >= w->size) {
        grow(w, length);
    }
}

/* Puts one byte where there is room for it. */
static void put(lims_writer_t *w, char byte)
{
    w->text[w->length++] = byte;
}

/* Puts bytes where there is room for them. */
static void put_bytes(lims_writer_t *w, const char *bytes, apr_size_t length)
{
    memcpy(w->text + w->length, bytes, length);
    w->length += length;
}

static void append(lims_writer_t *w, char byte)
{
    make_room(w, 1);
    put(w, byte);
}

static bool needs_escape(char byte)
{
    return (unsigned char)byte < ' ' || byte == '"' || byte == '\\';
}

/* Returns a number that is not 0 if any of 8 bytes needs an escape: in each of them the
 * subtraction sets the highest bit if the byte is less than a space, or is 0 after the
 * exclusive or with a quote or a backslash. */
static apr_uint64_t any_needs_escape(const char *bytes)
{
    const apr_uint64_t ones = 0x0101010101010101U;
    apr_uint64_t word, quote, backslash;

    memcpy(&word, bytes, sizeof(word));
    quote = word ^ (ones * '"');
    backslash = word ^ (ones * '\\');
    return (((word - ones * ' ') & ~word) | ((quote - ones) & ~quote) |
            ((backslash - ones) & ~backslash)) &
           (ones << 7);
}

/* Returns the number of bytes up to the first one that needs an escape. */
static apr_size_t plain_length(const char *text, apr_size_t length)
{
    apr_size_t at = 0;

    while (at + sizeof(apr_uint64_t) <= length && !any_needs_escape(text + at)) {
        at += sizeof(apr_uint64_t);
    }
    while (at < length && !needs_escape(text[at])) {
        at++;
    }
    return at;
}

/* Puts the escape of a character that may not stand in a string. */
static void put_escape(lims_writer_t *w, unsigned char byte)
{
    static const char letters[] = { ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f',
                                    ['\r'] = 'r', ['"'] = '"',  ['\\'] = '\\' };
    static const char digits[] = "0123456789ABCDEF";

    put(w, '\\');
    if (letters[byte]) {
        put(w, letters[byte]);
        return;
    }
    put_bytes(w, "u00", 3);
    put(w, digits[byte >> 4]);
    put(w, digits[byte & 0xF]);
}

/* Appends a string, and the colon behind it if it is the name of a member. */
static void append_string(lims_writer_t *w, const char *text, apr_size_t length, bool is_name)
{
    apr_size_t plain = plain_length(text, length);

    make_room(w, length + 3 + ESCAPE_MAX);
    put(w, '"');
    while (plain < length) {
        put_bytes(w, text, plain);
        put_escape(w, (unsigned char)text[plain]);
        text += plain + 1;
        length -= plain + 1;
        make_room(w, length + 3 + ESCAPE_MAX);
        plain = plain_length(text, length);
    }
    put_bytes(w, text, length);
    put(w, '"');
    if (is_name) {
        put(w, ':');
    }
}

lims_writer_t *lims_writer_create(apr_pool_t *pool)
{
    lims_writer_t *w = apr_pcalloc(pool, sizeof(*w));

    w->pool = pool;
    w->size = FIRST_SIZE;
    w->text = apr_palloc(pool, w->size);
    return w;
}

apr_pool_t *lims_writer_pool(const lims_writer_t *w)
{
    return w->pool;
}

apr_size_t lims_writer_length(const lims_writer_t *w)
{
    return w->length;
}

/* Begins a value, with the comma after the one before it. False: a value may not be written
 * here. */
static bool begin_value(lims_writer_t *w)
{
    bool allowed = w->depth == 0 ? !w->complete : in_object(w) == w->named;

    w->failed = w->failed || !allowed;
    if (w->failed) {
        return false;
    }
    if (w->follows && !w->named) {
        append(w, ',');
    }
    w->named = false;
    return true;
}

static void end_value(lims_writer_t *w)
{
    w->complete = w->depth == 0;
    w->follows = true;
}

static void begin(lims_writer_t *w, bool object)
{
    if (!begin_value(w)) {
        return;
    }
    if (w->depth == DEPTH_MAX) {
        w->failed = true;
        return;
    }
    w->objects[w->depth++] = object;
    w->follows = false;
    append(w, object ? '{' : '[');
}

static void end(lims_writer_t *w, bool object)
{
    if (w->failed || w->depth == 0 || in_object(w) != object || w->named) {
        w->failed = true;
        return;
    }
    w->depth--;
    append(w, object ? '}' : ']');
    end_value(w);
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
    if (w->follows) {
        append(w, ',');
    }
    append_string(w, name, strlen(name), true);
    w->named = true;
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
    if (begin_value(w)) {
        append_string(w, text, length, false);
        end_value(w);
    }
}

void lims_writer_raw(lims_writer_t *w, const char *json)
{
    if (!json) {
        lims_writer_null(w);
    } else if (begin_value(w)) {
        apr_size_t length = strlen(json);

        make_room(w, length);
        put_bytes(w, json, length);
        end_value(w);
    }
}

void lims_writer_null(lims_writer_t *w)
{
    lims_writer_raw(w, "null");
}

void lims_writer_boolean(lims_writer_t *w, bool value)
{
    lims_writer_raw(w, value ? "true" : "false");
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
