/* SPDX-License-Identifier: Apache-2.0 */
/* hl7.c - segments and fields of HL7 version 2. */
#include "formats/hl7.h"

#include <apr_escape.h>
#include <apr_lib.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/utf8.h"

typedef struct {
    lims_hl7_t *hl7;
    lims_sheet_writer_t *sheet;
    const lims_text_t *text;
    int line;
    int messages;          /* number of messages so far */
    int batches;           /* number of batches so far */
    int messages_of_batch; /* number of messages since BHS */
    bool in_message;
    bool in_batch;
    bool in_file;
    bool in_block; /* within an MLLP block */
    bool unended;  /* the last segment lacks its line end */
    bool at_end;   /* the current segment ends with the file instead of a line end */
    lims_reasons_t *reasons;
    apr_pool_t *pool;
} reader_t;

/* --- Character set --------------------------------------------------------- */

/* Values of MSH-18 (HL7 table 0211) with iconv's names. */
static const struct {
    const char *declared, *charset;
} charsets[] = {
    { "ASCII", "US-ASCII" },      { "8859/1", "ISO-8859-1" },     { "8859/2", "ISO-8859-2" },
    { "8859/3", "ISO-8859-3" },   { "8859/4", "ISO-8859-4" },     { "8859/5", "ISO-8859-5" },
    { "8859/6", "ISO-8859-6" },   { "8859/7", "ISO-8859-7" },     { "8859/8", "ISO-8859-8" },
    { "8859/9", "ISO-8859-9" },   { "8859/15", "ISO-8859-15" },   { "UNICODE", "UTF-8" },
    { "UNICODE UTF-8", "UTF-8" }, { "GB 18030-2000", "GB18030" }, { "KS X 1001", "EUC-KR" },
    { "BIG-5", "BIG5" },          { "ISO IR87", "ISO-2022-JP" },  { "ISO IR14", "ISO-2022-JP" },
};

/* Finds the charset that the first message declares. The header itself is ASCII in
 * all of them. */
static const char *declared_charset(const char *bytes, apr_size_t length, const char *otherwise)
{
    const char *end = bytes + length;
    const char *at = bytes;

    while (end - at > 4 && memcmp(at, "MSH", 3) != 0) {
        at++;
    }
    if (end - at <= 4) {
        return otherwise;
    }
    end = at + strcspn(at, "\r\n");
    for (int field = 1, separator = at[3]; field < 18 && at < end; at++) {
        field += *at == separator;
    }
    for (apr_size_t i = 0; i < LIMS_LENGTH(charsets); i++) {
        apr_size_t size = strlen(charsets[i].declared);
        if ((apr_size_t)(end - at) >= size && memcmp(at, charsets[i].declared, size) == 0 &&
            !apr_isalnum(at[size]) && at[size] != '/' && at[size] != ' ') {
            return charsets[i].charset;
        }
    }
    return otherwise;
}

/* --- Segments -------------------------------------------------------------- */

static bool refuse_truncated(reader_t *r, const char *message)
{
    lims_reasons_block(r->reasons, LIMS_REASON_TRUNCATED_FILE, r->line, 0, "%s", message);
    return false;
}

/* Refuses a line that is not a segment. At the end of a file with an open batch or
 * block it is a truncated segment. */
static bool refuse_segment(reader_t *r, const char *message)
{
    if (r->at_end && (r->in_batch || r->in_file || r->in_block)) {
        return refuse_truncated(r, "The file ends within a segment: it was cut off.");
    }
    lims_reasons_block(r->reasons, LIMS_REASON_STRUCTURE_MISMATCH, r->line, 0, "Line %d: %s",
                       r->line, message);
    return false;
}

static bool is_delimiter(char c)
{
    return c > ' ' && c < 0x7f && !apr_isalnum(c);
}

/* Reads the delimiters, |^~\&, behind the name of MSH, BHS or FHS. */
static bool read_delimiters(reader_t *r, const char *segment, apr_size_t length)
{
    lims_hl7_signs_t signs = { '\0', '\0', '\0', '\0', '\0' };
    char *all[] = { &signs.field, &signs.component, &signs.repeat, &signs.escape,
                    &signs.subcomponent };

    for (apr_size_t i = 0; i < LIMS_LENGTH(all) && 3 + i < length; i++) {
        if (i > 0 && segment[3 + i] == signs.field) {
            break;
        }
        *all[i] = segment[3 + i];
    }
    for (apr_size_t i = 0; i < LIMS_LENGTH(all); i++) {
        for (apr_size_t j = 0; *all[i] && j < i; j++) {
            if (*all[i] == *all[j]) {
                return refuse_segment(r, "the header declares the same delimiter twice.");
            }
        }
        if (*all[i] ? !is_delimiter(*all[i]) : i < 2) {
            return refuse_segment(r, "the header does not declare its encoding characters.");
        }
    }
    if (r->hl7->signs.field && memcmp(&signs, &r->hl7->signs, sizeof(signs)) != 0) {
        return refuse_segment(r, "this header declares other delimiters than the one before.");
    }
    r->hl7->signs = signs;
    return true;
}

/* Writes the fields of a segment as cells. In header segments SEG-1 is the field
 * separator itself. */
static bool write_cells(reader_t *r, const char *segment, apr_size_t length, bool header)
{
    const char *end = segment + length;

    for (const char *field = segment; field <= end;) {
        const char *stop = memchr(field, r->hl7->signs.field, (apr_size_t)(end - field));
        apr_size_t size = (apr_size_t)((stop ? stop : end) - field);

        if (!lims_sheet_cell(r->sheet, apr_pstrmemdup(r->pool, field, size), size,
                             (apr_size_t)(field - r->text->bytes))) {
            return false;
        }
        if (header && field == segment &&
            !lims_sheet_cell(r->sheet, apr_pstrmemdup(r->pool, segment + 3, 1), 1,
                             (apr_size_t)(segment + 3 - r->text->bytes))) {
            return false;
        }
        field += size + 1;
    }
    return true;
}

/* Checks the count of a trailer segment; it may be absent, but not incomplete. */
static bool check_count(reader_t *r, const char *segment, apr_size_t length, int counted,
                        const char *of)
{
    const char *text = length > 4 ? segment + 4 : "";
    char *end;
    long declared = strtol(text, &end, 10);

    if (length > 4 && end != text && declared != counted) {
        lims_reasons_block(r->reasons, LIMS_REASON_TRUNCATED_FILE, r->line, 0,
                           "The trailer of line %d counts %ld %s, but there are %d.", r->line,
                           declared, of, counted);
        return false;
    }
    return !r->unended || (length > 4 && end != text) ||
           refuse_truncated(r, "The file ends within its trailer.");
}

static bool is_segment(const char *segment, apr_size_t length, const char *name)
{
    return length >= 3 && memcmp(segment, name, 3) == 0;
}

/* Reads an envelope segment: FHS, BHS, BTS or FTS. */
static bool read_envelope(reader_t *r, const char *segment, apr_size_t length)
{
    r->in_message = false;
    if (is_segment(segment, length, "FHS")) {
        r->in_file = true;
        return read_delimiters(r, segment, length);
    }
    if (is_segment(segment, length, "BHS")) {
        if (r->in_batch) {
            return refuse_truncated(r, "A batch begins before the one before it ended.");
        }
        r->in_batch = true;
        r->messages_of_batch = 0;
        r->batches++;
        return read_delimiters(r, segment, length);
    }
    if (is_segment(segment, length, "BTS")) {
        if (!r->in_batch) {
            return refuse_segment(r, "a batch ends that did not begin.");
        }
        r->in_batch = false;
        return check_count(r, segment, length, r->messages_of_batch, "messages");
    }
    if (!r->in_file || r->in_batch) {
        return r->in_batch ? refuse_truncated(r, "The file ends within a batch.")
                           : refuse_segment(r, "a file ends that did not begin.");
    }
    r->in_file = false;
    return check_count(r, segment, length, r->batches, "batches");
}

static bool is_envelope(const char *segment, apr_size_t length)
{
    static const char *const names[] = { "FHS", "BHS", "BTS", "FTS" };

    for (apr_size_t i = 0; i < LIMS_LENGTH(names); i++) {
        if (is_segment(segment, length, names[i])) {
            return true;
        }
    }
    return false;
}

static bool has_segment_name(const reader_t *r, const char *segment, apr_size_t length)
{
    return length >= 3 && apr_isupper(segment[0]) && apr_isalnum(segment[1]) &&
           apr_isalnum(segment[2]) && (length == 3 || segment[3] == r->hl7->signs.field);
}

static bool read_segment(reader_t *r, const char *segment, apr_size_t length)
{
    bool header = is_segment(segment, length, "MSH") || is_segment(segment, length, "FHS") ||
                  is_segment(segment, length, "BHS");

    if (is_envelope(segment, length)) {
        if (!read_envelope(r, segment, length)) {
            return false;
        }
    } else if (is_segment(segment, length, "MSH")) {
        if (!read_delimiters(r, segment, length)) {
            return false;
        }
        r->in_message = true;
        r->messages++;
        r->messages_of_batch++;
    } else if (!r->in_message) {
        return refuse_segment(r, "this segment stands outside of a message.");
    }
    if (!has_segment_name(r, segment, length)) {
        return refuse_segment(r, "this is not a segment: three letters and a field separator.");
    }
    return lims_sheet_row(r->sheet, r->line, r->in_message ? r->messages : 0) &&
           write_cells(r, segment, length, header);
}

/* Skips MLLP framing (HL7 v2 transport): VT before a message, FS behind it. A
 * recording has both. */
static const char *skip_framing(reader_t *r, const char *at)
{
    for (; *at == '\x0b' || *at == '\x1c'; at++) {
        r->in_block = *at == '\x0b';
    }
    return at;
}

static bool read_segments(reader_t *r)
{
    const char *at = r->text->bytes;
    const char *end = at + r->text->length;

    for (r->line = 1; at < end; r->line++) {
        const char *segment = skip_framing(r, at);
        apr_size_t length = strcspn(segment, "\r\n\x1c");

        r->unended = segment[length] == '\0';
        r->at_end = segment + length == end;
        if (length && strspn(segment, " \t") < length) {
            if (!read_segment(r, segment, length)) {
                return false;
            }
            r->hl7->unended = r->unended && r->in_message ? r->line : 0;
        }
        at = skip_framing(r, segment + length);
        at += *at == '\r' && at[1] == '\n' ? 2 : *at == '\r' || *at == '\n';
    }
    if (r->in_block) {
        return refuse_truncated(r,
                                "The file ends within a message: the end of its block is missing.");
    }
    if (r->in_batch || r->in_file) {
        return refuse_truncated(r, "The file ends within a batch: its trailer is missing.");
    }
    return true;
}

const lims_hl7_t *lims_hl7_read(const char *bytes, apr_size_t length, const char *charset,
                                lims_reasons_t *reasons, apr_pool_t *pool)
{
    lims_hl7_t *hl7 = apr_pcalloc(pool, sizeof(*hl7));
    const char *copy = apr_pstrmemdup(pool, bytes, length);
    lims_text_t text;
    reader_t r = { .hl7 = hl7, .text = &text, .reasons = reasons, .pool = pool };

    if (!lims_encoding_decode(&text, copy, length, declared_charset(copy, length, charset), reasons,
                              pool)) {
        return NULL;
    }
    r.sheet = lims_sheet_begin("", reasons, pool);
    if (!read_segments(&r)) {
        return NULL;
    }
    hl7->sheet = lims_sheet_end(r.sheet);
    hl7->encoding = text.encoding;
    return hl7;
}

/* --- Fields ---------------------------------------------------------------- */

/* Decodes the hexadecimal bytes of \X..\, if they are text. */
static apr_size_t decode_hexadecimal(char *out, const char *digits, apr_size_t count)
{
    apr_size_t length = 0;
    apr_status_t rv = apr_unescape_hex(NULL, digits, (apr_ssize_t)count, 0, &length);

    if (rv != APR_SUCCESS || count % 2 != 0 ||
        apr_unescape_hex(out, digits, (apr_ssize_t)count, 0, &length) != APR_SUCCESS) {
        return 0;
    }
    return memchr(out, '\0', length) || !lims_utf8_valid(out, length) ? 0 : length;
}

/* Resolves an escape sequence; 0 if it is not one. */
static apr_size_t resolve_escape(char *out, const char *sequence, apr_size_t length,
                                 const lims_hl7_signs_t *signs)
{
    static const char letters[] = "FSTRE";
    const char meant[] = { signs->field, signs->component, signs->subcomponent, signs->repeat,
                           signs->escape };
    const char *letter = length == 1 ? memchr(letters, *sequence, sizeof(letters) - 1) : NULL;

    if (letter) {
        *out = meant[letter - letters];
        return 1;
    }
    if (length == 3 && memcmp(sequence, ".br", 3) == 0) {
        *out = '\n';
        return 1;
    }
    return length > 1 && *sequence == 'X' ? decode_hexadecimal(out, sequence + 1, length - 1) : 0;
}

static const char *unescape(const char *text, apr_size_t length, const lims_hl7_signs_t *signs,
                            apr_pool_t *pool)
{
    char *copy = apr_palloc(pool, length + 1);
    const char *end = text + length;
    char *out = copy;

    while (text < end) {
        const char *close = NULL;
        apr_size_t written = 0;

        if (signs->escape && *text == signs->escape) {
            close = memchr(text + 1, signs->escape, (apr_size_t)(end - text - 1));
        }
        if (close) {
            written = resolve_escape(out, text + 1, (apr_size_t)(close - text - 1), signs);
        }
        if (written) {
            out += written;
            text = close + 1;
        } else {
            *out++ = *text++;
        }
    }
    *out = '\0';
    return copy;
}

const char *lims_hl7_component(const lims_row_t *segment, int field, int component,
                               const lims_hl7_signs_t *signs, apr_pool_t *pool)
{
    const lims_cell_t *cell = lims_row_cell(segment, field);
    const char *text = cell->text;
    const char *end = text + cell->length;
    const char *stop = signs->repeat ? memchr(text, signs->repeat, cell->length) : NULL;

    end = stop ? stop : end;
    for (int i = 1; i < component; i++) {
        text = memchr(text, signs->component, (apr_size_t)(end - text));
        if (!text) {
            return "";
        }
        text++;
    }
    stop = memchr(text, signs->component, (apr_size_t)(end - text));
    end = stop ? stop : end;
    return unescape(text, (apr_size_t)(end - text), signs, pool);
}
