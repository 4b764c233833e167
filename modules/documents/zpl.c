/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zpl.c - labels in ZPL II: matrix at the left, text beside it, bars below, as lims-print
 * sets them (print/label_sheet.c). Lengths are dots of the printer.
 */
#include "documents/zpl.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <math.h>
#include <string.h>

#include "kernel/hidden.h"
#include "kernel/utf8.h"

/* Millimetres: space inside of a label, between its parts, heights of letters, and of bars. */
#define INSET 1.5
#define GAP 1.2
#define CODE_HEIGHT 3.2
#define TITLE_HEIGHT 2.8
#define LINE_HEIGHT 2.4
#define BARS_HEIGHT 5.0

/* Part of a label's height that its bars have, if that is more. */
#define BARS_PART 0.32

/* Widths of a module that printers and readers manage, in millimetres. */
#define BAR_MIN 0.19
#define MODULE_MIN 0.24
#define MODULE_MAX 0.7

/* Modules of Code 128: of a character, of the last one, and white beside them. */
#define BAR_CHARACTER 11
#define BAR_STOP 13
#define BAR_QUIET 10

/* Modules that stay white around a matrix. */
#define MATRIX_QUIET 2

/* Height of a line by that of its letters, and width of a letter likewise. */
#define LEADING 1.2
#define LETTER 0.55

typedef struct {
    apr_array_header_t *text; /* of char */
    int dpi, width, height, inset;
} label_writer_t;

bool lims_label_has_symbol(const char *code)
{
    apr_size_t length = strlen(code);

    for (const char *c = code; *c != '\0'; c++) {
        if (*c < 0x20 || *c > 0x7E) {
            return false;
        }
    }
    return length > 0 && length <= LIMS_LABEL_CODE_MAX;
}

/* --- Text ------------------------------------------------------------------- */

static void append(label_writer_t *w, const char *text)
{
    for (; *text != '\0'; text++) {
        APR_ARRAY_PUSH(w->text, char) = *text;
    }
}

/* Appends bytes of field data behind ^FH_. */
static void append_data(label_writer_t *w, const char *bytes, apr_size_t length)
{
    static const char digits[] = "0123456789ABCDEF";

    for (apr_size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)bytes[i];

        if (byte < 0x80 && (apr_isalnum(byte) || strchr(" -./:", byte))) {
            APR_ARRAY_PUSH(w->text, char) = (char)byte;
        } else {
            APR_ARRAY_PUSH(w->text, char) = '_';
            APR_ARRAY_PUSH(w->text, char) = digits[byte >> 4];
            APR_ARRAY_PUSH(w->text, char) = digits[byte & 15];
        }
    }
}

/* Whether a character hides: label printers spell no script that needs joiners. */
static bool is_hidden(unsigned c)
{
    return lims_hidden_character(c) || lims_hidden_joiner(c);
}

/* Appends a line of text as field data, with blanks for what hides. */
static void append_line(label_writer_t *w, const char *text, apr_size_t length)
{
    for (apr_size_t i = 0; i < length;) {
        apr_uint32_t character;
        apr_size_t bytes = lims_utf8_decode(&character, text + i, length - i);

        bytes = bytes > 0 ? bytes : 1;
        if (is_hidden(character)) {
            append(w, " ");
        } else {
            append_data(w, text + i, bytes);
        }
        i += bytes;
    }
}

/* Returns how much of a text stands on a line of `room` letters: up to the last blank,
 * where there is one. Letters of East Asia take two. */
static apr_size_t fitting(const char *text, int room)
{
    apr_size_t at = 0, blank = 0, length = strlen(text);

    while (at < length) {
        apr_uint32_t c;
        apr_size_t bytes = lims_utf8_decode(&c, text + at, length - at);

        room -= c >= 0x1100 ? 2 : 1;
        if (room < 0) {
            return blank > 0 ? blank : at;
        }
        blank = c == ' ' ? at : blank;
        at += bytes > 0 ? bytes : 1;
    }
    return at;
}

static int dots(const label_writer_t *w, double millimetres)
{
    return (int)(millimetres * w->dpi / 25.4 + 0.5);
}

/* Writes a text in lines from (x, *y) on, as long as they end above `bottom`. One that is
 * not whole ends with points, lest it be read as another. */
static void write_text(label_writer_t *w, int x, int *y, int bottom, double height,
                       const char *text)
{
    static const char points[] = "...";
    int letters = dots(w, height), leading = (int)(letters * LEADING);
    int room = (int)((w->width - w->inset - x) / (letters * LETTER));

    while (room >= (int)sizeof(points) && *text != '\0' && *y + letters <= bottom) {
        apr_size_t length = fitting(text, room);
        bool whole = text[length] == '\0' || *y + leading + letters <= bottom;

        length = whole ? length : fitting(text, room - (int)sizeof(points) + 1);
        append(w, apr_psprintf(w->text->pool, "^FO%d,%d^A0N,%d,0^FH_^FD", x, *y, letters));
        append_line(w, text, length);
        append(w, whole ? "" : points);
        append(w, "^FS\n");
        *y += leading;
        text += length;
        text += *text == ' ' ? 1 : 0;
    }
}

/* --- Symbols ---------------------------------------------------------------- */

/* Returns the most modules that the side of a code's DataMatrix has: two digits are a
 * codeword, any other character is one (ISO/IEC 16022, table 7). */
static int matrix_side(const char *code)
{
    static const struct {
        int codewords, side;
    } sizes[] = { { 3, 10 },  { 5, 12 },  { 8, 14 },  { 12, 16 }, { 18, 18 }, { 22, 20 },
                  { 30, 22 }, { 36, 24 }, { 44, 26 }, { 62, 32 }, { 86, 36 } };
    int codewords = 0, i = 0;

    for (const char *c = code; *c != '\0'; c++, codewords++) {
        c += apr_isdigit(c[0]) && apr_isdigit(c[1]) ? 1 : 0;
    }
    while (sizes[i].codewords < codewords) {
        i++;
    }
    return sizes[i].side;
}
_Static_assert(LIMS_LABEL_CODE_MAX <= 86, "the largest of the sizes has room for any code");

/* Returns a character that begins no escape sequence in the code of a matrix, because the
 * code does not have it; ^ and ~ begin commands, and a comma ends a parameter. */
static char unused(const char *code)
{
    char c = '!';

    while (strchr(code, c) || strchr("^~,", c)) {
        c++;
    }
    return c;
}

/* Returns the width of a module of a code's matrix above `bottom`; 0: there is no room. */
static int matrix_module(const label_writer_t *w, const char *code, int bottom)
{
    int modules = matrix_side(code) + 2 * MATRIX_QUIET, inner = w->width - 2 * w->inset;
    int room = bottom - w->inset < inner ? bottom - w->inset : inner;
    int most = (int)(MODULE_MAX * w->dpi / 25.4), least = (int)ceil(MODULE_MIN * w->dpi / 25.4);
    int module = room / modules < most ? room / modules : most;

    return module < least ? 0 : module;
}

/* Writes the matrix at the left and returns where the text beside it begins. */
static int write_matrix(label_writer_t *w, const char *code, int module)
{
    int edge = w->inset + MATRIX_QUIET * module;

    append(w, apr_psprintf(w->text->pool, "^FO%d,%d^BXN,%d,200,0,0,6,%c^FH_^FD", edge, edge, module,
                           unused(code)));
    append_data(w, code, strlen(code));
    append(w, "^FS\n");
    return w->inset + (matrix_side(code) + 2 * MATRIX_QUIET) * module + dots(w, GAP);
}

/* Appends the data of bars: subset B, in which >, ^ and ~ have codes of their own. */
static void append_bar_data(label_writer_t *w, const char *code)
{
    append(w, ">:");
    for (const char *c = code; *c != '\0'; c++) {
        if (*c == '>' || *c == '^' || *c == '~') {
            append(w, *c == '>' ? ">0" : *c == '^' ? "><" : ">=");
        } else {
            append_data(w, c, 1);
        }
    }
}

/* Returns the width of a module of bars that can be read. */
static int bar_module(const label_writer_t *w)
{
    return (int)ceil(BAR_MIN * w->dpi / 25.4);
}

static int bars_height(const label_writer_t *w)
{
    int least = dots(w, BARS_HEIGHT), part = (int)((w->height - 2 * w->inset) * BARS_PART);

    return part > least ? part : least;
}

/* Returns where the space above bars ends; 0: a label has no room for them. */
static int above_bars(const label_writer_t *w, const char *code)
{
    int modules = BAR_CHARACTER * ((int)strlen(code) + 2) + BAR_STOP + 2 * BAR_QUIET;
    int bottom = w->height - w->inset - bars_height(w) - dots(w, GAP);

    return bar_module(w) * modules <= w->width - 2 * w->inset && matrix_module(w, code, bottom) > 0
               ? bottom
               : 0;
}

static void write_bars(label_writer_t *w, const char *code)
{
    int module = bar_module(w), high = bars_height(w);

    append(w, apr_psprintf(w->text->pool, "^BY%d,3,%d^FO%d,%d^BCN,%d,N,N,N,N^FH_^FD", module, high,
                           w->inset + BAR_QUIET * module, w->height - w->inset - high, high));
    append_bar_data(w, code);
    append(w, "^FS\n");
}

/* --- Labels ----------------------------------------------------------------- */

/* Writes a label; false: its code has no room. */
static bool write_label(label_writer_t *w, const lims_label_t *label)
{
    int above = above_bars(w, label->code), bottom = above > 0 ? above : w->height - w->inset;
    int module = matrix_module(w, label->code, bottom), x, y = w->inset;

    if (module == 0) {
        return false;
    }
    append(w,
           apr_psprintf(w->text->pool, "^XA\n^CI28\n^PW%d\n^LL%d\n^LH0,0\n", w->width, w->height));
    if (above > 0) {
        write_bars(w, label->code);
    }
    x = write_matrix(w, label->code, module);
    write_text(w, x, &y, bottom, CODE_HEIGHT, label->code);
    write_text(w, x, &y, bottom, TITLE_HEIGHT, label->title);
    for (const char *const *line = label->lines; *line; line++) {
        write_text(w, x, &y, bottom, LINE_HEIGHT, *line);
    }
    append(w, "^XZ\n");
    return true;
}

const char *lims_zpl_write(apr_size_t *length, int *too_long, const lims_label_t *labels, int count,
                           const lims_zpl_size_t *size, apr_pool_t *pool)
{
    label_writer_t w = {
        .text = apr_array_make(pool, 512 * count, sizeof(char)),
        .dpi = size->dpi,
    };

    w.width = dots(&w, size->width);
    w.height = dots(&w, size->height);
    w.inset = dots(&w, INSET);
    for (int i = 0; i < count; i++) {
        if (!write_label(&w, &labels[i])) {
            *too_long = i;
            return NULL;
        }
    }
    *length = (apr_size_t)w.text->nelts;
    APR_ARRAY_PUSH(w.text, char) = '\0';
    return w.text->elts;
}
