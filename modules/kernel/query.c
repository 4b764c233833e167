/* SPDX-License-Identifier: Apache-2.0 */
/* query.c - validation of a query string against a table of fields. */
#include <apr_strings.h>
#include <string.h>

#include "kernel/error.h"
#include "kernel/utf8.h"
#include "kernel/validate.h"

const char *const lims_list_orders[] = { "id", "-id", NULL };

static int hexadecimal(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Decodes application/x-www-form-urlencoded (WHATWG URL 5.1) strictly: returns NULL for a
 * '%' without two hexadecimal digits, for NUL and for malformed UTF-8. */
static const char *decode(const char *text, apr_size_t length, apr_pool_t *pool)
{
    char *decoded = apr_palloc(pool, length + 1);
    apr_size_t n = 0;

    for (apr_size_t i = 0; i < length; i++) {
        char c = text[i] == '+' ? ' ' : text[i];

        if (c == '%') {
            int high = i + 2 < length ? hexadecimal(text[i + 1]) : -1;
            int low = i + 2 < length ? hexadecimal(text[i + 2]) : -1;

            if (high < 0 || low < 0 || (high == 0 && low == 0)) {
                return NULL;
            }
            c = (char)(high * 16 + low);
            i += 2;
        }
        decoded[n++] = c;
    }
    decoded[n] = '\0';
    return lims_utf8_valid(decoded, n) ? decoded : NULL;
}

/* Clamps a number to the maximum of its field; other texts are left unchanged. The
 * contract requires it: a larger page size is treated as 500. */
static const char *clamp(const lims_field_t *field, const char *text, apr_pool_t *pool)
{
    const char *max = apr_psprintf(pool, "%" APR_INT64_T_FMT, field->max);
    apr_size_t digits = strspn(text, "0123456789");
    bool number = digits > 0 && text[digits] == '\0' && text[0] != '0';

    if (!(field->flags & LIMS_F_CLAMP) || !number) {
        return text;
    }
    return digits > strlen(max) || (digits == strlen(max) && strcmp(text, max) > 0) ? max : text;
}

const lims_field_t *lims_field_for_people(const lims_field_t *field, apr_pool_t *pool)
{
    lims_field_t *peoples = apr_pmemdup(pool, field, sizeof(*field));

    if (field->people_values) {
        peoples->values = field->people_values;
    }
    return peoples;
}

static const lims_error_t *validate_parameter(lims_values_t *values, const lims_field_t *fields,
                                              bool people, bool *seen, const char *pair,
                                              apr_size_t length, apr_pool_t *pool)
{
    const char *equals = memchr(pair, '=', length);
    apr_size_t name_length = equals ? (apr_size_t)(equals - pair) : length;
    const char *name = decode(pair, name_length, pool);
    const char *text = "";
    const lims_field_t *field;

    if (equals) {
        text = decode(equals + 1, length - name_length - 1, pool);
    }
    if (!name || !text) {
        return lims_client_error(pool, LIMS_E_INVALID_QUERY,
                                 "The query is not percent-encoded UTF-8%s%s", name ? " at " : "",
                                 name ? lims_excerpt(name, pool) : "");
    }
    field = lims_field_find(fields, name);
    if (!field || ((field->flags & LIMS_F_PEOPLE) != 0 && !people)) {
        return lims_client_error(pool, LIMS_E_INVALID_QUERY, "%s is not a parameter known here",
                                 *name != '\0' ? lims_excerpt(name, pool)
                                               : "A parameter without a name");
    }
    if (seen[field - fields]) {
        return lims_client_error(pool, LIMS_E_INVALID_QUERY, "%s is given more than once", name);
    }
    seen[field - fields] = true;
    if (*text == '\0') {
        lims_field_t given = *field;

        given.min = given.type == LIMS_T_STRING && given.min == 0 ? 1 : given.min;
        return lims_client_error(pool, LIMS_E_INVALID_QUERY,
                                 "%s is empty: leave it out, or give %s.", name,
                                 lims_field_expectation(&given, pool));
    }
    if (people) {
        field = lims_field_for_people(field, pool);
    }
    return lims_field_text(values, field, clamp(field, text, pool), LIMS_E_INVALID_QUERY, pool);
}

const lims_error_t *lims_field_query(lims_values_t *values, const lims_field_t *fields, bool people,
                                     const char *query_string, apr_pool_t *pool)
{
    const char *pair = query_string ? query_string : "";
    apr_size_t count = 0;
    bool *seen;

    while (fields && fields[count].name) {
        count++;
    }
    seen = apr_pcalloc(pool, count + 1);
    while (*pair != '\0') {
        apr_size_t length = strcspn(pair, "&");

        /* Some clients send "?a=1&" or "?a=1&&b=2". */
        if (length > 0) {
            const lims_error_t *error =
                validate_parameter(values, fields, people, seen, pair, length, pool);

            if (error) {
                return error;
            }
        }
        pair += length + (pair[length] == '&' ? 1 : 0);
    }
    return lims_values_complete(values, fields, 0, LIMS_E_INVALID_QUERY, pool);
}
