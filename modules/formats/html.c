/* SPDX-License-Identifier: Apache-2.0 */
/* html.c - reading of web pages into rows. */
#include "formats/html.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

/* Largest size of a tag, and of an element name that is compared; bytes. */
#define TAG_MAX 65536
#define ELEMENT_MAX 32

/* Largest colspan and rowspan by the HTML standard. */
#define COLSPAN_MAX 1000
#define ROWSPAN_MAX 65534

typedef struct {
    char name[ELEMENT_MAX]; /* name in lower case; "" if it is not an element */
    bool closing;
    const char *begin, *end; /* begin and end of the attributes */
} tag_t;

/* A cell with rowspan, which continues in the rows below. */
typedef struct {
    int rows; /* number of rows it still covers */
    const char *text;
    apr_size_t length;
} span_t;

typedef struct {
    const char *at, *end;
    int line;
    int number; /* number of the last row written */
    lims_sheet_writer_t *sheet;
    apr_array_header_t *text; /* array of char: text of the cell, or of a line outside of tables */
    bool gap;                 /* white space is pending before the next character */
    bool broken;              /* the pending white space is a line break */
    apr_array_header_t *character; /* array of char: character of a reference */
    int pre;                       /* nesting depth of <pre> */
    bool in_table, in_row, in_cell, html;
    int tables;
    int column;           /* column in the row, from 0 */
    int colspan, rowspan; /* attributes of the current cell */
    span_t spans[LIMS_FILE_COLUMNS_MAX];
    int width; /* number of entries of .spans in use */
    lims_reasons_t *reasons;
    apr_pool_t *pool;
} reader_t;

static bool refuse(reader_t *r, lims_reason_e code, const char *what)
{
    lims_reasons_block(r->reasons, code, 0, 0, "Line %d of the web page: %s.", r->line, what);
    return false;
}

static bool is_one_of(const char *name, const char *const *names)
{
    while (*names && strcmp(*names, name) != 0) {
        names++;
    }
    return *names;
}

/* --- Text ---------------------------------------------------------------------------- */

static void add_text(reader_t *r, const char *text, int length)
{
    if (r->gap && r->text->nelts > 0) {
        lims_text_append(r->text, r->broken ? "\n" : " ", 1);
    }
    r->gap = r->broken = false;
    lims_text_append(r->text, text, length);
}

static void break_line(reader_t *r)
{
    r->gap = r->broken = true;
}

/* Returns the collected text, counted against the bounds; NULL with a
 * reason. */
static const char *take_text(reader_t *r, apr_size_t *length)
{
    const char *kept = "";

    *length = (apr_size_t)r->text->nelts;
    if (*length > 0) {
        kept = lims_text_keep(r->reasons, r->text->elts, *length, r->pool);
    }
    r->text->nelts = 0;
    r->gap = r->broken = false;
    return kept;
}

/* --- Rows ---------------------------------------------------------------------------- */

static bool write_row(reader_t *r)
{
    return lims_sheet_row(r->sheet, ++r->number, 1);
}

/* Writes a line of text outside of tables as a row. */
static bool end_line(reader_t *r)
{
    apr_size_t length;
    const char *text;

    if (r->text->nelts == 0) {
        r->gap = r->broken = false;
        return true;
    }
    text = take_text(r, &length);
    return text && write_row(r) && lims_sheet_cell(r->sheet, text, length, 0);
}

/* Fills columns with cells of rows above whose rowspan covers this row. */
static bool fill_spans(reader_t *r, bool all)
{
    while (r->column < r->width && (all || r->spans[r->column].rows > 0)) {
        span_t *span = &r->spans[r->column];
        bool there = span->rows > 0;

        span->rows -= there ? 1 : 0;
        if (!lims_sheet_cell(r->sheet, there ? span->text : "", there ? span->length : 0, 0)) {
            return false;
        }
        r->column++;
    }
    return true;
}

/* Stores a cell with rowspan, to be repeated in the rows below. */
static void store_span(reader_t *r, int column, const char *text, apr_size_t length)
{
    if (r->rowspan > 1 && column < LIMS_FILE_COLUMNS_MAX) {
        while (r->width <= column) {
            r->spans[r->width++].rows = 0;
        }
        r->spans[column] = (span_t){ .rows = r->rowspan - 1, .text = text, .length = length };
    }
}

static bool end_cell(reader_t *r)
{
    apr_size_t length;
    const char *text;

    if (!r->in_cell) {
        return true;
    }
    r->in_cell = false;
    text = take_text(r, &length);
    for (int i = 0; text && i < r->colspan; i++) {
        if (!fill_spans(r, false)) {
            return false;
        }
        if (!lims_sheet_cell(r->sheet, i == 0 ? text : "", i == 0 ? length : 0, 0)) {
            return false;
        }
        store_span(r, r->column, i == 0 ? text : "", i == 0 ? length : 0);
        r->column++;
    }
    return text;
}

static bool has_open_span(const reader_t *r)
{
    for (int i = r->column; i < r->width; i++) {
        if (r->spans[i].rows > 0) {
            return true;
        }
    }
    return false;
}

/* Refuses text between the cells of a row, since it belongs to none of them. */
static bool refuse_stray_text(reader_t *r)
{
    static const char nbsp[] = "\xc2\xa0";
    bool blank = r->text->nelts == 0 || (r->text->nelts == 2 && !memcmp(r->text->elts, nbsp, 2));

    if (r->in_row && !blank) {
        return refuse(r, LIMS_REASON_STRUCTURE_MISMATCH, "text stands between the cells of a row");
    }
    return true;
}

static bool end_row(reader_t *r)
{
    if (!end_cell(r) || !refuse_stray_text(r)) {
        return false;
    }
    if (r->in_row) {
        r->in_row = false;
        while (has_open_span(r)) {
            if (!fill_spans(r, r->spans[r->column].rows == 0)) {
                return false;
            }
        }
    }
    return true;
}

static bool begin_row(reader_t *r)
{
    if (!end_row(r) || !end_line(r) || !write_row(r)) {
        return false;
    }
    r->in_row = true;
    r->column = 0;
    return true;
}

static bool begin_table(reader_t *r)
{
    if (r->in_table) {
        return refuse(r, LIMS_REASON_STRUCTURE_MISMATCH,
                      "a table stands within a table, whose cells could not be told apart");
    }
    if (!end_line(r)) {
        return false;
    }
    r->in_table = true;
    r->tables++;
    r->width = 0;
    return true;
}

/* Ends a table with a blank row, which separates it from what follows. */
static bool end_table(reader_t *r)
{
    if (!r->in_table) {
        return true;
    }
    if (!end_row(r) || !end_line(r)) {
        return false;
    }
    r->in_table = false;
    return write_row(r);
}

/* --- Tags ------------------------------------------------------------------------------ */

static const char *skip_blanks(const char *p, const char *end)
{
    while (p < end && apr_isspace(*p)) {
        p++;
    }
    return p;
}

/* Returns the end of an attribute's value; `*value` becomes its begin, without
 * quote. */
static const char *value_end(const char **value, const char *p, const char *end)
{
    char quote = p < end && (*p == '"' || *p == '\'') ? *p : '\0';

    p += quote ? 1 : 0;
    *value = p;
    while (p < end && (quote ? *p != quote : !apr_isspace(*p))) {
        p++;
    }
    return p < end && quote ? p + 1 : p;
}

/* Returns the number in an attribute; 1 if it is absent. */
static int span_of(const tag_t *tag, const char *name, int most)
{
    const char *p = skip_blanks(tag->begin, tag->end);

    while (p < tag->end) {
        const char *begin = p, *value = p;
        apr_size_t length;

        while (p < tag->end && !apr_isspace(*p) && *p != '=') {
            p++;
        }
        length = (apr_size_t)(p - begin);
        p = skip_blanks(p, tag->end);
        if (p < tag->end && *p == '=') {
            p = value_end(&value, skip_blanks(p + 1, tag->end), tag->end);
            if (length == strlen(name) && strncasecmp(begin, name, length) == 0) {
                long number = strtol(value, NULL, 10);
                return number < 1 ? 1 : number > most ? most : (int)number;
            }
        } else if (length == 0) {
            p++;
        }
        p = skip_blanks(p, tag->end);
    }
    return 1;
}

static bool begin_cell(reader_t *r, const tag_t *tag)
{
    if (!r->in_table) {
        return refuse(r, LIMS_REASON_STRUCTURE_MISMATCH, "a cell stands in no table");
    }
    if (!end_cell(r) || !refuse_stray_text(r) || (!r->in_row && !begin_row(r)) ||
        !fill_spans(r, false)) {
        return false;
    }
    r->in_cell = true;
    r->text->nelts = 0;
    r->gap = r->broken = false;
    r->colspan = span_of(tag, "colspan", COLSPAN_MAX);
    r->rowspan = span_of(tag, "rowspan", ROWSPAN_MAX);
    return true;
}

/* Block elements, which begin a new line. */
static const char *const blocks[] = { "p",       "div", "h1", "h2", "h3", "h4", "h5",
                                      "h6",      "br",  "hr", "ul", "ol", "li", "center",
                                      "caption", "pre", "dl", "dt", "dd", NULL };

/* Inline elements that are allowed in a cell. Any other tag was meant as text,
 * such as <LOD>. */
static const char *const inlines[] = { "a",      "abbr",   "acronym", "b",       "big",   "cite",
                                       "code",   "del",    "em",      "font",    "form",  "i",
                                       "img",    "input",  "ins",     "kbd",     "label", "mark",
                                       "nobr",   "q",      "s",       "samp",    "small", "span",
                                       "strike", "strong", "tt",      "u",       "var",   "wbr",
                                       "time",   "data",   "section", "article", NULL };

static bool mark_script(reader_t *r, const tag_t *tag)
{
    if (!tag->closing && r->text->nelts > 0) {
        lims_text_append(r->text, strcmp(tag->name, "sup") == 0 ? "^" : "_", 1);
        r->gap = r->broken = false;
    }
    return true;
}

static bool read_other_tag(reader_t *r, const tag_t *tag)
{
    if (strcmp(tag->name, "sup") == 0 || strcmp(tag->name, "sub") == 0) {
        return mark_script(r, tag);
    }
    if (is_one_of(tag->name, blocks)) {
        r->pre += strcmp(tag->name, "pre") == 0 ? (tag->closing ? -(r->pre > 0) : 1) : 0;
        if (r->in_cell) {
            break_line(r);
            return true;
        }
        return end_line(r);
    }
    if (r->in_cell && !strchr(tag->name, ':') && !is_one_of(tag->name, inlines)) {
        return refuse(
            r, LIMS_REASON_STRUCTURE_MISMATCH,
            apr_psprintf(r->pool, "<%s> in a cell is not an element that is known", tag->name));
    }
    return true;
}

static bool read_element(reader_t *r, const tag_t *tag)
{
    static const char *const groups[] = { "thead", "tbody", "tfoot", "colgroup", "col", NULL };

    if (strcmp(tag->name, "table") == 0) {
        return tag->closing ? end_table(r) : begin_table(r);
    }
    if (strcmp(tag->name, "tr") == 0 && r->in_table) {
        return tag->closing ? end_row(r) : begin_row(r);
    }
    if (strcmp(tag->name, "td") == 0 || strcmp(tag->name, "th") == 0) {
        return tag->closing ? end_cell(r) : begin_cell(r, tag);
    }
    if (is_one_of(tag->name, groups)) {
        if (!end_row(r)) {
            return false;
        }
        r->width = 0; /* a rowspan ends with its row group */
        return true;
    }
    if (strcmp(tag->name, "html") == 0) {
        r->html = !tag->closing;
        return true;
    }
    return read_other_tag(r, tag);
}

/* --- Tokens ---------------------------------------------------------------------------- */

static void count_lines(reader_t *r, const char *until)
{
    for (; r->at < until; r->at++) {
        r->line += *r->at == '\n';
    }
}

/* Returns the place behind the next occurrence of a text, in any case; NULL: none. */
static const char *find_behind(const reader_t *r, const char *from, const char *text)
{
    apr_size_t length = strlen(text);

    for (const char *p = from; p + length <= r->end; p++) {
        if (strncasecmp(p, text, length) == 0) {
            return p + length;
        }
    }
    return NULL;
}

static bool refuse_truncated(reader_t *r)
{
    return refuse(r, LIMS_REASON_TRUNCATED_FILE, "the page ends within what begins here");
}

/* Skips the content of elements that browsers do not display. */
static bool skip_content(reader_t *r, const tag_t *tag)
{
    static const char *const hidden[] = { "script",   "style",  "title", "noscript", "template",
                                          "textarea", "select", "xml",   "svg",      NULL };
    const char *end;

    if (tag->closing || !is_one_of(tag->name, hidden)) {
        return true;
    }
    end = find_behind(r, r->at, apr_pstrcat(r->pool, "</", tag->name, NULL));
    if (!end) {
        return refuse_truncated(r);
    }
    count_lines(r, end - strlen(tag->name) - 2);
    return true;
}

/* Returns the end of a tag, its ">"; NULL with a reason. */
static const char *end_of_tag(reader_t *r)
{
    char quote = '\0';

    for (const char *p = r->at + 1; p < r->end && p - r->at < TAG_MAX; p++) {
        if (quote) {
            quote = *p == quote ? '\0' : quote;
        } else if (*p == '>') {
            return p;
        } else if (*p == '<') {
            refuse(r, LIMS_REASON_STRUCTURE_MISMATCH, "a tag begins within a tag");
            return NULL;
        } else if ((*p == '"' || *p == '\'') && (p[-1] == '=' || apr_isspace(p[-1]))) {
            quote = *p;
        }
    }
    refuse_truncated(r);
    return NULL;
}

static bool read_tag(reader_t *r)
{
    tag_t tag = { .closing = r->at[1] == '/' };
    const char *close = end_of_tag(r), *p = r->at + 1 + tag.closing;
    apr_size_t length = 0;

    if (!close) {
        return false;
    }
    for (; p < close && !apr_isspace(*p) && *p != '/'; p++) {
        if (length < ELEMENT_MAX - 1) {
            bool letter = apr_isalnum(*p) || *p == ':' || *p == '-' || *p == '_';
            tag.name[length++] = letter ? (char)apr_tolower(*p) : '?';
        }
    }
    tag.begin = p;
    tag.end = close;
    if (!read_element(r, &tag)) {
        return false;
    }
    count_lines(r, close + 1);
    return skip_content(r, &tag);
}

/* Skips a comment, a declaration or a processing instruction. */
static bool skip_declaration(reader_t *r)
{
    bool comment = r->end - r->at >= 4 && strncmp(r->at, "<!--", 4) == 0;
    const char *end = find_behind(r, r->at + 2, comment ? "-->" : ">");

    if (!end) {
        return refuse_truncated(r);
    }
    count_lines(r, end);
    return true;
}

static bool read_reference(reader_t *r)
{
    int length;

    r->character->nelts = 0;
    length = lims_html_character(r->character, r->at, (apr_size_t)(r->end - r->at));
    if (length < 0) {
        return refuse(r, LIMS_REASON_STRUCTURE_MISMATCH,
                      "\"&\" begins the name of a character that is not known, or does not end");
    }
    if (length == 0) {
        add_text(r, "&", 1);
        r->at++;
    } else {
        add_text(r, r->character->elts, r->character->nelts);
        r->at += length;
    }
    return true;
}

/* Reads white space, collapsed to one blank; line breaks count as white space
 * except in <pre>. */
static bool read_blanks(reader_t *r)
{
    bool lines = false;

    for (; r->at < r->end && strchr(" \t\r\n\f", *r->at) && *r->at; r->at++) {
        lines = lines || *r->at == '\n';
        r->line += *r->at == '\n';
    }
    if (r->pre > 0 && lines) {
        if (!r->in_cell) {
            return end_line(r);
        }
        break_line(r);
    }
    r->gap = true;
    return true;
}

static bool read_characters(reader_t *r)
{
    const char *begin = r->at++;

    while (r->at < r->end && !strchr("<& \t\r\n\f", *r->at)) {
        r->at++;
    }
    add_text(r, begin, (int)(r->at - begin));
    return true;
}

static bool read_token(reader_t *r)
{
    char next = r->at + 1 < r->end ? r->at[1] : '\0';

    if (*r->at == '<' && (apr_isalpha(next) || next == '/')) {
        return read_tag(r);
    }
    if (*r->at == '<' && (next == '!' || next == '?')) {
        return skip_declaration(r);
    }
    if (*r->at == '&') {
        return read_reference(r);
    }
    return strchr(" \t\r\n\f", *r->at) ? read_blanks(r) : read_characters(r);
}

const lims_sheet_t *lims_html_read(const lims_text_t *text, lims_reasons_t *reasons,
                                   apr_pool_t *pool)
{
    reader_t *r = apr_pcalloc(pool, sizeof(*r));

    r->at = text->bytes;
    r->end = text->bytes + text->length;
    r->line = 1;
    r->sheet = lims_sheet_begin("", reasons, pool);
    r->text = apr_array_make(pool, 1024, sizeof(char));
    r->character = apr_array_make(pool, 4, sizeof(char));
    r->reasons = reasons;
    r->pool = pool;
    for (apr_size_t tokens = 0; r->at < r->end; tokens++) {
        if ((tokens % 4096 == 0 && !lims_reasons_in_time(reasons)) || !read_token(r)) {
            return NULL;
        }
    }
    if (r->in_table || r->html) {
        refuse_truncated(r);
        return NULL;
    }
    if (r->tables == 0) {
        lims_reasons_block(reasons, LIMS_REASON_UNSUPPORTED_CONTAINER, 0, 0,
                           "The file is a web page without a table.");
        return NULL;
    }
    return end_line(r) ? lims_sheet_end(r->sheet) : NULL;
}
