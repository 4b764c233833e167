/* SPDX-License-Identifier: Apache-2.0 */
#include "../lib/archive.h"
#include "../lib/biff.h"
#include "../lib/sheet.h"
#include "../lib/unit.h"
#include "../lib/sheet_invariants.h"
#include "formats/read.h"

static apr_pool_t *pool;

typedef struct {
    const char *name, *bytes;
    apr_size_t length;
    bool ends;       /* the file says where it ends, so that every beginning is cut off */
    apr_size_t from; /* the shortest beginning that still looks like it */
} fixture_t;

static fixture_t fixtures[16];
static apr_size_t fixture_count;

static void add(const char *name, const char *bytes, apr_size_t length, bool ends, apr_size_t from)
{
    fixtures[fixture_count++] = (fixture_t){ name, bytes, length, ends, from };
}

#define FRAME "1H|\\^&\rO|1|S1\rR|1|^^^GLU|5.4|mmol/L\rL|1|N\r\x03"

static void collect(void)
{
    static const book_parts_t parts = {
        .sheet = "<sheetData><row r=\"1\"><c t=\"s\"><v>0</v></c></row></sheetData>",
        .strings = "<si><t>one</t></si>",
    };
    static const char text[] = "Sample,\"Result, mg/L\"\r\nS1,7.1\r\n";
    static const char report[] = "Sample: S1\nResult: 7.1 mg/L\n*** End of Report ***\n";
    static const char records[] = "H|\\^&\rO|1|S1\rR|1|^^^GLU|5.4|mmol/L\rL|1|N";
    static const char hl7[] = "MSH|^~\\&|A\rOBX|1|NM|GLU||5.4|mmol/L\r";
    static const char batch[] = "BHS|^~\\&\rMSH|^~\\&|A\rOBX|1|NM|GLU||5.4|mmol/L\rBTS|1";
    static const char block[] = "\x0bMSH|^~\\&|A\rOBX|1|NM|GLU||5.4|mmol/L\r\x1c";
    static const char xml[] = "<?xml version=\"1.0\"?><a><b c=\"1\">2</b></a>";
    unsigned sum = 0;
    apr_array_header_t *stream = apr_array_make(pool, 1024, sizeof(char));
    apr_size_t length;
    const char *bytes;

    for (const char *c = FRAME; *c; c++) {
        sum += (unsigned char)*c;
    }
    add("text", text, sizeof(text) - 1, false, 1);
    add("report", report, sizeof(report) - 1, false, 1);
    add("ASTM records", records, sizeof(records) - 1, true, 5);
    bytes = apr_psprintf(pool, "\x05\x02" FRAME "%02X\r\n\x04", sum & 0xff);
    add("ASTM frames", bytes, strlen(bytes), true, 4);
    add("HL7", hl7, sizeof(hl7) - 1, false, 4);
    add("HL7 batch", batch, sizeof(batch) - 1, true, 9);
    add("HL7 in MLLP", block, sizeof(block) - 1, true, 10);
    add("XML", xml, sizeof(xml) - 1, true, 2);
    bytes = book_of(&length, &parts, false, pool);
    add("XLSX", bytes, length, true, 4);
    biff_record(stream, 0x0809, "hhww", 0x0600u, 5u, 0u, 0u);
    biff_record(stream, 0x0085, "wbbbbs", 46u, 0u, 0u, 1u, 0u, "S");
    biff_record(stream, 0x000a, "");
    while (stream->nelts < 46) {
        APR_ARRAY_PUSH(stream, char) = 0;
    }
    biff_record(stream, 0x0809, "hhww", 0x0600u, 16u, 0u, 0u);
    biff_record(stream, 0x0203, "hhhd", 0u, 0u, 0u, 7.5);
    biff_record(stream, 0x000a, "");
    bytes = biff_file(&length, "Workbook", stream->elts, (apr_size_t)stream->nelts, pool);
    add("XLS", bytes, (apr_size_t)(4 * BIFF_SECTOR + stream->nelts), true, 8);
}

static const char *read_bytes(const char *bytes, apr_size_t length, const lims_decoding_t *decoding)
{
    lims_reasons_t *reasons = lims_reasons_create(pool);
    const lims_document_t *d = lims_document_read(bytes, length, decoding, reasons, pool);

    return d ? apr_pstrcat(pool, lims_container_name(d->container), " ",
                           d->encoding ? d->encoding : "-", " ", sheet_text(d->sheets, pool), NULL)
             : reasons_text(reasons, pool);
}

static void test_containers(void)
{
    static const char *const outcomes[] = {
        "text UTF-8 1[Sample][Result, mg/L] 2[S1][7.1]",
        "text UTF-8 1[Sample: S1] 2[Result: 7.1 mg/L] 3[*** End of Report ***]",
        "astm UTF-8 1[H][\\^&] 2[O][1][S1] 3[R][1][^^^GLU][5.4][mmol/L] 4[L][1][N]",
        "astm UTF-8 1[H][\\^&] 2[O][1][S1] 3[R][1][^^^GLU][5.4][mmol/L] 4[L][1][N]",
        "hl7 UTF-8 1[MSH][|][^~\\&][A] 2[OBX][1][NM][GLU][][5.4][mmol/L]",
        "hl7 UTF-8 1[BHS][|][^~\\&] 2[MSH][|][^~\\&][A] 3[OBX][1][NM][GLU][][5.4][mmol/L] "
        "4[BTS][1]",
        "hl7 UTF-8 1[MSH][|][^~\\&][A] 2[OBX][1][NM][GLU][][5.4][mmol/L]",
        "xml - 1[b][c][1] 1[a][b][2]",
        "xlsx - 1[one]",
        "xls - 1[7.5]",
    };

    for (apr_size_t i = 0; i < LIMS_LENGTH(outcomes); i++) {
        is(read_bytes(fixtures[i].bytes, fixtures[i].length, NULL), outcomes[i], fixtures[i].name);
    }
    ok(fixture_count == LIMS_LENGTH(outcomes), "every kind of file");
}

/* Whatever is left of a file is read or refused; of one that says where it ends
 * nothing is read but the whole. */
static void test_beginnings(const fixture_t *file)
{
    const char *fault = NULL;
    apr_size_t told = 0;

    for (apr_size_t i = 0; i < file->length; i++) {
        apr_pool_t *p;
        lims_reasons_t *reasons;
        const lims_document_t *d;
        char *bytes;

        apr_pool_create(&p, pool);
        reasons = lims_reasons_create(p);
        bytes = apr_pmemdup(p, file->bytes, i + 1);
        d = lims_document_read(bytes, i, NULL, reasons, p);
        fault = fault ? fault : sheets_fault(d ? d->sheets : NULL, d ? d->count : 0, reasons);
        told += i >= file->from && !d &&
                APR_ARRAY_IDX(reasons->list, 0, lims_reason_t).code == LIMS_REASON_TRUNCATED_FILE;
        apr_pool_destroy(p);
    }
    is(fault ? fault : "", "", file->name);
    if (file->ends) {
        ok(told == file->length - file->from, "%s: every beginning is told to be cut off",
           file->name);
    }
}

static const char *utf16(apr_size_t *length, const char *latin1, bool big)
{
    apr_size_t count = strlen(latin1) + 1;
    char *bytes = apr_pcalloc(pool, 2 * count);

    memcpy(bytes, big ? "\xfe\xff" : "\xff\xfe", 2);
    for (apr_size_t i = 1; i < count; i++) {
        bytes[2 * i + big] = latin1[i - 1];
    }
    *length = 2 * count;
    return bytes;
}

static void test_twins(void)
{
    static const char latin1[] = "Sample;Conc. [\xb5g/L]\r\nS1;7,1\r\n\"S;2\";8\r\n";
    static const char utf8[] = "Sample;Conc. [\xc2\xb5g/L]\r\nS1;7,1\r\n\"S;2\";8\r\n";
    static const char rows[] = "1[Sample][Conc. [\xc2\xb5g/L]] 2[S1][7,1] 3[S;2][8]";
    apr_size_t length;
    const char *bytes;

    is(read_bytes(latin1, strlen(latin1), NULL),
       apr_pstrcat(pool, "text windows-1252 ", rows, NULL),
       "an encoding with one byte a character");
    is(read_bytes(utf8, strlen(utf8), NULL), apr_pstrcat(pool, "text UTF-8 ", rows, NULL), "UTF-8");
    bytes = utf16(&length, latin1, false);
    is(read_bytes(bytes, length, NULL), apr_pstrcat(pool, "text UTF-16LE ", rows, NULL),
       "UTF-16, little end first");
    bytes = utf16(&length, latin1, true);
    is(read_bytes(bytes, length, NULL), apr_pstrcat(pool, "text UTF-16BE ", rows, NULL),
       "UTF-16, big end first");
}

static void test_dialects(void)
{
    static const struct {
        const char *text, *outcome, *name;
    } cases[] = {
        { "a\tb,c\nd\te,f\n", "1[a][b,c] 2[d][e,f]", "tabs before commas" },
        { "a;1,5\nb;2,5\n", "1[a][1,5] 2[b][2,5]", "semicolons before decimal commas" },
        { "a|b\nc|d\n", "1[a][b] 2[c][d]", "bars" },
        { "Run 7, by hand\n\nSample,A,B\nS1,1,2\nS2,3,4\n",
          "1[Run 7][ by hand] 2 3[Sample][A][B] 4[S1][1][2] 5[S2][3][4]",
          "lines before the table" },
        { "\"a;b\",c\n\"d;e\",f\n", "1[a;b][c] 2[d;e][f]", "what stands in quotes does not count" },
        { "5\" pipe,a\n6\" pipe,b\n", "1[5\" pipe][a] 2[6\" pipe][b]", "a quote within a cell" },
        { "\"a,\"\"b\"\"\"\n\"c,d\"\n", "1[a][b] 2[c][d]", "records in quotes" },
        { "\"a\"\n\"b\"\n", "1[\"a\"] 2[\"b\"]", "lines in quotes, without a delimiter" },
        { "Sample: S1\nResult: 7.1\n", "1[Sample: S1] 2[Result: 7.1]", "a report" },
        { "sep=|\na,b|c\nd,e|f\n", "2[a,b][c] 3[d,e][f]", "sep= decides" },
    };
    static const lims_dialect_t bar = { '|', '"', false };
    static const lims_decoding_t declared = { "windows-1251", &bar };

    for (apr_size_t i = 0; i < LIMS_LENGTH(cases); i++) {
        is(read_bytes(cases[i].text, strlen(cases[i].text), NULL),
           apr_pstrcat(pool, "text UTF-8 ", cases[i].outcome, NULL), cases[i].name);
    }
    is(read_bytes("a,b,c|\xe0\n", 8, &declared), "text windows-1251 1[a,b,c][\xd0\xb0]",
       "the declared encoding decides");
}

static void test_bounds(void)
{
    static const lims_dialect_t comma = { ',', '"', false };
    static const lims_decoding_t declared = { NULL, &comma };
    book_parts_t parts = { .workbook = "<sheets><sheet name=\"A\" id=\"rId1\"/>"
                                       "<sheet name=\"B\" id=\"rId1\"/></sheets>" };
    lims_reasons_t *reasons = lims_reasons_create(pool);
    apr_size_t length;
    const char *bytes;

    parts.sheet = "";
    for (int i = 1; i <= 150; i++) {
        parts.sheet = apr_psprintf(pool, "%s<row r=\"%d\"><c r=\"EWU%d\"><v>1</v></c></row>",
                                   parts.sheet, i, i);
    }
    bytes = book_of(&length, &parts, false, pool);
    is(read_bytes(bytes, length, NULL),
       "too_many_rows@101 The file has more than 4096 columns, or 1000000 cells in all.",
       "the bound on cells is that of the file, not of a sheet");
    reasons->until = 1; /* of the time that the thread has worked, long ago */
    ok(!lims_document_read("a,b\n", 4, &declared, reasons, pool) && reasons->count == 1 &&
           APR_ARRAY_IDX(reasons->list, 0, lims_reason_t).code == LIMS_REASON_READ_TIMEOUT,
       "a file that takes too long");
    ok(!lims_document_read(bytes, length, NULL, reasons, pool) && reasons->count == 1,
       "the reason is given once");
}

int main(void)
{
    pool = unit_pool();
    collect();
    test_containers();
    for (apr_size_t i = 0; i < fixture_count; i++) {
        test_beginnings(&fixtures[i]);
    }
    test_twins();
    test_dialects();
    test_bounds();
    return tap_done();
}
