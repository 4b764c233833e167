/* SPDX-License-Identifier: Apache-2.0 */
/* astm.c - frames (ASTM E1381), records and fields (E1394). */
#include "formats/astm.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

enum { STX = 0x02, ETX = 0x03, EOT = 0x04, ENQ = 0x05, ACK = 0x06, NAK = 0x15, ETB = 0x17 };

/* --- Frames (E1381) -------------------------------------------------------- */

typedef struct {
    const unsigned char *at, *end;
    int frame; /* number of the frame in the file, from 1, for messages */
    int last;  /* frame number of the last frame, 0 to 7; -1: the next may have any */
    const unsigned char *text; /* text of the last frame: begin and end */
    const unsigned char *text_end;
    bool open; /* in a transmission: ENQ was read, EOT not yet */
    char *out;
    lims_reasons_t *reasons;
} frames_t;

static bool has_frames(const char *bytes, apr_size_t length)
{
    return memchr(bytes, STX, length);
}

static int hex_digit(unsigned char c)
{
    const char *digits = "0123456789ABCDEF";
    const char *found = c ? strchr(digits, apr_toupper(c)) : NULL;

    return found ? (int)(found - digits) : -1;
}

/* Returns the checksum: the sum modulo 256 of the bytes from the frame number to
 * ETB or ETX inclusive. */
static unsigned checksum(const unsigned char *from, const unsigned char *to)
{
    unsigned total = 0;

    for (; from <= to; from++) {
        total += *from;
    }
    return total & 0xff;
}

static bool refuse_truncated(frames_t *f)
{
    lims_reasons_block(f->reasons, LIMS_REASON_TRUNCATED_FILE, 0, 0,
                       "Frame %d has no end: the file was cut off.", f->frame);
    return false;
}

/* Whether a frame repeats the previous one, whose acknowledgement was lost
 * (LIS01-A2, 6.5.1). */
static bool is_repeated(const frames_t *f, const unsigned char *number, const unsigned char *last)
{
    return f->text && f->last >= 0 && *number == *f->text &&
           last - number == f->text_end - f->text &&
           memcmp(number, f->text, (apr_size_t)(last - number)) == 0;
}

/* Whether a frame has the expected number: 1 to 7, then on from 0 (LIS01-A2,
 * 6.3.1.1); some devices restart with each message. A gap means that a frame is
 * missing. */
static bool is_in_sequence(frames_t *f, const unsigned char *number, const unsigned char *last)
{
    bool header = last - number > 1 && apr_toupper(number[1]) == 'H';
    int due = (f->last + 1) % 8;

    if (f->last < 0 || header || !apr_isdigit(*number) || *number - '0' == due ||
        is_repeated(f, number, last)) {
        return true;
    }
    lims_reasons_block(f->reasons, LIMS_REASON_TRUNCATED_FILE, 0, 0,
                       "Frame %d has the number %c where %d is due: a frame is missing.", f->frame,
                       *number, due);
    return false;
}

/* Reads the frame behind the STX at .at, and appends its text to .out; the last
 * frame of a message, and each that ends a record, ends in CR. */
static bool read_frame(frames_t *f)
{
    const unsigned char *number = f->at;
    const unsigned char *last = number + 1;
    int high, low;

    f->frame++;
    while (last < f->end && *last != ETB && *last != ETX && *last != STX) {
        last++;
    }
    if (last >= f->end || *last == STX || f->end - last < 3) {
        return refuse_truncated(f);
    }
    high = hex_digit(last[1]);
    low = hex_digit(last[2]);
    if (high < 0 || low < 0 || (unsigned)(high * 16 + low) != checksum(number, last)) {
        lims_reasons_block(f->reasons, LIMS_REASON_CHECKSUM_ERROR, 0, 0,
                           "The checksum of frame %d is %.2s, but its bytes make %02X.", f->frame,
                           high < 0 || low < 0 ? "??" : (const char *)last + 1,
                           checksum(number, last));
    } else if (!is_in_sequence(f, number, last)) {
        return false;
    } else if (!is_repeated(f, number, last)) {
        memcpy(f->out, number + 1, (apr_size_t)(last - number - 1));
        f->out += last - number - 1;
        if (*last == ETX && last > number + 1 && f->out[-1] != '\r') {
            *f->out++ = '\r';
        }
    }
    f->last = apr_isdigit(*number) ? *number - '0' : -1;
    f->text = number;
    f->text_end = last;
    f->at = last + 3;
    return true;
}

/* Extracts the text of all frames. Bytes between frames belong to the protocol. */
static bool read_frames(const char **text, apr_size_t *length, const char *bytes, apr_size_t size,
                        lims_reasons_t *reasons, apr_pool_t *pool)
{
    char *out = apr_palloc(pool, size + 1);
    frames_t f = {
        .at = (const unsigned char *)bytes,
        .end = (const unsigned char *)bytes + size,
        .last = -1,
        .out = out,
        .reasons = reasons,
    };
    bool good = true;

    while (good && f.at < f.end) {
        unsigned char c = *f.at++;
        if (c == STX) {
            good = read_frame(&f);
        } else if (!strchr("\r\n", c) && c != ENQ && c != EOT && c != ACK && c != NAK) {
            lims_reasons_block(reasons, LIMS_REASON_STRUCTURE_MISMATCH, 0, 0,
                               "There is text between frame %d and the next.", f.frame);
            good = false;
        }
        f.open = c == ENQ || (f.open && c != EOT);
        f.last = c == ENQ || c == EOT ? -1 : f.last;
    }
    if (good && f.open) {
        lims_reasons_block(reasons, LIMS_REASON_TRUNCATED_FILE, 0, 0,
                           "The transmission has no end (EOT): the file was cut off.");
    }
    *text = out;
    *length = (apr_size_t)(f.out - out);
    out[*length] = '\0';
    return good && reasons->blocking == 0;
}

/* --- Records (E1394) ------------------------------------------------------- */

typedef struct {
    lims_astm_t *astm;
    lims_sheet_writer_t *sheet;
    const lims_text_t *text;
    int line;
    int message;
    bool open; /* in a message: its header was read, its terminator not yet */
    lims_reasons_t *reasons;
    apr_pool_t *pool;
} records_t;

static bool read_delimiters(lims_astm_signs_t *signs, const char *record, apr_size_t length)
{
    if (length < 5 || apr_isalnum(record[1]) || apr_isalnum(record[2])) {
        return false;
    }
    *signs = (lims_astm_signs_t){ record[1], record[2], record[3], record[4] };
    return signs->repeat != signs->field && signs->component != signs->field &&
           signs->component != signs->repeat && !apr_isalnum(record[3]);
}

static bool begin_message(records_t *r, const char *record, apr_size_t length)
{
    lims_astm_signs_t signs;

    if (!read_delimiters(&signs, record, length)) {
        lims_reasons_block(r->reasons, LIMS_REASON_STRUCTURE_MISMATCH, r->line, 0,
                           "The header record does not declare its delimiters.");
        return false;
    }
    if (r->message && memcmp(&signs, &r->astm->signs, sizeof(signs)) != 0) {
        lims_reasons_block(r->reasons, LIMS_REASON_STRUCTURE_MISMATCH, r->line, 0,
                           "Message %d declares other delimiters than the one before.",
                           r->message + 1);
        return false;
    }
    r->astm->signs = signs;
    r->message++;
    r->open = true;
    return true;
}

static bool refuse_unterminated(const records_t *r)
{
    lims_reasons_block(r->reasons, LIMS_REASON_TRUNCATED_FILE, r->line, 0,
                       "Message %d has no terminator record (L): the file was cut off.",
                       r->message);
    return false;
}

/* Whether a terminator record (L) that ends the file without a line end is complete: it
 * has the termination code, field L-3. */
static bool is_complete(const records_t *r, const char *record, apr_size_t length)
{
    int fields = 1;

    for (apr_size_t i = 0; i < length && fields < 3; i++) {
        fields += record[i] == r->astm->signs.field && i + 1 < length;
    }
    return fields == 3;
}

static bool split_record(records_t *r, const char *record, apr_size_t length)
{
    const char *end = record + length;
    char type = (char)apr_toupper(*record);

    /* LIS02-A2, 5.6: the first letter of a record is its type. */
    if (r->open && (!apr_isalpha(type) || (length > 1 && record[1] != r->astm->signs.field))) {
        lims_reasons_block(r->reasons, LIMS_REASON_STRUCTURE_MISMATCH, r->line, 0,
                           "Line %d is not a record: it does not begin with the letter of one.",
                           r->line);
        return false;
    }
    if (type == 'H' && r->open) {
        return refuse_unterminated(r);
    }
    if (type == 'H' && !begin_message(r, record, length)) {
        return false;
    }
    if (!r->open) {
        lims_reasons_block(r->reasons, LIMS_REASON_STRUCTURE_MISMATCH, r->line, 0,
                           "The record of line %d stands outside of a message.", r->line);
        return false;
    }
    r->open = type != 'L' || (*end == '\0' && !is_complete(r, record, length));
    if (!lims_sheet_row(r->sheet, r->line, r->message)) {
        return false;
    }
    for (const char *field = record; field <= end;) {
        const char *stop = memchr(field, r->astm->signs.field, (apr_size_t)(end - field));
        apr_size_t size = (apr_size_t)((stop ? stop : end) - field);

        const char *text = field == record ? apr_psprintf(r->pool, "%c", type)
                                           : apr_pstrmemdup(r->pool, field, size);

        if (!lims_sheet_cell(r->sheet, text, size, (apr_size_t)(field - r->text->bytes))) {
            return false;
        }
        field += size + 1;
    }
    return true;
}

static bool read_records(records_t *r)
{
    const char *at = r->text->bytes;
    const char *end = at + r->text->length;

    for (r->line = 1; at < end; r->line++) {
        apr_size_t length = strcspn(at, "\r\n");

        /* Blank lines, and comment lines beginning with #, were added by whoever
         * saved the file. */
        if (length && *at != '#' && strspn(at, " \t") < length && !split_record(r, at, length)) {
            return false;
        }
        at += length;
        at += *at == '\r' && at[1] == '\n' ? 2 : *at == '\r' || *at == '\n';
    }
    return !r->open || refuse_unterminated(r);
}

const lims_astm_t *lims_astm_read(const char *bytes, apr_size_t length, const char *charset,
                                  lims_reasons_t *reasons, apr_pool_t *pool)
{
    lims_astm_t *astm = apr_pcalloc(pool, sizeof(*astm));
    lims_text_t text;
    records_t r = { .astm = astm, .text = &text, .reasons = reasons, .pool = pool };

    astm->framed = has_frames(bytes, length);
    if (astm->framed && !read_frames(&bytes, &length, bytes, length, reasons, pool)) {
        return NULL;
    }
    if (!lims_encoding_decode(&text, bytes, length, charset, reasons, pool)) {
        return NULL;
    }
    r.sheet = lims_sheet_begin("", reasons, pool);
    if (!read_records(&r)) {
        return NULL;
    }
    astm->sheet = lims_sheet_end(r.sheet);
    astm->encoding = text.encoding;
    return astm;
}

/* --- Fields ---------------------------------------------------------------- */

/* Decodes escape sequences: &F& &S& &R& &E& are the delimiters. */
static const char *unescape(const char *text, apr_size_t length, const lims_astm_signs_t *signs,
                            apr_pool_t *pool)
{
    static const char letters[] = "FSRE";
    const char meant[] = { signs->field, signs->component, signs->repeat, signs->escape };
    char *copy = apr_palloc(pool, length + 1);
    char *out = copy;

    for (apr_size_t i = 0; i < length; i++) {
        const char *letter = NULL;
        if (text[i] == signs->escape && i + 2 < length && text[i + 2] == signs->escape) {
            letter = strchr(letters, text[i + 1]);
        }
        *out++ = letter && *letter ? meant[letter - letters] : text[i];
        i += letter && *letter ? 2 : 0;
    }
    *out = '\0';
    return copy;
}

const char *lims_astm_component(const lims_row_t *record, int field, int component,
                                const lims_astm_signs_t *signs, apr_pool_t *pool)
{
    const char *text = lims_row_cell(record, field - 1)->text;
    const char *repeat = strchr(text, signs->repeat);
    const char *end = repeat ? repeat : text + strlen(text);

    for (int i = 1; i < component; i++) {
        text = memchr(text, signs->component, (apr_size_t)(end - text));
        if (!text) {
            return "";
        }
        text++;
    }
    for (const char *stop = text; stop < end; stop++) {
        if (*stop == signs->component) {
            end = stop;
        }
    }
    return unescape(text, (apr_size_t)(end - text), signs, pool);
}
