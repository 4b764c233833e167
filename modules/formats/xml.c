/* SPDX-License-Identifier: Apache-2.0 */
/* xml.c - XML by expat: as events with local names, and as a tree. */
#include "formats/xml.h"

#include <apr_strings.h>
#include <expat.h>
#include <limits.h>
#include <string.h>

/* --- Events ---------------------------------------------------------------- */

typedef struct {
    const lims_xml_handlers_t *handlers;
    XML_Parser parser;
    const char *part;
    int depth;
    bool stopped; /* by a handler, or a bound: there is a reason already */
    lims_reasons_t *reasons;
} walk_t;

static const char *local(const char *name)
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
                           "Line %d of the XML%s%s: %s.", line_of(w), *w->part ? " of " : "",
                           w->part, what);
    }
    stop(w);
}

static void XMLCALL on_start(void *data, const XML_Char *name, const XML_Char **attributes)
{
    walk_t *w = data;

    if (w->stopped) {
        return;
    }
    if (++w->depth > LIMS_XML_DEPTH_MAX) {
        refuse(w, "elements are nested too deep");
    } else if (w->handlers->start &&
               !w->handlers->start(w->handlers->data, local(name), attributes, line_of(w))) {
        stop(w);
    }
}

static void XMLCALL on_end(void *data, const XML_Char *name)
{
    walk_t *w = data;

    w->depth--;
    if (!w->stopped && w->handlers->end && !w->handlers->end(w->handlers->data, local(name))) {
        stop(w);
    }
}

static void XMLCALL on_text(void *data, const XML_Char *text, int length)
{
    walk_t *w = data;

    if (!w->stopped && w->handlers->text && !w->handlers->text(w->handlers->data, text, length)) {
        stop(w);
    }
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

bool lims_xml_walk(const lims_xml_handlers_t *handlers, const char *bytes, apr_size_t length,
                   const char *part, lims_reasons_t *reasons, apr_pool_t *pool)
{
    walk_t w = { .handlers = handlers, .part = part, .reasons = reasons };
    enum XML_Status status;

    w.parser = XML_ParserCreate(NULL);
    if (!w.parser || length > INT_MAX) {
        lims_reasons_block(reasons, LIMS_REASON_ARCHIVE_LIMITS, 0, 0,
                           "There is not enough memory to read the file.");
        return false;
    }
    XML_SetUserData(w.parser, &w);
    XML_SetElementHandler(w.parser, on_start, on_end);
    XML_SetCharacterDataHandler(w.parser, on_text);
    XML_SetStartDoctypeDeclHandler(w.parser, on_doctype);
    status = XML_Parse(w.parser, bytes, (int)length, XML_TRUE);
    if (status != XML_STATUS_OK && !w.stopped) {
        refuse(&w, apr_pstrdup(pool, XML_ErrorString(XML_GetErrorCode(w.parser))));
    }
    XML_ParserFree(w.parser);
    return status == XML_STATUS_OK && !w.stopped;
}

const char *lims_xml_value(const char **attributes, const char *name)
{
    for (; *attributes; attributes += 2) {
        if (strcmp(local(*attributes), name) == 0) {
            return attributes[1];
        }
    }
    return NULL;
}

/* --- A tree ---------------------------------------------------------------- */

typedef struct {
    lims_xml_t *root, *open;
    lims_xml_t **place;         /* where the next child of .open goes */
    apr_array_header_t *places; /* of lims_xml_t **, of the elements around it */
    apr_array_header_t *texts;  /* of apr_array_header_t *, of the open elements */
    int count;
    lims_reasons_t *reasons;
    apr_pool_t *pool;
} tree_t;

static bool tree_start(void *data, const char *name, const char **attributes, int line)
{
    tree_t *t = data;
    lims_xml_t *element = apr_pcalloc(t->pool, sizeof(*element));
    apr_array_header_t *copies = apr_array_make(t->pool, 2, sizeof(const char *));

    if (++t->count > LIMS_XML_ELEMENTS_MAX) {
        lims_reasons_block(t->reasons, LIMS_REASON_TOO_MANY_ROWS, line, 0,
                           "The file has more than %d XML elements.", LIMS_XML_ELEMENTS_MAX);
        return false;
    }
    for (; *attributes; attributes += 2) {
        APR_ARRAY_PUSH(copies, const char *) = apr_pstrdup(t->pool, local(*attributes));
        APR_ARRAY_PUSH(copies, const char *) = apr_pstrdup(t->pool, attributes[1]);
    }
    element->name = apr_pstrdup(t->pool, name);
    element->text = "";
    element->attributes = copies;
    element->line = line;
    element->parent = t->open;
    *t->place = element;
    APR_ARRAY_PUSH(t->places, lims_xml_t **) = &element->next;
    APR_ARRAY_PUSH(t->texts, apr_array_header_t *) = apr_array_make(t->pool, 16, sizeof(char));
    t->place = &element->first;
    t->open = element;
    return true;
}

static bool tree_text(void *data, const char *text, int length)
{
    tree_t *t = data;
    apr_array_header_t *collected =
        APR_ARRAY_IDX(t->texts, t->texts->nelts - 1, apr_array_header_t *);

    for (int i = 0; i < length; i++) {
        APR_ARRAY_PUSH(collected, char) = text[i];
    }
    return true;
}

static bool tree_end(void *data, const char *name)
{
    tree_t *t = data;
    apr_array_header_t *collected = *(apr_array_header_t **)apr_array_pop(t->texts);

    (void)name;
    t->open->text = apr_pstrmemdup(t->pool, collected->elts, (apr_size_t)collected->nelts);
    t->open = t->open->parent;
    t->place = *(lims_xml_t ***)apr_array_pop(t->places);
    return true;
}

const lims_xml_t *lims_xml_read(const char *bytes, apr_size_t length, const char *part,
                                lims_reasons_t *reasons, apr_pool_t *pool)
{
    tree_t t = {
        .places = apr_array_make(pool, 16, sizeof(lims_xml_t **)),
        .texts = apr_array_make(pool, 16, sizeof(apr_array_header_t *)),
        .reasons = reasons,
        .pool = pool,
    };
    const lims_xml_handlers_t handlers = { tree_start, tree_text, tree_end, &t };

    t.place = &t.root;
    return lims_xml_walk(&handlers, bytes, length, part, reasons, pool) ? t.root : NULL;
}

const char *lims_xml_attribute(const lims_xml_t *element, const char *name)
{
    for (int i = 0; element && i + 1 < element->attributes->nelts; i += 2) {
        if (strcmp(APR_ARRAY_IDX(element->attributes, i, const char *), name) == 0) {
            return APR_ARRAY_IDX(element->attributes, i + 1, const char *);
        }
    }
    return NULL;
}

static const lims_xml_t *named(const lims_xml_t *element, const char *name)
{
    while (element && strcmp(element->name, name) != 0) {
        element = element->next;
    }
    return element;
}

const lims_xml_t *lims_xml_child(const lims_xml_t *element, const char *name)
{
    return element ? named(element->first, name) : NULL;
}

const lims_xml_t *lims_xml_next(const lims_xml_t *after)
{
    return named(after->next, after->name);
}
