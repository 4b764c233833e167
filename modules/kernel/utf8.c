/* SPDX-License-Identifier: Apache-2.0 */
/* utf8.c - checks of UTF-8, decoding and counting its characters. */
#include "kernel/utf8.h"

/* Returns the length of the well-formed sequence that starts here, or 0 (Unicode 15,
 * table 3-7: the range of the second byte depends on the first). */
static apr_size_t sequence_length(const unsigned char *s, apr_size_t left)
{
    apr_size_t n = s[0] < 0x80                    ? 1
                   : s[0] >= 0xC2 && s[0] <= 0xDF ? 2
                   : s[0] >= 0xE0 && s[0] <= 0xEF ? 3
                   : s[0] >= 0xF0 && s[0] <= 0xF4 ? 4
                                                  : 0;
    unsigned char low = s[0] == 0xE0 ? 0xA0 : s[0] == 0xF0 ? 0x90 : 0x80;
    unsigned char high = s[0] == 0xED ? 0x9F : s[0] == 0xF4 ? 0x8F : 0xBF;

    if (n > left || (n > 1 && (s[1] < low || s[1] > high))) {
        return 0;
    }
    for (apr_size_t i = 2; i < n; i++) {
        if ((s[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    return n;
}

apr_size_t lims_utf8_decode(apr_uint32_t *character, const char *bytes, apr_size_t length)
{
    const unsigned char *s = (const unsigned char *)bytes;
    apr_size_t size = sequence_length(s, length);

    *character = size < 2 ? s[0] : s[0] & (0xFFU >> (size + 1));
    for (apr_size_t i = 1; i < size; i++) {
        *character = *character << 6 | (s[i] & 0x3FU);
    }
    return size;
}

apr_size_t lims_utf8_fault(const char *bytes, apr_size_t length)
{
    const unsigned char *s = (const unsigned char *)bytes;
    apr_size_t at = 0;

    while (at < length) {
        apr_size_t n = sequence_length(s + at, length - at);

        if (n == 0) {
            break;
        }
        at += n;
    }
    return at;
}

bool lims_utf8_valid(const char *bytes, apr_size_t length)
{
    return lims_utf8_fault(bytes, length) == length;
}

char *lims_utf8_encode(char *to, apr_uint32_t character)
{
    if (character < 0x80) {
        *to++ = (char)character;
        return to;
    }
    if (character < 0x800) {
        *to++ = (char)(0xc0 | character >> 6);
    } else if (character < 0x10000) {
        *to++ = (char)(0xe0 | character >> 12);
        *to++ = (char)(0x80 | (character >> 6 & 0x3f));
    } else {
        *to++ = (char)(0xf0 | character >> 18);
        *to++ = (char)(0x80 | (character >> 12 & 0x3f));
        *to++ = (char)(0x80 | (character >> 6 & 0x3f));
    }
    *to++ = (char)(0x80 | (character & 0x3f));
    return to;
}

apr_size_t lims_utf8_length(const char *bytes, apr_size_t length)
{
    apr_size_t characters = 0;

    for (apr_size_t i = 0; i < length; i++) {
        characters += ((unsigned char)bytes[i] & 0xC0) != 0x80;
    }
    return characters;
}
