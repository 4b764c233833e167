/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xml.h - reading of XML as a tree of elements with their line numbers.
 *
 * Names are local names, since namespace prefixes differ between writers of the
 * same format. A document type declaration, and with it all custom entities, is
 * refused; depth and number of elements have limits.
 */
#ifndef LIMS_FORMATS_XML_H
#define LIMS_FORMATS_XML_H

#include "formats/stream.h"

#define LIMS_XML_DEPTH_MAX 64
#define LIMS_XML_ELEMENTS_MAX 200000     /* elements in a tree */
#define LIMS_XML_TOKEN_MAX (1024 * 1024) /* approximate size of a tag or a comment, bytes */

typedef struct lims_element_t lims_element_t;

struct lims_element_t {
    const char *name;
    const char *text;        /* its character data without that of its children; "" if none */
    const char **attributes; /* name, value, name, value, NULL */
    int line;                /* line where it begins, from 1 */
    bool number;             /* of JSON: its text is a number's token, with decimal point */
    lims_element_t *parent, *first, *next;
};

/* Parses a document into `pool`; expat takes the encoding from the XML
 * declaration. NULL with a reason: malformed, truncated, over a limit. */
const lims_element_t *lims_xml_read(lims_stream_t *stream, lims_reasons_t *reasons,
                                    apr_pool_t *pool);

/* Returns a tree as a sheet with three columns: for an attribute its element, its
 * name and its value; for an element its parent's name, its own name and its text.
 * A row's number is the line of the element. Texts longer than LIMS_FILE_CELL_MAX
 * are left out; they are only in the tree. NULL with a reason. */
const lims_sheet_t *lims_xml_sheet(const lims_element_t *root, lims_reasons_t *reasons,
                                   apr_pool_t *pool);

/* Returns the value of an attribute, or NULL. */
const char *lims_xml_attribute(const lims_element_t *element, const char *name);

/* Returns the first child with this name; NULL: there is none. */
const lims_element_t *lims_xml_child(const lims_element_t *element, const char *name);

/* Returns the next sibling that has the same name; NULL: there is none. */
const lims_element_t *lims_xml_next(const lims_element_t *after);

/* Callbacks of the streaming parser, for parts too large for a tree. Names are
 * local names. Each returns false to stop. Texts are valid during the call only. */
typedef struct {
    bool (*start)(void *data, const char *name, const char **attributes, int line);
    bool (*text)(void *data, const char *text, int length);
    bool (*end)(void *data, const char *name);
    void *data;
} lims_xml_handlers_t;

/* Parses a document and calls the handlers. False with a reason if it is
 * malformed, and false if a handler stopped it. */
bool lims_xml_walk(const lims_xml_handlers_t *handlers, lims_stream_t *stream,
                   lims_reasons_t *reasons);

/* Returns the value of an attribute among those of a start handler, or NULL. */
const char *lims_xml_value(const char **attributes, const char *name);

/* Whether the value of an attribute, which may be NULL, is true (xsd:boolean). */
bool lims_xml_is_true(const char *value);

#endif /* LIMS_FORMATS_XML_H */
