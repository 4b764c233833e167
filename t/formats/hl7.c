/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/hl7.h"

#include "../lib/sheet.h"
#include "../lib/unit.h"

static apr_pool_t *pool;

#define MSH "MSH|^~\\&|A\r"
#define FHS "FHS|^~\\&\r"
#define BHS "BHS|^~\\&\r"

static const char *read_text(const char *text)
{
    lims_reasons_t *reasons = lims_reasons_create(pool);
    const lims_hl7_t *hl7 = lims_hl7_read(text, strlen(text), LIMS_ENCODING_DEFAULT, reasons, pool);

    return hl7 ? sheet_text(hl7->sheet, pool) : reasons_text(reasons, pool);
}

static void test_segments(void)
{
    static const struct {
        const char *text, *outcome, *name;
    } cases[] = {
        { MSH "OBX|1||X", "1[MSH][|][^~\\&][A] 2[OBX][1][][X]", "CR" },
        { "MSH|^~\\&|A\nOBX|1\r\nNTE|1\r", "1[MSH][|][^~\\&][A] 2[OBX][1] 3[NTE][1]", "mixed" },
        { "\x0b" MSH "OBX|1\r\x1c\r\x0b" MSH "\x1c\r",
          "1[MSH][|][^~\\&][A] 2[OBX][1] 4[MSH][|][^~\\&][A]", "with MLLP's bytes" },
        { "MSH|^~\\&#|A\rZAB\r", "1[MSH][|][^~\\&#][A] 2[ZAB]", "a truncation sign, a bare name" },
        { "MSH$%~\\&$A\rOBX$1\r", "1[MSH][$][%~\\&][A] 2[OBX][1]", "other signs" },
        { FHS BHS MSH MSH "BTS|2\rFTS|1\r",
          "1[FHS][|][^~\\&] 2[BHS][|][^~\\&] 3[MSH][|][^~\\&][A] 4[MSH][|][^~\\&][A] 5[BTS][2] "
          "6[FTS][1]",
          "a batch" },
        { BHS MSH "BTS\r", "1[BHS][|][^~\\&] 2[MSH][|][^~\\&][A] 3[BTS]", "a batch not counted" },
        { BHS MSH "BTS|", "truncated_file@3 The file ends within its trailer.",
          "a trailer cut off" },
        { BHS MSH "BTS|2\r",
          "truncated_file@3 The trailer of line 3 counts 2 messages, but there are 1.",
          "a message is missing" },
        { FHS BHS MSH "BTS|1\rFTS|2\r",
          "truncated_file@5 The trailer of line 5 counts 2 batches, but there are 1.",
          "a batch is missing" },
        { BHS MSH, "truncated_file@3 The file ends within a batch: its trailer is missing.",
          "a batch is open" },
        { BHS MSH BHS, "truncated_file@3 A batch begins before the one before it ended.",
          "a batch within a batch" },
        { FHS BHS MSH "FTS|1\r", "truncated_file@4 The file ends within a batch.",
          "the file ends before its batch" },
        { "BTS|1\r", "structure_mismatch@1 Line 1: a batch ends that did not begin.", "only BTS" },
        { "FTS|1\r", "structure_mismatch@1 Line 1: a file ends that did not begin.", "only FTS" },
        { "PID|1\r", "structure_mismatch@1 Line 1: this segment stands outside of a message.",
          "no header" },
        { BHS "PID|1\r", "structure_mismatch@2 Line 2: this segment stands outside of a message.",
          "no header in a batch" },
        { MSH "obx|1\r",
          "structure_mismatch@2 Line 2: this is not a segment: three letters and a field "
          "separator.",
          "no segment" },
        { MSH "OBXX|1\r",
          "structure_mismatch@2 Line 2: this is not a segment: three letters and a field "
          "separator.",
          "a name that is too long" },
        { "MSH|^^\\&|\r",
          "structure_mismatch@1 Line 1: the header declares the same delimiter twice.",
          "one sign twice" },
        { "MSH||A\r",
          "structure_mismatch@1 Line 1: the header does not declare its encoding characters.",
          "no signs" },
        { MSH "MSH|%~\\&|\r",
          "structure_mismatch@2 Line 2: this header declares other delimiters than the one before.",
          "signs that change" },
        { "MSH|^~\\&||||||||||||||||8859/1\rOBX|\xe9\r",
          "1[MSH][|][^~\\&][][][][][][][][][][][][][][][][8859/1] 2[OBX][\xc3\xa9]", "MSH-18" },
        { "MSH|^~\\&||||||||||||||||UNICODE UTF-8\rOBX|\xe9\r",
          "encoding_error@1 Byte 43 is not a character of UTF-8.", "MSH-18 that is not true" },
        { MSH "OBX|\x80\r", "1[MSH][|][^~\\&][A] 2[OBX][\xe2\x82\xac]", "as the profile declares" },
    };

    for (apr_size_t i = 0; i < LIMS_LENGTH(cases); i++) {
        is(read_text(cases[i].text), cases[i].outcome, cases[i].name);
    }
}

static void test_components(void)
{
    static const char text[] =
        MSH "OBX|1|ST|GLU^Glucose~X^Y|a\\S\\b\\T\\\\R\\\\F\\\\E\\^\\X41C3A9\\"
            "\\XFF\\\\.br\\\\H\\c\\|\r";
    lims_reasons_t *reasons = lims_reasons_create(pool);
    const lims_hl7_t *hl7 = lims_hl7_read(text, strlen(text), LIMS_ENCODING_DEFAULT, reasons, pool);
    static const struct {
        int field, component;
        const char *text;
    } cases[] = {
        { 1, 1, "1" }, { 3, 1, "GLU" },      { 3, 2, "Glucose" },
        { 3, 3, "" },  { 4, 1, "a^b&~|\\" }, { 4, 2, "A\xc3\xa9\\XFF\\\n\\H\\c\\" },
        { 5, 1, "" },  { 99, 1, "" },
    };

    for (apr_size_t i = 0; hl7 && i < LIMS_LENGTH(cases); i++) {
        is(lims_hl7_component(&hl7->sheet->rows[1], cases[i].field, cases[i].component, &hl7->signs,
                              pool),
           cases[i].text, apr_psprintf(pool, "OBX-%d.%d", cases[i].field, cases[i].component));
    }
    is(lims_hl7_component(&hl7->sheet->rows[0], 1, 1, &hl7->signs, pool), "|", "MSH-1");
    ok(hl7->sheet->rows[1].message == 1, "a segment knows its message");
}

int main(void)
{
    pool = unit_pool();
    test_segments();
    test_components();
    return tap_done();
}
