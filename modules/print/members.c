/* SPDX-License-Identifier: Apache-2.0 */
/* members.c - reading members of a job. */
#include "print/members.h"

#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "print/visible.h"

const char *lims_value_text(const lims_json_t *value, bool one_line, apr_pool_t *pool)
{
    if (!value || !value->text) {
        return "";
    }
    return lims_visible(value->text, value->length, one_line, pool);
}

const char *lims_member_text(const lims_json_t *object, const char *name, apr_pool_t *pool)
{
    return lims_value_text(lims_json_member(object, name), false, pool);
}

const char *lims_member_line(const lims_json_t *object, const char *name, apr_pool_t *pool)
{
    return lims_value_text(lims_json_member(object, name), true, pool);
}

const char *lims_member_raw(const lims_json_t *object, const char *name)
{
    const lims_json_t *member = lims_json_member(object, name);

    return member && member->type == LIMS_JSON_STRING ? member->text : NULL;
}

static bool is_boolean(const lims_json_t *member, char first)
{
    return member && member->type == LIMS_JSON_BOOLEAN && member->text[0] == first;
}

bool lims_member_true(const lims_json_t *object, const char *name)
{
    return is_boolean(lims_json_member(object, name), 't');
}

bool lims_member_false(const lims_json_t *object, const char *name)
{
    return is_boolean(lims_json_member(object, name), 'f');
}

double lims_member_number(const lims_json_t *object, const char *name, double otherwise)
{
    const lims_json_t *member = lims_json_member(object, name);

    return member && member->type == LIMS_JSON_NUMBER ? strtod(member->text, NULL) : otherwise;
}

const lims_json_t *lims_member_list(const lims_json_t *object, const char *name)
{
    const lims_json_t *member = lims_json_member(object, name);

    return member && member->type == LIMS_JSON_ARRAY ? member->first : NULL;
}

int lims_member_count(const lims_json_t *object, const char *name)
{
    const lims_json_t *member = lims_json_member(object, name);

    return member && member->type == LIMS_JSON_ARRAY ? member->count : 0;
}

/* Whether a text has the form of another, in which 0 stands for any digit. */
static bool has_form(const char *text, const char *form)
{
    for (; *form; text++, form++) {
        if (*form == '0' ? *text < '0' || *text > '9' : *text != *form) {
            return false;
        }
    }
    return true;
}

const char *lims_member_time(const lims_json_t *object, const char *name, bool exactly,
                             apr_pool_t *pool)
{
    const char *text = lims_member_line(object, name, pool);

    if (!has_form(text, "0000-00-00T00:00")) {
        return text;
    }
    if (!exactly || !has_form(text + 16, ":00")) {
        return apr_pstrcat(pool, apr_pstrmemdup(pool, text, 10), " ",
                           apr_pstrmemdup(pool, text + 11, 5), NULL);
    }
    return apr_pstrcat(pool, apr_pstrmemdup(pool, text, 10), " ",
                       apr_pstrmemdup(pool, text + 11, 8), text[19] ? " " : "", text + 19, NULL);
}

void lims_grow(lims_growing_t *growing, const char *text, apr_pool_t *pool)
{
    apr_size_t more = strlen(text);

    if (growing->length + more + 1 > growing->room) {
        char *larger = apr_palloc(pool, 2 * (growing->length + more + 32));

        memcpy(larger, growing->text ? growing->text : "", growing->length);
        growing->text = larger;
        growing->room = 2 * (growing->length + more + 32);
    }
    memcpy(growing->text + growing->length, text, more + 1);
    growing->length += more;
}
