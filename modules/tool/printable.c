/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printable.c - makes texts from the database safe for a terminal: none can move its
 * cursor, change its colours or title, or reverse the direction of other text.
 */
#include <apr_strings.h>
#include <string.h>

#include "kernel/utf8.h"
#include "tool/tool.h"

/* --- What would -------------------------------------------------------------- */

/* Whether a character controls the terminal: C0, DEL and C1 (ISO/IEC 6429), line and
 * paragraph separators, and characters that set the direction of writing (Unicode
 * Standard Annex 9, section 2). */
static bool is_control(apr_uint32_t c)
{
    return c < 0x20 || (c >= 0x7F && c <= 0x9F) || c == 0x61C || c == 0x200E || c == 0x200F ||
           (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

/* --- Without it -------------------------------------------------------------- */

/* A malformed byte becomes a question mark, because terminals with 8-bit controls obey
 * such bytes too. */
const char *lims_printable(const char *text, apr_pool_t *pool)
{
    const char *end = text + strlen(text);
    char *copy = apr_pstrdup(pool, text), *to = copy;

    while (text < end) {
        apr_uint32_t c;
        apr_size_t length = lims_utf8_decode(&c, text, (apr_size_t)(end - text));

        if (length == 0) {
            *to++ = '?';
            length = 1;
        } else if (is_control(c)) {
            *to++ = ' ';
        } else {
            memcpy(to, text, length);
            to += length;
        }
        text += length;
    }
    *to = '\0';
    return copy;
}

/* White space of JSON, which is left unchanged: within strings it is escaped already. */
static bool is_blank(apr_uint32_t c)
{
    return c == '\n' || c == '\r' || c == '\t';
}

const char *lims_printable_json(const char *json, apr_pool_t *pool)
{
    apr_size_t size = strlen(json);
    /* One byte (DEL) becomes six characters. */
    char *copy = apr_palloc(pool, 6 * size + 1), *to = copy;

    for (const char *at = json, *end = json + size; at < end;) {
        apr_uint32_t c;
        apr_size_t length = lims_utf8_decode(&c, at, (apr_size_t)(end - at));

        length = length > 0 ? length : 1;
        if (is_control(c) && !is_blank(c)) {
            to += apr_snprintf(to, 7, "\\u%04x", c);
        } else {
            memcpy(to, at, length);
            to += length;
        }
        at += length;
    }
    *to = '\0';
    return copy;
}
