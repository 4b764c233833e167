/* SPDX-License-Identifier: Apache-2.0 */
/*
 * typeface.c - fontconfig and pango, set up so that neither the system's configuration nor
 * the environment changes what a document looks like.
 */
#include "print/typeface.h"

#include <fontconfig/fontconfig.h>
#include <pango/pangofc-fontmap.h>
#include <string.h>

const lims_ink_t lims_ink = { 0x15 / 255.0, 0x18 / 255.0, 0x1c / 255.0 };
const lims_ink_t lims_ink_quiet = { 0x54 / 255.0, 0x5b / 255.0, 0x66 / 255.0 };
const lims_ink_t lims_ink_line = { 0xbf / 255.0, 0xc5 / 255.0, 0xcc / 255.0 };

const lims_style_t lims_styles[] = {
    [LIMS_STYLE_TITLE] = { .size = 19, .leading = 24, .bold = true, .ink = &lims_ink },
    [LIMS_STYLE_NAME] = { .size = 12, .leading = 15, .bold = true, .ink = &lims_ink },
    [LIMS_STYLE_NUMBER] = { .size = 10.5, .leading = 15, .mono = true, .ink = &lims_ink },
    [LIMS_STYLE_HEADING] = { .size = 10, .leading = 14, .bold = true, .ink = &lims_ink },
    [LIMS_STYLE_BODY] = { .size = 9, .leading = 12.5, .ink = &lims_ink },
    [LIMS_STYLE_STRONG] = { .size = 9, .leading = 12.5, .bold = true, .ink = &lims_ink },
    [LIMS_STYLE_CODE] = { .size = 9, .leading = 12.5, .mono = true, .ink = &lims_ink },
    [LIMS_STYLE_LABEL] = { .size = 7, .leading = 9.5, .ink = &lims_ink_quiet },
    [LIMS_STYLE_SMALL] = { .size = 7.5, .leading = 10, .ink = &lims_ink },
    [LIMS_STYLE_FOOT] = { .size = 7, .leading = 9.5, .ink = &lims_ink_quiet },
    [LIMS_STYLE_CELL] = { .size = 8.5, .leading = 11.5, .ink = &lims_ink },
    [LIMS_STYLE_CELL_STRONG] = { .size = 8.5, .leading = 11.5, .bold = true, .ink = &lims_ink },
    [LIMS_STYLE_CELL_CODE] = { .size = 8, .leading = 11.5, .mono = true, .ink = &lims_ink },
    [LIMS_STYLE_CELL_HEAD] = { .size = 7.5, .leading = 10, .bold = true, .ink = &lims_ink },
    [LIMS_STYLE_LABEL_TEXT] = { .size = 6.5, .leading = 8, .ink = &lims_ink },
};
_Static_assert(LIMS_LENGTH(lims_styles) == LIMS_STYLE_COUNT, "one row for each style");

/* The printable characters of ASCII, whose widths are measured once. */
#define ASCII_FIRST 0x20
#define ASCII_COUNT 0x5F

/* Width of another character, in its size: of a narrow and a wide one. */
#define NARROW 0.62
#define WIDE 1.0

struct lims_fonts_t {
    PangoFontMap *map;
    PangoContext *context;
    lims_set_texts_t *texts;
    lims_han_e han;
    PangoFontDescription *descriptions[LIMS_HAN_COUNT][LIMS_STYLE_COUNT];
    double ascii[LIMS_STYLE_COUNT][ASCII_COUNT];
};

/* The families of which a text is set, in this order, and their files: "%s" is Regular or
 * Bold. What else is installed or configured changes nothing. */
static const struct {
    const char *family, *file;
} families[] = {
    { "Noto Sans Mono", "NotoSansMono-%s.ttf" }, /* of styles that say so */
    { "Noto Sans", "NotoSans-%s.ttf" },          /* Latin, Greek, Cyrillic */
    { "Noto Sans Arabic", "NotoSansArabic-%s.ttf" },
    { "Noto Sans Hebrew", "NotoSansHebrew-%s.ttf" },
    { "Noto Sans Devanagari", "NotoSansDevanagari-%s.ttf" },
    { "Noto Sans Bengali", "NotoSansBengali-%s.ttf" },
    { "Noto Sans Gurmukhi", "NotoSansGurmukhi-%s.ttf" },
    { "Noto Sans Gujarati", "NotoSansGujarati-%s.ttf" },
    { "Noto Sans Tamil", "NotoSansTamil-%s.ttf" },
    { "Noto Sans Telugu", "NotoSansTelugu-%s.ttf" },
    { "Noto Sans Kannada", "NotoSansKannada-%s.ttf" },
    { "Noto Sans Malayalam", "NotoSansMalayalam-%s.ttf" },
    { "Noto Sans Sinhala", "NotoSansSinhala-%s.ttf" },
    { "Noto Sans Thai", "NotoSansThai-%s.ttf" },
    { "Noto Sans Lao", "NotoSansLao-%s.ttf" },
    { "Noto Sans Khmer", "NotoSansKhmer-%s.ttf" },
    { "Noto Sans Myanmar", "NotoSansMyanmar-%s.ttf" },
    { "Noto Sans Georgian", "NotoSansGeorgian-%s.ttf" },
    { "Noto Sans Armenian", "NotoSansArmenian-%s.ttf" },
    { "Noto Sans Ethiopic", "NotoSansEthiopic-%s.ttf" },
    { "Noto Sans Symbols", "NotoSansSymbols-%s.ttf" },
    { "Noto Sans Symbols2", "NotoSansSymbols2-%s.ttf" },
    { "Noto Sans Math", "NotoSansMath-%s.ttf" },
};

/* Families of Han characters and the language in which they are shaped. */
static const struct {
    const char *family, *language;
} hans[] = {
    [LIMS_HAN_SIMPLIFIED] = { "Noto Sans CJK SC", "zh-cn" },
    [LIMS_HAN_TRADITIONAL] = { "Noto Sans CJK TC", "zh-tw" },
    [LIMS_HAN_JAPANESE] = { "Noto Sans CJK JP", "ja" },
    [LIMS_HAN_KOREAN] = { "Noto Sans CJK KR", "ko" },
};
_Static_assert(LIMS_LENGTH(hans) == LIMS_HAN_COUNT, "one row for each form");

/* --- Setting up ------------------------------------------------------------- */

/* Names the folders, and the only files in them that count. */
static char *configuration(void)
{
    static const char *const weights[] = { "Regular", "Bold" };
    GString *xml = g_string_new("<?xml version=\"1.0\"?><fontconfig>"
                                "<dir>/usr/share/fonts</dir>"
                                "<cachedir>/var/cache/fontconfig</cachedir>"
                                "<selectfont><rejectfont><glob>*.*</glob></rejectfont>");

    for (size_t i = 0; i < LIMS_LENGTH(weights); i++) {
        for (size_t k = 0; k < LIMS_LENGTH(families); k++) {
            char **halves = g_strsplit(families[k].file, "%s", 2);

            g_string_append_printf(xml, "<acceptfont><glob>*/%s%s%s</glob></acceptfont>", halves[0],
                                   weights[i], halves[1]);
            g_strfreev(halves);
        }
        g_string_append_printf(xml, "<acceptfont><glob>*/NotoSansCJK-%s.ttc</glob></acceptfont>",
                               weights[i]);
    }
    g_string_append(xml, "</selectfont></fontconfig>");
    return g_string_free(xml, FALSE);
}

static FcConfig *configure(void)
{
    FcConfig *config = FcConfigCreate();
    char *xml = configuration();

    if (config &&
        (!FcConfigParseAndLoadFromMemory(config, (const FcChar8 *)xml, true) ||
         !FcConfigBuildFonts(config) || FcConfigGetFonts(config, FcSetSystem)->nfont == 0)) {
        FcConfigDestroy(config);
        config = NULL;
    }
    g_free(xml);
    return config;
}

static PangoFontDescription *describe(lims_han_e han, const lims_style_t *style)
{
    PangoFontDescription *description = pango_font_description_new();
    GString *list = g_string_new(NULL);

    for (size_t i = style->mono ? 0 : 1; i < LIMS_LENGTH(families); i++) {
        g_string_append_printf(list, "%s,", families[i].family);
    }
    g_string_append(list, hans[han].family);
    pango_font_description_set_family(description, list->str);
    pango_font_description_set_absolute_size(description, style->size * PANGO_SCALE);
    pango_font_description_set_weight(description,
                                      style->bold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL);
    g_string_free(list, TRUE);
    return description;
}

static void measure_ascii(lims_fonts_t *fonts, lims_type_style_e style)
{
    PangoLayout *layout = pango_layout_new(fonts->context);

    pango_layout_set_font_description(layout, lims_fonts_description(fonts, style));
    for (int i = 0; i < ASCII_COUNT; i++) {
        const char c = (char)(ASCII_FIRST + i);
        int width;

        pango_layout_set_text(layout, &c, 1);
        pango_layout_get_size(layout, &width, NULL);
        fonts->ascii[style][i] = (double)width / PANGO_SCALE;
    }
    g_object_unref(layout);
}

lims_fonts_t *lims_fonts_open(apr_pool_t *pool)
{
    lims_fonts_t *fonts = apr_pcalloc(pool, sizeof(*fonts));
    cairo_font_options_t *options = cairo_font_options_create();
    FcConfig *config = configure();

    if (!config) {
        return NULL;
    }
    fonts->map = pango_cairo_font_map_new_for_font_type(CAIRO_FONT_TYPE_FT);
    pango_fc_font_map_set_config(PANGO_FC_FONT_MAP(fonts->map), config);
    pango_cairo_font_map_set_resolution(PANGO_CAIRO_FONT_MAP(fonts->map), 72);
    fonts->context = pango_font_map_create_context(fonts->map);
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    pango_cairo_context_set_font_options(fonts->context, options);
    pango_context_set_round_glyph_positions(fonts->context, FALSE);
    fonts->texts = lims_set_texts_create(fonts->context);
    cairo_font_options_destroy(options);
    for (int han = 0; han < LIMS_HAN_COUNT; han++) {
        for (int style = 0; style < LIMS_STYLE_COUNT; style++) {
            fonts->descriptions[han][style] = describe((lims_han_e)han, &lims_styles[style]);
        }
    }
    lims_fonts_use(fonts, LIMS_HAN_SIMPLIFIED);
    for (int style = 0; style < LIMS_STYLE_COUNT; style++) {
        measure_ascii(fonts, (lims_type_style_e)style);
    }
    return fonts;
}

void lims_fonts_use(lims_fonts_t *fonts, lims_han_e han)
{
    fonts->han = han;
    pango_context_set_language(fonts->context, pango_language_from_string(hans[han].language));
    pango_context_set_base_dir(fonts->context, PANGO_DIRECTION_LTR);
}

/* --- Asking ----------------------------------------------------------------- */

lims_han_e lims_fonts_han(const char *language, const char *text, apr_size_t length)
{
    const char *end = text + length;
    bool hangul = false, bopomofo = false;

    for (const char *at = text; at < end; at = g_utf8_next_char(at)) {
        gunichar c = (unsigned char)*at < 0xE0 ? 0 : g_utf8_get_char(at);

        if (c >= 0x3041 && c <= 0x30FF) {
            return LIMS_HAN_JAPANESE;
        }
        hangul = hangul || (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0x1100 && c <= 0x11FF);
        bopomofo = bopomofo || (c >= 0x3105 && c <= 0x312F);
    }
    if (hangul || bopomofo || !language) {
        return hangul ? LIMS_HAN_KOREAN : bopomofo ? LIMS_HAN_TRADITIONAL : LIMS_HAN_SIMPLIFIED;
    }
    if (g_ascii_strncasecmp(language, "ja", 2) == 0 ||
        g_ascii_strncasecmp(language, "ko", 2) == 0) {
        return g_ascii_tolower(language[0]) == 'j' ? LIMS_HAN_JAPANESE : LIMS_HAN_KOREAN;
    }
    return strcasestr(language, "hant") || strcasestr(language, "-tw") ||
                   strcasestr(language, "-hk")
               ? LIMS_HAN_TRADITIONAL
               : LIMS_HAN_SIMPLIFIED;
}

PangoContext *lims_fonts_context(const lims_fonts_t *fonts)
{
    return fonts->context;
}

const PangoFontDescription *lims_fonts_description(const lims_fonts_t *fonts,
                                                   lims_type_style_e style)
{
    return fonts->descriptions[fonts->han][style];
}

lims_set_texts_t *lims_fonts_texts(const lims_fonts_t *fonts)
{
    return fonts->texts;
}

static double width_of(const lims_fonts_t *fonts, lims_type_style_e style, gunichar c)
{
    if (c >= ASCII_FIRST && c < ASCII_FIRST + ASCII_COUNT) {
        return fonts->ascii[style][c - ASCII_FIRST];
    }
    if (c < ASCII_FIRST || g_unichar_iszerowidth(c)) {
        return 0;
    }
    return lims_styles[style].size * (g_unichar_iswide(c) ? WIDE : NARROW);
}

double lims_fonts_estimate(const lims_fonts_t *fonts, lims_type_style_e style, const char *text,
                           apr_size_t length)
{
    const char *end = text + length;
    double width = 0;

    for (const char *at = text; at < end; at = g_utf8_next_char(at)) {
        width += width_of(fonts, style, g_utf8_get_char(at));
    }
    return width;
}

double lims_fonts_widest_word(const lims_fonts_t *fonts, lims_type_style_e style, const char *text)
{
    double widest = 0, word = 0;

    for (const char *at = text; *at; at = g_utf8_next_char(at)) {
        gunichar c = g_utf8_get_char(at);

        word = c == ' ' || c == '\n' || g_unichar_iswide(c) ? 0 : word;
        word += c == ' ' || c == '\n' ? 0 : width_of(fonts, style, c);
        widest = word > widest ? word : widest;
    }
    return widest;
}
