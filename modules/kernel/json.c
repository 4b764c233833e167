/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json.c - builds a tree from yajl's events, with the checks that yajl lacks.
 *
 * yajl's own tree interface is not used: it accepts comments, takes the first of two
 * members of one name, and recurses once per level. Text that yajl accepts and
 * PostgreSQL refuses is refused before parsing: yajl's UTF-8 check accepts overlong forms
 * and surrogates, and its decoder silently replaces unpaired surrogates.
 */
#include "kernel/json.h"

#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

#include "kernel/error.h"
#include "kernel/utf8.h"
#include "kernel/yajl_memory.h"

/* Largest number of members for which comparing each pair is cheaper than sorting. */
#define PAIRWISE_MAX 12

typedef struct {
    lims_json_t *node;
    lims_json_t *last; /* child added last */
} level_t;

typedef struct {
    apr_pool_t *pool;
    yajl_handle yajl;
    lims_json_t *root;
    const char *name; /* of the member whose value comes next */
    int depth;        /* containers open now */
    int values;
    int values_max;
    level_t levels[LIMS_JSON_DEPTH_MAX];
    const lims_error_t *error;
} reader_t;

/* --- Before yajl ----------------------------------------------------------- */

/* Returns the value of the four hexadecimal digits of \uXXXX; -1: they are none. */
static long escape_value(const char *bytes, apr_size_t left)
{
    long value = 0;

    if (left < 6 || bytes[0] != '\\' || bytes[1] != 'u') {
        return -1;
    }
    for (int i = 2; i < 6; i++) {
        char c = bytes[i];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;

        if (digit < 0) {
            return -1;
        }
        value = value * 16 + digit;
    }
    return value;
}

/* A backslash is valid only inside strings (yajl refuses any other), so escapes can be
 * checked without knowing where strings begin. */
const char *lims_json_escape_fault(apr_size_t *at, const char *bytes, apr_size_t length)
{
    apr_size_t i = 0;

    while (i < length) {
        const char *backslash = memchr(bytes + i, '\\', length - i);
        long value;

        if (!backslash) {
            break;
        }
        i = (apr_size_t)(backslash - bytes);
        *at = i;
        value = escape_value(backslash, length - i);
        if (value == 0) {
            return "a NUL character (\\u0000)";
        }
        if (value >= 0xD800 && value <= 0xDBFF) {
            long low = length - i > 6 ? escape_value(backslash + 6, length - i - 6) : -1;

            if (low < 0xDC00 || low > 0xDFFF) {
                return "an unpaired surrogate";
            }
            i += 12;
        } else if (value >= 0xDC00 && value <= 0xDFFF) {
            return "an unpaired surrogate";
        } else {
            i += value < 0 ? 2 : 6;
        }
    }
    return NULL;
}

/* Returns the offset of the first control character that is not white space of JSON, or
 * `length`. yajl accepts a form feed and a vertical tab between values. */
static apr_size_t find_control(const char *bytes, apr_size_t length)
{
    apr_size_t at = 0;

    while (at < length && ((unsigned char)bytes[at] >= 0x20 || bytes[at] == '\n' ||
                           bytes[at] == '\r' || bytes[at] == '\t')) {
        at++;
    }
    return at;
}

static const lims_error_t *check_bytes(const char *bytes, apr_size_t length, apr_pool_t *pool)
{
    apr_size_t control = find_control(bytes, length);
    apr_size_t at = lims_utf8_fault(bytes, length);
    const char *fault = NULL;

    if (length == 0) {
        return lims_client_error(pool, LIMS_E_INVALID_BODY,
                                 "The body is empty, but must be "
                                 "JSON");
    }
    if (length >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) {
        at = 0;
        fault = "a byte order mark";
    } else if (control < length) {
        at = control;
        fault = bytes[at] == '\0' ? "a NUL byte" : "a control character";
    } else if (at < length) {
        fault = "malformed UTF-8";
    } else {
        fault = lims_json_escape_fault(&at, bytes, length);
    }
    return !fault ? NULL
                  : lims_client_error(pool, LIMS_E_INVALID_BODY,
                                      "The body has %s at byte %" APR_SIZE_T_FMT, fault, at);
}

/* --- yajl's events --------------------------------------------------------- */

/* Records the error and returns 0, which makes yajl stop. */
static int refuse(reader_t *reader, const char *what)
{
    reader->error = lims_client_error(reader->pool, LIMS_E_INVALID_BODY, "The body %s (byte %lu)",
                                      what, (unsigned long)yajl_get_bytes_consumed(reader->yajl));
    return 0;
}

static lims_json_t *add_value(reader_t *reader, lims_json_type_e type, const char *text,
                              size_t length)
{
    lims_json_t *node;

    if (++reader->values > reader->values_max) {
        refuse(reader, apr_psprintf(reader->pool, "has more than %d values", reader->values_max));
        return NULL;
    }
    node = apr_pcalloc(reader->pool, sizeof(*node));
    node->type = type;
    node->name = reader->name;
    node->text = text ? apr_pstrmemdup(reader->pool, text, length) : NULL;
    node->length = length;
    reader->name = NULL;

    if (reader->depth == 0) {
        reader->root = node;
    } else {
        level_t *level = &reader->levels[reader->depth - 1];

        if (!level->last) {
            level->node->first = node;
        } else {
            level->last->next = node;
        }
        level->last = node;
        level->node->count++;
    }
    return node;
}

static int open_container(reader_t *reader, lims_json_type_e type)
{
    lims_json_t *node;

    if (reader->depth == LIMS_JSON_DEPTH_MAX) {
        return refuse(reader, apr_psprintf(reader->pool, "is nested more than %d levels deep",
                                           LIMS_JSON_DEPTH_MAX));
    }
    node = add_value(reader, type, NULL, 0);
    if (!node) {
        return 0;
    }
    reader->levels[reader->depth++] = (level_t){ .node = node };
    return 1;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp((*(const lims_json_t *const *)a)->name, (*(const lims_json_t *const *)b)->name);
}

/* Returns a member name that occurs twice; NULL: there is none. The names of a large
 * object are sorted, so that the time does not grow with the square of their number. */
static const char *duplicate_name(const lims_json_t *object, apr_pool_t *pool)
{
    const lims_json_t **sorted;
    int n = 0;

    if (object->count <= PAIRWISE_MAX) {
        for (const lims_json_t *a = object->first; a; a = a->next) {
            for (const lims_json_t *b = a->next; b; b = b->next) {
                if (strcmp(a->name, b->name) == 0) {
                    return a->name;
                }
            }
        }
        return NULL;
    }
    sorted = apr_palloc(pool, (apr_size_t)object->count * sizeof(const lims_json_t *));
    for (const lims_json_t *member = object->first; member; member = member->next) {
        sorted[n++] = member;
    }
    qsort(sorted, (size_t)n, sizeof(*sorted), compare_names);
    for (int i = 1; i < n; i++) {
        if (strcmp(sorted[i - 1]->name, sorted[i]->name) == 0) {
            return sorted[i]->name;
        }
    }
    return NULL;
}

static int on_null(void *reader)
{
    return add_value(reader, LIMS_JSON_NULL, NULL, 0) ? 1 : 0;
}

static int on_boolean(void *reader, int value)
{
    return add_value(reader, LIMS_JSON_BOOLEAN, value ? "true" : "false", value ? 4 : 5) ? 1 : 0;
}

static int on_number(void *reader, const char *text, size_t length)
{
    return add_value(reader, LIMS_JSON_NUMBER, text, length) ? 1 : 0;
}

static int on_string(void *reader, const unsigned char *text, size_t length)
{
    return add_value(reader, LIMS_JSON_STRING, (const char *)text, length) ? 1 : 0;
}

static int on_object_begin(void *reader)
{
    return open_container(reader, LIMS_JSON_OBJECT);
}

static int on_name(void *context, const unsigned char *text, size_t length)
{
    reader_t *reader = context;

    reader->name = apr_pstrmemdup(reader->pool, (const char *)text, length);
    return 1;
}

static int on_object_end(void *context)
{
    reader_t *reader = context;
    const char *name = duplicate_name(reader->levels[--reader->depth].node, reader->pool);

    if (name) {
        return refuse(reader, apr_psprintf(reader->pool, "has the member '%s' twice in one object",
                                           lims_excerpt(name, reader->pool)));
    }
    return 1;
}

static int on_array_begin(void *reader)
{
    return open_container(reader, LIMS_JSON_ARRAY);
}

static int on_array_end(void *context)
{
    ((reader_t *)context)->depth--;
    return 1;
}

/* Numbers are passed as text: yajl's conversion would lose digits. */
static const yajl_callbacks callbacks = {
    .yajl_null = on_null,
    .yajl_boolean = on_boolean,
    .yajl_number = on_number,
    .yajl_string = on_string,
    .yajl_start_map = on_object_begin,
    .yajl_map_key = on_name,
    .yajl_end_map = on_object_end,
    .yajl_start_array = on_array_begin,
    .yajl_end_array = on_array_end,
};

static const lims_error_t *syntax_error(const reader_t *reader)
{
    return lims_client_error(reader->pool, LIMS_E_INVALID_BODY,
                             "The body is not valid JSON: %s (byte %lu)",
                             lims_yajl_fault(reader->yajl, reader->pool),
                             (unsigned long)yajl_get_bytes_consumed(reader->yajl));
}

const lims_error_t *lims_json_parse(lims_json_t **root, const char *bytes, apr_size_t length,
                                    apr_pool_t *pool)
{
    return lims_json_parse_bounded(root, bytes, length, LIMS_JSON_VALUES_MAX, pool);
}

const lims_error_t *lims_json_parse_bounded(lims_json_t **root, const char *bytes,
                                            apr_size_t length, int values_max, apr_pool_t *pool)
{
    reader_t reader = { .pool = pool, .values_max = values_max };
    yajl_alloc_funcs memory = lims_yajl_memory(pool);
    const lims_error_t *error = check_bytes(bytes, length, pool);
    yajl_status status;
    bool ended = false;

    *root = NULL;
    if (error) {
        return error;
    }
    reader.yajl = yajl_alloc(&callbacks, &memory, &reader);
    if (!reader.yajl) {
        return lims_server_error(pool, LIMS_E_INTERNAL, 42, "yajl_alloc",
                                 "The body could not be read");
    }
    status = yajl_parse(reader.yajl, (const unsigned char *)bytes, length);
    if (status == yajl_status_ok) {
        status = yajl_complete_parse(reader.yajl);
        ended = status != yajl_status_ok;
    }
    if (reader.error) {
        error = reader.error;
    } else if (ended) {
        /* The text is incomplete. */
        error =
            lims_client_error(pool, LIMS_E_INVALID_BODY,
                              "The body is not valid JSON: it ends too soon, after %" APR_SIZE_T_FMT
                              " bytes. Is its Content-Length right?",
                              length);
    } else if (status != yajl_status_ok || !reader.root) {
        error = syntax_error(&reader);
    } else {
        *root = reader.root;
    }
    return error;
}

const lims_json_t *lims_json_member(const lims_json_t *object, const char *name)
{
    const lims_json_t *member = NULL;

    if (object && object->type == LIMS_JSON_OBJECT) {
        member = object->first;
    }
    while (member && strcmp(member->name, name) != 0) {
        member = member->next;
    }
    return member;
}

const char *lims_json_string(const lims_json_t *object, const char *name)
{
    const lims_json_t *member = lims_json_member(object, name);

    return member && member->type == LIMS_JSON_STRING ? member->text : NULL;
}
