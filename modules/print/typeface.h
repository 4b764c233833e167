/* SPDX-License-Identifier: Apache-2.0 */
/* typeface.h - the fonts of documents, and the styles in which texts are set. */
#ifndef LIMS_PRINT_TYPEFACE_H
#define LIMS_PRINT_TYPEFACE_H

#include <pango/pangocairo.h>

#include "lims.h"
#include "print/set_texts.h"

typedef enum {
    LIMS_STYLE_TITLE,
    LIMS_STYLE_NAME,   /* of the laboratory, in the letterhead */
    LIMS_STYLE_NUMBER, /* of the certificate, below its title */
    LIMS_STYLE_HEADING,
    LIMS_STYLE_BODY,
    LIMS_STYLE_STRONG,
    LIMS_STYLE_CODE, /* identifiers: 0O and 1lI differ */
    LIMS_STYLE_LABEL,
    LIMS_STYLE_SMALL,
    LIMS_STYLE_FOOT,
    LIMS_STYLE_CELL,
    LIMS_STYLE_CELL_STRONG,
    LIMS_STYLE_CELL_CODE,
    LIMS_STYLE_CELL_HEAD,
    LIMS_STYLE_LABEL_TEXT, /* on a sticker */
    LIMS_STYLE_COUNT
} lims_type_style_e;

typedef struct {
    double red, green, blue;
} lims_ink_t;

extern const lims_ink_t lims_ink, lims_ink_quiet, lims_ink_line;

typedef struct {
    double size;    /* points */
    double leading; /* points from one line to the next */
    bool bold, mono;
    const lims_ink_t *ink;
} lims_style_t;

extern const lims_style_t lims_styles[LIMS_STYLE_COUNT];

/* Forms of Han characters. */
typedef enum {
    LIMS_HAN_SIMPLIFIED,
    LIMS_HAN_TRADITIONAL,
    LIMS_HAN_JAPANESE,
    LIMS_HAN_KOREAN,
    LIMS_HAN_COUNT
} lims_han_e;

typedef struct lims_fonts_t lims_fonts_t;

/* Opens the fonts, for the life of the process. NULL: none of them is installed. */
lims_fonts_t *lims_fonts_open(apr_pool_t *pool);

/* Chooses the forms of Han characters for what is set from now on. */
void lims_fonts_use(lims_fonts_t *fonts, lims_han_e han);

/* Returns the forms for a document in that language (such as "zh-Hant", may be NULL) that
 * has such text: kana means Japanese, hangul Korean, bopomofo traditional. */
lims_han_e lims_fonts_han(const char *language, const char *text, apr_size_t length);

/* Returns the context in which texts are set. */
PangoContext *lims_fonts_context(const lims_fonts_t *fonts);

/* Returns the font of a style. */
const PangoFontDescription *lims_fonts_description(const lims_fonts_t *fonts,
                                                   lims_type_style_e style);

/* Returns the texts that have been set in these fonts. */
lims_set_texts_t *lims_fonts_texts(const lims_fonts_t *fonts);

/* Returns the width of a text on one line in points: exact for ASCII, a little generous for
 * all else. Takes no shaping. */
double lims_fonts_estimate(const lims_fonts_t *fonts, lims_type_style_e style, const char *text,
                           apr_size_t length);

/* Returns the estimated width of the widest word. */
double lims_fonts_widest_word(const lims_fonts_t *fonts, lims_type_style_e style, const char *text);

#endif /* LIMS_PRINT_TYPEFACE_H */
