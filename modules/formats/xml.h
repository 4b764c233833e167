/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xml.h - XML as a tree of elements with their places.
 *
 * Names are local names: prefixes differ between writers of the same format. A
 * document type, and with it every entity of one's own, is refused; depth and
 * number of elements are bounded.
 */
#ifndef LIMS_FORMATS_XML_H
#define LIMS_FORMATS_XML_H

#include "formats/stream.h"

#define LIMS_XML_DEPTH_MAX 64
#define LIMS_XML_ELEMENTS_MAX 200000     /* of a tree */
#define LIMS_XML_TOKEN_MAX (1024 * 1024) /* of a tag or a comment, about */

typedef struct lims_element_t lims_element_t;

struct lims_element_t {
    const char *name;
    const char *text;        /* its own character data, together; "" if none */
    const char **attributes; /* name, value, name, value, NULL */
    int line;                /* 1-based, where it begins */
    lims_element_t *parent, *first, *next;
};

/* Parses a document. expat tells the encoding from the declaration. NULL with a
 * reason: malformed, cut off, beyond a bound. */
const lims_element_t *lims_xml_read(lims_stream_t *stream, lims_reasons_t *reasons,
                                    apr_pool_t *pool);

/* What a tree says as a sheet of three columns: an element's name, an attribute's
 * name and its value; or the name of the element around it, its own and its text.
 * A row's number is the line of the element. A text longer than LIMS_FILE_CELL_MAX
 * is left out, the tree alone has it. NULL with a reason. */
const lims_sheet_t *lims_xml_sheet(const lims_element_t *root, lims_reasons_t *reasons,
                                   apr_pool_t *pool);

/* The value of an attribute, or NULL. */
const char *lims_xml_attribute(const lims_element_t *element, const char *name);

/* The first child of that name, the next one of the same name behind `after`. */
const lims_element_t *lims_xml_child(const lims_element_t *element, const char *name);
const lims_element_t *lims_xml_next(const lims_element_t *after);

/* Handlers that get local names, for parts too large for a tree. `data` is
 * handed through; each returns false to stop. Texts live for the call only. */
typedef struct {
    bool (*start)(void *data, const char *name, const char **attributes, int line);
    bool (*text)(void *data, const char *text, int length);
    bool (*end)(void *data, const char *name);
    void *data;
} lims_xml_handlers_t;

/* Walks a document. False when it is malformed, with a reason, or a handler
 * stopped it. */
bool lims_xml_walk(const lims_xml_handlers_t *handlers, lims_stream_t *stream,
                   lims_reasons_t *reasons);

/* The value of an attribute among those handed to a start handler, or NULL. */
const char *lims_xml_value(const char **attributes, const char *name);

#endif /* LIMS_FORMATS_XML_H */
