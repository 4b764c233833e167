/* SPDX-License-Identifier: Apache-2.0 */
/* fold.c - folding of names, one byte of the folded form at a time. */
#include "profiles/fold.h"

#include <string.h>

#include "kernel/utf8.h"

/* Folding of single characters, sorted; "" removes the character, " " is a blank.
 * From the compatibility mappings of UnicodeData.txt, in lower case, and mu as u. */
static const struct {
    unsigned int character;
    const char *folded;
} singles[] = {
    { 0x00A0, " " },
    { 0x00AA, "a" },
    { 0x00AD, "" },
    { 0x00B2, "2" },
    { 0x00B3, "3" },
    { 0x00B5, "u" },
    { 0x00B9, "1" },
    { 0x00BA, "o" },
    { 0x0130, "i" },
    { 0x0178, "\xC3\xBF" },
    { 0x017F, "s" },
    { 0x039C, "u" },
    { 0x03BC, "u" },
    { 0x1680, " " },
    { 0x200B, "" },
    { 0x200C, "" },
    { 0x200D, "" },
    { 0x2011, "\xE2\x80\x90" },
    { 0x2026, "..." },
    { 0x202F, " " },
    { 0x205F, " " },
    { 0x2060, "" },
    { 0x2070, "0" },
    { 0x2071, "i" },
    { 0x207A, "+" },
    { 0x207B, "-" },
    { 0x207C, "=" },
    { 0x207D, "(" },
    { 0x207E, ")" },
    { 0x207F, "n" },
    { 0x208A, "+" },
    { 0x208B, "-" },
    { 0x208C, "=" },
    { 0x208D, "(" },
    { 0x208E, ")" },
    { 0x2103, "\xC2\xB0"
              "c" },
    { 0x2109, "\xC2\xB0"
              "f" },
    { 0x2113, "l" },
    { 0x2116, "no" },
    { 0x2122, "tm" },
    { 0x2126, "\xCF\x89" },
    { 0x212A, "k" },
    { 0x212B, "\xC3\xA5" },
    { 0x3000, " " },
    { 0x338D, "ug" },
    { 0x338E, "mg" },
    { 0x338F, "kg" },
    { 0x3395, "ul" },
    { 0x3396, "ml" },
    { 0x3397, "dl" },
    { 0x339B, "um" },
    { 0x339C, "mm" },
    { 0x339D, "cm" },
    { 0xFB00, "ff" },
    { 0xFB01, "fi" },
    { 0xFB02, "fl" },
    { 0xFEFF, "" },
};

/* Ranges of characters that are folded by adding an offset: capitals, digits,
 * full-width forms. */
static const struct {
    unsigned int first, last;
    int by;
} ranges[] = {
    { 'A', 'Z', 32 },
    { 0x00C0, 0x00D6, 32 }, /* Latin-1 */
    { 0x00D8, 0x00DE, 32 },
    { 0x0391, 0x03AB, 32 }, /* Greek */
    { 0x0400, 0x040F, 80 }, /* Cyrillic */
    { 0x0410, 0x042F, 32 },
    { 0x2074, 0x2079, '4' - 0x2074 }, /* superscripts */
    { 0x2080, 0x2089, '0' - 0x2080 }, /* subscripts */
    { 0xFF21, 0xFF3A, 'a' - 0xFF21 }, /* full width */
    { 0xFF01, 0xFF5E, '!' - 0xFF01 },
};

typedef struct {
    const unsigned char *at, *end;
    unsigned char ready[8]; /* folded bytes that were not returned yet */
    int given, count;
    bool started; /* a byte was returned, so a blank is no longer leading */
    bool blank;   /* a blank is pending before the next character */
} folder_t;

static int encode(unsigned char *bytes, unsigned int character)
{
    if (character < 0x80) {
        bytes[0] = (unsigned char)character;
        return 1;
    }
    if (character < 0x800) {
        bytes[0] = (unsigned char)(0xC0 | character >> 6);
        bytes[1] = (unsigned char)(0x80 | (character & 0x3F));
        return 2;
    }
    bytes[0] = (unsigned char)(0xE0 | character >> 12);
    bytes[1] = (unsigned char)(0x80 | (character >> 6 & 0x3F));
    bytes[2] = (unsigned char)(0x80 | (character & 0x3F));
    return 3;
}

static const char *single(unsigned int character)
{
    apr_size_t low = 0;
    apr_size_t high = LIMS_LENGTH(singles);

    while (low < high) {
        apr_size_t middle = (low + high) / 2;

        if (singles[middle].character < character) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < LIMS_LENGTH(singles) && singles[low].character == character ? singles[low].folded
                                                                             : NULL;
}

/* Folds a character into `bytes` (at most four) and returns their number. */
static int fold_character(unsigned char *bytes, unsigned int character)
{
    const char *folded = single(character);

    if (folded) {
        int length = (int)strlen(folded);

        memcpy(bytes, folded, (apr_size_t)length);
        return length;
    }
    if ((character >= 0x09 && character <= 0x0D) || (character >= 0x2000 && character <= 0x200A)) {
        bytes[0] = ' ';
        return 1;
    }
    /* In Latin Extended-A capitals and small letters alternate, capitals first. */
    if (character >= 0x0100 && character <= 0x017E && character != 0x0138) {
        bool odd_first = (character >= 0x0139 && character <= 0x0148) || character >= 0x0179;

        return encode(bytes, character + ((character & 1U) == (odd_first ? 1U : 0U) ? 1U : 0U));
    }
    for (apr_size_t i = 0; i < LIMS_LENGTH(ranges); i++) {
        if (character >= ranges[i].first && character <= ranges[i].last) {
            return encode(bytes, (unsigned int)((int)character + ranges[i].by));
        }
    }
    return 0;
}

/* Folds the next character into .ready; false at the end. */
static bool refill(folder_t *folder)
{
    while (folder->at < folder->end) {
        apr_uint32_t character;
        apr_size_t length = lims_utf8_decode(&character, (const char *)folder->at,
                                             (apr_size_t)(folder->end - folder->at));
        int count = 0;
        unsigned char *bytes = folder->ready;

        if (length == 0) {
            character = 0; /* a byte that begins no character stays as it is */
            length = 1;
        }
        if (character != 0 &&
            (character >= 0x80 || character <= ' ' || (character >= 'A' && character <= 'Z'))) {
            const char *replaced = single(character);

            if (replaced && replaced[0] == '\0') {
                folder->at += length;
                continue;
            }
            count = fold_character(bytes + 1, character);
        }
        if (count == 0) {
            memcpy(bytes + 1, folder->at, length);
            count = (int)length;
        }
        folder->at += length;
        if (count == 1 && bytes[1] == ' ') {
            folder->blank = folder->started;
            continue;
        }
        bytes[0] = ' ';
        folder->given = folder->blank ? 0 : 1;
        folder->count = count + 1;
        folder->blank = false;
        folder->started = true;
        return true;
    }
    return false;
}

/* Returns the next byte of the folded form; -1 at the end. */
static int next_byte(folder_t *folder)
{
    if (folder->given == folder->count && !refill(folder)) {
        return -1;
    }
    return folder->ready[folder->given++];
}

static folder_t begin(const char *text, apr_size_t length)
{
    const unsigned char *at = (const unsigned char *)text;

    return (folder_t){ .at = at, .end = at + length };
}

const char *lims_fold(const char *text, apr_size_t length, apr_pool_t *pool)
{
    folder_t folder = begin(text, length);
    apr_size_t size = 0;
    char *folded;
    char *end;

    while (next_byte(&folder) >= 0) {
        size++;
    }
    folded = end = apr_palloc(pool, size + 1);
    folder = begin(text, length);
    for (apr_size_t i = 0; i < size; i++) {
        *end++ = (char)next_byte(&folder);
    }
    *end = '\0';
    return folded;
}

bool lims_fold_equals(const char *text, apr_size_t length, const char *folded)
{
    folder_t folder = begin(text, length);
    const unsigned char *expected = (const unsigned char *)folded;

    for (;;) {
        int byte = next_byte(&folder);

        if (byte < 0) {
            return *expected == '\0';
        }
        if (*expected++ != byte) {
            return false;
        }
    }
}

/* Returns the size in bytes of a blank at the front: ASCII white space, no-break
 * space, narrow no-break space, ideographic space; 0: none. */
static apr_size_t blank_length(const char *text, apr_size_t length)
{
    static const char *const wide[] = { "\xC2\xA0", "\xE2\x80\xAF", "\xE3\x80\x80" };

    if (length > 0 && (text[0] == ' ' || (text[0] >= '\t' && text[0] <= '\r'))) {
        return 1;
    }
    for (apr_size_t i = 0; i < LIMS_LENGTH(wide); i++) {
        apr_size_t size = strlen(wide[i]);

        if (length >= size && memcmp(text, wide[i], size) == 0) {
            return size;
        }
    }
    return 0;
}

const char *lims_trim(apr_size_t *trimmed, const char *text, apr_size_t length)
{
    apr_size_t blank;

    while ((blank = blank_length(text, length)) > 0) {
        text += blank;
        length -= blank;
    }
    for (;;) {
        if (length >= 1 && blank_length(text + length - 1, 1) > 0) {
            length -= 1;
        } else if (length >= 2 && blank_length(text + length - 2, 2) == 2) {
            length -= 2;
        } else if (length >= 3 && blank_length(text + length - 3, 3) == 3) {
            length -= 3;
        } else {
            break;
        }
    }
    *trimmed = length;
    return text;
}
