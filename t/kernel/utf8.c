/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8: what is well-formed, where it is not, and how many characters there are. */
#include "kernel/utf8.h"

#include "../lib/unit.h"

int main(void)
{
    ok(lims_utf8_valid("", 0), "nothing is valid UTF-8");
    ok(lims_utf8_valid("\xDF\xBF\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF", 14),
       "limits of two and three bytes");
    ok(lims_utf8_valid("\xF0\x90\x80\x80\xF4\x8F\xBF\xBF", 8), "limits of four bytes");
    ok(!lims_utf8_valid("\xC2", 1), "a cut-off sequence");
    ok(!lims_utf8_valid("a\xF0\x90\x80", 4), "a cut-off long sequence");
    ok(!lims_utf8_valid("\xC1\xBF", 2), "an overlong one");
    ok(!lims_utf8_valid("\xED\xA0\x80", 3), "a surrogate");
    ok(!lims_utf8_valid("\xF4\x90\x80\x80", 4), "a character beyond U+10FFFF");
    ok(!lims_utf8_valid("\xE1\x80\x41", 3), "a bad third byte");
    ok(lims_utf8_valid("a\0b", 3), "a NUL byte is a character");
    is_number((long long)lims_utf8_fault("ab\xC3\xA4\xFF", 5), 4, "the byte that is wrong");
    is_number((long long)lims_utf8_fault("ab", 2), 2, "without a wrong byte the fault is at the end");
    is_number((long long)lims_utf8_length("a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\xB9", 10), 4,
              "four characters in ten bytes");
    return tap_done();
}
