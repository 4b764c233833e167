/* SPDX-License-Identifier: Apache-2.0 */
/*
 * archive.h - writes ZIP archives, and in them workbooks, for the tests of what
 * reads them.
 */
#ifndef LIMS_ARCHIVE_TEST_H
#define LIMS_ARCHIVE_TEST_H

#include <apr_strings.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

typedef struct {
    const char *path, *text;
} part_t;

/* The bytes of an archive of these parts, compressed or not; those without a text are
 * left out. */
static inline const char *archive_of(apr_size_t *length, const part_t *parts, apr_size_t count,
                                     bool stored, apr_pool_t *pool)
{
    zip_source_t *target = zip_source_buffer_create(NULL, 0, 0, NULL);
    zip_t *zip = zip_open_from_source(target, ZIP_TRUNCATE, NULL);
    zip_stat_t stat;
    char *bytes;

    if (!zip) {
        exit(2);
    }
    zip_source_keep(target);
    for (apr_size_t i = 0; i < count; i++) {
        if (parts[i].text) {
            zip_source_t *part = zip_source_buffer(zip, parts[i].text, strlen(parts[i].text), 0);
            zip_int64_t index = zip_file_add(zip, parts[i].path, part, ZIP_FL_ENC_UTF_8);
            zip_set_file_compression(zip, (zip_uint64_t)index,
                                     stored ? ZIP_CM_STORE : ZIP_CM_DEFLATE, 0);
        }
    }
    if (zip_close(zip) != 0 || zip_source_stat(target, &stat) != 0 ||
        zip_source_open(target) != 0) {
        exit(2);
    }
    bytes = apr_palloc(pool, stat.size + 1);
    *length = (apr_size_t)zip_source_read(target, bytes, stat.size);
    zip_source_close(target);
    zip_source_free(target);
    return bytes;
}

/* The parts of a workbook. */
typedef struct {
    const char *workbook; /* <sheets> and what stands beside it; NULL: one sheet "S" */
    const char *strings;  /* of the table of shared strings, or NULL */
    const char *styles;   /* of the style sheet, or NULL */
    const char *sheet;    /* the rows of the first sheet; NULL: its part is missing */
    const char *second;   /* of a second one, or NULL */
} book_parts_t;

#define BOOK_XML "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"
#define BOOK_TYPE "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"

static inline const char *book_element(const char *name, const char *inner, apr_pool_t *pool)
{
    return inner ? apr_pstrcat(pool, BOOK_XML, "<", name, ">", inner, "</", name, ">", NULL) : NULL;
}

static inline const char *book_relation(const char *id, const char *type, const char *target,
                                        apr_pool_t *pool)
{
    return apr_psprintf(pool, "<Relationship Id=\"%s\" Type=\"" BOOK_TYPE "%s\" Target=\"%s\"/>",
                        id, type, target);
}

static inline const char *book_of(apr_size_t *length, const book_parts_t *book, bool stored,
                                  apr_pool_t *pool)
{
    const char *top = book_relation("rId1", "officeDocument", "xl/workbook.xml", pool);
    const char *all =
        apr_pstrcat(pool, book_relation("rId1", "worksheet", "worksheets/sheet1.xml", pool),
                    book_relation("rId2", "sharedStrings", "sharedStrings.xml", pool),
                    book->styles ? book_relation("rId3", "styles", "/xl/styles.xml", pool) : "",
                    book_relation("rId4", "worksheet", "worksheets/sheet2.xml", pool),
                    book_relation("rId5", "chartsheet", "chartsheets/sheet3.xml", pool), NULL);
    const char *sheets =
        book->workbook ? book->workbook : "<sheets><sheet name=\"S\" id=\"rId1\"/></sheets>";
    const part_t parts[] = {
        { "_rels/.rels", book_element("Relationships", top, pool) },
        { "xl/workbook.xml", book_element("workbook", sheets, pool) },
        { "xl/_rels/workbook.xml.rels", book_element("Relationships", all, pool) },
        { "xl/sharedStrings.xml", book_element("sst", book->strings, pool) },
        { "xl/styles.xml", book_element("styleSheet", book->styles, pool) },
        { "xl/worksheets/sheet1.xml", book_element("worksheet", book->sheet, pool) },
        { "xl/worksheets/sheet2.xml", book_element("worksheet", book->second, pool) },
    };

    return archive_of(length, parts, sizeof(parts) / sizeof(parts[0]), stored, pool);
}

#endif /* LIMS_ARCHIVE_TEST_H */
