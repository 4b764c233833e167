/* SPDX-License-Identifier: Apache-2.0 */
#include "profiles/fold.h"

#include "unit.h"

static apr_pool_t *pool;

static void test_folding(void)
{
    static const struct {
        const char *text, *folded;
    } cases[] = {
        { "", "" },
        { "   ", "" },
        { "Sample ID", "sample id" },
        { "  Sample \t\r\n ID ", "sample id" },
        { "Conc.\xC2\xA0(mg/L)", "conc. (mg/l)" },
        { "274\xE2\x80\xAF"
          "000",
          "274 000" },
        { "\xEF\xBB\xBFName", "name" },
        { "Average diameter (\xCE\xBCm)", "average diameter (um)" },
        { "Average diameter (\xC2\xB5m)", "average diameter (um)" },
        { "Average diameter (um)", "average diameter (um)" },
        { "\xCE\x9CG", "ug" },
        { "cells x10\xE2\x81\xB6/cm\xC2\xB3", "cells x106/cm3" },
        { "SiO\xE2\x82\x82", "sio2" },
        { "s\xE2\x81\xBB\xC2\xB9", "s-1" },
        { "N\xC2\xB0 \xC3\x89"
          "CHANTILLON",
          "n\xC2\xB0 \xC3\xA9"
          "chantillon" },
        { "1\xC2\xBA Area", "1o area" },
        { "\xC5\xBD\xC5\xB9 \xC4\x8C\xC5\x81", "\xC5\xBE\xC5\xBA \xC4\x8D\xC5\x82" },
        { "\xC4\xB8\xC5\x89", "\xC4\xB8\xC5\x89" },
        { "\xD0\x9F\xD1\x80\xD0\xBE\xD0\xB1\xD0\xB0", "\xD0\xBF\xD1\x80\xD0\xBE\xD0\xB1\xD0\xB0" },
        { "\xCE\xA9 \xE2\x84\xA6 \xE2\x84\xAB", "\xCF\x89 \xCF\x89 \xC3\xA5" },
        { "\xEF\xBC\xA1\xEF\xBD\x82\xEF\xBC\x91", "ab1" },
        { "\xE8\xA9\xA6\xE6\x96\x99\xE3\x80\x80ID", "\xE8\xA9\xA6\xE6\x96\x99 id" },
        { "\xE3\x8E\x8D/\xE3\x8E\x96", "ug/ml" },
        { "\xF0\x9F\xA7\xAA Tube", "\xF0\x9F\xA7\xAA tube" },
        { "a\xFF"
          "B\xC3",
          "a\xFF"
          "b\xC3" },
    };

    for (apr_size_t i = 0; i < LIMS_LENGTH(cases); i++) {
        const char *text = cases[i].text;
        const char *folded = lims_fold(text, strlen(text), pool);

        is(folded, cases[i].folded, text);
        ok(lims_fold_equals(text, strlen(text), cases[i].folded), "compares the same");
        is(lims_fold(folded, strlen(folded), pool), folded, "folding again changes nothing");
    }
    ok(!lims_fold_equals("Sample", 6, "sample id"), "a beginning is no equal");
    ok(!lims_fold_equals("Sample ID", 9, "sample"), "a longer text is not equal");
    ok(!lims_fold_equals("Sample-ID", 9, "sample id"), "a text that looks alike is not equal");
    is(lims_fold("AB", 1, pool), "a", "the length counts");
}

static void test_trimming(void)
{
    static const struct {
        const char *text, *trimmed;
    } cases[] = {
        { "", "" },
        { " \t\xC2\xA0 ", "" },
        { " A 1 \xE2\x80\xAF", "A 1" },
        { "\xE3\x80\x80x\xC2\xA0\xC2\xA0", "x" },
        { "\xC3\xA0", "\xC3\xA0" },
    };

    for (apr_size_t i = 0; i < LIMS_LENGTH(cases); i++) {
        apr_size_t length;
        const char *begin = lims_trim(&length, cases[i].text, strlen(cases[i].text));

        ok(length == strlen(cases[i].trimmed) && memcmp(begin, cases[i].trimmed, length) == 0,
           "'%s' is trimmed", cases[i].text);
    }
}

int main(void)
{
    pool = unit_pool();
    test_folding();
    test_trimming();
    return tap_done();
}
