/* SPDX-License-Identifier: Apache-2.0 */
/* encoding.c - decoding of text to UTF-8. */
#include "formats/encoding.h"

#include <apr_strings.h>
#include <errno.h>
#include <iconv.h>
#include <string.h>

#include "kernel/utf8.h"

static const struct {
    const char *mark;
    apr_size_t length;
    const char *encoding;
} marks[] = {
    { "\xef\xbb\xbf", 3, "UTF-8" },
    { "\xff\xfe", 2, "UTF-16LE" },
    { "\xfe\xff", 2, "UTF-16BE" },
};

/* Largest growth by decoding: one byte of a charset becomes at most four of UTF-8,
 * two bytes of UTF-16 at most three. */
#define GROWTH 4

bool lims_encoding_known(const char *charset)
{
    iconv_t converter = iconv_open("UTF-8", charset);

    if (converter == (iconv_t)-1) {
        return false;
    }
    iconv_close(converter);
    return true;
}

static int line_of(const char *bytes, apr_size_t offset)
{
    int line = 1;

    for (apr_size_t i = 0; i < offset; i++) {
        line += bytes[i] == '\n';
    }
    return line;
}

bool lims_encoding_convert(lims_text_t *text, const char *bytes, apr_size_t length,
                           const char *charset, lims_reasons_t *reasons, apr_pool_t *pool)
{
    iconv_t converter = iconv_open("UTF-8", charset);
    apr_size_t space = length * GROWTH;
    apr_size_t left = length;
    char *out = apr_palloc(pool, space + 1);
    char *in = (char *)bytes;
    char *end = out;
    bool done;

    if (converter == (iconv_t)-1) {
        lims_reasons_block(reasons, LIMS_REASON_ENCODING_ERROR, 0, 0,
                           "The character set \"%s\" is not known here.", charset);
        return false;
    }
    done = iconv(converter, &in, &left, &end, &space) != (size_t)-1 &&
           iconv(converter, NULL, NULL, &end, &space) != (size_t)-1;
    iconv_close(converter);
    if (!done) {
        apr_size_t offset = length - left;
        lims_reasons_block(reasons, LIMS_REASON_ENCODING_ERROR, line_of(bytes, offset), 0,
                           "Byte %" APR_SIZE_T_FMT " is not a character of %s.", offset + 1,
                           charset);
        return false;
    }
    /* The output is checked, since glibc accepts five-byte UTF-8 sequences and
     * decodes unpaired surrogates from some charsets. */
    if (!lims_utf8_valid(out, (apr_size_t)(end - out))) {
        lims_reasons_block(reasons, LIMS_REASON_ENCODING_ERROR, 0, 0,
                           "Some bytes are not characters of %s.", charset);
        return false;
    }
    *end = '\0';
    text->bytes = out;
    text->length = (apr_size_t)(end - out);
    text->encoding = charset;
    return true;
}

/* Whether a text contains a NUL character; if so, adds a reason. */
static bool has_nul(const lims_text_t *text, lims_reasons_t *reasons)
{
    const char *nul = memchr(text->bytes, '\0', text->length);

    if (nul) {
        lims_reasons_block(reasons, LIMS_REASON_ENCODING_ERROR,
                           line_of(text->bytes, (apr_size_t)(nul - text->bytes)), 0,
                           "There is a NUL character, which no text has; a file in UTF-16 begins "
                           "with a byte order mark, or its profile declares it.");
    }
    return nul;
}

bool lims_encoding_decode(lims_text_t *text, const char *bytes, apr_size_t length,
                          const char *charset, lims_reasons_t *reasons, apr_pool_t *pool)
{
    bool wide =
        apr_strnatcasecmp(charset, "UTF-16LE") == 0 || apr_strnatcasecmp(charset, "UTF-16BE") == 0;

    for (apr_size_t i = 0; i < LIMS_LENGTH(marks); i++) {
        if (length >= marks[i].length && memcmp(bytes, marks[i].mark, marks[i].length) == 0) {
            return lims_encoding_convert(text, bytes + marks[i].length, length - marks[i].length,
                                         marks[i].encoding, reasons, pool) &&
                   !has_nul(text, reasons);
        }
    }
    if (!wide && lims_utf8_valid(bytes, length)) {
        text->bytes = apr_pstrmemdup(pool, bytes, length);
        text->length = length;
        text->encoding = "UTF-8";
        return !has_nul(text, reasons);
    }
    return lims_encoding_convert(text, bytes, length, charset, reasons, pool) &&
           !has_nul(text, reasons);
}
