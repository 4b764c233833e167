/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/workbook.h"

#include "../lib/archive.h"
#include "../lib/sheet.h"
#include "../lib/unit.h"

static apr_pool_t *pool;

#define ROW(cells) "<sheetData><row r=\"1\">" cells "</row></sheetData>"

static const char *workbook_text(const lims_workbook_t *workbook, const lims_reasons_t *reasons)
{
    const char *text = "";

    for (int i = 0; workbook && i < workbook->count; i++) {
        const lims_sheet_t *sheet = &workbook->sheets[i];
        text = apr_pstrcat(pool, text, i ? " | " : "", sheet->name,
                           sheet->hidden ? "(hidden) " : " ", sheet_text(sheet, pool), NULL);
    }
    return workbook ? text : reasons_text(reasons, pool);
}

static const char *read_book(const book_parts_t *parts)
{
    lims_reasons_t *reasons = lims_reasons_create(pool);
    apr_size_t length;
    const char *bytes = book_of(&length, parts, false, pool);

    return workbook_text(lims_xlsx_read(bytes, length, reasons, pool), reasons);
}

#define RAISED "<r><rPr><vertAlign val=\"superscript\"/></rPr><t>"
#define STRINGS                                                                                    \
    "<si><t>one</t></si><si><r><t>t</t></r><r><t xml:space=\"preserve\"> wo</t></r>"               \
    "<rPh><t>x</t></rPh></si><si><t>_x20AC_</t></si>"                                              \
    "<si><r><t>2.5 x 10</t></r>" RAISED "6</t></r><r><rPr/><t> CFU</t></r></si>"
#define STYLES                                                                                     \
    "<numFmts><numFmt numFmtId=\"164\" formatCode=\"dd.mm.yyyy hh:mm\"/>"                          \
    "<numFmt numFmtId=\"165\" formatCode=\"0.00&quot;day&quot;\"/></numFmts>"                      \
    "<cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"164\"/><xf numFmtId=\"165\"/>"                    \
    "<xf numFmtId=\"21\"/><xf numFmtId=\"14\"/></cellXfs>"

static void test_cells(void)
{
    static const struct {
        const char *sheet, *outcome, *name;
    } cases[] = {
        { ROW("<c r=\"A1\" t=\"s\"><v>0</v></c><c r=\"C1\" t=\"s\"><v>1</v></c>"),
          "S 1[one][][t wo]", "shared strings, and a cell left out" },
        { ROW("<c><v>1</v></c><c><v>2.50</v></c>"), "S 1[1][2.50]", "cells without a reference" },
        { ROW("<c t=\"inlineStr\"><is><t>in</t></is></c>"), "S 1[in]", "an inline string" },
        { ROW("<c t=\"str\"><f>A1&amp;B1</f><v>made</v></c>"), "S 1[made]", "a formula's text" },
        { ROW("<c><f>B1*2</f></c><c><f>B1</f><v/></c><c t=\"str\"><f>\"\"</f><v></v></c>"
              "<c><v>1</v></c>"),
          "S 1[#NOT CALCULATED][#NOT CALCULATED][][1]",
          "formulas without a value, and one whose value is an empty text" },
        { "<sheetData><row r=\"1\"><c><v>1</v></c></row><row r=\"2\" hidden=\"1\"><c><v>2</v></c>"
          "<c><v>3</v></c></row><row r=\"3\" hidden=\"0\"><c><v>4</v></c></row></sheetData>",
          "S 1[1] 2(hidden)[2][3] 3[4]", "a hidden row" },
        { ROW("<c t=\"b\"><v>1</v></c><c t=\"b\"><v>0</v></c>"), "S 1[TRUE][FALSE]", "booleans" },
        { ROW("<c t=\"e\"><v>#DIV/0!</v></c>"), "S 1[#DIV/0!]", "an error" },
        { ROW("<c t=\"d\"><v>2026-11-21</v></c>"), "S 1[2026-11-21]", "a date as text" },
        { ROW("<c><v>10.712910652160645</v></c><c><v>7.0999999999999996</v></c>"
              "<c><v>1.0000000000000001E-5</v></c><c><v>5E-2</v></c><c><v>1.5E+30</v></c>"),
          "S 1[10.712910652160645][7.1][0.00001][0.05][1.5e30]", "numbers as they were entered" },
        { ROW("<c s=\"1\"><v>46347.325</v></c><c s=\"2\"><v>1.5</v></c><c s=\"3\"><v>0.5</v></c>"
              "<c s=\"4\"><v>46347</v></c><c s=\"9\"><v>3</v></c>"),
          "S 1[2026-11-21T07:48:00][1.5][12:00:00][2026-11-21][3]", "dates by their formats" },
        { ROW("<c s=\"1\"/><c r=\"B1\"><v>1</v></c>"), "S 1[][1]", "a styled cell without value" },
        { "<sheetData><row r=\"3\"><c r=\"B3\"><v>1</v></c></row><row><c><v>2</v></c></row>"
          "<row r=\"9\"/></sheetData>",
          "S 3[][1] 4[2]", "rows have the numbers that they have" },
        { "<x:sheetData xmlns:x=\"urn:x\"><x:row r=\"1\"><x:c><x:v>1</x:v></x:c></x:row>"
          "</x:sheetData>",
          "S 1[1]", "with prefixes" },
        { ROW("<c r=\"B1\"><v>1</v></c><c r=\"A1\"><v>1</v></c>"),
          "structure_mismatch@1 The cells of a row do not ascend.", "cells that go back" },
        { ROW("<c r=\"A2\"><v>1</v></c>"), "structure_mismatch@1 The cells of a row do not ascend.",
          "a cell of another row" },
        { ROW("<c r=\"1A\"><v>1</v></c>"),
          "structure_mismatch@1 The reference of a cell is invalid.", "no reference" },
        { "<row r=\"2\"/><row r=\"2\"/>",
          "structure_mismatch@2 The rows of the sheet do not ascend.", "a row twice" },
        { ROW("<c t=\"s\"><v>4</v></c>"),
          "structure_mismatch@1 A cell's value does not have the declared type.",
          "a string that is not there" },
        { ROW("<c><v>abc</v></c>"),
          "structure_mismatch@1 A cell's value does not have the declared type.",
          "a number that is none" },
        { ROW("<c t=\"b\"><v>2</v></c>"),
          "structure_mismatch@1 A cell's value does not have the declared type.",
          "a boolean that is none" },
        { ROW("<c r=\"ZZZ1\"><v>1</v></c>"),
          "too_many_rows@1 The file has more than 4096 columns, or 1000000 cells in all.",
          "far to the right" },
        { "<row>",
          "structure_mismatch@1 Line 1 of the XML of xl/worksheets/sheet1.xml: mismatched "
          "tag.",
          "malformed" },
    };

    for (apr_size_t i = 0; i < LIMS_LENGTH(cases); i++) {
        const book_parts_t parts = { NULL, STRINGS, STYLES, cases[i].sheet, NULL };
        is(read_book(&parts), cases[i].outcome, cases[i].name);
    }
}

static void test_texts(void)
{
    static const struct {
        const char *sheet, *outcome, *name;
    } cases[] = {
        { ROW("<c t=\"str\"><v>a_x000D_b</v></c><c t=\"inlineStr\"><is><t>_x00b5_g_x005F_x000D_</t>"
              "</is></c><c t=\"s\"><v>2</v></c><c t=\"str\"><v>_xD800__x0000__x12_ _x00</v></c>"),
          "S 1[a\rb][\xc2\xb5g_x000D_][\xe2\x82\xac][_xD800__x0000__x12_ _x00]",
          "escaped characters" },
        { ROW("<c t=\"s\"><v>3</v></c><c t=\"inlineStr\"><is><r><t>10</t></r>" RAISED
              "-5</t></r><r><t> m</t></r>" RAISED "3</t></r></is></c><c t=\"inlineStr\"><is>"
              "<r><t>5.2</t></r>" RAISED "a</t></r></is></c>"),
          "S 1[2.5 x 10^6 CFU][10^-5 m3][5.2a]", "superscripts" },
    };

    for (apr_size_t i = 0; i < LIMS_LENGTH(cases); i++) {
        const book_parts_t parts = { NULL, STRINGS, STYLES, cases[i].sheet, NULL };
        is(read_book(&parts), cases[i].outcome, cases[i].name);
    }
}

static void test_books(void)
{
    static const struct {
        book_parts_t parts;
        const char *outcome, *name;
    } cases[] = {
        { { "<sheets><sheet name=\"A\" id=\"rId4\"/><sheet name=\"C\" id=\"rId5\"/>"
            "<sheet name=\"B\" state=\"hidden\" id=\"rId1\"/></sheets>",
            NULL, NULL, ROW("<c><v>1</v></c>"), ROW("<c><v>2</v></c>") },
          "A 1[2] | B(hidden) 1[1]",
          "sheets in the workbook's order, charts left out" },
        { { "<workbookPr date1904=\"1\"/><sheets><sheet name=\"S\" id=\"rId1\"/></sheets>", NULL,
            STYLES, ROW("<c s=\"4\"><v>1</v></c>"), NULL },
          "S 1[1904-01-02]",
          "days since 1904" },
        { { "<sheets><sheet name=\"S\" id=\"rId1\"/></sheets><calcPr fullCalcOnLoad=\"1\"/>", NULL,
            NULL,
            ROW("<c><f>B1*2</f><v>0</v></c><c><f>B1</f><v>0.0</v></c><c><f>B1</f><v>0.5</v></c>"
                "<c><v>0</v></c><c t=\"b\"><f>B1</f><v>0</v></c>"),
            NULL },
          "S 1[#NOT CALCULATED][#NOT CALCULATED][0.5][0][FALSE]",
          "formulas that the program which opens the workbook is to calculate" },
        { { NULL, NULL, NULL, ROW("<c><f>B1*2</f><v>0</v></c>"), NULL },
          "S 1[0]",
          "a formula whose value is 0" },
        { { "<sheets/>", NULL, NULL, NULL, NULL }, "", "no sheets" },
        { { NULL, NULL, NULL, NULL, NULL },
          "truncated_file@0 The workbook names a sheet \"S\" that is not in it.",
          "a sheet that is missing" },
        { { "<sheets><sheet name=\"S\" id=\"rId99\"/></sheets>", NULL, NULL, ROW(""), NULL },
          "truncated_file@0 The workbook names a sheet \"S\" that is not in it.",
          "a sheet without a relation" },
        { { NULL, "<si>", NULL, ROW(""), NULL },
          "structure_mismatch@1 Line 1 of the XML of xl/sharedStrings.xml: mismatched tag.",
          "malformed strings" },
    };

    for (apr_size_t i = 0; i < LIMS_LENGTH(cases); i++) {
        is(read_book(&cases[i].parts), cases[i].outcome, cases[i].name);
    }
}

static const char *read_archive(const part_t *parts, apr_size_t count)
{
    lims_reasons_t *reasons = lims_reasons_create(pool);
    apr_size_t length;
    const char *bytes = archive_of(&length, parts, count, false, pool);

    return workbook_text(lims_xlsx_read(bytes, length, reasons, pool), reasons);
}

static void test_archives(void)
{
    const part_t styles[] = {
        { "_rels/.rels",
          book_element("Relationships",
                       book_relation("a", "officeDocument", "xl/workbook.xml", pool), pool) },
        { "xl/workbook.xml", "<workbook><sheets><sheet name=\"S\" id=\"b\"/></sheets></workbook>" },
        { "xl/_rels/workbook.xml.rels",
          book_element("Relationships",
                       apr_pstrcat(pool, book_relation("b", "worksheet", "sheet1.xml", pool),
                                   book_relation("c", "styles", "styles.xml", pool), NULL),
                       pool) },
        { "xl/sheet1.xml", "<worksheet>" ROW("<c s=\"0\"><v>46347</v></c>") "</worksheet>" },
        { "xl/Styles.xml", "<styleSheet><cellXfs><xf numFmtId=\"14\"/></cellXfs></styleSheet>" },
        { "xl/styles.xml", "<styleSheet><cellXfs><xf numFmtId=\"21\"/></cellXfs></styleSheet>" },
    };
    const part_t other[] = { { "word/document.xml", "<a/>" } };
    apr_size_t size = 2 * 1024 * 1024;
    char *zeros = apr_palloc(pool, size + 1);
    const part_t bomb[] = { { "_rels/.rels", zeros } };
    part_t many[LIMS_ARCHIVE_ENTRIES_MAX + 1];

    memset(zeros, '0', size);
    zeros[size] = '\0';
    for (apr_size_t i = 0; i < LIMS_LENGTH(many); i++) {
        many[i].path = apr_psprintf(pool, "%d", (int)i);
        many[i].text = "x";
    }
    is(read_archive(styles, LIMS_LENGTH(styles)), "S 1[2026-11-21T00:00:00]", "the very path");
    is(read_archive(styles, LIMS_LENGTH(styles) - 1), "S 1[2026-11-21]", "a path in another case");
    is(read_archive(styles, LIMS_LENGTH(styles) - 2),
       "truncated_file@0 The workbook names styles \"xl/styles.xml\" that are not in it: how it "
       "displays its numbers is not known.",
       "styles that are missing");
    is(read_archive(other, 1),
       "unsupported_container@0 The file is an archive, but no workbook that could be read "
       "(.xlsx).",
       "another archive");
    is(read_archive(bomb, 1),
       "archive_limits@0 The workbook inflates to more than 128 MB, or 200 times its size, or has "
       "more than 1000 parts.",
       "a part that inflates too much");
    is(read_archive(many, LIMS_LENGTH(many)),
       "archive_limits@0 The workbook inflates to more than 128 MB, or 200 times its size, or has "
       "more than 1000 parts.",
       "a part more");
}

/* Every beginning of a workbook is refused, as cut off; so is a byte that changed in
 * what is compressed. */
static void test_damage(void)
{
    const book_parts_t parts = { NULL, STRINGS, STYLES, ROW("<c t=\"s\"><v>0</v></c>"), NULL };
    apr_size_t length, told = 0, wrong = 0;
    const char *bytes = book_of(&length, &parts, false, pool);

    for (apr_size_t i = 4; i < length; i++) {
        apr_pool_t *p;
        lims_reasons_t *reasons;
        apr_pool_create(&p, pool);
        reasons = lims_reasons_create(p);
        if (!lims_xlsx_read(bytes, i, reasons, p) &&
            APR_ARRAY_IDX(reasons->list, 0, lims_reason_t).code == LIMS_REASON_TRUNCATED_FILE) {
            told++;
        }
        apr_pool_destroy(p);
    }
    ok(told == length - 4, "every beginning is told to be cut off");
    for (apr_size_t i = 0; i < length; i++) {
        char *copy = apr_pmemdup(pool, bytes, length);
        lims_reasons_t *reasons = lims_reasons_create(pool);
        const lims_workbook_t *book;
        copy[i] = (char)(copy[i] ^ 0x10);
        book = lims_xlsx_read(copy, length, reasons, pool);
        wrong += !book != (reasons->blocking > 0) ||
                 (book && book->count && strcmp(sheet_text(book->sheets, pool), "1[one]") != 0);
    }
    ok(wrong == 0, "a changed byte is told, or changes nothing");
}

/* A directory that promises a byte more, or less, of the sheet than there is. */
static void test_sizes(void)
{
    static const book_parts_t parts = { .sheet = ROW("<c><v>1</v></c>") };

    for (int more = -1; more <= 1; more += 2) {
        apr_size_t length, at;
        char *bytes = (char *)book_of(&length, &parts, false, pool);
        lims_reasons_t *reasons = lims_reasons_create(pool);
        for (at = length - 4; memcmp(bytes + at, "PK\1\2", 4) != 0; at--) {
        }
        bytes[at + 24] = (char)(bytes[at + 24] + more);
        is(workbook_text(lims_xlsx_read(bytes, length, reasons, pool), reasons),
           "truncated_file@0 The workbook's archive is damaged or cut off.",
           more > 0 ? "a part shorter than it should be" : "a part longer than it should be");
    }
}

/* Cells of the sheet as a reader sees them. */
static void test_shown(void)
{
    static const struct {
        const char *number, *code, *text;
        lims_cell_e kind;
    } cases[] = {
        { "0.125", "0.00%", "12.5%", LIMS_CELL_NUMBER },
        { "0.125", "0%;[Red]-0%", "12.5%", LIMS_CELL_NUMBER },
        { "-0.07", "0%;[Red]-0%", "-7%", LIMS_CELL_NUMBER },
        { "1", "0.0%", "100%", LIMS_CELL_NUMBER },
        { "0.001", "0.0%", "0.1%", LIMS_CELL_NUMBER },
        { "0", "0%", "0%", LIMS_CELL_NUMBER },
        { "12.5", "0.0\\%", "12.5", LIMS_CELL_NUMBER },
        { "2.5", "0.00", "2.5", LIMS_CELL_NUMBER },
        { "2.5", "General", "2.5", LIMS_CELL_NUMBER },
        { "2.5", "0.00\" mg/L\"", "2.5", LIMS_CELL_NUMBER },
        { "1250", "#,##0.00", "1250", LIMS_CELL_NUMBER },
        { "1250", "_(* #,##0_);_(* (#,##0);_(* \"-\"??_);_(@_)", "1250", LIMS_CELL_NUMBER },
        { "1250", "0.00E+00", "1250", LIMS_CELL_NUMBER },
        { "1250", "0.0,", "1250", LIMS_CELL_SHOWN },
        { "1250", "#,##0,\"k\"", "1250", LIMS_CELL_SHOWN },
        { "0.5", "\"<\"0.0", "0.5", LIMS_CELL_SHOWN },
        { "0.5", "<0.0", "0.5", LIMS_CELL_SHOWN },
        { "0.4", "[<0.5]\"<0.5\";0.00", "0.4", LIMS_CELL_SHOWN },
        { "0.6", "[<0.5]\"<0.5\";0.00", "0.6", LIMS_CELL_NUMBER },
        { "0", "0.0;-0.0;\"ND\"", "0", LIMS_CELL_SHOWN },
        { "1", "0.0;-0.0;\"ND\"", "1", LIMS_CELL_NUMBER },
        { "1", ";;;", "1", LIMS_CELL_SHOWN },
        { "0.1", "0%%", "0.1", LIMS_CELL_SHOWN },
        { "-1", "0.0;0.0", "-1", LIMS_CELL_SHOWN },
        { "-1", "0.0;[Red]0.0", "-1", LIMS_CELL_NUMBER },
        { "-1", "_(* #,##0_);_(* (#,##0);_(* \"-\"??_);_(@_)", "-1", LIMS_CELL_NUMBER },
        { "0", "_(* #,##0_);_(* (#,##0);_(* \"-\"??_);_(@_)", "0", LIMS_CELL_SHOWN },
        { "1250", "_-* #,##0_-;-* #,##0_-;_-* \"-\"??_-;_-@_-", "1250", LIMS_CELL_NUMBER },
        { "-1", "_-* #,##0_-;-* #,##0_-;_-* \"-\"??_-;_-@_-", "-1", LIMS_CELL_NUMBER },
        { "1", "\"-\"0.0", "1", LIMS_CELL_SHOWN },
        { "-1", "0.0;@", "-1", LIMS_CELL_NUMBER },
        { "-1", "[>=10]0;0.0", "-1", LIMS_CELL_NUMBER },
        { "2.7755575615628914e-17", "[<0.5]\"<0.5\";0.00", "2.7755575615628914e-17",
          LIMS_CELL_SHOWN },
        { "2.7755575615628914e-17", "0.00%", "2.7755575615628914e-17", LIMS_CELL_SHOWN },
        { "2.7755575615628914e-17", "0.00E+00", "2.7755575615628914e-17", LIMS_CELL_NUMBER },
        { "5", "0\"000\"", "5", LIMS_CELL_SHOWN },
        { "1250", "0\\.00", "1250", LIMS_CELL_SHOWN },
        { "5.2", "0.0\" x 10^3\"", "5.2", LIMS_CELL_SHOWN },
        { "5.2", "0.0\"\xc3\x97 10\"", "5.2", LIMS_CELL_SHOWN },
        { "5.2", "0.0\"E+3\"", "5.2", LIMS_CELL_SHOWN },
        { "5.2", "0.0\" EU/mL\"", "5.2", LIMS_CELL_NUMBER },
        { "5.2", "0.0\" x\"", "5.2", LIMS_CELL_NUMBER },
        { "1", "[", "1", LIMS_CELL_SHOWN },
        { "1", "0\"", "1", LIMS_CELL_NUMBER },
        { "1", "0\\", "1", LIMS_CELL_NUMBER },
    };

    for (apr_size_t i = 0; i < LIMS_LENGTH(cases); i++) {
        lims_cell_e kind = LIMS_CELL_NUMBER;

        is(lims_format_shown(&kind, cases[i].number, cases[i].code, pool), cases[i].text,
           cases[i].code);
        is_number(kind, cases[i].kind, "the kind of the cell is recognised");
    }
    is(lims_format_of(10, NULL).code, "0%", "a format that is built in");
}

static void test_serials(void)
{
    static const struct {
        const char *text;
        lims_serial_e format;
        bool since_1904;
        const char *time;
    } cases[] = {
        { "1", LIMS_SERIAL_DATE, false, "1900-01-01" },
        { "59", LIMS_SERIAL_DATE, false, "1900-02-28" },
        { "60", LIMS_SERIAL_DATE, false, NULL }, /* 29 February 1900 was no day */
        { "61", LIMS_SERIAL_DATE, false, "1900-03-01" },
        { "0", LIMS_SERIAL_DATE, true, "1904-01-01" },
        { "46347.99999999", LIMS_SERIAL_DATE, false, "2026-11-22" },
        { "2958465", LIMS_SERIAL_DATE, false, "9999-12-31" },
        { "2958466", LIMS_SERIAL_DATE, false, NULL },
        { "-1", LIMS_SERIAL_DATE, false, NULL },
        { "0.25", LIMS_SERIAL_TIME, false, "06:00:00" },
        { "x", LIMS_SERIAL_DATE, false, NULL },
    };
    static const struct {
        int number;
        const char *code;
        lims_serial_e format;
    } formats[] = {
        { 14, NULL, LIMS_SERIAL_DATE },          { 21, NULL, LIMS_SERIAL_TIME },
        { 2, NULL, LIMS_SERIAL_NUMBER },         { 164, "General", LIMS_SERIAL_NUMBER },
        { 164, "#,##0.00", LIMS_SERIAL_NUMBER }, { 164, "0.0\"d\"", LIMS_SERIAL_NUMBER },
        { 164, "yyyy\\-mm", LIMS_SERIAL_DATE },  { 164, "[h]:mm", LIMS_SERIAL_TIME },
        { 164, "[Red]0", LIMS_SERIAL_NUMBER },   { 164, "0;dd", LIMS_SERIAL_NUMBER },
    };

    for (apr_size_t i = 0; i < LIMS_LENGTH(cases); i++) {
        const char *time =
            lims_serial_time(cases[i].text, cases[i].format, cases[i].since_1904, pool);
        is(time ? time : "none", cases[i].time ? cases[i].time : "none", cases[i].text);
    }
    for (apr_size_t i = 0; i < LIMS_LENGTH(formats); i++) {
        ok(lims_serial_format(formats[i].number, formats[i].code) == formats[i].format, "%d %s",
           formats[i].number, formats[i].code ? formats[i].code : "");
    }
}

int main(void)
{
    pool = unit_pool();
    test_cells();
    test_texts();
    test_books();
    test_archives();
    test_damage();
    test_sizes();
    test_serials();
    test_shown();
    return tap_done();
}
