/* SPDX-License-Identifier: Apache-2.0 */
/* Web pages as rows: what a person sees in a cell, in the column where he sees it. */
#include "formats/html.h"

#include "../lib/sheet.h"
#include "../lib/unit.h"

static apr_pool_t *pool;

static const char *read_page(const char *text)
{
    lims_reasons_t *reasons = lims_reasons_create(pool);
    const lims_text_t decoded = { .bytes = text, .length = strlen(text) };
    const lims_sheet_t *sheet = lims_html_read(&decoded, reasons, pool);

    return sheet ? sheet_text(sheet, pool) : reasons_text(reasons, pool);
}

static void test_rows(void)
{
    static const struct {
        const char *text, *outcome, *name;
    } cases[] = {
        { "<table><tr><td>a</td><td>b</td></tr><tr><td>1</td><td>2</td></tr></table>",
          "1[a][b] 2[1][2] 3", "a table, and a blank row behind it" },
        { "<TABLE>\n<TR><TH>a<TH>b\n<TR><TD>1<TD>2</TABLE>", "1[a][b] 2[1][2] 3",
          "tags that are left out" },
        { "<table><td>1</table>", "1[1] 2", "a row that is not begun" },
        { "<html><head><title>x</title><style>td {}</style></head><body><h1>Run 7</h1>"
          "<p>Operator: <b>me</b></p><table><caption>Results</caption><tbody><tr><td>1</tbody>"
          "</table>end</body></html>",
          "1[Run 7] 2[Operator: me] 3[Results] 4[1] 5 6[end]", "text around a table" },
        { "<table><tr><td colspan=2>a</td><td>b</td></tr><tr><td>1<td>2<td>3</table>",
          "1[a][][b] 2[1][2][3] 3", "a cell over columns" },
        { "<table><tr><td rowspan='2'>S1<td>a<td>1<tr><td>b<td>2<tr><td>S2<td>a<td>3</table>",
          "1[S1][a][1] 2[S1][b][2] 3[S2][a][3] 4", "a cell over rows stands in each" },
        { "<table><tr><td>a<td rowspan=2>b<tr><td>c<tr><td>d</table>", "1[a][b] 2[c][b] 3[d] 4",
          "over rows, at their end" },
        { "<table><tr><td rowspan=9>a<td>b</tr></tbody><tr><td>c</table>", "1[a][b] 2[c] 3",
          "but not beyond its group of rows" },
        { "<table><tr><td title=\"a rowspan=2 > colspan=3\">a<td>b<tr><td>c</table>",
          "1[a][b] 2[c] 3", "attributes in others' values" },
        { "<table><tr><td> a\n b&nbsp;<br>c </td><td><p>d</p><p>e</p></td></table>",
          "1[a b\xc2\xa0\nc][d\ne] 2", "blanks and line breaks" },
        { "<table><td>10<sup>3</sup><td>NO<sub>3</sub><td><sup>1</sup>5</table>",
          "1[10^3][NO_3][15] 2", "what is raised is not joined to a number" },
        { "<table><td>&lt;0.5 &amp; &micro;g &#181;&#xB5;&#146;&le;<td>R&D & Q<td>< 0.5</table>",
          "1[<0.5 & \xc2\xb5g \xc2\xb5\xc2\xb5\xe2\x80\x99\xe2\x89\xa4][R&D & Q][< 0.5] 2",
          "references, and ampersands that are none" },
        { "<!-- <table> --><!--><table><td>1<!-- 2 --></td></table><script>'<table>'</script>",
          "1[1] 2", "comments and scripts" },
        { "<pre>a\nb</pre><table><td>1</table>", "1[a] 2[b] 3[1] 4", "lines that are kept" },
        { "<table><td><o:p>1</o:p><input value=7></table>", "1[1] 2", "what office programs add" },
        { "<table><tr></tr><tr><td></table>", "1 2[] 3", "empty rows and cells" },
    };

    for (apr_size_t i = 0; i < LIMS_LENGTH(cases); i++) {
        is(read_page(cases[i].text), cases[i].outcome, cases[i].name);
    }
}

static void test_refused(void)
{
#define AT(line, what) "structure_mismatch@0 Line " line " of the web page: " what "."
#define CUT(line)                                                                                  \
    "truncated_file@0 Line " line " of the web page: the page ends within what begins here."
#define CHARACTER "\"&\" begins the name of a character that is not known, or does not end"
    static const struct {
        const char *text, *outcome, *name;
    } cases[] = {
        { "<table><td><table><td>1</table></table>",
          AT("1", "a table stands within a table, whose cells could not be told apart"),
          "a table within a table" },
        { "<table><td>1\n</td>", CUT("2"), "a table that does not end" },
        { "<html><table><td>1</table>", CUT("1"), "a page that does not end" },
        { "<table><td>1</table><!-- x", CUT("1"), "a comment that does not end" },
        { "<table><td>1</table><script> x", CUT("1"), "a script that does not end" },
        { "<table><td a=\"1>2</table>", CUT("1"), "a tag that does not end" },
        { "<table><td>1</table", CUT("1"), "a tag that is cut" },
        { "<table><td>&foo;</table>", AT("1", CHARACTER), "an unknown character" },
        { "<table><td>&lt5</table>", AT("1", CHARACTER), "a reference that does not end" },
        { "<table><td>&#xD800;</table>", AT("1", CHARACTER), "half a character" },
        { "<table><td>&#0;</table>", AT("1", CHARACTER), "no character" },
        { "<table><td><LOD></table>", AT("1", "<lod> in a cell is not an element that is known"),
          "a value that looks like an element" },
        { "<table><td><LOD</td></table>", AT("1", "a tag begins within a tag"),
          "or like half one" },
        { "<table><tr><td>1</td>2<td>3</table>", AT("1", "text stands between the cells of a row"),
          "text between cells" },
        { "<td>1</td>", AT("1", "a cell stands in no table"), "a cell without a table" },
        { "<p>Please log in</p>", "unsupported_container@0 The file is a web page without a table.",
          "no table" },
    };

    for (apr_size_t i = 0; i < LIMS_LENGTH(cases); i++) {
        is(read_page(cases[i].text), cases[i].outcome, cases[i].name);
    }
}

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

static void test_bounds(void)
{
    const char *wide =
        apr_pstrcat(pool, "<table>", many("<td colspan=1000>a", 5), "</table>", NULL);
    const char *much = apr_pstrcat(pool, "<table><tr>", many("<td rowspan=99999 colspan=1000>a", 4),
                                   many("<tr><td>b", 300), "</table>", NULL);
    const char *rows = apr_pstrcat(pool, "<table>", many("<tr>", LIMS_FILE_ROWS_MAX + 1), NULL);

    has(read_page(wide), "too_many_rows@1", "columns");
    has(read_page(much), "too_many_rows@", "cells that reach down");
    has(read_page(rows), "too_many_rows@", "rows");
    has(read_page(apr_pstrcat(pool, "<table><td title='", many("x", 70000), "'>", NULL)),
        "truncated_file", "a long tag");
}

static void test_charset(void)
{
    static const char *const cases[][3] = {
        { "<meta charset=utf-8>", "utf-8", "an attribute" },
        { "<META http-equiv=Content-Type content=\"text/html; charset=ISO-8859-1\">",
          "windows-1252", "a content type" },
        { "<meta charset=\"nosuch\">", NULL, "an unknown one" },
        { "<meta charset=", NULL, "none" },
        { "<table>", NULL, "no word" },
    };

    for (apr_size_t i = 0; i < LIMS_LENGTH(cases); i++) {
        is(lims_html_charset(cases[i][0], strlen(cases[i][0]), pool), cases[i][1], cases[i][2]);
    }
}

int main(void)
{
    pool = unit_pool();
    test_rows();
    test_refused();
    test_bounds();
    test_charset();
    return tap_done();
}
