/* SPDX-License-Identifier: Apache-2.0 */
/* visible.c - characters that hide, as their numbers. */
#include "print/visible.h"

#include <apr_strings.h>
#include <glib.h>
#include <string.h>

#include "kernel/hidden.h"

/* Marks that one letter carries. */
#define MARKS_MAX 8

/* Longest form of a character as its number: "[U+10FFFF]". */
#define NUMBER_MAX 10

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
    if (writer->marks > MARKS_MAX || lims_hidden_character(c) ||
        (lims_hidden_joiner(c) && !is_spelling(c, writer->before, behind))) {
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

        room += lims_hidden_character(value) || lims_hidden_joiner(value) || is_mark(value)
                    ? NUMBER_MAX
                    : 4;
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
