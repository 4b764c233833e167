/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/delimited.h"

#include "../lib/sheet.h"
#include "../lib/unit.h"

static apr_pool_t *pool;

static const lims_sheet_t *read_bytes(const char *bytes, apr_size_t length, lims_dialect_t dialect,
                                      lims_reasons_t *reasons)
{
    lims_text_t text;

    if (!lims_encoding_decode(&text, bytes, length, LIMS_ENCODING_DEFAULT, reasons, pool)) {
        return NULL;
    }
    return lims_delimited_read(&text, &dialect, reasons, pool);
}

static const char *rows_of(const char *text, lims_dialect_t dialect)
{
    lims_reasons_t *reasons = lims_reasons_create(pool);
    const lims_sheet_t *sheet = read_bytes(text, strlen(text), dialect, reasons);

    return sheet ? sheet_text(sheet, pool) : reasons_text(reasons, pool);
}

static void test_rows(void)
{
    static const lims_dialect_t comma = { ',', '"', false };
    static const lims_dialect_t tab = { '\t', '"', false };
    static const lims_dialect_t line = { '\0', '\0', false };
    static const lims_dialect_t wrapped = { ',', '"', true };
    static const struct {
        const char *text, *rows;
        const lims_dialect_t *dialect;
        const char *name;
    } cases[] = {
        { "", "", &comma, "nothing" },
        { "a,b\nc,d\n", "1[a][b] 2[c][d]", &comma, "LF" },
        { "a,b\r\nc,d", "1[a][b] 2[c][d]", &comma, "CR LF, no end at the last" },
        { "a,b\rc,d\r", "1[a][b] 2[c][d]", &comma, "CR alone" },
        { "a\r\n\nb\rc", "1[a] 2 3[b] 4[c]", &comma, "mixed, with a blank line" },
        { "a,,\n,\n", "1[a][][] 2[][]", &comma, "empty cells stay" },
        { " a , b ", "1[ a ][ b ]", &comma, "cells are not trimmed" },
        { "\"a,b\",\"c\"\"d\"", "1[a,b][c\"d]", &comma, "quotes" },
        { "\"a\nb\",c\nd", "1[a\nb][c] 3[d]", &comma, "a line break in quotes counts" },
        { "\"a\r\nb\r\",c\rd", "1[a\r\nb\r][c] 4[d]", &comma, "so does each kind of it" },
        { "5\" x,b", "1[5\" x][b]", &comma, "a quote within a bare cell is a character" },
        { "\"\",\"\"", "1[][]", &comma, "empty quotes" },
        { "a\tb,c", "1[a][b,c]", &tab, "tab" },
        { "a\tb,\"c", "1[a\tb,\"c]", &line, "lines as they are" },
        { "sep=;\r\na;b,c\n", "2[a][b,c]", &comma, "a sep= line names the delimiter" },
        { "\"sep=;\"\na;b", "2[a][b]", &comma, "also in quotes" },
        { "sep=;;;\r\na;b;c\r\n", "2[a][b][c]", &comma, "also filled with empty cells" },
        { "sep=;x\na,b", "1[sep=;x] 2[a][b]", &comma, "with text behind it, it is a row" },
        { "SEP=\t\na\tb", "2[a][b]", &comma, "also in capitals" },
        { "sep=\na,b", "1[sep=] 2[a][b]", &comma, "a sep= line that names none is a row" },
        { "\"a,\"\"b,c\"\"\"\n\"d,e\"\nf,g\n", "1[a][b,c] 2[d][e] 3[f][g]", &wrapped,
          "records in quotes, some without" },
        { "\xef\xbb\xbf"
          "a,\xc2\xb5g",
          "1[a][\xc2\xb5g]", &comma, "UTF-8 with its mark" },
        { "a,\xb5g", "1[a][\xc2\xb5g]", &comma, "one byte a character, as declared" },
        { "a,\"b\nc\n", "truncated_file@1 A quoted cell that begins on line 1 is never closed.",
          &comma, "an open quote is a truncation" },
        { "x\n\"b\"c,d\n",
          "structure_mismatch@2 On line 2 a quoted cell is followed by something else than the "
          "end of the cell.",
          &comma, "text behind a quote" },
    };

    for (apr_size_t i = 0; i < LIMS_LENGTH(cases); i++) {
        is(rows_of(cases[i].text, *cases[i].dialect), cases[i].rows, cases[i].name);
    }
}

static void test_places(void)
{
    lims_reasons_t *reasons = lims_reasons_create(pool);
    static const char text[] = "ab,\"c\"\nd,ef\n";
    const lims_dialect_t comma = { ',', '"', false };
    const lims_sheet_t *sheet = read_bytes(text, strlen(text), comma, reasons);

    ok(sheet->rows[0].cells[1].offset == 3, "a quoted cell begins at its quote");
    ok(sheet->rows[1].cells[1].offset == 9, "offsets count from the begin of the text");
    is(lims_row_cell(&sheet->rows[1], 2)->text, "", "beyond the end there is an empty cell");
    is(lims_row_cell(&sheet->rows[1], -1)->text, "", "a column before the first is an empty cell");
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
    const lims_dialect_t comma = { ',', '"', false };

    is(rows_of(many("\n", LIMS_FILE_ROWS_MAX + 1), comma),
       "too_many_rows@100001 The file has more than 100000 rows.", "one row more than allowed");
    is(rows_of(many(",", LIMS_FILE_COLUMNS_MAX), comma),
       "too_many_rows@1 The file has more than 4096 columns, or 1000000 cells in all.",
       "one column more than allowed");
    is(rows_of(many("x", LIMS_FILE_CELL_MAX + 1), comma),
       "structure_mismatch@1 A cell is longer than 32768 bytes.",
       "a cell one byte longer than allowed");
    is(rows_of(many(",,,,,,,,,,,,,,,,,,,\n", LIMS_FILE_CELLS_MAX / 20 + 1), comma),
       "too_many_rows@50001 The file has more than 4096 columns, or 1000000 cells in all.",
       "one cell more than allowed in all");
}

static void test_encodings(void)
{
    const lims_dialect_t comma = { ',', '"', false };
    static const char le[] = "\xff\xfe"
                             "a\0,\0\xb5\0\n\0";
    static const char be[] = "\xfe\xff"
                             "\0a\0,\0\xb5\0\n";
    static const char nul[] = "a\0b";
    static const char half[] = "\xff\xfe"
                               "a\0,";
    static const struct {
        const char *bytes;
        apr_size_t length;
        const char *outcome, *name;
    } cases[] = {
        { le, sizeof(le) - 1, "1[a][\xc2\xb5]", "UTF-16, little end first" },
        { be, sizeof(be) - 1, "1[a][\xc2\xb5]", "UTF-16, big end first" },
        { "a\n\x81", 3, "encoding_error@2 Byte 3 is not a character of windows-1252.",
          "a byte that is none" },
        { half, sizeof(half) - 1, "encoding_error@1 Byte 3 is not a character of UTF-16LE.",
          "half a character" },
        { "\xef\xbb\xbf\xf8\xa9\xa9\xa9\xa9", 8,
          "encoding_error@0 Some bytes are not characters of UTF-8.",
          "five bytes for a character" },
        { nul, sizeof(nul) - 1,
          "encoding_error@1 There is a NUL character, which no text has; a file in UTF-16 begins "
          "with a byte order mark, or its profile declares it.",
          "NUL" },
    };

    for (apr_size_t i = 0; i < LIMS_LENGTH(cases); i++) {
        lims_reasons_t *reasons = lims_reasons_create(pool);
        const lims_sheet_t *sheet = read_bytes(cases[i].bytes, cases[i].length, comma, reasons);
        is(sheet ? sheet_text(sheet, pool) : reasons_text(reasons, pool), cases[i].outcome,
           cases[i].name);
    }
    ok(lims_encoding_known("windows-1251") && lims_encoding_known("macintosh"), "known");
    ok(!lims_encoding_known("klingon"), "an unknown encoding");
}

int main(void)
{
    pool = unit_pool();
    test_rows();
    test_places();
    test_bounds();
    test_encodings();
    return tap_done();
}
