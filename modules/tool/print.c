/* SPDX-License-Identifier: Apache-2.0 */
/*
 * print.c - prints JSON for people: an object as lines "name: value", an array of objects
 * as a table. It works for every resource.
 */
#include <apr_strings.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "instruments/import.h"
#include "kernel/base64.h"
#include "kernel/error.h"
#include "kernel/json.h"
#include "kernel/utf8.h"
#include "tool/tool.h"

/* Longest cell of a table, in characters. Longer texts are printed in full, on lines of
 * their own below their row; in a page, the cell has their beginning. Of a page, arrays and
 * objects are cut off: the record has them. */
#define CELL_MAX 60

#define GAP "  "

typedef struct {
    FILE *out;
    apr_pool_t *pool;
    apr_size_t width; /* of a line; 0: any */
} printer_t;

static void print_value(printer_t *p, const lims_json_t *value, int indent);

/* --- Texts ---------------------------------------------------------------- */

static apr_size_t width_of(const char *text)
{
    return lims_utf8_length(text, strlen(text));
}

/* Shortens a text to `max` characters; "..." replaces the rest. */
static const char *shorten(const char *text, apr_size_t max, apr_pool_t *pool)
{
    apr_size_t characters = 0;
    const char *end = text;

    if (width_of(text) <= max) {
        return text;
    }
    while (*end) {
        if (((unsigned char)*end & 0xC0) != 0x80 && characters++ == max - 3) {
            break;
        }
        end++;
    }
    return apr_pstrcat(pool, apr_pstrmemdup(pool, text, (apr_size_t)(end - text)), "...", NULL);
}

static bool is_compound(const lims_json_t *value)
{
    return value->type == LIMS_JSON_ARRAY || value->type == LIMS_JSON_OBJECT;
}

static bool is_table(const lims_json_t *value)
{
    return value->type == LIMS_JSON_ARRAY && value->first && value->first->type == LIMS_JSON_OBJECT;
}

static const char *text_of(const lims_json_t *value, apr_pool_t *pool);

/* Joins the elements of an array, or the members of an object as name=value, by commas.
 * Nested values are in brackets. */
static const char *join_values(const lims_json_t *value, apr_pool_t *pool)
{
    const char *text = "";

    for (const lims_json_t *item = value->first; item; item = item->next) {
        bool within = is_compound(item) && item->first;

        text = apr_pstrcat(
            pool, text, *text ? ", " : "", item->name ? lims_printable(item->name, pool) : "",
            item->name ? "=" : "", within ? "[" : "", text_of(item, pool), within ? "]" : "", NULL);
    }
    return text;
}

static const char *text_of(const lims_json_t *value, apr_pool_t *pool)
{
    switch (value->type) {
    case LIMS_JSON_NULL:
        return "-";
    case LIMS_JSON_BOOLEAN:
        return value->text[0] == 't' ? "yes" : "no";
    case LIMS_JSON_ARRAY:
    case LIMS_JSON_OBJECT:
        return value->first ? join_values(value, pool) : "-";
    default:
        return lims_printable(value->text, pool);
    }
}

/* --- Tables --------------------------------------------------------------- */

typedef struct {
    const char *name;
    apr_size_t width;
    bool shown;
    bool below;
} column_t;

static int find_column(const apr_array_header_t *columns, const char *name)
{
    for (int i = 0; i < columns->nelts; i++) {
        if (strcmp(APR_ARRAY_IDX(columns, i, column_t).name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/* Inserts a column at an index. */
static void insert_column(apr_array_header_t *columns, int place, const char *name)
{
    column_t *list;

    apr_array_push(columns);
    list = (column_t *)columns->elts;
    memmove(list + place + 1, list + place,
            sizeof(column_t) * (apr_size_t)(columns->nelts - 1 - place));
    list[place] = (column_t){ .name = name, .width = width_of(name) };
}

/* Collects the members of all rows as columns; a new member follows the column of the
 * member before it. */
static column_t *collect_columns(int *count, const lims_json_t *rows, apr_pool_t *pool)
{
    apr_array_header_t *columns = apr_array_make(pool, 16, sizeof(column_t));

    for (const lims_json_t *row = rows->first; row; row = row->next) {
        int next = 0;

        for (const lims_json_t *member = row->first; member; member = member->next) {
            int place = find_column(columns, member->name);

            if (place < 0) {
                place = next;
                insert_column(columns, place, member->name);
            }
            next = place + 1;
        }
    }
    *count = columns->nelts;
    return (column_t *)columns->elts;
}

static const char *heading(const column_t *column, apr_pool_t *pool)
{
    return lims_printable(column->name, pool);
}

/* Determines the widths of the columns, and which of them have values. */
static void measure(column_t *columns, int count, const lims_json_t *rows, bool whole,
                    apr_pool_t *pool)
{
    for (const lims_json_t *row = rows->first; row; row = row->next) {
        for (int i = 0; i < count; i++) {
            const lims_json_t *cell = lims_json_member(row, columns[i].name);
            apr_size_t width;

            if (!cell || cell->type == LIMS_JSON_NULL || (is_compound(cell) && !cell->first)) {
                continue;
            }
            width = width_of(text_of(cell, pool));
            columns[i].below = columns[i].below || (whole && width > CELL_MAX);
            width = width > CELL_MAX ? CELL_MAX : width;
            columns[i].shown = true;
            columns[i].width = width > columns[i].width ? width : columns[i].width;
        }
    }
    for (int i = 0; i < count; i++) {
        columns[i].shown = columns[i].shown && !columns[i].below;
    }
}

/* Hides columns, from the right, that do not fit into the terminal's width. False: some
 * were hidden. */
static bool hide_columns(column_t *columns, int count, apr_size_t width, int indent)
{
    apr_size_t used = (apr_size_t)indent;
    bool all = true;

    for (int i = 0; i < count && width > 0; i++) {
        if (columns[i].shown) {
            used += columns[i].width + strlen(GAP);
            columns[i].shown = used <= width + strlen(GAP);
            all = all && columns[i].shown;
        }
    }
    return all;
}

static const char *cell_text(const column_t *column, const lims_json_t *row, apr_pool_t *pool)
{
    const lims_json_t *cell = row ? lims_json_member(row, column->name) : NULL;

    return cell ? shorten(text_of(cell, pool), CELL_MAX, pool) : "-";
}

/* Prints a row, or the heading if `row` is NULL. Padding precedes a cell, so that no line
 * ends in spaces. */
static void print_row(printer_t *p, const column_t *columns, int count, const lims_json_t *row,
                      int indent)
{
    apr_size_t padding = (apr_size_t)indent;

    for (int i = 0; i < count; i++) {
        const char *text =
            row ? cell_text(&columns[i], row, p->pool) : heading(&columns[i], p->pool);

        if (columns[i].shown) {
            fprintf(p->out, "%*s%s", (int)padding, "", text);
            padding = columns[i].width - width_of(text) + strlen(GAP);
        }
    }
    fputc('\n', p->out);
}

/* Whether the cell of a table is cut off, although nothing else prints its text. */
static bool is_cut(const lims_json_t *cell, apr_pool_t *pool)
{
    return !is_compound(cell) && width_of(text_of(cell, pool)) > CELL_MAX;
}

static void print_below(printer_t *p, const column_t *columns, int count, const lims_json_t *row,
                        int indent)
{
    for (int i = 0; i < count; i++) {
        const lims_json_t *cell = lims_json_member(row, columns[i].name);

        if (cell && cell->type != LIMS_JSON_NULL && (columns[i].below || is_cut(cell, p->pool))) {
            fprintf(p->out, "%*s%s: %s\n", indent + 4, "", heading(&columns[i], p->pool),
                    text_of(cell, p->pool));
        }
    }
}

static void print_table(printer_t *p, const lims_json_t *rows, bool whole, int indent)
{
    int count;
    column_t *columns = collect_columns(&count, rows, p->pool);
    bool all;

    measure(columns, count, rows, whole, p->pool);
    all = hide_columns(columns, count, p->width, indent);
    print_row(p, columns, count, NULL, indent);
    for (const lims_json_t *row = rows->first; row; row = row->next) {
        print_row(p, columns, count, row, indent);
        print_below(p, columns, count, row, indent);
    }
    if (!all) {
        fprintf(p->out, "%*s(further columns: --json, or a wider terminal)\n", indent, "");
    }
}

/* --- Records -------------------------------------------------------------- */

static void print_object(printer_t *p, const lims_json_t *object, int indent)
{
    apr_size_t longest = 0;

    for (const lims_json_t *member = object->first; member; member = member->next) {
        apr_size_t width = width_of(member->name);
        longest = width > longest ? width : longest;
    }
    for (const lims_json_t *member = object->first; member; member = member->next) {
        fprintf(p->out, "%*s%s:", indent, "", lims_printable(member->name, p->pool));
        if (is_table(member)) {
            fputc('\n', p->out);
            print_value(p, member, indent + 4);
        } else {
            fprintf(p->out, "%*s%s\n", (int)(longest - width_of(member->name) + 1), "",
                    text_of(member, p->pool));
        }
    }
}

/* { data, nextCursor, hasMore } */
static bool is_page(const lims_json_t *value)
{
    return lims_json_member(value, "data") && lims_json_member(value, "hasMore");
}

static void print_page(printer_t *p, const lims_json_t *page)
{
    const lims_json_t *data = lims_json_member(page, "data");

    if (!data->first) {
        fputs("(none)\n", p->out);
        return;
    }
    print_table(p, data, false, 0);
    if (lims_json_member(page, "hasMore")->text[0] == 't') {
        fprintf(p->out, "(more: --cursor %s)\n",
                text_of(lims_json_member(page, "nextCursor"), p->pool));
    }
}

static void print_value(printer_t *p, const lims_json_t *value, int indent)
{
    if (is_table(value)) {
        print_table(p, value, true, indent);
    } else if (value->type == LIMS_JSON_OBJECT && is_page(value)) {
        print_page(p, value);
    } else if (value->type == LIMS_JSON_OBJECT) {
        print_object(p, value, indent);
    } else {
        fprintf(p->out, "%*s%s\n", indent, "", text_of(value, p->pool));
    }
}

static apr_size_t line_width(FILE *out)
{
    struct winsize size;

    return isatty(fileno(out)) && ioctl(fileno(out), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static void print_text(FILE *out, const char *json, apr_size_t length, apr_size_t width,
                       apr_pool_t *pool)
{
    printer_t printer = { .out = out, .pool = pool, .width = width };
    lims_json_t *root = NULL;

    if (lims_json_parse(&root, json, length, pool)) {
        fprintf(out, "%s\n", lims_printable_json(json, pool)); /* larger than the parser accepts */
        return;
    }
    print_value(&printer, root, 0);
}

void lims_print(FILE *out, const char *json, apr_size_t length, apr_pool_t *pool)
{
    print_text(out, json, length, line_width(out), pool);
}

void lims_print_whole(FILE *out, const char *json, apr_pool_t *pool)
{
    print_text(out, json, strlen(json), 0, pool);
}

void lims_print_answer(const lims_tool_t *tool, const char *json, apr_size_t length)
{
    if (tool->json) {
        printf("%s\n", lims_printable_json(json, tool->pool));
    } else {
        lims_print(stdout, json, length, tool->pool);
    }
}

bool lims_print_bytes(FILE *out, const char *json, apr_size_t length, apr_pool_t *pool)
{
    lims_json_t *root = NULL;
    const lims_json_t *content;
    const char *bytes;

    if (lims_json_parse(&root, json, length, pool)) {
        return false;
    }
    content = lims_json_member(root, "contentBase64");
    if (!content || !lims_base64_decode(&bytes, &length, content->text, pool)) {
        return false;
    }
    fwrite(bytes, 1, length, out);
    return true;
}

/* --- Errors --------------------------------------------------------------- */

static lims_exit_e exit_of(const lims_error_t *error)
{
    if (error->failure == LIMS_FAILURE_SCHEMA) {
        return LIMS_EXIT_SCHEMA;
    }
    switch (error->kind) {
    case LIMS_E_NOT_FOUND:
        return LIMS_EXIT_NOT_FOUND;
    case LIMS_E_INVALID_QUERY:
    case LIMS_E_INVALID_ID:
    case LIMS_E_NO_UPDATABLE_FIELDS:
        return LIMS_EXIT_USAGE;
    default:
        return lims_error_kinds[error->kind].status < 500 ? LIMS_EXIT_REFUSED : LIMS_EXIT_SYSTEM;
    }
}

lims_exit_e lims_print_error(const lims_tool_t *tool, const lims_error_t *error)
{
    apr_size_t length = 0;
    const char *body = lims_error_body(&length, error, tool->pool);
    bool broken = lims_error_kinds[error->kind].status >= 500;

    if (tool->json) {
        printf("%s\n", lims_printable_json(body, tool->pool));
    } else {
        fprintf(stderr, "limsctl: %s\n", lims_printable(error->message, tool->pool));
    }
    if (broken && error->cause && !strstr(error->message, error->cause)) {
        /* The cause is printed too: the reader is the administrator, and there is no log. */
        fprintf(stderr, "limsctl: %s\n", lims_printable(error->cause, tool->pool));
    }
    if (!tool->json && error->members) {
        const char *members = apr_pstrcat(tool->pool, "{", error->members, "}", NULL);
        lims_print(stderr, members, strlen(members), tool->pool);
    }
    return exit_of(error);
}
