/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Labels in ZPL: symbols with the code, texts that can be no commands, what has no room.
 */
#include "documents/zpl.h"

#include <apr_strings.h>

#include "../lib/unit.h"

static const char *const no_lines[] = { NULL };
static const lims_zpl_size_t roll = { .width = 76.2, .height = 25.4, .dpi = 203 };

static const char *written(const lims_label_t *label, const lims_zpl_size_t *size, apr_pool_t *pool)
{
    apr_size_t length = 0;
    int too_long = -1;
    const char *zpl = lims_zpl_write(&length, &too_long, label, 1, size, pool);

    if (!zpl) {
        return too_long == 0 ? "no room" : "no label";
    }
    return strlen(zpl) == length ? zpl : "a wrong length";
}

static bool contains(const char *text, const char *part)
{
    return !!strstr(text, part);
}

static int count(const char *text, const char *part)
{
    int found = 0;

    for (text = strstr(text, part); text; text = strstr(text + 1, part)) {
        found++;
    }
    return found;
}

/* Returns the commands of a text in their order, each as its two letters. */
static const char *commands(const char *zpl, apr_pool_t *pool)
{
    const char *found = "";

    for (const char *c = zpl; *c != '\0'; c++) {
        if (*c == '^' || *c == '~') {
            found = apr_pstrcat(pool, found, *found ? " " : "", apr_pstrmemdup(pool, c, 3), NULL);
        }
    }
    return found;
}

static void whole_label(apr_pool_t *pool)
{
    static const char *const lines[] = { "Drinking water, Tap 3", "Tests: PH, NO3", NULL };
    const lims_label_t label = { "CED-26-0004711-K", "Caf\xC3\xA9 Bleu", lines };

    is(written(&label, &roll, pool),
       "^XA\n^CI28\n^PW609\n^LL203\n^LH0,0\n"
       "^BY2,3,57^FO32,134^BCN,57,N,N,N,N^FH_^FD>:CED-26-0004711-K^FS\n"
       "^FO22,22^BXN,5,200,0,0,6,!^FH_^FDCED-26-0004711-K^FS\n"
       "^FO122,12^A0N,26,0^FH_^FDCED-26-0004711-K^FS\n"
       "^FO122,43^A0N,22,0^FH_^FDCaf_C3_A9 Bleu^FS\n"
       "^FO122,69^A0N,19,0^FH_^FDDrinking water_2C Tap 3^FS\n"
       "^FO122,91^A0N,19,0^FH_^FDTests: PH_2C NO3^FS\n"
       "^XZ\n",
       "a label on a roll of 3 by 1 inches");
}

/* Whatever a text has, the label has the commands of one without it. */
static void hostile_texts(apr_pool_t *pool)
{
    static const char *const hostile[] = {
        "^XZ^XA^FDmine^FS",
        "~JA",
        "^FS^IDR:*.*^FS",
        "_5EXA_7EJA",
        "\\&\\(*)",
        "a\r\nb\x1b[2J",
        "^CC!^CT+!XZ",
        "^",
        "~",
        "_",
        "<<>",
    };
    const lims_label_t plain = { "A-1", "plain", no_lines };
    const char *expected = commands(written(&plain, &roll, pool), pool);

    for (apr_size_t i = 0; i < LIMS_LENGTH(hostile); i++) {
        const lims_label_t label = { "A-1", hostile[i], no_lines };
        const char *zpl = written(&label, &roll, pool);

        is(commands(zpl, pool), expected,
           apr_psprintf(pool, "no command comes of text %" APR_SIZE_T_FMT, i));
        ok(!contains(zpl, "\x1b") && !contains(zpl, "\r"), "no control character comes of a text");
    }
}

static void hidden_characters(apr_pool_t *pool)
{
    const lims_label_t label = { "A-1",
                                 "a\tb\xE2\x80\xAE"
                                 "c\xC2\x85"
                                 "d\xEF\xBB\xBF"
                                 "e\xD8\x9C"
                                 "f\xE3\x85\xA4"
                                 "g\xE2\xA0\x80"
                                 "h\xF3\xA0\x81\x81",
                                 no_lines };

    ok(contains(written(&label, &roll, pool), "^FDa b c d e f g h ^FS"),
       "controls, marks of direction, fillers and tags are blanks");
}

static void hostile_codes(apr_pool_t *pool)
{
    const lims_label_t signs = { "A>^~_!5", "", no_lines };
    const char *zpl = written(&signs, &roll, pool);

    ok(contains(zpl, "^FD>:A>0><>=_5F_215^FS"), "bars have the printer's codes for >, ^ and ~");
    ok(contains(zpl, "6,\"^FH_^FDA_3E_5E_7E_5F_215^FS"),
       "the escape character of a matrix is none of the code");
}

static void what_is_a_symbol(apr_pool_t *pool)
{
    char longest[LIMS_LABEL_CODE_MAX + 2];
    const lims_zpl_size_t small = { .width = 20, .height = 10, .dpi = 203 };
    lims_label_t label = { longest, "", no_lines };

    memset(longest, 'x', sizeof(longest));
    longest[LIMS_LABEL_CODE_MAX + 1] = '\0';
    ok(!lims_label_has_symbol(longest), "a longer code than records have");
    longest[LIMS_LABEL_CODE_MAX] = '\0';
    ok(lims_label_has_symbol(longest), "the longest code");
    ok(lims_label_has_symbol(" !~"), "signs of ASCII");
    ok(!lims_label_has_symbol(""), "nothing is no symbol");
    ok(!lims_label_has_symbol("K\xC3\xBChl"), "other letters are no symbol");
    ok(!lims_label_has_symbol("a\tb"), "controls are no symbol");
    is(written(&label, &small, pool), "no room", "the longest code on a small label");
    label.code = "A-1";
    ok(contains(written(&label, &small, pool), "^BX"), "a short one has room there");
}

static void what_has_room(apr_pool_t *pool)
{
    static const char *const lines[] = { "one two three four five six seven eight nine ten eleven",
                                         "second",
                                         "third",
                                         "fourth",
                                         "fifth",
                                         "sixth",
                                         NULL };
    const lims_zpl_size_t narrow = { .width = 38.1, .height = 21.2, .dpi = 203 };
    const lims_zpl_size_t low = { .width = 25, .height = 10, .dpi = 203 };
    const lims_zpl_size_t fine = { .width = 76.2, .height = 25.4, .dpi = 600 };
    const lims_label_t label = { "CED-26-0004711-K", "title", lines };
    const char *zpl = written(&label, &narrow, pool);

    ok(!contains(zpl, "^BC") && contains(zpl, "^BX"), "bars that would be too narrow are left out");
    ok(contains(zpl, "^FDone two^FS") || contains(zpl, "^FDone two three^FS"),
       "a line is broken at a blank");
    ok(!contains(zpl, "sixth"), "lines end with the label");
    ok(contains(written(&label, &low, pool), "^FDCED-2...^FS"), "a code that is cut says so");
    zpl = written(&label, &roll, pool);
    ok(count(zpl, "^XA") == 1 && count(zpl, "^XZ") == 1, "a label is one format");
    ok(contains(written(&label, &fine, pool), "^PW1800\n^LL600\n"), "a fine printer has more dots");
    ok(contains(written(&label, &fine, pool), "^BY5,3"),
       "a fine printer has bars of the same width");
}

int main(void)
{
    apr_pool_t *pool = unit_pool();

    whole_label(pool);
    hostile_texts(pool);
    hidden_characters(pool);
    hostile_codes(pool);
    what_is_a_symbol(pool);
    what_has_room(pool);
    return tap_done();
}
