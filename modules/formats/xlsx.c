/* SPDX-License-Identifier: Apache-2.0 */
/* xlsx.c - Office Open XML workbooks: the parts of the package and their
 * relationships. */
#include "formats/xlsx.h"

#include <apr_cstr.h>
#include <apr_hash.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "formats/xml.h"

typedef struct {
    lims_archive_t *archive;
    lims_xlsx_context_t context;
    lims_reasons_t *reasons;
    apr_pool_t *pool;
} book_t;

/* Reads a part as a tree; NULL if there is none, or with a reason if it is
 * damaged. */
static const lims_element_t *part_of(book_t *b, const char *path)
{
    lims_stream_t *stream = lims_archive_entry(b->archive, path, b->pool);

    return stream ? lims_xml_read(stream, b->reasons, b->pool) : NULL;
}

/* --- Relationships --------------------------------------------------------- */

/* Resolves the target of a relationship, "worksheets/sheet1.xml" or
 * "/xl/worksheets/sheet1.xml", against the part that has it. */
static const char *resolve_target(const char *from, const char *target, apr_pool_t *pool)
{
    const char *slash = strrchr(from, '/');

    if (*target == '/') {
        return target + 1;
    }
    while (strncmp(target, "../", 3) == 0 && slash) {
        target += 3;
        from = apr_pstrmemdup(pool, from, (apr_size_t)(slash - from));
        slash = strrchr(from, '/');
    }
    return slash ? apr_pstrcat(pool, apr_pstrmemdup(pool, from, (apr_size_t)(slash - from)), "/",
                               target, NULL)
                 : target;
}

static bool ends_with(const char *text, const char *end)
{
    apr_size_t length = strlen(text), size = strlen(end);

    return length >= size && strcmp(text + length - size, end) == 0;
}

static const char *relations_path(const char *part, apr_pool_t *pool)
{
    const char *slash = strrchr(part, '/');
    const char *name = slash ? slash + 1 : part;

    return apr_pstrcat(pool, apr_pstrmemdup(pool, part, (apr_size_t)(name - part)), "_rels/", name,
                       ".rels", NULL);
}

/* Returns the path of a related part: by the relationship's id, else by the end of
 * its type, which is the same in strict and transitional workbooks. */
static const char *related_part(const lims_element_t *relations, const char *part, const char *id,
                                const char *type, apr_pool_t *pool)
{
    const lims_element_t *r = lims_xml_child(relations, "Relationship");

    for (; r; r = lims_xml_next(r)) {
        const char *own_id = lims_xml_attribute(r, "Id");
        const char *own_type = lims_xml_attribute(r, "Type");
        const char *target = lims_xml_attribute(r, "Target");

        if (target &&
            (id ? own_id && strcmp(own_id, id) == 0 : own_type && ends_with(own_type, type))) {
            return resolve_target(part, target, pool);
        }
    }
    return NULL;
}

/* --- Shared strings -------------------------------------------------------- */

/* Reader of the shared strings. There may be a million, so the part is streamed. */
typedef struct {
    apr_array_header_t *strings; /* array of const char * */
    lims_xlsx_text_t text;       /* of the open string */
    lims_reasons_t *reasons;
    apr_pool_t *pool;
} strings_t;

static bool string_start(void *data, const char *name, const char **attributes, int line)
{
    strings_t *s = data;

    (void)line;
    if (strcmp(name, "si") == 0) {
        lims_xlsx_text_begin(&s->text);
    }
    lims_xlsx_text_start(&s->text, name, attributes);
    return true;
}

static bool string_text(void *data, const char *text, int length)
{
    lims_xlsx_text_add(&((strings_t *)data)->text, text, length);
    return true;
}

static bool string_end(void *data, const char *name)
{
    strings_t *s = data;
    const char *text, *kept;

    lims_xlsx_text_end(&s->text, name);
    if (strcmp(name, "si") != 0) {
        return true;
    }
    if (s->strings->nelts >= LIMS_FILE_CELLS_MAX) {
        lims_reasons_block(s->reasons, LIMS_REASON_ARCHIVE_LIMITS, 0, 0,
                           "The workbook has more than %d texts.", LIMS_FILE_CELLS_MAX);
        return false;
    }
    text = lims_xlsx_text_done(&s->text);
    kept = lims_text_keep(s->reasons, text, strlen(text), s->pool);
    APR_ARRAY_PUSH(s->strings, const char *) = kept;
    return kept;
}

static apr_array_header_t *shared_strings(book_t *b, const char *path)
{
    strings_t s = {
        .strings = apr_array_make(b->pool, 64, sizeof(const char *)),
        .text = { .text = apr_array_make(b->pool, 256, sizeof(char)) },
        .reasons = b->reasons,
        .pool = b->pool,
    };
    const lims_xml_handlers_t handlers = { string_start, string_text, string_end, &s };
    lims_stream_t *stream = path ? lims_archive_entry(b->archive, path, b->pool) : NULL;

    if (stream) {
        lims_xml_walk(&handlers, stream, b->reasons);
    }
    return s.strings;
}

/* --- Styles ---------------------------------------------------------------- */

static int number_of(const lims_element_t *element, const char *attribute)
{
    const char *text = lims_xml_attribute(element, attribute);
    int number = 0;

    return text && apr_cstr_atoi(&number, text) == APR_SUCCESS ? number : 0;
}

typedef struct {
    int id;
    lims_format_t format;
} format_t;

/* Reads the custom number formats: a hash of lims_format_t by format number. */
static apr_hash_t *own_formats(const lims_element_t *styles, apr_pool_t *pool)
{
    apr_hash_t *formats = apr_hash_make(pool);
    const lims_element_t *element = lims_xml_child(lims_xml_child(styles, "numFmts"), "numFmt");

    for (; element; element = lims_xml_next(element)) {
        format_t *format = apr_palloc(pool, sizeof(*format));
        format->id = number_of(element, "numFmtId");
        format->format = lims_format_of(format->id, lims_xml_attribute(element, "formatCode"));
        apr_hash_set(formats, &format->id, sizeof(format->id), format);
    }
    return formats;
}

/* Reads the styles, if the workbook names any: without them all numbers are plain. */
static const lims_element_t *read_styles(book_t *b, const char *path)
{
    const lims_element_t *styles = path ? part_of(b, path) : NULL;

    if (path && !styles && b->reasons->blocking == 0) {
        lims_reasons_block(b->reasons, LIMS_REASON_TRUNCATED_FILE, 0, 0,
                           "The workbook names styles \"%s\" that are not in it: how it displays "
                           "its numbers is not known.",
                           path);
    }
    return styles;
}

/* Reads the number format of each style. */
static apr_array_header_t *serial_formats(book_t *b, const char *path)
{
    apr_array_header_t *formats = apr_array_make(b->pool, 64, sizeof(lims_format_t));
    const lims_element_t *styles = read_styles(b, path);
    const lims_element_t *style = lims_xml_child(lims_xml_child(styles, "cellXfs"), "xf");
    apr_hash_t *own = own_formats(styles, b->pool);

    for (; style; style = lims_xml_next(style)) {
        int id = number_of(style, "numFmtId");
        const format_t *format = apr_hash_get(own, &id, sizeof(id));
        APR_ARRAY_PUSH(formats, lims_format_t) = format ? format->format : lims_format_of(id, NULL);
    }
    return formats;
}

/* --- The workbook ---------------------------------------------------------- */

static bool refuse_archive(book_t *b)
{
    lims_reasons_block(b->reasons, LIMS_REASON_UNSUPPORTED_CONTAINER, 0, 0,
                       "The file is an archive, but no workbook that could be read (.xlsx).");
    return false;
}

static bool read_sheet(apr_array_header_t *sheets, book_t *b, const lims_element_t *sheet,
                       const char *path)
{
    lims_stream_t *stream = path ? lims_archive_entry(b->archive, path, b->pool) : NULL;
    const char *state = lims_xml_attribute(sheet, "state");
    const char *name = lims_xml_attribute(sheet, "name");
    const lims_sheet_t *read;

    if (!stream) {
        lims_reasons_block(b->reasons, LIMS_REASON_TRUNCATED_FILE, 0, 0,
                           "The workbook names a sheet \"%s\" that is not in it.",
                           name ? name : "");
        return false;
    }
    b->context.name = name ? name : "";
    read = lims_xlsx_read_sheet(&b->context, stream, b->reasons, b->pool);
    if (!read) {
        return false;
    }
    APR_ARRAY_PUSH(sheets, lims_sheet_t) = *read;
    APR_ARRAY_IDX(sheets, sheets->nelts - 1, lims_sheet_t).hidden =
        state && strcmp(state, "visible") != 0;
    return true;
}

static bool read_sheets(apr_array_header_t *sheets, book_t *b, const lims_element_t *workbook,
                        const lims_element_t *relations, const char *part)
{
    const lims_element_t *sheet = lims_xml_child(lims_xml_child(workbook, "sheets"), "sheet");

    for (int count = 1; sheet; sheet = lims_xml_next(sheet), count++) {
        const char *id = lims_xml_attribute(sheet, "id");
        const char *path = id ? related_part(relations, part, id, NULL, b->pool) : NULL;

        if (count > LIMS_FILE_SHEETS_MAX) {
            lims_reasons_block(b->reasons, LIMS_REASON_ARCHIVE_LIMITS, 0, 0,
                               "The workbook has more than %d sheets.", LIMS_FILE_SHEETS_MAX);
            return false;
        }
        if (path && strstr(path, "chartsheets/")) {
            continue; /* a drawing, which has no cells */
        }
        if (!read_sheet(sheets, b, sheet, path)) {
            return false;
        }
    }
    return true;
}

static bool read_workbook(apr_array_header_t *sheets, book_t *b)
{
    const char *part =
        related_part(part_of(b, "_rels/.rels"), "", NULL, "/officeDocument", b->pool);
    bool binary = part && ends_with(part, ".bin"); /* an .xlsb workbook */
    const lims_element_t *workbook = part && !binary ? part_of(b, part) : NULL;
    const lims_element_t *relations;

    if (b->reasons->blocking || !workbook || strcmp(workbook->name, "workbook") != 0) {
        return b->reasons->blocking == 0 && refuse_archive(b);
    }
    relations = part_of(b, relations_path(part, b->pool));
    b->context.strings =
        shared_strings(b, related_part(relations, part, NULL, "/sharedStrings", b->pool));
    b->context.formats = serial_formats(b, related_part(relations, part, NULL, "/styles", b->pool));
    b->context.since_1904 =
        lims_xml_is_true(lims_xml_attribute(lims_xml_child(workbook, "workbookPr"), "date1904"));
    b->context.uncalculated =
        lims_xml_is_true(lims_xml_attribute(lims_xml_child(workbook, "calcPr"), "fullCalcOnLoad"));
    return b->reasons->blocking == 0 && read_sheets(sheets, b, workbook, relations, part);
}

const lims_workbook_t *lims_xlsx_read(const char *bytes, apr_size_t length, lims_reasons_t *reasons,
                                      apr_pool_t *pool)
{
    apr_array_header_t *sheets = apr_array_make(pool, 4, sizeof(lims_sheet_t));
    lims_workbook_t *workbook = apr_pcalloc(pool, sizeof(*workbook));
    book_t b = { .reasons = reasons, .pool = pool };

    b.archive = lims_archive_open(bytes, length, reasons, pool);
    if (!b.archive || !read_workbook(sheets, &b)) {
        return NULL;
    }
    workbook->count = sheets->nelts;
    workbook->sheets = (const lims_sheet_t *)sheets->elts;
    return workbook;
}
