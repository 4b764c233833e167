/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json.h - reading JSON (RFC 8259), stricter than the library below it.
 *
 * yajl does the parsing; this file adds checks that it lacks: depth, number of values,
 * duplicate member names, NUL characters, unpaired surrogates and malformed UTF-8.
 * Numbers remain the text that was sent.
 */
#ifndef LIMS_KERNEL_JSON_H
#define LIMS_KERNEL_JSON_H

#include "lims.h"

/* Deepest nesting of objects and arrays. */
#define LIMS_JSON_DEPTH_MAX 16

/* Most values in one text: bounds the memory that a few bytes can claim. */
#define LIMS_JSON_VALUES_MAX 100000

typedef enum {
    LIMS_JSON_NULL,
    LIMS_JSON_BOOLEAN,
    LIMS_JSON_NUMBER,
    LIMS_JSON_STRING,
    LIMS_JSON_ARRAY,
    LIMS_JSON_OBJECT,
    LIMS_JSON_COUNT
} lims_json_type_e;

typedef struct lims_json_t lims_json_t;

struct lims_json_t {
    lims_json_type_e type;
    const char *name;   /* member name, or NULL outside an object */
    const char *text;   /* string: decoded; number: as sent; "true", "false" */
    apr_size_t length;  /* of .text in bytes */
    int count;          /* children of an array or object */
    lims_json_t *first; /* child, in the order sent */
    lims_json_t *next;  /* sibling */
};

/* Parses one JSON text into a tree in `pool`, which does not refer to `bytes`.
 * LIMS_E_INVALID_BODY, with the mistake and its place: the text is not exactly one
 * well-formed value. */
const lims_error_t *lims_json_parse(lims_json_t **root, const char *bytes, apr_size_t length,
                                    apr_pool_t *pool);

/* The same with another bound than LIMS_JSON_VALUES_MAX, for texts that the service made
 * itself. */
const lims_error_t *lims_json_parse_bounded(lims_json_t **root, const char *bytes,
                                            apr_size_t length, int values_max, apr_pool_t *pool);

/* Returns the member of that name; NULL: there is none, or `object` is not an object. */
const lims_json_t *lims_json_member(const lims_json_t *object, const char *name);

/* Returns the text of a member that is a string; NULL: there is none, or it is no string. */
const char *lims_json_string(const lims_json_t *object, const char *name);

/* Finds an escape (\\uXXXX) that is not a character. Returns a description and its offset;
 * NULL: there is none. yajl would replace it silently. */
const char *lims_json_escape_fault(apr_size_t *at, const char *bytes, apr_size_t length);

#endif /* LIMS_KERNEL_JSON_H */
