/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printable.c - makes texts from the database safe for a terminal: none can move its
 * cursor, change its colours or title, or reverse the direction of other text.
 */
#include <apr_strings.h>
#include <string.h>

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

/* Decodes the UTF-8 character at `at` (RFC 3629) and its length in bytes; a malformed
 * byte is 0xFFFD with length 1, because terminals with 8-bit controls obey such bytes
 * too. */
static apr_uint32_t decode(int *length, const unsigned char *at)
{
    static const apr_uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    apr_uint32_t c = at[0];
    int size = c < 0x80 ? 1 : (c & 0xE0) == 0xC0 ? 2 : (c & 0xF0) == 0xE0 ? 3 : 4;

    *length = 1;
    if (size == 1) {
        return c;
    }
    if (size == 4 && (c & 0xF8) != 0xF0) {
        return 0xFFFD;
    }
    c &= 0x7Fu >> size;
    for (int i = 1; i < size; i++) {
        if ((at[i] & 0xC0) != 0x80) {
            return 0xFFFD;
        }
        c = c << 6 | (at[i] & 0x3F);
    }
    if (c < least[size] || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) {
        return 0xFFFD;
    }
    *length = size;
    return c;
}

/* --- Without it -------------------------------------------------------------- */

const char *lims_printable(const char *text, apr_pool_t *pool)
{
    char *copy = apr_pstrdup(pool, text), *to = copy;
    int length = 0;

    for (const char *at = text; *at; at += length) {
        apr_uint32_t c = decode(&length, (const unsigned char *)at);

        if (c == 0xFFFD && length == 1) {
            *to++ = '?';
        } else if (is_control(c)) {
            *to++ = ' ';
        } else {
            memcpy(to, at, (apr_size_t)length);
            to += length;
        }
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
    int length = 0;

    for (const char *at = json; *at; at += length) {
        apr_uint32_t c = decode(&length, (const unsigned char *)at);

        if (is_control(c) && !is_blank(c)) {
            to += apr_snprintf(to, 7, "\\u%04x", c);
        } else {
            memcpy(to, at, (apr_size_t)length);
            to += length;
        }
    }
    *to = '\0';
    return copy;
}
