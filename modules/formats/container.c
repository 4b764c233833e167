/* SPDX-License-Identifier: Apache-2.0 */
/* container.c - detection of the container format by content. */
#include "formats/container.h"

#include <apr_lib.h>
#include <string.h>

const char *const lims_container_names[] = {
    [LIMS_CONTAINER_TEXT] = "text", [LIMS_CONTAINER_XLSX] = "xlsx", [LIMS_CONTAINER_XLS] = "xls",
    [LIMS_CONTAINER_ASTM] = "astm", [LIMS_CONTAINER_HL7] = "hl7",   [LIMS_CONTAINER_XML] = "xml",
    [LIMS_CONTAINER_JSON] = "json", [LIMS_CONTAINER_HTML] = "html", [LIMS_CONTAINER_COUNT] = NULL,
};
_Static_assert(LIMS_LENGTH(lims_container_names) == LIMS_CONTAINER_COUNT + 1,
               "a name for every container");

/* Signatures: the first bytes of each container. The first row that matches
 * decides. */
static const struct {
    const char *magic;
    apr_size_t length;
    lims_container_e container;
    const char *refused; /* description of an unsupported format, for the refusal; else NULL */
} magics[] = {
    { "PK\x03\x04", 4, LIMS_CONTAINER_XLSX, NULL },
    { "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 8, LIMS_CONTAINER_XLS, NULL },
    { "\x09\x00\x04\x00", 4, LIMS_CONTAINER_COUNT, "a workbook of Excel 2" },
    { "\x09\x02\x06\x00", 4, LIMS_CONTAINER_COUNT, "a workbook of Excel 3" },
    { "\x09\x04\x06\x00", 4, LIMS_CONTAINER_COUNT, "a workbook of Excel 4" },
    { "%PDF-", 5, LIMS_CONTAINER_COUNT, "a PDF document" },
    { "\x89PNG", 4, LIMS_CONTAINER_COUNT, "a picture" },
    { "\xff\xd8\xff", 3, LIMS_CONTAINER_COUNT, "a picture" },
    { "\x1f\x8b", 2, LIMS_CONTAINER_COUNT, "a compressed file" },
    { "7z\xbc\xaf", 4, LIMS_CONTAINER_COUNT, "an archive" },
    { "Rar!", 4, LIMS_CONTAINER_COUNT, "an archive" },
    { "{\\rtf", 5, LIMS_CONTAINER_COUNT, "a text processor's document" },
};

/* First elements that identify a web page, after byte order mark, white space and
 * comments. */
static const char *const pages[] = { "<!doctype html", "<html", "<head", "<body",
                                     "<table",         "<meta", "<style" };

const char *lims_container_name(lims_container_e container)
{
    return lims_container_names[container];
}

static bool refuse(lims_reasons_t *reasons, const char *what)
{
    lims_reasons_block(reasons, LIMS_REASON_UNSUPPORTED_CONTAINER, 0, 0,
                       "The file is %s, which holds no rows that could be read.", what);
    return false;
}

/* Copies the beginning of the text without the zero bytes of UTF-16, for ASCII
 * comparison. */
static apr_size_t first_letters(char *letters, apr_size_t size, const char *bytes,
                                apr_size_t length)
{
    static const char skipped[] = " \t\r\n\x0b"; /* also VT, which begins an MLLP block */
    apr_size_t count = 0;

    for (apr_size_t i = 0; i < length && i < 4096 && count < size - 1; i++) {
        unsigned char c = (unsigned char)bytes[i];
        bool mark = i < 3 && (c == 0xef || c == 0xbb || c == 0xbf || c == 0xff || c == 0xfe);
        if (c && !mark && (count || !strchr(skipped, c))) {
            letters[count++] = bytes[i];
        }
    }
    letters[count] = '\0';
    return count;
}

/* Whether a text is the ASTM header record: H, then its delimiters, of which three
 * differ. */
static bool is_astm_header(const char *text)
{
    return text[0] == 'H' && text[1] && strchr("|!@#$%&*;:,\t", text[1]) && text[2] &&
           strchr("\\^&~@!$#", text[2]) && text[3] && strchr("\\^&~@!$#", text[3]) &&
           text[2] != text[3];
}

/* Whether a text begins with an HL7 header segment's name and its field separator. */
static bool is_hl7_header(const char *text)
{
    return (strncmp(text, "MSH", 3) == 0 || strncmp(text, "FHS", 3) == 0 ||
            strncmp(text, "BHS", 3) == 0) &&
           text[3] && !apr_isalnum(text[3]) && !strchr(" ,;:\t\"'", text[3]);
}

static bool is_xml(const char *text)
{
    return text[0] == '<' && (text[1] == '?' || text[1] == '!' || text[1] == '_' ||
                              apr_isalpha(text[1]) || (unsigned char)text[1] >= 0x80);
}

/* Whether a text begins with the name of an HTML element as a whole word: <tables>
 * is XML. */
static bool is_page(const char *text)
{
    while (strncmp(text, "<!--", 4) == 0 && strstr(text, "-->")) {
        text = strstr(text, "-->") + 3;
        text += strspn(text, " \t\r\n");
    }
    for (apr_size_t i = 0; i < LIMS_LENGTH(pages); i++) {
        apr_size_t length = strlen(pages[i]);
        if (strncasecmp(text, pages[i], length) == 0 &&
            (text[length] == '\0' || strchr("> \t\r\n/", text[length]))) {
            return true;
        }
    }
    return false;
}

/* Whether a text is JSON: a brace, or brackets unlike the heading of an INI
 * section: [{, ["a", [[. */
static bool is_json(const char *text)
{
    const char *inner = text + 1 + strspn(text + (*text != 0), " \t\r\n");

    return *inner && strchr(*text == '{' ? "\"}" : *text == '[' ? "[{\"" : "", *inner);
}

/* Skips lines beginning with #, which are comments of the program that saved the
 * records. */
static const char *skip_comments(const char *text)
{
    while (*text == '#') {
        text += strcspn(text, "\r\n");
        text += strspn(text, "\r\n \t");
    }
    return text;
}

static bool is_framed(const char *bytes, apr_size_t length)
{
    apr_size_t at = 0;

    while (at < length && (bytes[at] == '\x05' || bytes[at] == '\r' || bytes[at] == '\n')) {
        at++; /* ENQ, at the begin of a recorded ASTM session */
    }
    return at + 2 < length && bytes[at] == '\x02' && bytes[at + 1] >= '0' && bytes[at + 1] <= '7';
}

bool lims_container_detect(lims_container_e *container, const char *bytes, apr_size_t length,
                           lims_reasons_t *reasons)
{
    char letters[512];

    if (length == 0) {
        lims_reasons_block(reasons, LIMS_REASON_EMPTY_FILE, 0, 0, "The file is empty.");
        return false;
    }
    for (apr_size_t i = 0; i < LIMS_LENGTH(magics); i++) {
        if (length >= magics[i].length && memcmp(bytes, magics[i].magic, magics[i].length) == 0) {
            *container = magics[i].container;
            return !magics[i].refused || refuse(reasons, magics[i].refused);
        }
    }
    if (first_letters(letters, sizeof(letters), bytes, length) == 0) {
        lims_reasons_block(reasons, LIMS_REASON_EMPTY_FILE, 0, 0,
                           "The file holds nothing but white space.");
        return false;
    }
    if (is_page(letters)) {
        *container = LIMS_CONTAINER_HTML;
    } else if (is_json(letters)) {
        *container = LIMS_CONTAINER_JSON;
    } else if (is_framed(bytes, length) || is_astm_header(skip_comments(letters))) {
        *container = LIMS_CONTAINER_ASTM;
    } else if (is_hl7_header(letters)) {
        *container = LIMS_CONTAINER_HL7;
    } else {
        *container = is_xml(letters) ? LIMS_CONTAINER_XML : LIMS_CONTAINER_TEXT;
    }
    return true;
}
