/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8: what is well-formed, where it is not, and how many characters there are. */
#include "kernel/utf8.h"

#include "../lib/unit.h"

/* The character that bytes begin with, and its size, as "20ac/3". */
static const char *first(const char *bytes, apr_size_t length)
{
    static char text[32];
    apr_uint32_t character = 0;
    apr_size_t size = lims_utf8_decode(&character, bytes, length);

    snprintf(text, sizeof(text), "%x/%d", size ? character : 0, (int)size);
    return text;
}

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
    is_number((long long)lims_utf8_fault("ab", 2), 2,
              "without a wrong byte the fault is at the end");
    is_number((long long)lims_utf8_length("a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\xB9", 10), 4,
              "four characters in ten bytes");
    is(first("ab", 2), "61/1", "a character of one byte is decoded");
    is(first("\xC3\xA4", 2), "e4/2", "a character of two bytes is decoded");
    is(first("\xE2\x82\xAC!", 4), "20ac/3", "a character of three bytes is decoded");
    is(first("\xF0\x9F\x98\xB9", 4), "1f639/4", "a character of four bytes is decoded");
    is(first("\xE2\x82", 2), "0/0", "a cut-off sequence is no character");
    is(first("\xED\xA0\x80", 3), "0/0", "a surrogate is no character");
    is(first("\xFF", 1), "0/0", "a byte that begins no sequence is no character");
    return tap_done();
}
