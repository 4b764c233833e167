/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema.c - JSON Schema of tables of fields.
 */
#include "openapi/schema.h"

#include <apr_strings.h>
#include <string.h>

#include "kernel/field.h"
#include "kernel/json.h"
#include "kernel/record.h"

/* Flags of the fields that an object has, and must have, for each use of a table. */
static const struct {
    unsigned shown;    /* 0: every field */
    unsigned required; /* 0: none */
    bool sent;         /* by the caller */
    bool defaults;     /* absent fields get their fallback */
} uses[] = {
    [LIMS_SCHEMA_RECORD] = { LIMS_F_OUT, LIMS_F_OUT, false, false },
    [LIMS_SCHEMA_MEMBERS] = { 0, LIMS_F_OUT, false, false },
    [LIMS_SCHEMA_CREATE] = { LIMS_F_CREATE, LIMS_F_REQUIRED, true, true },
    [LIMS_SCHEMA_UPDATE] = { LIMS_F_UPDATE, 0, true, false },
    [LIMS_SCHEMA_INPUT] = { 0, LIMS_F_REQUIRED, true, true },
};

_Static_assert(LIMS_LENGTH(uses) == LIMS_SCHEMA_COUNT, "a use of a table has no row");

static const struct {
    const char *type;   /* NULL: any */
    const char *format; /* NULL: none */
    bool text;          /* whether it is written as a JSON string */
} types[] = {
    [LIMS_T_ID] = { "integer", "int64", false },
    [LIMS_T_INTEGER] = { "integer", NULL, false },
    [LIMS_T_DECIMAL] = { "number", NULL, false },
    [LIMS_T_BOOLEAN] = { "boolean", NULL, false },
    [LIMS_T_STRING] = { "string", NULL, true },
    [LIMS_T_ENUM] = { "string", NULL, true },
    [LIMS_T_DATE] = { "string", "date", true },
    [LIMS_T_TIMESTAMP] = { "string", "date-time", true },
    [LIMS_T_MOMENT] = { "string", NULL, true },
    [LIMS_T_MOMENT_END] = { "string", NULL, true },
    [LIMS_T_ID_LIST] = { "array", NULL, false },
    [LIMS_T_STRING_LIST] = { "array", NULL, false },
    [LIMS_T_OBJECT] = { "object", NULL, false },
    [LIMS_T_OBJECT_LIST] = { "array", NULL, false },
    [LIMS_T_JSON] = { NULL, NULL, false },
    [LIMS_T_FILE] = { "string", NULL, true },
};

_Static_assert(LIMS_LENGTH(types) == LIMS_T_COUNT, "a field type has no row");

/* --- Small things --------------------------------------------------------- */

static void member(lims_writer_t *w, const char *name, const char *text)
{
    lims_writer_key(w, name);
    lims_writer_string(w, text);
}

static void bound(lims_writer_t *w, const char *name, apr_int64_t value)
{
    lims_writer_key(w, name);
    lims_writer_integer(w, value);
}

static bool is_sent(const lims_schema_t *s)
{
    return uses[s->use].sent;
}

static bool is_required(const lims_schema_t *s, const lims_field_t *field)
{
    bool filled = uses[s->use].defaults && field->fallback;

    return (field->flags & uses[s->use].required) != 0 && !filled &&
           (field->flags & LIMS_F_OPTIONAL) == 0;
}

/* Whether null is allowed. A creation treats null as absent, so that it is not allowed
 * for a required field. */
static bool is_nullable(const lims_schema_t *s, const lims_field_t *field)
{
    return (field->flags & LIMS_F_NULLABLE) != 0 &&
           !(s->use == LIMS_SCHEMA_CREATE && is_required(s, field));
}

/* Writes the example of a field: JSON, or the text of a string without quotes. An example
 * that is not JSON is written as a string: a linter reports the wrong type, but the
 * document stays well-formed. */
static void write_example(lims_writer_t *w, const lims_field_t *field)
{
    lims_json_t *parsed = NULL;

    if (!types[field->type].text &&
        !lims_json_parse(&parsed, field->example, strlen(field->example), lims_writer_pool(w))) {
        lims_writer_raw(w, field->example);
    } else {
        lims_writer_string(w, field->example);
    }
}

/* Writes the fallback as "default". It is stored as text, which validation converts. */
static void write_default(lims_writer_t *w, const lims_field_t *field)
{
    lims_values_t *values = lims_values_create(lims_writer_pool(w));

    if (!lims_field_text(values, field, field->fallback, LIMS_E_INTERNAL, lims_writer_pool(w))) {
        lims_writer_key(w, "default");
        lims_record_write_value(w, field, lims_values_get(values, field->name));
    }
}

/* --- Bounds, by type ------------------------------------------------------ */

static void write_integer(const lims_schema_t *s, const lims_field_t *field)
{
    apr_int64_t max = field->max != 0 ? field->max : APR_INT32_MAX;
    bool stated = field->min != 0 || field->max != 0;

    member(s->w, "format",
           max > APR_INT32_MAX || (field->flags & LIMS_F_CLAMP) != 0 ? "int64" : "int32");
    if (stated || is_sent(s)) {
        bound(s->w, "minimum", field->min);
    }
    /* A number that is clamped to its maximum is accepted beyond it. 2^63-1 is left out:
     * as a bound it tells nothing, and many readers of JSON cannot represent it. */
    if ((field->max != 0 || is_sent(s)) && (field->flags & LIMS_F_CLAMP) == 0 &&
        max != APR_INT64_MAX) {
        bound(s->w, "maximum", max);
    }
}

static void write_decimal(const lims_schema_t *s, const lims_field_t *field)
{
    if (field->min != 0 || field->max != 0) {
        bound(s->w, "minimum", field->min);
    }
    if (field->max != 0) {
        bound(s->w, "maximum", field->max);
    }
}

/* Regular expressions of strings: no control characters except tab, line feed and
 * carriage return (TEXT); and at least one character that is not white space (WORDS). */
#define ALLOWED "[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f]*"
#define TEXT "^" ALLOWED "$"
#define WORDS "^[ \\t\\r\\n]*[^\\u0000-\\u0020\\u007f-\\u009f]" ALLOWED "$"

static void write_string(const lims_schema_t *s, const lims_field_t *field)
{
    if (field->min > 0) {
        bound(s->w, "minLength", field->min);
    }
    if (field->max != 0 || is_sent(s)) {
        bound(s->w, "maxLength", field->max != 0 ? field->max : LIMS_TEXT_MAX);
    }
    if (field->pattern) {
        member(s->w, "pattern", field->pattern);
    } else if (is_sent(s)) {
        member(s->w, "pattern", lims_field_refuses_blank(field) ? WORDS : TEXT);
    }
}

/* Writes a value of an enumeration; those of an integer are stored as text. */
static void write_choice(const lims_schema_t *s, const lims_field_t *field, const char *value)
{
    if (field->type == LIMS_T_INTEGER) {
        lims_writer_raw(s->w, value);
    } else {
        lims_writer_string(s->w, value);
    }
}

static void write_values(const lims_schema_t *s, const lims_field_t *field, bool nullable)
{
    lims_writer_key(s->w, "enum");
    lims_writer_array_begin(s->w);
    for (const char *const *value = field->values; *value; value++) {
        write_choice(s, field, *value);
    }
    if (nullable) {
        lims_writer_null(s->w);
    }
    lims_writer_array_end(s->w);
}

static void write_moment(const lims_schema_t *s)
{
    static const char *const formats[] = { "date", "date-time" };

    lims_writer_key(s->w, "anyOf");
    lims_writer_array_begin(s->w);
    for (apr_size_t i = 0; i < LIMS_LENGTH(formats); i++) {
        lims_writer_object_begin(s->w);
        member(s->w, "format", formats[i]);
        lims_writer_object_end(s->w);
    }
    lims_writer_array_end(s->w);
}

/* --- Lists and objects ---------------------------------------------------- */

static void write_count(const lims_schema_t *s, const lims_field_t *field)
{
    if (!is_sent(s)) {
        return;
    }
    if (field->min > 0) {
        bound(s->w, "minItems", field->min);
    }
    bound(s->w, "maxItems", field->max != 0 ? field->max : LIMS_LIST_MAX);
    if (field->type != LIMS_T_OBJECT_LIST && !(field->flags & LIMS_F_PLACES)) {
        lims_writer_key(s->w, "uniqueItems");
        lims_writer_boolean(s->w, true);
    }
}

/* Writes the schema of the elements of a list, by the same field as validation. */
static void write_elements(const lims_schema_t *s, const lims_field_t *field)
{
    const lims_field_t element = {
        .name = field->name,
        .type = field->type == LIMS_T_ID_LIST ? LIMS_T_ID
                : field->values               ? LIMS_T_ENUM
                                              : LIMS_T_STRING,
        .flags = (field->flags & LIMS_F_PLACES) ? LIMS_F_NULLABLE : LIMS_F_REQUIRED,
        .min = is_sent(s) ? 1 : 0,
        .values = field->values,
        .pattern = field->pattern,
    };

    lims_writer_key(s->w, "items");
    lims_writer_object_begin(s->w);
    lims_schema_value(s, &element);
    lims_writer_object_end(s->w);
}

static void write_fields(const lims_schema_t *s, const lims_field_t *fields);

/* Returns the use for the members of a nested object: in a request an input of its own. */
static lims_schema_t schema_of_members(const lims_schema_t *s)
{
    lims_schema_t inner = *s;

    inner.use = is_sent(s) ? LIMS_SCHEMA_INPUT : s->use;
    return inner;
}

static void write_objects(const lims_schema_t *s, const lims_field_t *field)
{
    lims_schema_t inner = schema_of_members(s);
    bool elsewhere;

    if (is_sent(s) && (field->flags & LIMS_F_ROWS) != 0) {
        inner.use = LIMS_SCHEMA_CREATE;
    }

    lims_writer_key(s->w, "items");
    elsewhere = !is_sent(s) && s->refer && s->refer(s->context, field->members);
    if (!elsewhere) {
        lims_schema_object(&inner, field->members, NULL);
    }
}

/* --- One value ------------------------------------------------------------ */

static void write_type(const lims_schema_t *s, const lims_field_t *field)
{
    const char *type = types[field->type].type;

    if (field->type == LIMS_T_JSON && field->members) {
        type = "object";
    }
    if (!type) {
        return;
    }
    lims_writer_key(s->w, "type");
    if (is_nullable(s, field)) {
        lims_writer_array_begin(s->w);
        lims_writer_string(s->w, type);
        lims_writer_string(s->w, "null");
        lims_writer_array_end(s->w);
    } else {
        lims_writer_string(s->w, type);
    }
    if (types[field->type].format) {
        member(s->w, "format", types[field->type].format);
    }
}

static void write_bounds(const lims_schema_t *s, const lims_field_t *field)
{
    const lims_schema_t inner = schema_of_members(s);

    switch (field->type) {
    case LIMS_T_ID:
        bound(s->w, "minimum", 1);
        break;
    case LIMS_T_INTEGER:
        if (field->values) {
            write_values(s, field, is_nullable(s, field));
        } else {
            write_integer(s, field);
        }
        break;
    case LIMS_T_DECIMAL:
        write_decimal(s, field);
        break;
    case LIMS_T_STRING:
        write_string(s, field);
        break;
    case LIMS_T_ENUM:
        write_values(s, field, is_nullable(s, field));
        break;
    case LIMS_T_MOMENT:
    case LIMS_T_MOMENT_END:
        write_moment(s);
        break;
    case LIMS_T_ID_LIST:
    case LIMS_T_STRING_LIST:
        write_elements(s, field);
        write_count(s, field);
        break;
    case LIMS_T_OBJECT_LIST:
        write_objects(s, field);
        write_count(s, field);
        break;
    case LIMS_T_OBJECT:
    case LIMS_T_JSON:
        if (field->members) {
            write_fields(&inner, field->members);
        }
        break;
    case LIMS_T_FILE:
        member(s->w, "contentMediaType", "application/octet-stream");
        break;
    case LIMS_T_BOOLEAN:
    case LIMS_T_DATE:
    case LIMS_T_TIMESTAMP:
    case LIMS_T_COUNT:
        break;
    }
}

void lims_schema_value(const lims_schema_t *s, const lims_field_t *field)
{
    write_type(s, field);
    write_bounds(s, field);
    if (uses[s->use].defaults && field->fallback) {
        write_default(s->w, field);
    }
    if (field->example) {
        lims_writer_key(s->w, "examples");
        lims_writer_array_begin(s->w);
        write_example(s->w, field);
        lims_writer_array_end(s->w);
    }
}

/* --- Objects -------------------------------------------------------------- */

static bool is_shown(const lims_schema_t *s, const lims_field_t *field)
{
    const unsigned asked = field->flags & (LIMS_F_INCLUDED | (s->people ? 0 : LIMS_F_PEOPLE));

    /* Set at the command line, or part of the path. */
    if (is_sent(s) && (field->flags & (LIMS_F_TOOL | LIMS_F_INNER)) != 0) {
        return false;
    }
    if (s->use == LIMS_SCHEMA_RECORD && asked == LIMS_F_INCLUDED) {
        return true;
    }
    return (field->flags & uses[s->use].shown) == uses[s->use].shown;
}

static void write_required(const lims_schema_t *s, const lims_field_t *fields)
{
    bool any = false;

    for (const lims_field_t *field = fields; field->name; field++) {
        if (!is_shown(s, field) || !is_required(s, field)) {
            continue;
        }
        if (!any) {
            lims_writer_key(s->w, "required");
            lims_writer_array_begin(s->w);
            any = true;
        }
        lims_writer_string(s->w, field->name);
    }
    if (any) {
        lims_writer_array_end(s->w);
    }
}

/* Whether later releases may add values to an enumeration: in answers, unless the
 * contract closes it; not in requests. */
static bool is_open_enumeration(const lims_schema_t *s, const lims_field_t *field)
{
    return !is_sent(s) && field->type == LIMS_T_ENUM && (field->flags & LIMS_F_CLOSED) == 0 &&
           field->values[0] && field->values[1];
}

static void write_doc(const lims_schema_t *s, const lims_field_t *field)
{
    if (field->doc) {
        member(s->w, "description",
               apr_pstrcat(lims_writer_pool(s->w), field->doc,
                           is_open_enumeration(s, field) ? " More may be added." : "", NULL));
    }
}

static void write_fields(const lims_schema_t *s, const lims_field_t *fields)
{
    lims_writer_key(s->w, "properties");
    lims_writer_object_begin(s->w);
    for (const lims_field_t *field = fields; field->name; field++) {
        if (is_shown(s, field)) {
            lims_writer_key(s->w, field->name);
            lims_writer_object_begin(s->w);
            lims_schema_value(s, field);
            write_doc(s, field);
            lims_writer_object_end(s->w);
        }
    }
    lims_writer_object_end(s->w);
    write_required(s, fields);
    if (s->use == LIMS_SCHEMA_UPDATE) {
        bound(s->w, "minProperties", 1);
    }
    lims_writer_key(s->w, "additionalProperties");
    lims_writer_boolean(s->w, false);
}

void lims_schema_object(const lims_schema_t *s, const lims_field_t *fields, const char *doc)
{
    lims_writer_object_begin(s->w);
    member(s->w, "type", "object");
    if (doc) {
        member(s->w, "description", doc);
    }
    write_fields(s, fields);
    lims_writer_object_end(s->w);
}
