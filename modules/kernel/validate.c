/* SPDX-License-Identifier: Apache-2.0 */
/*
 * validate.c - validation of scalar values: syntax, range, and the messages.
 *
 * The JSON type is checked before the text: the string "5" is not an identifier. The text is
 * checked in full nevertheless, because query parameters and command-line arguments
 * arrive as nodes whose text has not been parsed.
 */
#include "kernel/validate.h"

#include <apr_strings.h>
#include <regex.h>
#include <string.h>

#include "kernel/error.h"
#include "kernel/time.h"
#include "kernel/utf8.h"

/* Maximum of an INTEGER field that states none: PostgreSQL's integer. */
#define INTEGER_MAX 2147483647

typedef const lims_error_t *(scalar_fn)(const char **text, const lims_field_t *field,
                                        const lims_json_t *node, const lims_json_path_t *path);

/* --- Words ------------------------------------------------------------------ */

const char *lims_json_path_text(const lims_json_path_t *path)
{
    const char *text = "";

    for (const lims_json_path_t *p = path; p; p = p->parent) {
        const char *dot = text[0] == '\0' || text[0] == '[' ? "" : ".";

        if (p->name) {
            text = apr_pstrcat(p->pool, lims_excerpt(p->name, p->pool), dot, text, NULL);
        } else {
            text = apr_psprintf(p->pool, "[%d]%s%s", p->index, dot, text);
        }
    }
    return text;
}

static const char *list_values(const char *const *values, apr_pool_t *pool)
{
    const char *text = values[0];

    for (int i = 1; text && values[i]; i++) {
        text = apr_pstrcat(pool, text, ", ", values[i], NULL);
    }
    return text;
}

static const char *count_expectation(const lims_field_t *field, const char *what, apr_pool_t *pool)
{
    apr_int64_t max = field->max != 0 ? field->max : LIMS_LIST_MAX;

    return apr_psprintf(pool, "an array of %" APR_INT64_T_FMT " to %" APR_INT64_T_FMT " %s",
                        field->min, max, what);
}

static const char *decimal_expectation(const lims_field_t *field, apr_pool_t *pool)
{
    if (field->max != 0) {
        return apr_psprintf(pool, "a number from %" APR_INT64_T_FMT " to %" APR_INT64_T_FMT,
                            field->min, field->max);
    }
    if (field->min != 0) {
        return apr_psprintf(pool, "a number of at least %" APR_INT64_T_FMT, field->min);
    }
    return apr_psprintf(pool, "a number of at most %d digits and an exponent within %d",
                        LIMS_NUMBER_DIGITS_MAX, LIMS_DECIMAL_EXPONENT_MAX);
}

const char *lims_field_expectation(const lims_field_t *field, apr_pool_t *pool)
{
    switch (field->type) {
    case LIMS_T_ID:
        return "an identifier, an integer from 1 to 9223372036854775807";
    case LIMS_T_INTEGER:
        if ((field->flags & LIMS_F_CLAMP) != 0) {
            return apr_psprintf(pool,
                                "an integer of %" APR_INT64_T_FMT
                                " or more (above %" APR_INT64_T_FMT " is taken as %" APR_INT64_T_FMT
                                ")",
                                field->min, field->max, field->max);
        }
        return apr_psprintf(pool, "an integer from %" APR_INT64_T_FMT " to %" APR_INT64_T_FMT,
                            field->min, field->max != 0 ? field->max : INTEGER_MAX);
    case LIMS_T_DECIMAL:
        return decimal_expectation(field, pool);
    case LIMS_T_BOOLEAN:
        return "true or false";
    case LIMS_T_STRING:
        return apr_psprintf(pool,
                            "a string of %" APR_INT64_T_FMT " to %" APR_INT64_T_FMT " characters",
                            field->min, field->max != 0 ? field->max : LIMS_TEXT_MAX);
    case LIMS_T_ENUM:
        return apr_pstrcat(pool, "one of ", list_values(field->values, pool), NULL);
    case LIMS_T_DATE:
        return "a date of the calendar, YYYY-MM-DD";
    case LIMS_T_TIMESTAMP:
        return "a time such as 2026-11-21T07:48:00Z or 2026-11-21T08:48:00+01:00";
    case LIMS_T_MOMENT:
    case LIMS_T_MOMENT_END:
        return "a date, YYYY-MM-DD, or a time such as 2026-11-21T07:48:00Z";
    case LIMS_T_ID_LIST:
        return count_expectation(field, "identifiers", pool);
    case LIMS_T_STRING_LIST:
        return count_expectation(field, "strings", pool);
    case LIMS_T_OBJECT:
        return "an object";
    case LIMS_T_OBJECT_LIST:
        return count_expectation(field, "objects", pool);
    case LIMS_T_FILE:
        return "a file, sent as a part of a form";
    case LIMS_T_JSON:
    case LIMS_T_COUNT:
        break;
    }
    return "left out: it is read-only";
}

const lims_error_t *lims_refuse(const lims_field_t *field, const char *detail,
                                const lims_json_path_t *path)
{
    return lims_client_error(path->pool, path->kind, "%s must be %s%s%s", lims_json_path_text(path),
                             lims_field_expectation(field, path->pool), detail ? ": " : "",
                             detail ? detail : "");
}

const lims_error_t *lims_field_elsewhere(const lims_field_t *field, apr_pool_t *pool)
{
    const char *why = "it is read-only";

    if (field->hint) {
        why = field->hint;
    } else if ((field->flags & LIMS_F_TOOL) != 0) {
        why = "it is set by limsctl alone";
    } else if ((field->flags & LIMS_F_CREATE) != 0) {
        why = "it is set when the record is made, and stays";
    }
    return lims_client_error(pool, LIMS_E_FIELD_NOT_PATCHABLE, "%s cannot be set here: %s.",
                             field->name, why);
}

/* --- Numbers ------------------------------------------------------------------ */

/* Canonical decimal integer: no sign but '-', no leading zero, no "-0". */
static bool read_integer(apr_int64_t *value, const char *text)
{
    bool negative = *text == '-';
    const char *p = text + (negative ? 1 : 0);

    *value = 0;
    if (*p < '0' || *p > '9' || (*p == '0' && (p[1] != '\0' || negative))) {
        return false;
    }
    /* Computed as a negative number, because the minimum has no positive counterpart. */
    for (; *p >= '0' && *p <= '9'; p++) {
        int digit = *p - '0';

        if (*value < (APR_INT64_MIN + digit) / 10) {
            return false;
        }
        *value = *value * 10 - digit;
    }
    if (*p != '\0' || (!negative && *value == APR_INT64_MIN)) {
        return false;
    }
    *value = negative ? *value : -*value;
    return true;
}

/* A decimal as 0.d1d2… times 10^point, where d1 is not 0; zero has no digits. */
typedef struct {
    bool negative;
    int count;
    int point;
    char digits[LIMS_NUMBER_DIGITS_MAX + 1];
} decimal_t;

static bool take_digit(decimal_t *d, int *written, char c)
{
    if (++*written > LIMS_NUMBER_DIGITS_MAX) {
        return false;
    }
    if (d->count > 0 || c != '0') {
        d->digits[d->count++] = c;
    }
    return true;
}

static bool read_exponent(int *value, const char **text)
{
    const char *p = *text;
    int sign = 1;

    *value = 0;
    if (*p != 'e' && *p != 'E') {
        return true;
    }
    p++;
    if (*p == '+' || *p == '-') {
        sign = *p++ == '-' ? -1 : 1;
    }
    if (*p < '0' || *p > '9') {
        return false;
    }
    for (; *p >= '0' && *p <= '9'; p++) {
        *value = *value * 10 + (*p - '0');
        if (*value > LIMS_DECIMAL_EXPONENT_MAX) {
            return false;
        }
    }
    *value *= sign;
    *text = p;
    return true;
}

/* The grammar of a JSON number (RFC 8259 section 6) within our limits. */
static bool read_decimal(decimal_t *d, const char *text)
{
    int written = 0;
    int power;

    *d = (decimal_t){ .negative = *text == '-' };
    text += d->negative ? 1 : 0;
    if (*text < '0' || *text > '9' || (*text == '0' && text[1] >= '0' && text[1] <= '9')) {
        return false;
    }
    for (; *text >= '0' && *text <= '9'; text++) {
        if (!take_digit(d, &written, *text)) {
            return false;
        }
    }
    d->point = d->count;
    if (*text == '.') {
        text++;
        if (*text < '0' || *text > '9') {
            return false;
        }
        for (; *text >= '0' && *text <= '9'; text++) {
            if (!take_digit(d, &written, *text)) {
                return false;
            }
            d->point -= d->count == 0 ? 1 : 0;
        }
    }
    if (!read_exponent(&power, &text) || *text != '\0') {
        return false;
    }
    d->point += power;
    d->negative = d->negative && d->count > 0;
    return true;
}

/* Compares exactly, as binary floating point would not. */
static int compare_decimals(const decimal_t *a, const decimal_t *b)
{
    int sign = a->negative ? -1 : 1;
    int order;

    if (a->negative != b->negative) {
        return sign;
    }
    if (a->count == 0 || b->count == 0) {
        return sign * ((a->count != 0) - (b->count != 0));
    }
    if (a->point != b->point) {
        return a->point > b->point ? sign : -sign;
    }
    /* Both end in a NUL or in digits; trailing zeros do not count. */
    for (int i = 0; i < LIMS_NUMBER_DIGITS_MAX; i++) {
        order = (i < a->count ? a->digits[i] : '0') - (i < b->count ? b->digits[i] : '0');
        if (order != 0) {
            return order > 0 ? sign : -sign;
        }
    }
    return 0;
}

static bool is_within_bounds(const decimal_t *value, const lims_field_t *field, apr_pool_t *pool)
{
    decimal_t bound;

    if (field->min != 0 || field->max != 0) {
        read_decimal(&bound, apr_psprintf(pool, "%" APR_INT64_T_FMT, field->min));
        if (compare_decimals(value, &bound) < 0) {
            return false;
        }
    }
    if (field->max != 0) {
        read_decimal(&bound, apr_psprintf(pool, "%" APR_INT64_T_FMT, field->max));
        return compare_decimals(value, &bound) <= 0;
    }
    return true;
}

static const lims_error_t *check_id(const char **text, const lims_field_t *field,
                                    const lims_json_t *node, const lims_json_path_t *path)
{
    apr_int64_t value;

    *text = node->text;
    return read_integer(&value, node->text) && value >= 1 ? NULL : lims_refuse(field, NULL, path);
}

static const lims_error_t *check_integer(const char **text, const lims_field_t *field,
                                         const lims_json_t *node, const lims_json_path_t *path)
{
    apr_int64_t max = field->max != 0 ? field->max : INTEGER_MAX;
    apr_int64_t value;

    *text = node->text;
    return read_integer(&value, node->text) && value >= field->min && value <= max
               ? NULL
               : lims_refuse(field, NULL, path);
}

static const lims_error_t *check_decimal(const char **text, const lims_field_t *field,
                                         const lims_json_t *node, const lims_json_path_t *path)
{
    decimal_t value;

    *text = node->text;
    return read_decimal(&value, node->text) && is_within_bounds(&value, field, path->pool)
               ? NULL
               : lims_refuse(field, NULL, path);
}

/* --- Everything else ------------------------------------------------------------ */

static const lims_error_t *check_boolean(const char **text, const lims_field_t *field,
                                         const lims_json_t *node, const lims_json_path_t *path)
{
    bool yes = strcmp(node->text, "true") == 0;

    *text = yes ? "t" : "f";
    return yes || strcmp(node->text, "false") == 0 ? NULL : lims_refuse(field, NULL, path);
}

/* Returns the first control character, or NULL: C0 except tab, line feed and carriage
 * return; DEL; and C1 (U+0080 to U+009F, in UTF-8 C2 80 to C2 9F). They would garble
 * logs, terminals and labels. */
static const char *find_control(const char *text)
{
    for (const unsigned char *p = (const unsigned char *)text; *p != '\0'; p++) {
        bool allowed = *p == '\t' || *p == '\n' || *p == '\r';

        if ((*p < 0x20 && !allowed) || *p == 0x7F || (*p == 0xC2 && p[1] <= 0x9F)) {
            return (const char *)p;
        }
    }
    return NULL;
}

static const lims_error_t *refuse_control(const char *text, const char *at,
                                          const lims_json_path_t *path)
{
    const unsigned char *p = (const unsigned char *)at;

    return lims_client_error(path->pool, path->kind,
                             "%s has a control character, U+%04X, at place %" APR_SIZE_T_FMT
                             "; only tabs and line ends are allowed.",
                             lims_json_path_text(path), *p == 0xC2 ? p[1] : *p,
                             lims_utf8_length(text, (apr_size_t)(at - text)) + 1);
}

static bool is_blank(const char *text)
{
    return text[strspn(text, " \t\r\n")] == '\0';
}

static bool matches_pattern(const char *pattern, const char *text)
{
    regex_t compiled;
    bool found = false;

    if (regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB) == 0) {
        found = regexec(&compiled, text, 0, NULL, 0) == 0;
        regfree(&compiled);
    }
    return found;
}

bool lims_field_refuses_blank(const lims_field_t *field)
{
    return (field->flags & LIMS_F_WORDS) != 0 ||
           (field->flags & (LIMS_F_REQUIRED | LIMS_F_NULLABLE)) == LIMS_F_REQUIRED;
}

static const lims_error_t *check_string(const char **text, const lims_field_t *field,
                                        const lims_json_t *node, const lims_json_path_t *path)
{
    apr_int64_t max = field->max != 0 ? field->max : LIMS_TEXT_MAX;
    apr_int64_t length = (apr_int64_t)lims_utf8_length(node->text, node->length);

    *text = node->text;
    if (length < field->min || length > max) {
        return lims_refuse(field, apr_psprintf(path->pool, "it has %" APR_INT64_T_FMT, length),
                           path);
    }
    if (lims_field_refuses_blank(field) && is_blank(node->text)) {
        return lims_client_error(path->pool, path->kind, "%s is blank.", lims_json_path_text(path));
    }
    if (find_control(node->text)) {
        return refuse_control(node->text, find_control(node->text), path);
    }
    if (field->pattern && !matches_pattern(field->pattern, node->text)) {
        return lims_refuse(
            field, apr_pstrcat(path->pool, "it does not match ", field->pattern, NULL), path);
    }
    return NULL;
}

static const lims_error_t *check_enum(const char **text, const lims_field_t *field,
                                      const lims_json_t *node, const lims_json_path_t *path)
{
    for (int i = 0; field->values[i]; i++) {
        if (strcmp(field->values[i], node->text) == 0) {
            *text = field->values[i];
            return NULL;
        }
    }
    return lims_refuse(field, field->hint, path);
}

static const lims_error_t *check_date(const char **text, const lims_field_t *field,
                                      const lims_json_t *node, const lims_json_path_t *path)
{
    *text = node->text;
    return lims_time_date_valid(node->text) ? NULL : lims_refuse(field, NULL, path);
}

/* Returns a hint for a text that would be a time if it had a zone; else NULL. */
static const char *zone_hint(const char *text, apr_pool_t *pool)
{
    return lims_time_timestamp(apr_pstrcat(pool, text, "Z", NULL), pool)
               ? "the zone is missing, Z or an offset such as +01:00"
               : NULL;
}

static const lims_error_t *check_timestamp(const char **text, const lims_field_t *field,
                                           const lims_json_t *node, const lims_json_path_t *path)
{
    *text = lims_time_timestamp(node->text, path->pool);
    return *text ? NULL : lims_refuse(field, zone_hint(node->text, path->pool), path);
}

static const lims_error_t *check_moment(const char **text, const lims_field_t *field,
                                        const lims_json_t *node, const lims_json_path_t *path)
{
    const char *hint = NULL;

    *text = lims_time_moment(node->text, field->type == LIMS_T_MOMENT_END, path->pool);
    if (!*text && strchr(node->text, ' ')) {
        /* A common mistake: a "+01:00" that was not percent-encoded arrives as " 01:00". */
        hint = "a plus sign in a query is written %2B";
    }
    if (!*text && !hint) {
        hint = zone_hint(node->text, path->pool);
    }
    return *text ? NULL : lims_refuse(field, hint, path);
}

/* --- Tables ------------------------------------------------------------------- */

static const struct {
    lims_json_type_e json;
    scalar_fn *check; /* NULL: lists and objects (composite.c), or output only */
} types[] = {
    [LIMS_T_ID] = { LIMS_JSON_NUMBER, check_id },
    [LIMS_T_INTEGER] = { LIMS_JSON_NUMBER, check_integer },
    [LIMS_T_DECIMAL] = { LIMS_JSON_NUMBER, check_decimal },
    [LIMS_T_BOOLEAN] = { LIMS_JSON_BOOLEAN, check_boolean },
    [LIMS_T_STRING] = { LIMS_JSON_STRING, check_string },
    [LIMS_T_ENUM] = { LIMS_JSON_STRING, check_enum },
    [LIMS_T_DATE] = { LIMS_JSON_STRING, check_date },
    [LIMS_T_TIMESTAMP] = { LIMS_JSON_STRING, check_timestamp },
    [LIMS_T_MOMENT] = { LIMS_JSON_STRING, check_moment },
    [LIMS_T_MOMENT_END] = { LIMS_JSON_STRING, check_moment },
    [LIMS_T_ID_LIST] = { LIMS_JSON_ARRAY, NULL },
    [LIMS_T_STRING_LIST] = { LIMS_JSON_ARRAY, NULL },
    [LIMS_T_OBJECT] = { LIMS_JSON_OBJECT, NULL },
    [LIMS_T_OBJECT_LIST] = { LIMS_JSON_ARRAY, NULL },
    [LIMS_T_JSON] = { LIMS_JSON_COUNT, NULL },
    [LIMS_T_FILE] = { LIMS_JSON_COUNT, NULL },
};

_Static_assert(LIMS_LENGTH(types) == LIMS_T_COUNT, "a field type has no row");

lims_json_type_e lims_field_json_type(lims_type_e type)
{
    return types[type].json;
}

const lims_error_t *lims_validate_scalar(const char **text, const lims_field_t *field,
                                         const lims_json_t *node, const lims_json_path_t *path)
{
    *text = NULL;
    if (node->type != types[field->type].json || !types[field->type].check) {
        return lims_refuse(field, NULL, path);
    }
    return types[field->type].check(text, field, node, path);
}
