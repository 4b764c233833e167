/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile_parse_reference.c - generates the reference of the manual from the
 * tables of members: Markdown, a section for each object, wrapped to 80 columns.
 */
#include <apr_strings.h>
#include <string.h>

#include "kernel/utf8.h"
#include "profiles/profile_parse.h"

#define WIDTH 80
#define SHAPES_MAX 64

typedef struct {
    apr_pool_t *pool;
    apr_array_header_t *parts; /* array of const char *, to be concatenated */
    const lims_shape_t *done[SHAPES_MAX];
    int count;
} page_t;

static void put(page_t *page, const char *text)
{
    APR_ARRAY_PUSH(page->parts, const char *) = text;
}

/* Writes a paragraph in lines of at most WIDTH, indented from the second on.
 * Blanks within `…` are not broken. */
static void put_paragraph(page_t *page, const char *text, int indent)
{
    int column = 0;

    while (*text != '\0') {
        apr_size_t length = 0;
        bool code = false;
        int wide;

        while (text[length] != '\0' && (text[length] != ' ' || code)) {
            code = text[length] == '`' ? !code : code;
            length++;
        }
        wide = (int)lims_utf8_length(text, length);
        if (column > 0 && column + 1 + wide > WIDTH) {
            put(page, apr_psprintf(page->pool, "\n%*s", indent, ""));
            column = indent;
        } else if (column > 0) {
            put(page, " ");
            column++;
        }
        put(page, apr_pstrmemdup(page->pool, text, length));
        column += wide;
        text += length;
        text += *text == ' ';
    }
    put(page, "\n");
}

static const char *choices(const lims_member_t *member, apr_pool_t *pool)
{
    const char *list = "";

    for (const char *const *value = member->values; *value; value++) {
        list = apr_pstrcat(pool, list, list[0] != '\0' ? ", " : "", "`", *value, "`", NULL);
    }
    return list;
}

/* Describes the type of a member in a few words. */
static const char *kind(const lims_member_t *member, apr_pool_t *pool)
{
    switch (member->type) {
    case LIMS_M_TEXTS:
    case LIMS_M_NAMES:
        return "text, or several";
    case LIMS_M_SIGN:
        return "one sign";
    case LIMS_M_SIGNS:
        return "signs";
    case LIMS_M_REGEX:
        return "regular expression";
    case LIMS_M_DECIMAL:
        return "decimal number as a string";
    case LIMS_M_INTEGER:
        return apr_psprintf(pool, "%d to %d", member->min, member->max);
    case LIMS_M_INTEGERS:
        return "several integers";
    case LIMS_M_BOOLEAN:
        return "true or false";
    case LIMS_M_ENUM:
        return choices(member, pool);
    case LIMS_M_SET:
        return apr_pstrcat(pool, "one or several of ", choices(member, pool), NULL);
    case LIMS_M_LIST:
        return apr_psprintf(pool, "%d to %d %s", member->min, member->max,
                            (member->flags & LIMS_M_SOURCE) != 0 ? "sources" : "objects");
    case LIMS_M_OBJECT:
    case LIMS_M_OPTIONAL:
        return (member->flags & LIMS_M_SOURCE) != 0 ? "a source" : "object";
    default:
        return "text";
    }
}

static void put_member(page_t *page, const lims_member_t *member)
{
    apr_pool_t *pool = page->pool;
    const char *more = "";

    if ((member->flags & LIMS_M_REQUIRED) != 0) {
        more = "; required";
    } else if (member->fallback) {
        more = apr_pstrcat(pool, "; default `", member->fallback, "`", NULL);
    }
    put_paragraph(page,
                  apr_pstrcat(pool, "- `", member->name, "` (", kind(member, pool), more,
                              "): ", member->doc, NULL),
                  2);
}

/* Writes the section of a shape, then those of its members' shapes. */
static void put_shape(page_t *page, const lims_shape_t *shape)
{
    for (int i = 0; i < page->count; i++) {
        if (page->done[i] == shape) {
            return;
        }
    }
    if (page->count == SHAPES_MAX) {
        return;
    }
    page->done[page->count++] = shape;
    put(page, apr_pstrcat(page->pool, "\n### ", shape->title, "\n\n", NULL));
    put_paragraph(page, shape->doc, 0);
    put(page, "\n");
    for (const lims_member_t *member = shape->members; member->name; member++) {
        put_member(page, member);
    }
    for (const lims_member_t *member = shape->members; member->name; member++) {
        if (member->shape) {
            put_shape(page, member->shape);
        }
    }
}

const char *lims_profile_reference(apr_pool_t *pool)
{
    page_t page = { .pool = pool, .parts = apr_array_make(pool, 2000, sizeof(const char *)) };

    put_shape(&page, &lims_shape_profile);
    return apr_array_pstrcat(pool, page.parts, 0);
}
