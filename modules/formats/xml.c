/* SPDX-License-Identifier: Apache-2.0 */
/* xml.c - XML with expat: streaming with local names, and as a tree. */
#include "formats/xml.h"

#include <apr_hash.h>
#include <apr_strings.h>
#include <expat.h>
#include <limits.h>
#include <string.h>

/* Number of bytes that are read at a time. */
#define CHUNK 65536

/* --- Events ---------------------------------------------------------------- */

typedef struct {
    const lims_xml_handlers_t *handlers;
    XML_Parser parser;
    const lims_stream_t *stream;
    int depth;
    apr_ssize_t quiet; /* bytes fed since expat last called a handler */
    bool stopped;      /* by a handler or a limit: there is a reason already */
    lims_reasons_t *reasons;
} walk_t;

static const char *local_name(const char *name)
{
    const char *colon = strrchr(name, ':');
    return colon ? colon + 1 : name;
}

static int line_of(const walk_t *w)
{
    XML_Size line = XML_GetCurrentLineNumber(w->parser);
    return line < INT_MAX ? (int)line : INT_MAX;
}

static void stop(walk_t *w)
{
    w->stopped = true;
    XML_StopParser(w->parser, XML_FALSE);
}

static void refuse(walk_t *w, const char *what)
{
    if (!w->stopped) {
        lims_reasons_block(w->reasons, LIMS_REASON_STRUCTURE_MISMATCH, line_of(w), 0,
                           "Line %d of the XML%s%s: %s.", line_of(w),
                           *w->stream->name ? " of " : "", w->stream->name, what);
    }
    stop(w);
}

/* Whether expat's error means that the document is incomplete. */
static bool is_cut_off(enum XML_Error error)
{
    return error == XML_ERROR_NO_ELEMENTS || error == XML_ERROR_UNCLOSED_TOKEN ||
           error == XML_ERROR_PARTIAL_CHAR || error == XML_ERROR_UNCLOSED_CDATA_SECTION;
}

static void refuse_parse(walk_t *w)
{
    enum XML_Error error = XML_GetErrorCode(w->parser);

    if (w->stopped) {
        return;
    }
    if (is_cut_off(error)) {
        lims_reasons_block(w->reasons, LIMS_REASON_TRUNCATED_FILE, line_of(w), 0,
                           "The XML%s%s ends on line %d within an element: it was cut off.",
                           *w->stream->name ? " of " : "", w->stream->name, line_of(w));
    } else {
        refuse(w, XML_ErrorString(error));
    }
}

static void XMLCALL on_start(void *data, const XML_Char *name, const XML_Char **attributes)
{
    walk_t *w = data;

    w->quiet = 0;
    if (w->stopped) {
        return;
    }
    if (++w->depth > LIMS_XML_DEPTH_MAX) {
        refuse(w, "elements are nested too deep");
    } else if (w->handlers->start &&
               !w->handlers->start(w->handlers->data, local_name(name), attributes, line_of(w))) {
        stop(w);
    }
}

static void XMLCALL on_end(void *data, const XML_Char *name)
{
    walk_t *w = data;

    w->quiet = 0;
    w->depth--;
    if (!w->stopped && w->handlers->end && !w->handlers->end(w->handlers->data, local_name(name))) {
        stop(w);
    }
}

static void XMLCALL on_text(void *data, const XML_Char *text, int length)
{
    walk_t *w = data;

    w->quiet = 0;
    if (!w->stopped && w->handlers->text && !w->handlers->text(w->handlers->data, text, length)) {
        stop(w);
    }
}

static void XMLCALL on_comment(void *data, const XML_Char *text)
{
    (void)text;
    ((walk_t *)data)->quiet = 0;
}

static void XMLCALL on_doctype(void *data, const XML_Char *name, const XML_Char *system_id,
                               const XML_Char *public_id, int has_internal_subset)
{
    (void)name;
    (void)system_id;
    (void)public_id;
    (void)has_internal_subset;
    refuse(data, "a document type is not accepted");
}

/* Parses the next chunk; false when parsing has stopped. */
static bool parse_chunk(walk_t *w, lims_stream_t *stream, bool *ended)
{
    char *buffer = XML_GetBuffer(w->parser, CHUNK);
    apr_ssize_t count = buffer ? stream->read(stream, buffer, CHUNK) : 0;

    if (!buffer) {
        refuse(w, "there is not enough memory for it");
        return false;
    }
    if (count < 0 || !lims_reasons_in_time(w->reasons)) {
        return false;
    }
    *ended = count == 0;
    if (XML_ParseBuffer(w->parser, (int)count, *ended) != XML_STATUS_OK) {
        refuse_parse(w);
        return false;
    }
    /* expat buffers a tag until it is complete. */
    w->quiet += count;
    if (w->quiet > LIMS_XML_TOKEN_MAX) {
        refuse(w, "a tag or a comment is too long");
    }
    return !w->stopped;
}

bool lims_xml_walk(const lims_xml_handlers_t *handlers, lims_stream_t *stream,
                   lims_reasons_t *reasons)
{
    walk_t w = { .handlers = handlers, .stream = stream, .reasons = reasons };
    bool ended = false, good = true;

    w.parser = XML_ParserCreate(NULL);
    if (!w.parser) {
        lims_reasons_block(reasons, LIMS_REASON_ARCHIVE_LIMITS, 0, 0,
                           "There is not enough memory to read the file.");
        return false;
    }
    XML_SetUserData(w.parser, &w);
    XML_SetElementHandler(w.parser, on_start, on_end);
    XML_SetCharacterDataHandler(w.parser, on_text);
    XML_SetCommentHandler(w.parser, on_comment);
    XML_SetStartDoctypeDeclHandler(w.parser, on_doctype);
    while (good && !ended) {
        good = parse_chunk(&w, stream, &ended);
    }
    XML_ParserFree(w.parser);
    return good;
}

const char *lims_xml_value(const char **attributes, const char *name)
{
    for (; *attributes; attributes += 2) {
        if (strcmp(local_name(*attributes), name) == 0) {
            return attributes[1];
        }
    }
    return NULL;
}

bool lims_xml_is_true(const char *value)
{
    return value && (strcmp(value, "1") == 0 || strcmp(value, "true") == 0);
}

/* --- A tree ---------------------------------------------------------------- */

typedef struct {
    lims_element_t *root, *open;
    lims_element_t **place; /* where to link the next child of .open */
    struct {
        lims_element_t **place; /* the parent's .place */
        int text;               /* begin of the element's text in .text */
    } levels[LIMS_XML_DEPTH_MAX];
    int depth;
    apr_array_header_t *text; /* array of char: texts of the open elements, concatenated */
    apr_hash_t *names;        /* interned names: few, often repeated */
    int count;
    lims_reasons_t *reasons;
    apr_pool_t *pool;
} tree_t;

/* Copies a text against the limit; NULL with a reason. */
static const char *copy_text(tree_t *t, const char *text, apr_size_t length)
{
    return length ? lims_text_keep(t->reasons, text, length, t->pool) : "";
}

static const char *name_of(tree_t *t, const char *name)
{
    const char *known = apr_hash_get(t->names, name, APR_HASH_KEY_STRING);

    if (!known) {
        known = copy_text(t, name, strlen(name));
        if (known) {
            apr_hash_set(t->names, known, APR_HASH_KEY_STRING, known);
        }
    }
    return known;
}

/* Whether an attribute declares a namespace. */
static bool is_namespace(const char *name)
{
    return strncmp(name, "xmlns", 5) == 0 && (name[5] == ':' || name[5] == '\0');
}

static bool copy_attributes(lims_element_t *element, tree_t *t, const char **attributes)
{
    static const char *none[] = { NULL };
    apr_size_t count = 0;
    const char **to = none;

    while (attributes[count]) {
        count++;
    }
    if (count) {
        to = apr_palloc(t->pool, (count + 1) * sizeof(*to));
    }
    element->attributes = to;
    for (; *attributes; attributes += 2) {
        if (!is_namespace(attributes[0])) {
            to[0] = name_of(t, local_name(attributes[0]));
            to[1] = to[0] ? copy_text(t, attributes[1], strlen(attributes[1])) : NULL;
            if (!to[1]) {
                return false;
            }
            to += 2;
        }
    }
    if (count) {
        *to = NULL;
    }
    return true;
}

static bool tree_start(void *data, const char *name, const char **attributes, int line)
{
    tree_t *t = data;
    lims_element_t *element;

    if (++t->count > LIMS_XML_ELEMENTS_MAX) {
        lims_reasons_block(t->reasons, LIMS_REASON_TOO_MANY_ROWS, line, 0,
                           "The file has more than %d XML elements.", LIMS_XML_ELEMENTS_MAX);
        return false;
    }
    element = apr_pcalloc(t->pool, sizeof(*element));
    element->name = name_of(t, name);
    element->text = "";
    if (!element->name || !copy_attributes(element, t, attributes)) {
        return false;
    }
    element->line = line;
    element->parent = t->open;
    *t->place = element;
    t->levels[t->depth].place = &element->next;
    t->levels[t->depth].text = t->text->nelts;
    t->depth++;
    t->place = &element->first;
    t->open = element;
    return true;
}

static bool tree_text(void *data, const char *text, int length)
{
    tree_t *t = data;

    if (t->text->nelts > LIMS_FILE_TEXT_MAX - length) {
        return copy_text(t, text, LIMS_FILE_TEXT_MAX + 1); /* exceeds the limit: adds the reason */
    }
    lims_text_append(t->text, text, length);
    return true;
}

/* Whether a text is white space, which is ignored between elements. */
static bool is_blank(const char *text, int length)
{
    int i = 0;

    while (i < length && strchr(" \t\r\n", text[i])) {
        i++;
    }
    return i == length;
}

static bool tree_end(void *data, const char *name)
{
    tree_t *t = data;
    int begin = t->levels[--t->depth].text;
    int length = t->text->nelts - begin;

    (void)name;
    if (!t->open->first || !is_blank(t->text->elts + begin, length)) {
        t->open->text = copy_text(t, t->text->elts + begin, (apr_size_t)length);
    }
    t->text->nelts = begin;
    t->place = t->levels[t->depth].place;
    if (!t->open->text) {
        return false;
    }
    t->open = t->open->parent;
    return true;
}

const lims_element_t *lims_xml_read(lims_stream_t *stream, lims_reasons_t *reasons,
                                    apr_pool_t *pool)
{
    tree_t *t = apr_pcalloc(pool, sizeof(*t));
    const lims_xml_handlers_t handlers = { tree_start, tree_text, tree_end, t };

    t->text = apr_array_make(pool, 1024, sizeof(char));
    t->names = apr_hash_make(pool);
    t->reasons = reasons;
    t->pool = pool;
    t->place = &t->root;
    return lims_xml_walk(&handlers, stream, reasons) ? t->root : NULL;
}

const char *lims_xml_attribute(const lims_element_t *element, const char *name)
{
    return element ? lims_xml_value(element->attributes, name) : NULL;
}

static bool write_row(lims_sheet_writer_t *w, int line, const char *around, const char *name,
                      const char *text)
{
    return lims_sheet_row(w, line, 1) && lims_sheet_cell(w, around, strlen(around), 0) &&
           lims_sheet_cell(w, name, strlen(name), 0) && lims_sheet_cell(w, text, strlen(text), 0);
}

static bool write_element(lims_sheet_writer_t *w, const lims_element_t *e)
{
    for (const char **attribute = e->attributes; *attribute; attribute += 2) {
        if (!write_row(w, e->line, e->name, attribute[0], attribute[1])) {
            return false;
        }
    }
    /* Spectra and images are not cells, but must not make the file fail. */
    return !*e->text || strlen(e->text) > LIMS_FILE_CELL_MAX ||
           write_row(w, e->line, e->parent ? e->parent->name : "", e->name, e->text);
}

/* Returns the next element in document order; NULL after the last. */
static const lims_element_t *next_in_document(const lims_element_t *e)
{
    if (e->first) {
        return e->first;
    }
    while (e && !e->next) {
        e = e->parent;
    }
    return e ? e->next : NULL;
}

const lims_sheet_t *lims_xml_sheet(const lims_element_t *root, lims_reasons_t *reasons,
                                   apr_pool_t *pool)
{
    lims_sheet_writer_t *w = lims_sheet_begin("", reasons, pool);

    for (const lims_element_t *e = root; e; e = next_in_document(e)) {
        if (!write_element(w, e)) {
            return NULL;
        }
    }
    return lims_sheet_end(w);
}

static const lims_element_t *find_sibling(const lims_element_t *element, const char *name)
{
    while (element && strcmp(element->name, name) != 0) {
        element = element->next;
    }
    return element;
}

const lims_element_t *lims_xml_child(const lims_element_t *element, const char *name)
{
    return element ? find_sibling(element->first, name) : NULL;
}

const lims_element_t *lims_xml_next(const lims_element_t *after)
{
    return find_sibling(after->next, after->name);
}
