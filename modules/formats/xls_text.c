/* SPDX-License-Identifier: Apache-2.0 */
/* xls_text.c - texts of BIFF workbooks, which may be split over records at any
 * place. */
#include <limits.h>
#include <string.h>

#include "formats/encoding.h"
#include "formats/xls.h"
#include "kernel/utf8.h"

/* Bits of the flags byte before a text. */
enum { FLAG_WIDE = 1, FLAG_PHONETIC = 4, FLAG_RICH = 8 };

static const char *refuse_text(lims_xls_book_t *book)
{
    lims_reasons_block(book->reasons, LIMS_REASON_STRUCTURE_MISMATCH, 0, 0,
                       "A text of the workbook is damaged.");
    return NULL;
}

/* Moves to the CONTINUE record of this one; false if the next record has another
 * type. */
static bool next_continue(lims_xls_record_t *r)
{
    lims_xls_record_t next = *r;
    apr_size_t size;

    if (r->stream_end - r->end < 4) {
        return false;
    }
    next.at = r->end;
    next.end = r->end + 4;
    next.type = lims_xls_u16(&next);
    size = lims_xls_u16(&next);
    if (next.type != LIMS_XLS_CONTINUE || (apr_size_t)(r->stream_end - next.at) < size) {
        return false;
    }
    r->at = next.at;
    r->end = next.at + size;
    return true;
}

/* Skips bytes, which may extend over several records. */
static bool skip_bytes(lims_xls_record_t *r, apr_size_t size)
{
    while (size > (apr_size_t)(r->end - r->at)) {
        size -= (apr_size_t)(r->end - r->at);
        if (!next_continue(r)) {
            return false;
        }
    }
    r->at += size;
    return true;
}

/* --- UTF-16 ---------------------------------------------------------------- */

typedef struct {
    char *out;
    unsigned high; /* high surrogate of an incomplete pair, or 0 */
    bool ended;    /* a NUL was read: only further NULs may follow */
} utf8_t;

/* Appends a UTF-16 code unit; false for an invalid sequence. */
static bool append_unit(utf8_t *u, unsigned unit)
{
    bool second = unit >= 0xdc00 && unit <= 0xdfff;
    unsigned c = unit;

    u->ended = u->ended || unit == 0;
    if (u->ended) {
        return unit == 0;
    }
    if (second != (u->high != 0)) {
        return false;
    }
    if (unit >= 0xd800 && unit <= 0xdbff) {
        u->high = unit;
        return true;
    }
    if (u->high) {
        c = 0x10000 + ((u->high - 0xd800) << 10) + (unit - 0xdc00);
        u->high = 0;
    }
    u->out = lims_utf8_encode(u->out, c);
    return true;
}

/* Reads `count` characters of one byte (the low half of a code unit) or two. After
 * a record boundary a new flags byte applies. */
static bool read_characters(utf8_t *u, lims_xls_record_t *r, unsigned count, unsigned flags)
{
    for (; count > 0; count--) {
        if (r->at == r->end) {
            if (!next_continue(r) || !lims_xls_left(r, 1)) {
                return false;
            }
            flags = lims_xls_u8(r);
        }
        if (!lims_xls_left(r, flags & FLAG_WIDE ? 2 : 1) ||
            !append_unit(u, flags & FLAG_WIDE ? lims_xls_u16(r) : lims_xls_u8(r))) {
            return false;
        }
    }
    return u->high == 0;
}

static const char *wide_text(lims_xls_record_t *r, unsigned count, unsigned flags,
                             lims_xls_book_t *book)
{
    char buffer[4096];
    char *begin = count * 3 < sizeof(buffer) ? buffer : apr_palloc(book->pool, count * 3 + 1);
    utf8_t u = { .out = begin };

    if (!read_characters(&u, r, count, flags)) {
        return refuse_text(book);
    }
    return lims_text_keep(book->reasons, begin, (apr_size_t)(u.out - begin), book->pool);
}

/* Reads a text in the workbook's charset. */
static const char *narrow_text(lims_xls_record_t *r, unsigned count, lims_xls_book_t *book)
{
    const char *bytes = (const char *)r->at;
    apr_size_t length = strnlen(bytes, count);
    lims_text_t text;
    bool ascii = true;

    r->at += count;
    for (apr_size_t i = 0; i < length; i++) {
        ascii = ascii && (unsigned char)bytes[i] < 0x80;
    }
    if (!ascii) {
        if (!lims_encoding_convert(&text, bytes, length, book->charset, book->reasons,
                                   book->pool)) {
            return NULL;
        }
        bytes = text.bytes;
        length = text.length;
    }
    return lims_text_keep(book->reasons, bytes, length, book->pool);
}

const char *lims_xls_text(lims_xls_record_t *record, int count_bytes, lims_xls_book_t *book)
{
    unsigned count;

    if (!lims_xls_left(record, (apr_size_t)count_bytes)) {
        return refuse_text(book);
    }
    count = count_bytes == 1 ? lims_xls_u8(record) : lims_xls_u16(record);
    if (!book->wide) {
        return lims_xls_left(record, count) ? narrow_text(record, count, book) : refuse_text(book);
    }
    if (count == 0 && !lims_xls_left(record, 1)) {
        return "";
    }
    return lims_xls_left(record, 1) ? wide_text(record, count, lims_xls_u8(record), book)
                                    : refuse_text(book);
}

/* --- Shared strings -------------------------------------------------------- */

/* Reads an integer of 16 bits, which may be split over records. */
static bool read_split(unsigned *number, lims_xls_record_t *r)
{
    *number = 0;
    for (int i = 0; i < 2; i++) {
        while (r->at == r->end) {
            if (!next_continue(r)) {
                return false;
            }
        }
        *number |= lims_xls_u8(r) << 8 * i;
    }
    return true;
}

/* Whether a font is a superscript. No font has the number 4. */
static bool is_raised(const lims_xls_book_t *book, unsigned font)
{
    unsigned index = font > 4 ? font - 1 : font;

    return font != 4 && index < (unsigned)book->raised->nelts &&
           APR_ARRAY_IDX(book->raised, (int)index, bool);
}

/* Copies characters up to a place that is counted in UTF-16. */
static void copy_up_to(char **to, const char **from, unsigned *at, unsigned place)
{
    while (**from && *at < place) {
        *at += (unsigned char)**from >= 0xf0 ? 2 : 1;
        do {
            *(*to)++ = *(*from)++;
        } while (((unsigned char)**from & 0xc0) == 0x80);
    }
}

/* Reads the runs of a text, each from a character on in a font, and writes superscripts. */
static const char *rich_text(lims_xls_record_t *r, const char *text, unsigned runs,
                             lims_xls_book_t *book)
{
    apr_size_t length = strlen(text);
    char *begin = apr_palloc(book->pool, length + runs + 1), *to = begin;
    const char *from = text;
    unsigned at = 0, place, font;

    for (; runs > 0; runs--) {
        if (!read_split(&place, r) || !read_split(&font, r)) {
            return refuse_text(book);
        }
        copy_up_to(&to, &from, &at, place);
        if (is_raised(book, font) && to > begin && lims_is_exponent(to[-1], from, strlen(from))) {
            *to++ = '^';
        }
    }
    copy_up_to(&to, &from, &at, UINT_MAX);
    return (apr_size_t)(to - begin) == length
               ? text
               : lims_text_keep(book->reasons, begin, (apr_size_t)(to - begin), book->pool);
}

/* Reads one shared string: length, flags, and the size of the formatting data
 * behind it. */
static const char *shared_string(lims_xls_record_t *r, lims_xls_book_t *book)
{
    unsigned count, flags, runs = 0;
    apr_uint32_t phonetic = 0;
    const char *text;

    if ((r->at == r->end && !next_continue(r)) || !lims_xls_left(r, 3)) {
        return refuse_text(book);
    }
    count = lims_xls_u16(r);
    flags = lims_xls_u8(r);
    if (!lims_xls_left(r, (flags & FLAG_RICH ? 2 : 0) + (flags & FLAG_PHONETIC ? 4 : 0))) {
        return refuse_text(book);
    }
    runs = flags & FLAG_RICH ? lims_xls_u16(r) : 0;
    phonetic = flags & FLAG_PHONETIC ? lims_xls_u32(r) : 0;
    text = wide_text(r, count, flags, book);
    if (text && runs > 0) {
        text = rich_text(r, text, runs, book);
    }
    return text && !skip_bytes(r, phonetic) ? refuse_text(book) : text;
}

bool lims_xls_strings(lims_xls_record_t *record, lims_xls_book_t *book)
{
    lims_xls_record_t r = *record;
    apr_uint32_t count;

    if (!lims_xls_left(&r, 8)) {
        return refuse_text(book);
    }
    lims_xls_u32(&r); /* number of references, unused */
    count = lims_xls_u32(&r);
    if (count > LIMS_FILE_CELLS_MAX - (apr_uint32_t)book->strings->nelts) {
        lims_reasons_block(book->reasons, LIMS_REASON_ARCHIVE_LIMITS, 0, 0,
                           "The workbook has more than %d texts.", LIMS_FILE_CELLS_MAX);
        return false;
    }
    for (apr_uint32_t i = 0; i < count; i++) {
        const char *text = shared_string(&r, book);
        if (!text) {
            return false;
        }
        APR_ARRAY_PUSH(book->strings, const char *) = text;
    }
    return true;
}
