/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/workbook.h"

#include "../lib/biff.h"
#include "../lib/sheet.h"
#include "../lib/unit.h"

static apr_pool_t *pool;

enum { BIFF5 = 0x0500, BIFF8 = 0x0600 };

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

static const char *read_stream(const char *name, const apr_array_header_t *stream)
{
    lims_reasons_t *reasons = lims_reasons_create(pool);
    apr_size_t length;
    const char *file = biff_file(&length, name, stream->elts, (apr_size_t)stream->nelts, pool);

    return workbook_text(lims_xls_read(file, length, reasons, pool), reasons);
}

/* A workbook of one sheet "S": what a test adds to the globals, then its cells. */
static apr_array_header_t *book;
static int bound;

static void begin(unsigned version)
{
    book = apr_array_make(pool, 4096, sizeof(char));
    biff_record(book, 0x0809, "hhww", version, 5u, 0u, 0u);
    bound = book->nelts + 4;
    if (version == BIFF8) {
        biff_record(book, 0x0085, "wbbbbs", 0u, 0u, 0u, 1u, 0u, "S");
    } else {
        biff_record(book, 0x0085, "wbbbs", 0u, 0u, 0u, 1u, "S");
    }
}

static void begin_sheet(void)
{
    biff_record(book, 0x000a, "");
    biff_word(book->elts + bound, (unsigned)book->nelts);
    biff_record(book, 0x0809, "hhww", BIFF8, 16u, 0u, 0u);
}

static void outcome(const char *name, const char *expected)
{
    biff_record(book, 0x000a, "");
    is(read_stream("Workbook", book), expected, name);
}

static void test_numbers(void)
{
    begin(BIFF8);
    biff_record(book, 0x041e, "hhbs", 164u, 10u, 0u, "dd.mm.yyyy");
    biff_record(book, 0x00e0, "hh", 0u, 0u);
    biff_record(book, 0x00e0, "hh", 0u, 164u);
    begin_sheet();
    biff_record(book, 0x0203, "hhhd", 0u, 0u, 0u, 10.712910652160645);
    biff_record(book, 0x0203, "hhhd", 0u, 1u, 1u, 46347.325);
    biff_record(book, 0x0203, "hhhd", 0u, 2u, 9u, -0.5);
    biff_record(book, 0x027e, "hhhw", 1u, 0u, 0u, 1234u << 2 | 2); /* an integer */
    biff_record(book, 0x027e, "hhhw", 1u, 1u, 0u, 1234u << 2 | 3); /* in hundredths */
    biff_record(book, 0x027e, "hhhw", 1u, 2u, 0u, 0xfffffff6u);    /* negative */
    biff_record(book, 0x027e, "hhhw", 1u, 3u, 0u, 0x3ff80000u);    /* 1.5 */
    biff_record(book, 0x00bd, "hhhwhwh", 2u, 1u, 0u, 7u << 2 | 2, 1u, 46347u << 2 | 2, 2u);
    biff_record(book, 0x0006, "hhhdhw", 3u, 0u, 0u, 6.25, 0u, 0u);
    biff_record(book, 0x0006, "hhhdhw", 3u, 1u, 0u, 0.0, 1u, 0u);
    biff_record(book, 0x0006, "hhhdhw", 3u, 2u, 0u, 0.0, 3u, 0u);
    biff_record(book, 0x0006, "hhhdhw", 3u, 3u, 0u, 6.25, 2u, 0u);
    biff_record(book, 0x0203, "hhh", 4u, 0u, 0u);
    outcome("a record that is too short",
            "structure_mismatch@4 The record behind this cell is too short.");
    book->nelts -= 4 + 10;
    outcome("numbers, dates and results of formulas",
            "S 1[10.712910652160645][2026-11-21T07:48:00][-0.5] 2[1234][12.34][-3][1.5] "
            "3[][7][2026-11-21] 4[6.25][0][#NOT CALCULATED][6.25]");
}

static void test_texts(void)
{
    begin(BIFF8);
    biff_record(book, 0x00fc,
                "wwhbs"
                "hbhsw"
                "hb",
                3u, 4u, 3u, 0u, "one", 2u, 8u, 1u, "ri", 0u, 4u, 1u);
    biff_record(book, 0x003c, "bu", 1u, "wi"); /* goes on in two bytes a character */
    biff_record(book, 0x003c, "bs", 0u, "de"); /* and in one */
    biff_record(book, 0x003c, "hbh", 1u, 1u, 0x00b5u);
    begin_sheet();
    for (unsigned i = 0; i < 4; i++) {
        biff_record(book, 0x00fd, "hhhw", 0u, i, 0u, i);
    }
    biff_record(book, 0x0204, "hhhhbs", 1u, 0u, 0u, 5u, 0u, "label");
    biff_record(book, 0x0204, "hhhhbs", 1u, 1u, 0u, 2u, 0u,
                "\xb5"
                "g");
    biff_record(book, 0x0006, "hhhwhhhw", 2u, 0u, 0u, 0u, 0u, 0xffffu, 0u, 0u);
    biff_record(book, 0x0207, "hbs", 4u, 0u, "made");
    biff_record(book, 0x0006, "hhhwhhhw", 2u, 1u, 0u, 0x00010001u, 0u, 0xffffu, 0u, 0u);
    biff_record(book, 0x0006, "hhhwhhhw", 2u, 2u, 0u, 0x002a0002u, 0u, 0xffffu, 0u, 0u);
    biff_record(book, 0x0006, "hhhwhhhw", 2u, 3u, 0u, 3u, 0u, 0xffffu, 0u, 0u);
    biff_record(book, 0x0205, "hhhbb", 3u, 0u, 0u, 0u, 0u);
    biff_record(book, 0x0205, "hhhbb", 3u, 1u, 0u, 7u, 1u);
    biff_record(book, 0x0809, "hhww", BIFF8, 32u, 0u, 0u); /* a chart */
    biff_record(book, 0x0203, "hhhd", 9u, 9u, 0u, 9.0);
    biff_record(book, 0x000a, "");
    outcome("texts, also over records, booleans and errors",
            "S 1[one][ri][wide][\xc2\xb5] 2[label][\xc2\xb5g] 3[made][TRUE][#N/A] "
            "4[FALSE][#DIV/0!]");
}

static void test_superscripts(void)
{
    begin(BIFF8);
    for (unsigned i = 0; i < 5; i++) { /* the fifth has the number 5: none has 4 */
        biff_record(book, 0x0031, "hhhhh", 200u, 0u, 0u, 400u, i == 4 ? 1u : 0u);
    }
    biff_record(book, 0x00fc, "wwhbhshhhh", 3u, 3u, 13u, 8u, 2u, "2.5 x 106 CFU", 8u, 5u, 9u, 0u);
    biff_record(book, 0x003c, "hbhshh", 2u, 8u, 1u, "m3", 1u, 5u);
    biff_record(book, 0x003c, "hbhuhb", 4u, 9u, 1u, "\xb5\x31\x30\x36", 3u, 5u);
    biff_record(book, 0x003c, "b", 0u);
    begin_sheet();
    for (unsigned i = 0; i < 3; i++) {
        biff_record(book, 0x00fd, "hhhw", 0u, i, 0u, i);
    }
    outcome("superscripts", "S 1[2.5 x 10^6 CFU][m3][\xc2\xb5\x31\x30^6]");
}

static void test_order(void)
{
    begin(BIFF8);
    begin_sheet();
    biff_record(book, 0x0203, "hhhd", 2u, 1u, 0u, 3.0);
    biff_record(book, 0x0203, "hhhd", 0u, 1u, 0u, 2.0);
    biff_record(book, 0x0203, "hhhd", 0u, 0u, 0u, 1.0);
    outcome("cells in any order", "S 1[1][2] 3[][3]");
    book->nelts -= 4;
    biff_record(book, 0x0203, "hhhd", 0u, 0u, 0u, 4.0);
    outcome("a cell twice", "structure_mismatch@1 The workbook has two values for one cell.");
}

static void test_hidden_row(void)
{
    begin(BIFF8);
    begin_sheet();
    biff_record(book, 0x0208, "hhhhhhhh", 0u, 0u, 1u, 255u, 0u, 0u, 0x0100u, 15u);
    biff_record(book, 0x0208, "hhhhhhhh", 1u, 0u, 1u, 255u, 0u, 0u, 0x0120u, 15u);
    biff_record(book, 0x0203, "hhhd", 0u, 0u, 0u, 1.0);
    biff_record(book, 0x0203, "hhhd", 1u, 0u, 0u, 2.0);
    outcome("a hidden row", "S 1[1] 2(hidden)[2]");
}

static void test_old(void)
{
    begin(BIFF5);
    biff_record(book, 0x0042, "h", 1251u);
    begin_sheet();
    biff_record(book, 0x0204, "hhhhs", 0u, 0u, 0u, 2u, "\xd0\xe0");
    biff_record(book, 0x00d6, "hhhhsb", 0u, 1u, 0u, 4u, "rich", 0u);
    biff_record(book, 0x000a, "");
    is(read_stream("Book", book), "S 1[\xd0\xa0\xd0\xb0][rich]", "BIFF5 in its code page");
    begin(BIFF8);
    biff_record(book, 0x0022, "h", 1u);
    biff_record(book, 0x00e0, "hh", 0u, 14u);
    begin_sheet();
    biff_record(book, 0x0203, "hhhd", 0u, 0u, 0u, 1.0);
    outcome("days since 1904", "S 1[1904-01-02]");
}

static void test_refused(void)
{
    begin(BIFF8);
    biff_record(book, 0x002f, "h", 0u);
    begin_sheet();
    outcome("encrypted", "encrypted_file@0 The workbook is encrypted; save it without a password.");
    is(read_stream("EncryptedPackage", book),
       "encrypted_file@0 The workbook is encrypted; save it without a password.",
       "encrypted as a whole");
    is(read_stream("WordDocument", book),
       "unsupported_container@0 The file is a compound file, but no workbook.", "a document");
    begin(0x0300);
    begin_sheet();
    outcome("another version",
            "unsupported_container@0 The workbook is of a version that cannot be "
            "read; save it as .xlsx.");
    begin(BIFF8);
    begin_sheet();
    is(read_stream("Workbook", book),
       "truncated_file@0 The workbook ends within its records: it was cut off.", "no end");
    biff_record(book, 0x00fd, "hhhw", 4u, 2u, 0u, 0u);
    outcome("a text that is not there",
            "structure_mismatch@5 A cell refers to a shared string that does not exist.");
    begin(BIFF8);
    begin_sheet();
    biff_word(book->elts + bound, (unsigned)book->nelts + 9999);
    outcome("a sheet beyond the end",
            "truncated_file@0 The workbook ends within its records: it was cut off.");
}

/* Every beginning is cut off; every changed byte is told, or leaves a workbook. */
static void test_damage(apr_size_t padding)
{
    apr_size_t length, told = 0, broken = 0;
    const char *file;

    begin(BIFF8);
    biff_record(book, 0x00fc, "wwhbs", 1u, 1u, 3u, 0u, "one");
    begin_sheet();
    biff_record(book, 0x00fd, "hhhw", 0u, 0u, 0u, 0u);
    biff_record(book, 0x000a, "");
    for (apr_size_t i = 0; i < padding; i++) {
        APR_ARRAY_PUSH(book, char) = 0;
    }
    file = biff_file(&length, "Workbook", book->elts, (apr_size_t)book->nelts, pool);
    length = (apr_size_t)(4 * BIFF_SECTOR + book->nelts);
    for (apr_size_t i = 8; i < length; i++) {
        apr_pool_t *p;
        lims_reasons_t *reasons;
        apr_pool_create(&p, pool);
        reasons = lims_reasons_create(p);
        told += !lims_xls_read(file, i, reasons, p) &&
                APR_ARRAY_IDX(reasons->list, 0, lims_reason_t).code == LIMS_REASON_TRUNCATED_FILE;
        apr_pool_destroy(p);
    }
    ok(told == length - 8, "every beginning is told to be cut off");
    for (apr_size_t i = 0; i < 8 * length; i++) {
        apr_pool_t *p;
        lims_reasons_t *reasons;
        char *copy;
        apr_pool_create(&p, pool);
        copy = apr_pmemdup(p, file, length);
        copy[i / 8] = (char)(copy[i / 8] ^ 1 << i % 8);
        reasons = lims_reasons_create(p);
        broken += !lims_xls_read(copy, length, reasons, p) != (reasons->blocking > 0);
        apr_pool_destroy(p);
    }
    ok(broken == 0, "a changed bit is refused with a reason, or there is a workbook");
}

int main(void)
{
    pool = unit_pool();
    test_numbers();
    test_texts();
    test_superscripts();
    test_order();
    test_hidden_row();
    test_old();
    test_refused();
    test_damage(0);
    test_damage(4096);
    return tap_done();
}
