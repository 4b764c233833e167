/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/xml.h"

#include "../lib/sheet.h"
#include "../lib/unit.h"

static apr_pool_t *pool;

static const char *many(const char *text, int count)
{
    apr_size_t length = strlen(text);
    char *all = apr_palloc(pool, length * (apr_size_t)count + 1);

    for (int i = 0; i < count; i++) {
        memcpy(all + (apr_size_t)i * length, text, length);
    }
    all[length * (apr_size_t)count] = '\0';
    return all;
}

static const char *read_bytes(const char *bytes, apr_size_t length)
{
    lims_reasons_t *reasons = lims_reasons_create(pool);
    const lims_element_t *root =
        lims_xml_read(lims_stream_bytes(bytes, length, pool), reasons, pool);
    const lims_sheet_t *sheet = root ? lims_xml_sheet(root, reasons, pool) : NULL;

    return sheet ? sheet_text(sheet, pool) : reasons_text(reasons, pool);
}

static void test_sheet(void)
{
    static const struct {
        const char *text, *outcome, *name;
    } cases[] = {
        { "<a>1</a>", "1[][a][1]", "an element" },
        { "<a>\n<b>1</b>\n<b c=\"2\" d=\"3\"/></a>", "2[a][b][1] 3[b][c][2] 3[b][d][3]",
          "children and attributes, by line" },
        { "<a>1<b/>2</a>", "1[][a][12]", "text around an element belongs together" },
        { "<a> <b> </b> </a>", "1[a][b][ ]", "blank text between elements is none" },
        { "<p:a xmlns:p=\"urn:p\" p:b=\"1\"><p:c>2</p:c></p:a>", "1[a][b][1] 1[a][c][2]",
          "prefixes are left out" },
        { "<a><![CDATA[<b>]]>&amp;&#181;<!-- c --><?d e?></a>", "1[][a][<b>&\xc2\xb5]",
          "sections, references, comments" },
        { "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>\xb5</a>", "1[][a][\xc2\xb5]",
          "the encoding that it declares" },
        { "<a><b></a>", "structure_mismatch@1 Line 1 of the XML: mismatched tag.", "malformed" },
        { "<a/><b/>", "structure_mismatch@1 Line 1 of the XML: junk after document element.",
          "two roots" },
        { "<!DOCTYPE a><a/>",
          "structure_mismatch@1 Line 1 of the XML: a document type is not accepted.",
          "a document type" },
        { "<!DOCTYPE a [<!ENTITY b SYSTEM \"file:///etc/passwd\">]><a>&b;</a>",
          "structure_mismatch@1 Line 1 of the XML: a document type is not accepted.",
          "an entity of one's own" },
        { "<a>&b;</a>", "structure_mismatch@1 Line 1 of the XML: undefined entity.",
          "an entity that is none" },
        { "<a>\n<b>", "truncated_file@2 The XML ends on line 2 within an element: it was cut off.",
          "cut off" },
    };
    static const char wide[] = "\xff\xfe<\0a\0>\0\xb5\0<\0/\0a\0>\0";

    for (apr_size_t i = 0; i < LIMS_LENGTH(cases); i++) {
        is(read_bytes(cases[i].text, strlen(cases[i].text)), cases[i].outcome, cases[i].name);
    }
    is(read_bytes(wide, sizeof(wide) - 1), "1[][a][\xc2\xb5]", "UTF-16");
}

static void test_bounds(void)
{
    const char *deep = many("<a>", LIMS_XML_DEPTH_MAX + 1);
    const char *wide = apr_pstrcat(pool, "<a>", many("<b/>", LIMS_XML_ELEMENTS_MAX), NULL);
    const char *cell =
        apr_pstrcat(pool, "<a><b>c</b>", many("x", LIMS_FILE_CELL_MAX + 1), "</a>", NULL);

    const char *tag = apr_pstrcat(pool, "<a b=\"", many("x", 2 * LIMS_XML_TOKEN_MAX), "\"/>", NULL);
    lims_reasons_t *reasons = lims_reasons_create(pool);

    is(read_bytes(tag, strlen(tag)),
       "structure_mismatch@1 Line 1 of the XML: a tag or a comment is too long.", "a long tag");
    reasons->text = LIMS_FILE_TEXT_MAX - 3;
    ok(lims_xml_read(lims_stream_bytes("<a>12</a>", 9, pool), reasons, pool) && !reasons->count,
       "as much text as allowed");
    reasons->text = LIMS_FILE_TEXT_MAX - 3;
    ok(!lims_xml_read(lims_stream_bytes("<a>123</a>", 10, pool), reasons, pool),
       "one byte of text more than allowed");
    is(reasons_text(reasons, pool), "archive_limits@0 The file holds more than 64 MB of text.",
       "the reason is archive_limits");
    is(read_bytes(deep, strlen(deep)),
       "structure_mismatch@1 Line 1 of the XML: elements are nested too deep.",
       "one level deeper than allowed");
    is(read_bytes(wide, strlen(wide)),
       "too_many_rows@1 The file has more than 200000 XML elements.",
       "one element more than allowed");
    is(read_bytes(cell, strlen(cell)), "1[a][b][c]", "a text that is too long for a cell is none");
}

static void test_tree(void)
{
    static const char text[] = "<a><b c=\"1\">x</b><d/><b>y</b></a>";
    lims_reasons_t *reasons = lims_reasons_create(pool);
    const lims_element_t *root =
        lims_xml_read(lims_stream_bytes(text, sizeof(text) - 1, pool), reasons, pool);
    const lims_element_t *b = lims_xml_child(root, "b");

    is(root->name, "a", "the root");
    is(lims_xml_attribute(b, "c"), "1", "an attribute");
    ok(!lims_xml_attribute(b, "d"), "an attribute that is not there");
    is(lims_xml_next(b)->text, "y", "the next of the same name");
    ok(!lims_xml_next(lims_xml_next(b)), "a third sibling does not exist");
    ok(!lims_xml_child(root, "e") && !lims_xml_child(NULL, "e"), "a child that is not there");
    ok(b->parent == root, "an element knows the one around it");
}

int main(void)
{
    pool = unit_pool();
    test_sheet();
    test_bounds();
    test_tree();
    return tap_done();
}
