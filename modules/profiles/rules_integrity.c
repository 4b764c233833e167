/* SPDX-License-Identifier: Apache-2.0 */
/* rules_integrity.c - checks that a file is complete, by its own statements about
 * its end. */
#include "kernel/digest.h"
#include "profiles/fold.h"
#include "profiles/layout.h"

#include <apr_cstr.h>
#include <apr_escape.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

static void truncated(lims_layout_t *layout, const lims_found_t *found, const char *expected,
                      const char *message)
{
    lims_layout_reason(layout, NULL, LIMS_REASON_TRUNCATED_FILE, true, found, expected, "%s",
                       message);
}

/* --- The last line ------------------------------------------------------------------------ */

/* Largest part of a line that is shown, in bytes; whole characters. */
#define LINE_SHOWN 200

/* Returns the last line of a text, or row of a workbook, that is not blank. */
static const char *last_line(apr_size_t *length, lims_layout_t *layout)
{
    const lims_document_t *document = layout->document;
    const char *end;

    if (document->text) {
        const char *begin = document->text->bytes;
        for (end = begin + document->text->length; end > begin && strchr("\r\n\t ", end[-1]);
             end--) {
        }
        *length = 0;
        while (end > begin && end[-1] != '\n' && end[-1] != '\r') {
            end--;
            ++*length;
        }
        return end;
    }
    for (int i = document->count - 1; i >= 0; i--) {
        for (int j = document->sheets[i].count - 1; j >= 0; j--) {
            if (!lims_row_is_blank(&document->sheets[i].rows[j])) {
                return lims_layout_line(length, layout, &document->sheets[i].rows[j]);
            }
        }
    }
    *length = 0;
    return "";
}

static void check_end(lims_layout_t *layout)
{
    const lims_regex_t *end = layout->profile->integrity.end;
    apr_size_t length;
    const char *line;

    if (!end) {
        return;
    }
    line = last_line(&length, layout);
    if (!lims_regex_matches(layout->out->matcher, end, line, length)) {
        apr_size_t shown = length < LINE_SHOWN ? length : LINE_SHOWN;
        lims_found_t found = { .row = 0 };

        while (shown > 0 && shown < length && ((unsigned char)line[shown] & 0xC0) == 0x80) {
            shown--;
        }
        found.raw = apr_pstrmemdup(layout->pool, line, shown);
        truncated(layout, &found, lims_regex_pattern(end),
                  "The last line is not the one that ends such files.");
    }
}

/* Whether the text ends with a complete line break, of the same kind as its first. */
static bool breaks_last_line(const lims_text_t *text)
{
    const char *first = memchr(text->bytes, '\n', text->length);
    bool pair = first && first > text->bytes && first[-1] == '\r';
    char last = text->length > 0 ? text->bytes[text->length - 1] : '\0';

    return last == '\n' || (last == '\r' && !pair);
}

static void check_line_break(lims_layout_t *layout)
{
    const lims_text_t *text = layout->document->text;
    const lims_hl7_t *hl7 = layout->document->hl7;
    lims_found_t found = { .row = 0 };

    if (layout->profile->integrity.line_break && text && !breaks_last_line(text)) {
        truncated(layout, &found, "a line break", "The last line does not end.");
    }
    /* HL7 v2.5.1, 2.5.1: a carriage return ends every segment, including the last. */
    if (layout->profile->integrity.line_break && hl7 && hl7->unended) {
        found.row = hl7->unended;
        truncated(layout, &found, "a carriage return",
                  "The last segment does not end: the file may have been cut within it.");
    }
}

/* A row truncated within its last cell still counts as a row, so a file whose only
 * integrity check is the count must end with a line break. */
static bool ends_its_line(const lims_layout_t *layout)
{
    const lims_integrity_t *integrity = &layout->profile->integrity;
    const lims_text_t *text = layout->document->text;

    return !text || integrity->end || integrity->hash.regex ||
           (text->length > 0 && strchr("\r\n", text->bytes[text->length - 1]));
}

/* --- The declared count --------------------------------------------------------------------- */

static void check_count(lims_layout_t *layout)
{
    static const lims_layout_scope_t nowhere = { .line = 0 };
    const lims_source_t *source = &layout->profile->integrity.count;
    int rows = layout->out->counts.rows;
    lims_found_t found;
    char *end;
    long count;

    if (source->kind == LIMS_SOURCE_NONE) {
        return;
    }
    lims_source_read(&found, layout, layout->once ? layout->once : &nowhere, source);
    if (!found.text || *found.text == '\0') {
        truncated(layout, &found, "a number of rows",
                  "The file does not say how many rows it has.");
        return;
    }
    count = strtol(found.text, &end, 10);
    if (*end != '\0' || count != rows) {
        truncated(layout, &found, apr_psprintf(layout->pool, "%d", rows),
                  apr_psprintf(layout->pool, "The file says that it has %s rows, and has %d.",
                               found.text, rows));
    } else if (!ends_its_line(layout)) {
        truncated(layout, NULL, "a line break", "The last line is not ended.");
    }
}

/* --- The checksum --------------------------------------------------------------------------- */

/* CRC-16/CCITT-FALSE: polynomial 0x1021, initial value 0xffff, not reflected. */
static const char *crc16(const char *bytes, apr_size_t length, apr_pool_t *pool)
{
    unsigned crc = 0xffff;

    for (apr_size_t i = 0; i < length; i++) {
        crc ^= (unsigned)(unsigned char)bytes[i] << 8;
        for (int bit = 0; bit < 8; bit++) {
            crc = (crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1) & 0xffff;
        }
    }
    return apr_psprintf(pool, "%04x", crc);
}

/* CRC-32 of ISO 3309, as in ZIP and Ethernet. */
static const char *crc32(const char *bytes, apr_size_t length, apr_pool_t *pool)
{
    unsigned table[256], crc = 0xffffffff;

    for (unsigned i = 0; i < 256; i++) {
        table[i] = i;
        for (int bit = 0; bit < 8; bit++) {
            table[i] = table[i] & 1 ? table[i] >> 1 ^ 0xedb88320 : table[i] >> 1;
        }
    }
    for (apr_size_t i = 0; i < length; i++) {
        crc = table[(crc ^ (unsigned char)bytes[i]) & 0xff] ^ crc >> 8;
    }
    return apr_psprintf(pool, "%08x", crc ^ 0xffffffff);
}

static const char *hash_of(lims_hash_e algorithm, const char *bytes, apr_size_t length,
                           apr_pool_t *pool)
{
    switch (algorithm) {
    case LIMS_HASH_CRC16:
        return crc16(bytes, length, pool);
    case LIMS_HASH_CRC32:
        return crc32(bytes, length, pool);
    case LIMS_HASH_MD5:
        return lims_digest_hex("MD5", bytes, length, pool);
    case LIMS_HASH_SHA1:
        return lims_digest_hex("SHA1", bytes, length, pool);
    case LIMS_HASH_SHA256:
        return lims_digest_hex("SHA256", bytes, length, pool);
    default:
        return NULL;
    }
}

/* Finds the line with the checksum, searching from the end of the text. */
static const char *find_hash(const char **stated, lims_layout_t *layout)
{
    const lims_text_t *text = layout->document->text;
    const char *end = text->bytes + text->length;

    while (end > text->bytes) {
        const char *line = end, *part;
        apr_size_t length;

        while (line > text->bytes && line[-1] != '\n' && line[-1] != '\r') {
            line--;
        }
        if (lims_regex_capture(&part, &length, layout->out->matcher,
                               layout->profile->integrity.hash.regex, line,
                               (apr_size_t)(end - line))) {
            *stated = apr_pstrmemdup(layout->pool, part, length);
            return line;
        }
        end = line > text->bytes ? line - 1 : line;
    }
    return NULL;
}

static void check_hash(lims_layout_t *layout)
{
    const lims_integrity_t *integrity = &layout->profile->integrity;
    const char *stated, *line, *expected;
    lims_found_t found = { .text = NULL };

    if (!integrity->hash.regex || !layout->document->text) {
        return;
    }
    line = find_hash(&stated, layout);
    if (!line) {
        truncated(layout, NULL, lims_regex_pattern(integrity->hash.regex),
                  "The line with the checksum is not there.");
        return;
    }
    if (integrity->hash.algorithm == LIMS_HASH_NONE) {
        return;
    }
    expected = hash_of(integrity->hash.algorithm, layout->document->text->bytes,
                       (apr_size_t)(line - layout->document->text->bytes), layout->pool);
    found.raw = stated;
    if (!expected || apr_cstr_casecmp(expected, stated) != 0) {
        lims_layout_reason(layout, NULL, LIMS_REASON_CHECKSUM_ERROR, true, &found, expected,
                           "The checksum of the file is not that of its content.");
    }
}

static void check_frames(lims_layout_t *layout)
{
    const lims_astm_t *astm = layout->document->astm;

    if (layout->profile->integrity.frames == LIMS_FRAMES_REQUIRED && astm && !astm->framed) {
        lims_layout_reason(layout, NULL, LIMS_REASON_STRUCTURE_MISMATCH, true, NULL,
                           "frames with checksums",
                           "The messages of the file are not in frames of the line protocol.");
    }
}

void lims_integrity_check(lims_layout_t *layout)
{
    check_frames(layout);
    check_end(layout);
    check_line_break(layout);
    check_count(layout);
    check_hash(layout);
}
