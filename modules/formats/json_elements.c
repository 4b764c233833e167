/* SPDX-License-Identifier: Apache-2.0 */
/* json_elements.c - JSON as a tree of elements, parsed with yajl. */
#include "formats/json_elements.h"

#include <apr_hash.h>
#include <apr_strings.h>
#include <string.h>
#include <yajl/yajl_parse.h>

#include "kernel/json.h"
#include "kernel/yajl_memory.h"

/* Number of values between two checks of the time limit. */
#define PACE 1024

/* An open object or array. */
typedef struct {
    lims_element_t *node;   /* element whose children the values become */
    lims_element_t **place; /* where to link the next child */
    apr_hash_t *seen;       /* names of the object's members so far; NULL: an array */
    const char *name;       /* element name of an array's values, or of the next member */
    bool shares;            /* an array that adds its values to the object around it */
} level_t;

typedef struct {
    yajl_handle yajl;
    const lims_text_t *text;
    lims_element_t *root;
    level_t levels[LIMS_XML_DEPTH_MAX];
    int depth;
    apr_hash_t *names; /* interned names: few, often repeated */
    int count;
    apr_size_t at; /* offset up to which lines are counted */
    int line;
    bool refused; /* a reason was added already */
    lims_reasons_t *reasons;
    apr_pool_t *pool;
} reader_t;

/* Returns the line of the last token. */
static int line_of(reader_t *r)
{
    apr_size_t end = yajl_get_bytes_consumed(r->yajl);

    for (; r->at < end && r->at < r->text->length; r->at++) {
        r->line += r->text->bytes[r->at] == '\n';
    }
    return r->line;
}

/* Adds a reason, and returns 0, which makes yajl stop. */
static int refuse(reader_t *r, lims_reason_e code, const char *what)
{
    int line = line_of(r);

    r->refused = true;
    lims_reasons_block(r->reasons, code, line, 0, "Line %d of the JSON: %s.", line, what);
    return 0;
}

/* Copies a text against the limit; NULL with a reason. */
static const char *copy_text(reader_t *r, const char *text, apr_size_t length)
{
    const char *copy = length ? lims_text_keep(r->reasons, text, length, r->pool) : "";

    r->refused = r->refused || !copy;
    return copy;
}

static const char *name_of(reader_t *r, const char *name, apr_size_t length)
{
    const char *known = apr_hash_get(r->names, name, (apr_ssize_t)length);

    if (!known) {
        known = copy_text(r, name, length);
        if (known) {
            apr_hash_set(r->names, known, (apr_ssize_t)length, known);
        }
    }
    return known;
}

/* Adds the next element, without its text; NULL with a reason. */
static lims_element_t *add_element(reader_t *r)
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

static int add_text(reader_t *r, const char *text, apr_size_t length, bool number)
{
    lims_element_t *element = add_element(r);

    if (element) {
        element->text = copy_text(r, text, length);
        element->number = number;
    }
    return element && element->text;
}

/* --- Callbacks of yajl ------------------------------------------------------- */

static int on_null(void *reader)
{
    return add_text(reader, "", 0, false);
}

static int on_boolean(void *reader, int value)
{
    return add_text(reader, value ? "true" : "false", value ? 4 : 5, false);
}

static int on_number(void *reader, const char *text, size_t length)
{
    return add_text(reader, text, length, true);
}

static int on_string(void *reader, const unsigned char *text, size_t length)
{
    return add_text(reader, (const char *)text, length, false);
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
    lims_element_t *element = add_element(r);

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
    /* One of the two values would be lost, or both be read as an array. */
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

    if (around && around->seen) { /* the array's values take the place of this element */
        return open_level(r, &(level_t){ .node = around->node,
                                         .place = around->place,
                                         .name = around->name,
                                         .shares = true });
    }
    element = add_element(r);
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
    /* Checked here, since yajl replaces invalid escapes by other characters. */
    fault = lims_json_escape_fault(&at, text->bytes, text->length);
    if (fault) {
        lims_reasons_block(reasons, LIMS_REASON_ENCODING_ERROR, 0, 0,
                           "The JSON has %s at byte %" APR_SIZE_T_FMT ".", fault, at);
        return NULL;
    }
    parse(r);
    return r->refused ? NULL : r->root;
}
