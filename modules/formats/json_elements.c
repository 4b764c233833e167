/* SPDX-License-Identifier: Apache-2.0 */
/* json_elements.c - JSON by yajl, as a tree of elements. */
#include "formats/json_elements.h"

#include <apr_hash.h>
#include <apr_strings.h>
#include <string.h>
#include <yajl/yajl_parse.h>

#include "kernel/json.h"
#include "kernel/yajl_memory.h"

/* Number of values between two checks of the time limit. */
#define PACE 1024

/* An object or an array that is open. */
typedef struct {
    lims_element_t *node;   /* whose children its values are */
    lims_element_t **place; /* where the next of them goes */
    apr_hash_t *seen;       /* names of its members; NULL: an array */
    const char *name;       /* of an array's values; of the member that comes next */
    bool shares;            /* an array: the node is that of the object around it */
} level_t;

typedef struct {
    yajl_handle yajl;
    const lims_text_t *text;
    lims_element_t *root;
    level_t levels[LIMS_XML_DEPTH_MAX];
    int depth;
    apr_hash_t *names; /* few, that come again and again */
    int count;
    apr_size_t at; /* as far as lines are counted */
    int line;
    bool refused; /* there is a reason already */
    lims_reasons_t *reasons;
    apr_pool_t *pool;
} reader_t;

/* The line of the token that was read last. */
static int line_of(reader_t *r)
{
    apr_size_t end = yajl_get_bytes_consumed(r->yajl);

    for (; r->at < end && r->at < r->text->length; r->at++) {
        r->line += r->text->bytes[r->at] == '\n';
    }
    return r->line;
}

/* Returns 0, which makes yajl stop. */
static int refuse(reader_t *r, lims_reason_e code, const char *what)
{
    int line = line_of(r);

    r->refused = true;
    lims_reasons_block(r->reasons, code, line, 0, "Line %d of the JSON: %s.", line, what);
    return 0;
}

/* A copy that counts; NULL with a reason. */
static const char *kept(reader_t *r, const char *text, apr_size_t length)
{
    const char *copy = length ? lims_text_keep(r->reasons, text, length, r->pool) : "";

    r->refused = r->refused || !copy;
    return copy;
}

static const char *name_of(reader_t *r, const char *name, apr_size_t length)
{
    const char *known = apr_hash_get(r->names, name, (apr_ssize_t)length);

    if (!known) {
        known = kept(r, name, length);
        if (known) {
            apr_hash_set(r->names, known, (apr_ssize_t)length, known);
        }
    }
    return known;
}

/* The next element, without its text; NULL with a reason. */
static lims_element_t *add(reader_t *r)
{
    static const char *none[] = { NULL };
    level_t *level = r->depth ? &r->levels[r->depth - 1] : NULL;
    lims_element_t *element;

    if (++r->count > LIMS_XML_ELEMENTS_MAX) {
        refuse(r, LIMS_REASON_TOO_MANY_ROWS,
               apr_psprintf(r->pool, "there are more than %d values", LIMS_XML_ELEMENTS_MAX));
        return NULL;
    }
    if (r->count % PACE == 0 && !lims_reasons_in_time(r->reasons)) {
        r->refused = true;
        return NULL;
    }
    element = apr_pcalloc(r->pool, sizeof(*element));
    element->name = level ? level->name : "";
    element->text = "";
    element->attributes = none;
    element->line = line_of(r);
    if (level) {
        element->parent = level->node;
        *level->place = element;
        level->place = &element->next;
    } else {
        r->root = element;
    }
    return element;
}

static int add_text(reader_t *r, const char *text, apr_size_t length)
{
    lims_element_t *element = add(r);

    if (element) {
        element->text = kept(r, text, length);
    }
    return element && element->text;
}

/* --- yajl's events ----------------------------------------------------------- */

static int on_null(void *reader)
{
    return add_text(reader, "", 0);
}

static int on_boolean(void *reader, int value)
{
    return add_text(reader, value ? "true" : "false", value ? 4 : 5);
}

static int on_number(void *reader, const char *text, size_t length)
{
    return add_text(reader, text, length);
}

static int on_string(void *reader, const unsigned char *text, size_t length)
{
    return add_text(reader, (const char *)text, length);
}

static int open_level(reader_t *r, const level_t *level)
{
    if (r->depth == LIMS_XML_DEPTH_MAX) {
        return refuse(r, LIMS_REASON_STRUCTURE_MISMATCH, "values are nested too deep");
    }
    r->levels[r->depth++] = *level;
    return 1;
}

static int on_object_begin(void *context)
{
    reader_t *r = context;
    lims_element_t *element = add(r);

    return element && open_level(r, &(level_t){ .node = element,
                                                .place = &element->first,
                                                .seen = apr_hash_make(r->pool) });
}

static int on_name(void *context, const unsigned char *text, size_t length)
{
    reader_t *r = context;
    level_t *level = &r->levels[r->depth - 1];

    level->name = name_of(r, (const char *)text, length);
    if (!level->name) {
        return 0;
    }
    /* One of the two would be passed over, or both taken for an array. */
    if (apr_hash_get(level->seen, level->name, APR_HASH_KEY_STRING)) {
        return refuse(
            r, LIMS_REASON_STRUCTURE_MISMATCH,
            apr_psprintf(r->pool, "the member \"%.100s\" stands twice in an object", level->name));
    }
    apr_hash_set(level->seen, level->name, APR_HASH_KEY_STRING, level->name);
    return 1;
}

static int on_array_begin(void *context)
{
    reader_t *r = context;
    level_t *around = r->depth ? &r->levels[r->depth - 1] : NULL;
    lims_element_t *element;

    if (around && around->seen) { /* its values take its place */
        return open_level(r, &(level_t){ .node = around->node,
                                         .place = around->place,
                                         .name = around->name,
                                         .shares = true });
    }
    element = add(r);
    return element &&
           open_level(r, &(level_t){ .node = element, .place = &element->first, .name = "item" });
}

static int on_end(void *context)
{
    reader_t *r = context;
    const level_t *level = &r->levels[--r->depth];

    if (level->shares) {
        r->levels[r->depth - 1].place = level->place;
    }
    return 1;
}

static const yajl_callbacks callbacks = {
    .yajl_null = on_null,
    .yajl_boolean = on_boolean,
    .yajl_number = on_number,
    .yajl_string = on_string,
    .yajl_start_map = on_object_begin,
    .yajl_map_key = on_name,
    .yajl_end_map = on_end,
    .yajl_start_array = on_array_begin,
    .yajl_end_array = on_end,
};

/* --- The document -------------------------------------------------------------- */

static void parse(reader_t *r)
{
    yajl_status status =
        yajl_parse(r->yajl, (const unsigned char *)r->text->bytes, r->text->length);

    if (status == yajl_status_ok) {
        status = yajl_complete_parse(r->yajl);
        if (status != yajl_status_ok && !r->refused) {
            refuse(r, LIMS_REASON_TRUNCATED_FILE,
                   "the document ends within a value: it was cut off");
        }
    }
    if (status != yajl_status_ok && !r->refused) {
        refuse(r, LIMS_REASON_STRUCTURE_MISMATCH, lims_yajl_fault(r->yajl, r->pool));
    }
}

const lims_element_t *lims_json_read(const lims_text_t *text, lims_reasons_t *reasons,
                                     apr_pool_t *pool)
{
    reader_t *r = apr_pcalloc(pool, sizeof(*r));
    yajl_alloc_funcs memory = lims_yajl_memory(pool);
    apr_size_t at;
    const char *fault;

    r->text = text;
    r->line = 1;
    r->names = apr_hash_make(pool);
    r->reasons = reasons;
    r->pool = pool;
    r->yajl = yajl_alloc(&callbacks, &memory, r);
    if (!r->yajl) {
        lims_reasons_block(reasons, LIMS_REASON_ARCHIVE_LIMITS, 0, 0,
                           "There is not enough memory to read the file.");
        return NULL;
    }
    /* yajl would write something else in its place. */
    fault = lims_json_escape_fault(&at, text->bytes, text->length);
    if (fault) {
        lims_reasons_block(reasons, LIMS_REASON_ENCODING_ERROR, 0, 0,
                           "The JSON has %s at byte %" APR_SIZE_T_FMT ".", fault, at);
        return NULL;
    }
    parse(r);
    return r->refused ? NULL : r->root;
}
