/* SPDX-License-Identifier: Apache-2.0 */
/*
 * field.h - validation by tables of fields: from sent values to SQL parameters.
 *
 * A validated value is text in the form that PostgreSQL reads:
 *   ID, INTEGER        canonical decimal: "42"
 *   DECIMAL            the number as sent: "7.10"
 *   BOOLEAN            "t" or "f"
 *   STRING, ENUM, DATE as sent
 *   TIMESTAMP, MOMENT  UTC with Z
 *   ID_LIST            "{1,2}"
 *   STRING_LIST        "{\"a\",\"b\"}", every element quoted
 *   OBJECT, OBJECT_LIST compact JSON, made anew from the validated members
 * NULL text is a JSON null that was given for a LIMS_F_NULLABLE field.
 *
 * Bounds where a field states none: strings LIMS_TEXT_MAX characters, lists
 * LIMS_LIST_MAX elements, INTEGER 0 (its .min) to 2147483647, DECIMAL none.
 */
#ifndef LIMS_KERNEL_FIELD_H
#define LIMS_KERNEL_FIELD_H

#include "kernel/json.h"
#include "lims.h"

/* Most elements of a list whose field states no maximum. */
#define LIMS_LIST_MAX 1000

/* A string of a LIMS_F_REQUIRED field may not be blank, unless the field is
 * LIMS_F_NULLABLE too and so can be cleared. Elements of a STRING_LIST obey
 * .values and .pattern, and are never blank.
 *
 * A decimal has at most so many digits, and an exponent of at most ±this. */
#define LIMS_NUMBER_DIGITS_MAX 40
#define LIMS_DECIMAL_EXPONENT_MAX 100

/* --- Values: a small ordered map of validated texts ---------------------- */

typedef struct {
    const char *name;
    const char *text;          /* NULL: null was given */
    const lims_field_t *field; /* NULL: set by lims_values_set() */
} lims_value_t;

struct lims_values_t {
    apr_pool_t *pool;
    lims_value_t *items; /* in the order of arrival */
    int count;
    int size;
};

/* An empty map, which grows in `pool`. */
lims_values_t *lims_values_create(apr_pool_t *pool);

/* Sets or replaces a value. Name and text are kept, not copied. */
void lims_values_set(lims_values_t *values, const char *name, const char *text);

/* Encodes bytes in the text form of PostgreSQL's bytea: "\x00ff". */
const char *lims_bytea(const void *bytes, apr_size_t length, apr_pool_t *pool);

/* Whether a value was sent; true for null too. */
bool lims_values_has(const lims_values_t *values, const char *name);

/* Returns the text of a value; NULL: absent or null. */
const char *lims_values_get(const lims_values_t *values, const char *name);

/* --- Validation ---------------------------------------------------------- */

/* A JSON body against a table. `flags`: LIMS_F_CREATE or LIMS_F_UPDATE takes
 * the fields with that flag out of a resource's table, any other known field
 * is LIMS_E_FIELD_NOT_PATCHABLE; 0 takes every field (an input table of its
 * own). A creation treats null as absent and adds fallbacks; an own table adds
 * them too; an update does neither, and needs at least one member
 * (LIMS_E_NO_UPDATABLE_FIELDS). Anything else wrong is LIMS_E_INVALID_BODY,
 * naming the member by its path ("updates[3].result"). */
const lims_error_t *lims_field_body(lims_values_t *values, const lims_field_t *fields,
                                    unsigned flags, const lims_json_t *root, apr_pool_t *pool);

/* A raw query string (NULL: none) against a table (NULL: takes nothing), with
 * '+' as a space. Unknown, repeated or ill-typed: LIMS_E_INVALID_QUERY. An
 * INTEGER flagged LIMS_F_CLAMP is cut to its maximum. Absent parameters that have a
 * fallback get it; LIMS_F_REQUIRED is enforced. */
const lims_error_t *lims_field_query(lims_values_t *values, const lims_field_t *fields,
                                     const char *query_string, apr_pool_t *pool);

/* One value from the command line or a form, as text, against its field. Lists
 * are comma-separated there; objects are JSON. An empty text for a nullable
 * field is null. What is wrong is `kind`. */
const lims_error_t *lims_field_text(lims_values_t *values, const lims_field_t *field,
                                    const char *text, lims_error_e kind, apr_pool_t *pool);

/* An identifier in a path: 1 to 2^63-1, plain digits without a leading zero.
 * Anything else is LIMS_E_INVALID_ID. */
const lims_error_t *lims_field_id(const char **id, const char *segment, apr_pool_t *pool);

/* Returns the field of that name, or NULL. */
const lims_field_t *lims_field_find(const lims_field_t *fields, const char *name);

/* Whether a string of white space alone is refused. */
bool lims_field_refuses_blank(const lims_field_t *field);

/* Returns LIMS_E_FIELD_NOT_PATCHABLE, with the right way to change the field. */
const lims_error_t *lims_field_elsewhere(const lims_field_t *field, apr_pool_t *pool);

#endif /* LIMS_KERNEL_FIELD_H */
