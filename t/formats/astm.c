/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/astm.h"

#include "../lib/sheet.h"
#include "../lib/unit.h"

static apr_pool_t *pool;

#define HEADER "H|\\^&|||Vision\r"
#define END "L|1|N\r"

static const char *read_text(const char *bytes, apr_size_t length)
{
    lims_reasons_t *reasons = lims_reasons_create(pool);
    const lims_astm_t *astm = lims_astm_read(bytes, length, LIMS_ENCODING_DEFAULT, reasons, pool);

    return astm ? sheet_text(astm->sheet, pool) : reasons_text(reasons, pool);
}

/* STX number text end checksum CR LF. */
static const char *frame(int number, const char *text, char end)
{
    char *body = apr_psprintf(pool, "%d%s%c", number, text, end);
    unsigned sum = 0;

    for (const char *p = body; *p; p++) {
        sum += (unsigned char)*p;
    }
    return apr_psprintf(pool, "\x02%s%02X\r\n", body, sum & 0xff);
}

static void test_records(void)
{
    static const struct {
        const char *text, *outcome, *name;
    } cases[] = {
        { HEADER "P|1\r" END, "1[H][\\^&][][][Vision] 2[P][1] 3[L][1][N]", "records by CR" },
        { "H|\\^&\r\nL|1\r\n", "1[H][\\^&] 2[L][1]", "by CR LF" },
        { "H|\\^&\nL|1|N", "1[H][\\^&] 2[L][1][N]", "by LF, the last without" },
        { "H|\\^&\nL|1|",
          "truncated_file@3 Message 1 has no terminator record (L): the file was cut off.",
          "a terminator without its end" },
        { "# saved\n\nH|\\^&\n# middle\nL|1\n", "3[H][\\^&] 5[L][1]", "remarks and blank lines" },
        { "H|@^\\|x\rL|1\r", "1[H][@^\\][x] 2[L][1]", "other signs" },
        { HEADER END HEADER END,
          "1[H][\\^&][][][Vision] 2[L][1][N] 3[H][\\^&][][][Vision] 4[L][1][N]",
          "several messages" },
        { HEADER "R|1|\r",
          "truncated_file@3 Message 1 has no terminator record (L): the file was "
          "cut off.",
          "no terminator" },
        { HEADER HEADER END,
          "truncated_file@2 Message 1 has no terminator record (L): the file "
          "was cut off.",
          "a message within a message" },
        { "P|1\r", "structure_mismatch@1 The record of line 1 stands outside of a message.",
          "no header" },
        { HEADER END "R|1\r",
          "structure_mismatch@3 The record of line 3 stands outside of a message.",
          "a record behind the end" },
        { "H|ab\r", "structure_mismatch@1 The header record does not declare its delimiters.",
          "no delimiters" },
        { HEADER END "H|@^\\\rL|1\r",
          "structure_mismatch@3 Message 2 declares other delimiters than the one before.",
          "delimiters that change" },
        { "", "", "nothing" },
    };

    for (apr_size_t i = 0; i < LIMS_LENGTH(cases); i++) {
        is(read_text(cases[i].text, strlen(cases[i].text)), cases[i].outcome, cases[i].name);
    }
}

static void test_frames(void)
{
    static const char good[] = "1[H][\\^&][][][Vision] 2[P][1] 3[L][1][N]";
    const char *head = frame(1, HEADER, 0x17);
    const char *patient = frame(2, "P|1\r", 0x17);
    const char *end = frame(3, END, 0x03);
    const char *whole = apr_pstrcat(pool, "\x05", head, patient, end, "\x04", NULL);
    char *wrong = apr_pstrdup(pool, whole);

    is(read_text(whole, strlen(whole)), good, "a frame a record");
    whole = frame(7, HEADER "P|1\r" END, 0x03);
    is(read_text(whole, strlen(whole)), good, "all in one frame, whatever its number");
    whole =
        apr_pstrcat(pool, frame(1, "H|\\^&|||Vis", 0x17), frame(2, "ion\rP|1\r" END, 0x03), NULL);
    is(read_text(whole, strlen(whole)), good, "a record in two frames");
    whole = apr_pstrcat(pool, frame(1, "H|\\^&|||Vision", 0x03), frame(2, "P|1", 0x03),
                        frame(3, "L|1|N", 0x03), NULL);
    is(read_text(whole, strlen(whole)), good, "ETX ends a record that does not end itself");
    wrong[10] = 'X';
    ok(strncmp(read_text(wrong, strlen(wrong)), "checksum_error@0 The checksum of frame 1 is",
               43) == 0,
       "a wrong checksum");
    whole = apr_pstrcat(pool, head, end, NULL);
    is(read_text(whole, strlen(whole)),
       "truncated_file@0 Frame 2 has the number 3 where 2 is due: a frame is missing.",
       "a frame that is missing");
    whole = apr_pstrcat(pool, head, patient, patient, end, NULL);
    is(read_text(whole, strlen(whole)), good, "a frame that was sent again counts once");
    whole = apr_pstrcat(pool, head, patient, frame(3, END, 0x03), frame(1, HEADER, 0x17),
                        frame(2, END, 0x03), NULL);
    ok(strncmp(read_text(whole, strlen(whole)), "truncated", 9) != 0,
       "numbers that begin anew with a message");
    whole = apr_pstrcat(pool, frame(7, HEADER, 0x17), frame(0, "P|1\r", 0x17), frame(1, END, 0x03),
                        NULL);
    is(read_text(whole, strlen(whole)), good, "behind 7 comes 0");
    whole = apr_pstrcat(pool, HEADER, "77|R|1|x\r", END, NULL);
    ok(strncmp(read_text(whole, strlen(whole)), "structure_mismatch@2", 20) == 0,
       "a record that begins with no letter");
    whole = frame(1, "", 0x03);
    is(read_text(whole, strlen(whole)), "", "an empty frame");
    whole = apr_pstrcat(pool, head, "x", end, NULL);
    is(read_text(whole, strlen(whole)),
       "structure_mismatch@0 There is text between frame 1 and the next.", "text between frames");
    whole = apr_pstrcat(pool, "\x05", head, patient, end, NULL);
    is(read_text(whole, strlen(whole)),
       "truncated_file@0 The transmission has no end (EOT): the file was cut off.", "no EOT");
}

/* Whatever is cut off, the rest is never taken for the whole. */
static void test_truncation(void)
{
    const char *whole = apr_pstrcat(pool, frame(1, HEADER, 0x17), frame(2, "P|1\r", 0x17),
                                    frame(3, END, 0x03), NULL);
    apr_size_t length = strlen(whole) - 2; /* the CR LF of the last frame says nothing */
    int taken = 0;

    for (apr_size_t cut = 1; cut < length; cut++) {
        lims_reasons_t *reasons = lims_reasons_create(pool);
        taken += lims_astm_read(whole, cut, LIMS_ENCODING_DEFAULT, reasons, pool) ? 1 : 0;
        taken += reasons->blocking == 0;
    }
    is_number(taken, 0, "cut off anywhere it is no message");
}

static void test_components(void)
{
    static const char text[] = "H|\\^&\rR|1|^^^GLU\\^^^X|9.34^a&S&b&R&&F&&E&&Z&|\rL|1\r";
    lims_reasons_t *reasons = lims_reasons_create(pool);
    const lims_astm_t *astm =
        lims_astm_read(text, strlen(text), LIMS_ENCODING_DEFAULT, reasons, pool);
    static const struct {
        int field, component;
        const char *text;
    } cases[] = {
        { 1, 1, "R" }, { 2, 1, "1" },    { 3, 4, "GLU" },        { 3, 1, "" }, { 3, 5, "" },
        { 3, 9, "" },  { 4, 1, "9.34" }, { 4, 2, "a^b\\|&&Z&" }, { 5, 1, "" }, { 9, 1, "" },
    };

    for (apr_size_t i = 0; astm && i < LIMS_LENGTH(cases); i++) {
        is(lims_astm_component(&astm->sheet->rows[1], cases[i].field, cases[i].component,
                               &astm->signs, pool),
           cases[i].text, apr_psprintf(pool, "R-%d.%d", cases[i].field, cases[i].component));
    }
}

int main(void)
{
    pool = unit_pool();
    test_records();
    test_frames();
    test_truncation();
    test_components();
    return tap_done();
}
