/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xlsx_text.c - texts of Office Open XML workbooks: runs, superscripts, escapes.
 *
 * Source: ECMA-376 part 1, 18.4 (shared strings), 22.9.2.19 (ST_Xstring).
 */
#include <stdlib.h>
#include <string.h>

#include "formats/xlsx.h"
#include "formats/xml.h"
#include "kernel/utf8.h"

/* Length of an escaped UTF-16 code unit: "_x000D_". */
#define ESCAPE_LENGTH 7

void lims_xlsx_text_begin(lims_xlsx_text_t *text)
{
    text->text->nelts = 0;
    text->raised = false;
}

void lims_xlsx_text_start(lims_xlsx_text_t *text, const char *name, const char **attributes)
{
    if (strcmp(name, "rPh") == 0) {
        text->in_phonetic = true;
    } else if (strcmp(name, "r") == 0) {
        text->raised = false;
    } else if (strcmp(name, "vertAlign") == 0) {
        const char *value = lims_xml_value(attributes, "val");
        text->raised = value && strcmp(value, "superscript") == 0;
    }
    text->collecting = !text->in_phonetic && strcmp(name, "t") == 0;
}

void lims_xlsx_text_end(lims_xlsx_text_t *text, const char *name)
{
    text->collecting = false;
    text->in_phonetic = text->in_phonetic && strcmp(name, "rPh") != 0;
}

void lims_xlsx_text_add(lims_xlsx_text_t *text, const char *more, int length)
{
    const apr_array_header_t *before = text->text;
    int room;

    if (!text->collecting || length == 0) {
        return;
    }
    if (text->raised && before->nelts > 0 &&
        lims_is_exponent(before->elts[before->nelts - 1], more, (apr_size_t)length)) {
        lims_text_append(text->text, "^", 1);
    }
    text->raised = false;
    /* One more than the limit, so that a longer cell is refused. */
    room = LIMS_FILE_CELL_MAX + 1 - text->text->nelts;
    if (room > 0) {
        lims_text_append(text->text, more, length < room ? length : room);
    }
}

/* Returns the code unit of an escape; 0: there is none that is a character. */
static unsigned escaped_unit(const char *at, apr_size_t left)
{
    unsigned unit;

    if (left < ESCAPE_LENGTH || at[0] != '_' || at[1] != 'x' || at[ESCAPE_LENGTH - 1] != '_' ||
        strspn(at + 2, "0123456789ABCDEFabcdef") != 4) {
        return 0;
    }
    unit = (unsigned)strtoul(at + 2, NULL, 16);
    return unit >= 0xd800 && unit <= 0xdfff ? 0 : unit;
}

const char *lims_xlsx_text_done(lims_xlsx_text_t *text)
{
    char *from, *to, *end;

    lims_text_append(text->text, "", 1);
    from = to = text->text->elts;
    end = from + text->text->nelts - 1;
    /* A text that was cut at the limit keeps its length, by which it is refused. */
    while (from < end && end - text->text->elts <= LIMS_FILE_CELL_MAX) {
        unsigned unit = escaped_unit(from, (apr_size_t)(end - from));

        if (unit) {
            to = lims_utf8_encode(to, unit);
            from += ESCAPE_LENGTH;
        } else {
            *to++ = *from++;
        }
    }
    if (to != text->text->elts) {
        *to = '\0';
    }
    return text->text->elts;
}
