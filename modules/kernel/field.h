/* SPDX-License-Identifier: Apache-2.0 */
/*
 * field.h - validation of sent values against tables of fields, into SQL parameters.
 *
 * A validated value is text in the form that PostgreSQL reads:
 *   ID, INTEGER          canonical decimal: "42"
 *   DECIMAL              the number as sent: "7.10"
 *   BOOLEAN              "t" or "f"
 *   STRING, ENUM, DATE   as sent
 *   TIMESTAMP, MOMENT    UTC with Z
 *   ID_LIST              "{1,2}"
 *   STRING_LIST          "{\"a\",\"b\"}", every element quoted
 *   OBJECT, OBJECT_LIST  compact JSON, written anew from the validated members
 *   with LIMS_F_ROWS     the same of { "row": the members that are valid,
 *                        "mistakes": [ { "path", "error", "message" } ] } for each
 * NULL text is a JSON null that was sent for a LIMS_F_NULLABLE field.
 *
 * Bounds where a field states none: strings LIMS_TEXT_MAX characters, lists
 * LIMS_LIST_MAX elements, INTEGER 0 (its .min) to 2147483647, DECIMAL none.
 *
 * A string of a LIMS_F_REQUIRED field may not be blank, unless the field is
 * LIMS_F_NULLABLE too and so can be cleared. Elements of a STRING_LIST obey
 * .values and .pattern, and are never blank.
 */
#ifndef LIMS_KERNEL_FIELD_H
#define LIMS_KERNEL_FIELD_H

#include "kernel/json.h"
#include "lims.h"

/* Most elements of a list whose field states no maximum. */
#define LIMS_LIST_MAX 1000

/* Bounds of a decimal: its number of digits, and the absolute value of its exponent. */
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

/* Makes an empty map, which grows in `pool`. */
lims_values_t *lims_values_create(apr_pool_t *pool);

/* Sets or replaces a value. Name and text are kept, not copied. */
void lims_values_set(lims_values_t *values, const char *name, const char *text);

/* Encodes bytes in the text form of PostgreSQL's bytea: "\x00ff". */
const char *lims_bytea(const void *bytes, apr_size_t length, apr_pool_t *pool);

/* Whether the map has a value of that name, which may be null. */
bool lims_values_has(const lims_values_t *values, const char *name);

/* Returns the text of a value; NULL: absent or null. */
const char *lims_values_get(const lims_values_t *values, const char *name);

/* --- Validation ---------------------------------------------------------- */

/* A mistake in a row of LIMS_F_ROWS, for answers that list them. */
extern const lims_field_t lims_mistake_fields[];

/* Validates a JSON body against a table and adds its members to `values`. `flags` chooses
 * the fields: LIMS_F_CREATE or LIMS_F_UPDATE accepts the fields with that flag of a
 * resource's table, and any other known field is LIMS_E_FIELD_NOT_PATCHABLE; 0 accepts
 * every field, for a table that is an action's own input. A creation treats null as
 * absent and adds fallbacks; an action's input adds fallbacks; an update does neither,
 * and needs at least one member (LIMS_E_NO_UPDATABLE_FIELDS). Any other mistake is
 * LIMS_E_INVALID_BODY, which names the member by its path ("updates[3].result"). */
const lims_error_t *lims_field_body(lims_values_t *values, const lims_field_t *fields,
                                    unsigned flags, const lims_json_t *root, apr_pool_t *pool);

/* Validates a raw query string (NULL: none) against a table (NULL: no parameter is
 * allowed) and adds its parameters to `values`; '+' is a space. `people`: those with
 * LIMS_F_PEOPLE are known too. LIMS_E_INVALID_QUERY: a parameter is unknown, repeated, of
 * the wrong type, or required and absent. An INTEGER with LIMS_F_CLAMP above its maximum
 * becomes the maximum. Absent parameters get their fallback. */
const lims_error_t *lims_field_query(lims_values_t *values, const lims_field_t *fields,
                                     bool people, const char *query_string, apr_pool_t *pool);

/* Returns a copy of the field with the values that people may give. */
const lims_field_t *lims_field_for_people(const lims_field_t *field, apr_pool_t *pool);

/* Validates one value that comes as text, from the command line or a form, against its
 * field and adds it to `values`. Lists are comma-separated; objects are JSON; an empty
 * text is null for a nullable field. An invalid value is an error of `kind`. */
const lims_error_t *lims_field_text(lims_values_t *values, const lims_field_t *field,
                                    const char *text, lims_error_e kind, apr_pool_t *pool);

/* Gives absent fields their fallback; an absent required field is an error of `kind`.
 * `flags` chooses the fields, as for lims_field_body(). */
const lims_error_t *lims_values_complete(lims_values_t *values, const lims_field_t *fields,
                                         unsigned flags, lims_error_e kind, apr_pool_t *pool);

/* Validates an identifier in a path: 1 to 2^63-1, digits without a leading zero. `*id` is
 * a copy in `pool`. Anything else is LIMS_E_INVALID_ID. */
const lims_error_t *lims_field_id(const char **id, const char *segment, apr_pool_t *pool);

/* Returns the field of that name, or NULL. */
const lims_field_t *lims_field_find(const lims_field_t *fields, const char *name);

/* Whether the field refuses a string that consists of white space. */
bool lims_field_refuses_blank(const lims_field_t *field);

/* Returns LIMS_E_FIELD_NOT_PATCHABLE with a message that names the route which sets the
 * field. */
const lims_error_t *lims_field_elsewhere(const lims_field_t *field, apr_pool_t *pool);

#endif /* LIMS_KERNEL_FIELD_H */
