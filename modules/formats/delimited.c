/* SPDX-License-Identifier: Apache-2.0 */
/* delimited.c - splitting text into rows and cells. */
#include "formats/delimited.h"

#include <apr_strings.h>
#include <string.h>

/* State of the scanner. Cells are NUL-terminated in place, in one copy of the
 * text, so that a cell needs no memory of its own: the NUL overwrites the
 * delimiter behind the cell. */
typedef struct {
    const char *start;
    char *copy;      /* copy of the text from .start on */
    apr_size_t base; /* offset of .start in the whole text, bytes */
    const char *at;
    const char *end;
    int line;
    lims_dialect_t dialect;
    lims_sheet_writer_t *sheet;
    lims_reasons_t *reasons;
    apr_pool_t *pool;
} scanner_t;

static bool at_line_end(const scanner_t *s)
{
    return s->at == s->end || *s->at == '\r' || *s->at == '\n';
}

static void skip_line_end(scanner_t *s)
{
    if (s->at < s->end) {
        s->at += *s->at == '\r' && s->at + 1 < s->end && s->at[1] == '\n' ? 2 : 1;
        s->line++;
    }
}

/* Adds a cell of `length` bytes at `text`, which is in the copy; `place` is its
 * place in the original text. */
static bool add_cell(scanner_t *s, char *text, apr_size_t length, const char *place)
{
    text[length] = '\0';
    return lims_sheet_cell(s->sheet, text, length, s->base + (apr_size_t)(place - s->start));
}

static char *in_copy(const scanner_t *s, const char *place)
{
    return s->copy + (place - s->start);
}

static bool is_delimiter(const scanner_t *s)
{
    return s->dialect.delimiter && s->at < s->end && *s->at == s->dialect.delimiter;
}

static bool read_bare_cell(scanner_t *s)
{
    const char *begin = s->at;

    while (!at_line_end(s) && !is_delimiter(s)) {
        s->at++;
    }
    return add_cell(s, in_copy(s, begin), (apr_size_t)(s->at - begin), begin);
}

/* Returns the closing quote of a quoted cell; NULL if the text ends before it. */
static const char *closing_quote(const scanner_t *s)
{
    char quote = s->dialect.quote;

    for (const char *p = s->at + 1; p < s->end; p++) {
        if (*p == quote) {
            if (p + 1 == s->end || p[1] != quote) {
                return p;
            }
            p++;
        }
    }
    return NULL;
}

/* Copies the content of a quoted cell, with doubled quotes as one. */
static apr_size_t unquote(char *to, const char *text, const char *end, char quote)
{
    char *out = to;

    for (const char *p = text; p < end; p++) {
        *out++ = *p;
        p += *p == quote && p + 1 < end && p[1] == quote;
    }
    return (apr_size_t)(out - to);
}

static void count_lines(scanner_t *s, const char *from, const char *to)
{
    for (const char *p = from; p < to; p++) {
        s->line += *p == '\n' || (*p == '\r' && (p + 1 == to || p[1] != '\n'));
    }
}

static bool read_quoted_cell(scanner_t *s)
{
    const char *begin = s->at;
    const char *close = closing_quote(s);
    apr_size_t length;
    int line = s->line;

    if (!close) {
        lims_reasons_block(s->reasons, LIMS_REASON_TRUNCATED_FILE, line, 0,
                           "A quoted cell that begins on line %d is never closed.", line);
        return false;
    }
    length = unquote(in_copy(s, begin), begin + 1, close, s->dialect.quote);
    count_lines(s, begin, close);
    s->at = close + 1;
    if (!at_line_end(s) && !is_delimiter(s)) {
        lims_reasons_block(s->reasons, LIMS_REASON_STRUCTURE_MISMATCH, s->line, 0,
                           "On line %d a quoted cell is followed by something else than the end "
                           "of the cell.",
                           s->line);
        return false;
    }
    return add_cell(s, in_copy(s, begin), length, begin);
}

/* Reads one record, up to the end of its line. */
static bool read_record(scanner_t *s)
{
    if (!lims_sheet_row(s->sheet, s->line, 1)) {
        return false;
    }
    if (at_line_end(s)) {
        return true;
    }
    for (;;) {
        bool quoted = s->dialect.quote && s->at < s->end && *s->at == s->dialect.quote;

        if (!(quoted ? read_quoted_cell(s) : read_bare_cell(s))) {
            return false;
        }
        if (!is_delimiter(s)) {
            return true;
        }
        s->at++;
    }
}

/* Reads a record that is quoted as a whole: removes the quotes and splits it
 * again. Its cells are copies, and have the offset of the record. */
static bool read_wrapped_record(scanner_t *s)
{
    const char *close = s->at < s->end && *s->at == s->dialect.quote ? closing_quote(s) : NULL;
    scanner_t inner = *s;
    apr_size_t length;
    char *text;
    bool done;

    if (!close || (close + 1 < s->end && close[1] != '\r' && close[1] != '\n')) {
        return read_record(s);
    }
    text = apr_palloc(s->pool, (apr_size_t)(close - s->at));
    length = unquote(text, s->at + 1, close, s->dialect.quote);
    inner.start = text;
    inner.at = text;
    inner.end = text + length;
    inner.copy = apr_pstrmemdup(s->pool, text, length);
    inner.base = s->base + (apr_size_t)(s->at - s->start);
    done = read_record(&inner);
    if (done && inner.at < inner.end) {
        lims_reasons_block(s->reasons, LIMS_REASON_STRUCTURE_MISMATCH, s->line, 0,
                           "The record of line %d has a line break in it.", s->line);
        return false;
    }
    count_lines(s, s->at, close);
    s->at = close + 1;
    return done;
}

/* Reads the delimiter from a first line "sep=,", which may be quoted, or padded
 * with empty cells by a spreadsheet that saved the file again. */
static void read_separator_line(scanner_t *s)
{
    static const char word[] = "sep=";
    const char *p = s->at;
    apr_size_t length = sizeof(word) - 1;
    char sign;

    p += p < s->end && *p == '"';
    if ((apr_size_t)(s->end - p) <= length || strncasecmp(p, word, length) != 0 ||
        p[length] == '\r' || p[length] == '\n') {
        return;
    }
    sign = p[length];
    for (p += length + 1; p < s->end && *p != '\r' && *p != '\n'; p++) {
        if (*p != sign && *p != '"') {
            return;
        }
    }
    s->dialect.delimiter = sign;
    s->at = p;
    skip_line_end(s);
}

const lims_sheet_t *lims_delimited_read(const lims_text_t *text, const lims_dialect_t *dialect,
                                        lims_reasons_t *reasons, apr_pool_t *pool)
{
    scanner_t s = {
        .start = text->bytes,
        .copy = apr_pstrmemdup(pool, text->bytes, text->length),
        .at = text->bytes,
        .end = text->bytes + text->length,
        .line = 1,
        .dialect = *dialect,
        .sheet = lims_sheet_begin("", reasons, pool),
        .reasons = reasons,
        .pool = pool,
    };

    read_separator_line(&s);
    while (s.at < s.end) {
        if (!(dialect->unwrap_record ? read_wrapped_record(&s) : read_record(&s))) {
            return NULL;
        }
        skip_line_end(&s);
    }
    return lims_sheet_end(s.sheet);
}
