/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of workbooks are taken as a reader of the sheet sees them, or not at all. */
#include "../lib/archive.h"
#include "../lib/readings.h"

static apr_pool_t *pool;

#define OF_TESTS(tests, more)                                                                      \
    "{'code': 'c', 'name': 'n', 'layout': 'wide', 'match': {'container': 'xlsx', 'headers':"       \
    " ['ID', 'A']}, 'columns': {'trackingId': 'ID', 'dilution': 'D'}, 'tests': [" tests "]" more   \
    "}"

#define PROFILE(more) OF_TESTS("{'name': 'A', 'testCode': 'A', 'unit': '%'}", more)

/* A cell of a style: 1 is a percentage, 2 shows thousands, 3 two digits, 4 a date. */
static const char *read_cells(const char *profile, const char *cells)
{
    const book_parts_t book = {
        .styles = "<numFmts><numFmt numFmtId=\"164\" formatCode=\"0.0,\"/></numFmts>"
                  "<cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"10\"/><xf numFmtId=\"164\"/>"
                  "<xf numFmtId=\"2\"/><xf numFmtId=\"14\"/></cellXfs>",
        .sheet = apr_pstrcat(pool,
                             "<sheetData><row r=\"1\"><c t=\"str\"><v>ID</v></c><c t=\"str\">"
                             "<v>A</v></c><c t=\"str\"><v>D</v></c></row><row r=\"2\"><c t=\"str\">"
                             "<v>S1</v></c>",
                             cells, "</row></sheetData>", NULL),
    };
    apr_size_t length;
    const char *bytes = book_of(&length, &book, true, pool);
    const lims_readings_t *out =
        lims_file_read_with(bytes, length, "f", profile_of(profile, pool), pool);

    return apr_pstrcat(pool, readings_text(out, pool), " ", why_text(out, pool), NULL);
}

int main(void)
{
    static const char kept[] = PROFILE(", 'numbers': {'percent': 'keep'}");
    static const char comma[] = PROFILE(", 'numbers': {'decimal': ',', 'group': ['.']}");
    static const char blank[] = PROFILE(", 'numbers': {'blank': 'skip'}");
    static const char text[] = OF_TESTS("{'name': 'A', 'testCode': 'A', 'kind': 'text'}", "");

    pool = unit_pool();
    is(read_cells(kept, "<c s=\"1\"><v>0.125</v></c>"), "2:2 S1 A=12.5 % ",
       "0.125 that the sheet shows as 12.50% is 12.5 in percent");
    is(read_cells(PROFILE(""), "<c s=\"1\"><v>0.125</v></c>"),
       "2:2 S1 A=? S!non_numeric@2:2 [12.5%]", "without a rule for it, a percentage is no number");
    is(read_cells(kept, "<c s=\"2\"><v>12500</v></c>"),
       "2:2 S1 A=12500 % S!ambiguous_number@2:2 [12500]", "thousands that are shown");
    is(read_cells(kept, "<c s=\"3\"><v>2.5</v></c>"), "2:2 S1 A=2.5 % ",
       "2.5 that the sheet shows as 2.50 has the digits that the workbook keeps");
    is(read_cells(kept, "<c><v>1</v></c><c s=\"2\"><v>5000</v></c>"),
       "2:2 S1 A=1 % d5000 S!ambiguous_number@2:3 [5000]", "a formatted cell beside a value too");
    is(read_cells(comma, "<c><v>1.234</v></c><c><v>2.125</v></c>"), "2:2 S1 A=1.234 % d2.125 ",
       "a number cell has a decimal point, also where texts have a comma and points for groups");
    is(read_cells(comma, "<c t=\"str\"><v>1.234</v></c>"), "2:2 S1 A=1234 % ",
       "a text of a workbook has the signs of the profile");
    is(read_cells(text, "<c s=\"4\"><v>45000</v></c>"), "2:2 S1 A=? S!non_numeric@2:2 [2023-03-15]",
       "a date that the workbook made of a text is no text");
    is(read_cells(text, "<c t=\"str\"><v>1/40</v></c>"), "2:2 S1 A=1/40 ", "a text is");
    is(read_cells(kept, "<c s=\"4\"><v>0</v></c>"), "2:2 S1 A=0 % S!ambiguous_number@2:2 [0]",
       "0 in a cell of dates, which the sheet shows as 00.01.1900, is held back");
    is(read_cells(kept, "<c s=\"4\"><v>-2.5</v></c>"),
       "2:2 S1 A=-2.5 % S!ambiguous_number@2:2 [-2.5]",
       "a number that no date can be, in a cell of dates, is held back");
    is(read_cells(kept, "<c t=\"inlineStr\"><is><r><t>10</t></r><r><rPr><vertAlign val="
                        "\"superscript\"/></rPr><t>5</t></r></is></c>"),
       "2:2 S1 A=? S!non_numeric@2:2 [10^5]", "10 to the power of 5 is not 105");
    is(read_cells(blank, "<c><f>C2*2</f></c><c><v>1</v></c>"),
       "2:2 S1 A=? d1 S!formula_error@2:2 [#NOT CALCULATED]",
       "a formula that was never calculated is refused, also where a blank means nothing measured");
    is(read_cells(blank, "<c t=\"str\"><f>\"\"</f><v></v></c><c><v>1</v></c>"),
       " no_result_rows@0:0", "a formula whose value is an empty text is a blank");
    is(read_cells(kept,
                  "<c><v>1</v></c></row><row r=\"3\" hidden=\"1\"><c t=\"str\"><v>S2</v></c>"
                  "<c><v>2</v></c></row><row r=\"4\"><c t=\"str\"><v>S3</v></c><c><v>3</v></c>"),
       "2:2 S1 A=1 %|3:2 S2 A=2 %|4:2 S3 A=3 % S!structure_mismatch@3:0",
       "results in a row that the workbook hides are held back");
    apr_pool_destroy(pool);
    return tap_done();
}
