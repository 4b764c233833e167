/* SPDX-License-Identifier: Apache-2.0 */
/* visible.c - characters that hide, by their Unicode 15 properties. */
#include "print/visible.h"

#include <apr_strings.h>
#include <glib.h>
#include <string.h>

/* Marks that one letter carries. */
#define MARKS_MAX 8

/* Longest form of a character as its number: "[U+10FFFF]". */
#define NUMBER_MAX 10

typedef struct {
    gunichar first, last;
} range_t;

/* Invisible, or with an effect on others, whatever stands beside them. */
static const range_t hidden[] = {
    { 0x0000, 0x001F },   { 0x007F, 0x009F }, /* controls */
    { 0x00AD, 0x00AD },                       /* soft hyphen */
    { 0x034F, 0x034F },                       /* combining grapheme joiner */
    { 0x115F, 0x1160 },   { 0x17B4, 0x17B5 },   { 0x180B, 0x180F },
    { 0x3164, 0x3164 },   { 0xFFA0, 0xFFA0 }, /* fillers and selectors of single scripts */
    { 0x200B, 0x200B },                       /* zero-width space */
    { 0x2028, 0x202E },                       /* separators, embeddings, overrides */
    { 0x2060, 0x206F },                       /* joiner, invisible operators, isolates */
    { 0x2800, 0x2800 },                       /* blank Braille pattern */
    { 0xFE00, 0xFE0D },                       /* variation selectors */
    { 0xFEFF, 0xFEFF },                       /* byte order mark */
    { 0xFFF0, 0xFFFB },   { 0xFFFE, 0xFFFF },   { 0xFDD0, 0xFDEF }, /* annotations, no characters */
    { 0x1BCA0, 0x1BCA3 }, { 0x1D173, 0x1D17A },                     /* controls of notations */
    { 0xE0000, 0xE0FFF },                                           /* tags, selectors */
};

static bool is_hidden(gunichar c)
{
    for (size_t i = 0; i < LIMS_LENGTH(hidden); i++) {
        if (c >= hidden[i].first && c <= hidden[i].last) {
            return true;
        }
    }
    return (c & 0xFFFE) == 0xFFFE || c > 0x10FFFF;
}

static bool is_mark(gunichar c)
{
    GUnicodeType type = g_unichar_type(c);

    return type == G_UNICODE_NON_SPACING_MARK || type == G_UNICODE_ENCLOSING_MARK;
}

/* Whether a letter belongs to a script in which joiners are part of the spelling, and marks
 * of direction are what people type. */
static bool joins(gunichar c)
{
    return (c >= 0x0590 && c <= 0x08FF) || (c >= 0x0900 && c <= 0x0DFF) ||
           (c >= 0x1000 && c <= 0x109F) || (c >= 0x1780 && c <= 0x18AF) ||
           (c >= 0xFB1D && c <= 0xFEFC);
}

/* Whether a character that joins or directs stands where it is part of the spelling. */
static bool is_spelling(gunichar c, gunichar before, gunichar behind)
{
    if (c == 0x200C || c == 0x200D || c == 0x200E || c == 0x200F || c == 0x061C) {
        return joins(before) || joins(behind);
    }
    return (c == 0xFE0E || c == 0xFE0F) && before >= 0x2000;
}

static bool is_joiner(gunichar c)
{
    return (c >= 0x200C && c <= 0x200F) || c == 0x061C || c == 0xFE0E || c == 0xFE0F;
}

static bool ends_line(gunichar c)
{
    return c == '\n' || c == '\r' || c == 0x0B || c == 0x0C || c == 0x85 || c == 0x2028 ||
           c == 0x2029;
}

typedef struct {
    char *at;
    gunichar before;
    int marks;
} writer_t;

static void put(writer_t *writer, gunichar c, gunichar behind)
{
    writer->marks = is_mark(c) ? writer->marks + 1 : 0;
    if (writer->marks > MARKS_MAX || is_hidden(c) ||
        (is_joiner(c) && !is_spelling(c, writer->before, behind))) {
        writer->at += apr_snprintf(writer->at, NUMBER_MAX + 1, "[U+%04X]", (unsigned)c);
    } else {
        writer->at += g_unichar_to_utf8(c, writer->at);
    }
    writer->before = c;
}

/* Whether all of a text is printable ASCII, which most are. */
static bool is_plain(const char *text, apr_size_t length)
{
    for (apr_size_t i = 0; i < length; i++) {
        if (text[i] < 0x20 || text[i] > 0x7E) {
            return false;
        }
    }
    return true;
}

const char *lims_visible(const char *text, apr_size_t length, bool one_line, apr_pool_t *pool)
{
    const char *at = text, *end = text + length;
    apr_size_t room = 1;
    writer_t writer = { 0 };
    char *visible;

    if (is_plain(text, length)) {
        return apr_pstrmemdup(pool, text, length);
    }
    for (const char *c = text; c < end; c = g_utf8_next_char(c)) {
        gunichar value = g_utf8_get_char(c);

        room += is_hidden(value) || is_joiner(value) || is_mark(value) ? NUMBER_MAX : 4;
    }
    visible = writer.at = apr_palloc(pool, room);
    while (at < end) {
        gunichar c = g_utf8_get_char(at);
        const char *next = g_utf8_next_char(at);

        if (ends_line(c)) {
            next += c == '\r' && next < end && *next == '\n' ? 1 : 0;
            *writer.at++ = one_line ? ' ' : '\n';
            writer.before = 0;
            writer.marks = 0;
        } else if (c == '\t') {
            put(&writer, ' ', 0);
        } else {
            put(&writer, c, next < end ? g_utf8_get_char(next) : 0);
        }
        at = next;
    }
    *writer.at = '\0';
    return visible;
}
