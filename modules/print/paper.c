/* SPDX-License-Identifier: Apache-2.0 */
/* paper.c - pages and what is drawn on them. */
#include "print/paper.h"

#include <string.h>

#include "kernel/error.h"
#include "print/bounds.h"

/* Bytes that finishing a document takes, besides twice what has been written of it. */
#define REMAINDER (8 * 1024 * 1024)

/* Pages between two looks at how much memory there is. */
#define LOOK_EVERY 8

/* --- Pages ------------------------------------------------------------------ */

static void draw_watermark(lims_paper_t *paper)
{
    PangoLayout *layout;
    int width, height;

    if (!paper->cr || !paper->frame->watermark) {
        return;
    }
    layout = pango_layout_new(lims_fonts_context(paper->fonts));
    pango_layout_set_font_description(layout,
                                      lims_fonts_description(paper->fonts, LIMS_STYLE_TITLE));
    pango_layout_set_text(layout, paper->frame->watermark, -1);
    pango_layout_get_size(layout, &width, &height);
    cairo_save(paper->cr);
    cairo_translate(paper->cr, paper->width / 2, paper->height / 2);
    cairo_rotate(paper->cr, -G_PI / 4);
    cairo_scale(paper->cr, 8, 8);
    cairo_move_to(paper->cr, -0.5 * width / PANGO_SCALE, -0.5 * height / PANGO_SCALE);
    cairo_set_source_rgb(paper->cr, 0.92, 0.93, 0.94);
    pango_cairo_show_layout(paper->cr, layout);
    cairo_restore(paper->cr);
    g_object_unref(layout);
}

static void begin_page(lims_paper_t *paper)
{
    paper->page++;
    if (!paper->cr) {
        paper->pages = paper->page;
    }
    if (paper->page > LIMS_PRINT_PAGES_MAX) {
        paper->error =
            lims_client_error(paper->pool, LIMS_E_PAYLOAD_TOO_LARGE,
                              "The document has more than %d pages", LIMS_PRINT_PAGES_MAX);
    } else if (paper->page % LOOK_EVERY == 0 && !paper->error) {
        paper->error = lims_bounds_check(REMAINDER + 2 * paper->pdf->len, paper->pool);
    }
    draw_watermark(paper);
    paper->y = paper->top;
    paper->frame->head(paper, paper->frame->baton);
    paper->fresh = paper->y;
}

void lims_paper_begin(lims_paper_t *paper, cairo_t *cr)
{
    paper->cr = cr;
    paper->page = 0;
    begin_page(paper);
}

void lims_paper_end(lims_paper_t *paper)
{
    paper->frame->foot(paper, paper->frame->baton);
    if (paper->cr) {
        cairo_show_page(paper->cr);
    }
}

void lims_paper_break(lims_paper_t *paper)
{
    lims_paper_end(paper);
    begin_page(paper);
}

bool lims_paper_need(lims_paper_t *paper, double height)
{
    if (paper->y + height <= paper->bottom || lims_paper_is_fresh(paper)) {
        return false;
    }
    lims_paper_break(paper);
    return true;
}

bool lims_paper_is_fresh(const lims_paper_t *paper)
{
    return paper->y <= paper->fresh;
}

/* --- Texts ------------------------------------------------------------------ */

/* Sets a text in lines of a width, or on one line. */
static lims_set_text_t set_text(lims_paper_t *paper, lims_type_style_e style, double width,
                                bool one_line, const char *text, apr_size_t length)
{
    const lims_text_setting_t setting = {
        .font = lims_fonts_description(paper->fonts, style),
        .width = (int)(width * PANGO_SCALE),
        .one_line = one_line,
        .text = text,
        .length = length > LIMS_PAPER_TEXT_MAX ? 0 : length,
    };
    lims_set_text_t set = { .style = &lims_styles[style], .width = width };

    if (length > LIMS_PAPER_TEXT_MAX && !paper->error) {
        paper->error = lims_client_error(paper->pool, LIMS_E_PAYLOAD_TOO_LARGE,
                                         "A name or value has %" APR_SIZE_T_FMT
                                         " bytes; at most %d can be printed in one place",
                                         length, LIMS_PAPER_TEXT_MAX);
    }
    set.layout = lims_set_texts_get(lims_fonts_texts(paper->fonts), &setting);
    set.lines = pango_layout_get_line_count(set.layout);
    return set;
}

lims_set_text_t lims_text_set(lims_paper_t *paper, lims_type_style_e style, double width,
                              const char *text, apr_size_t length)
{
    return set_text(paper, style, width, false, text, length);
}

double lims_text_width(const lims_set_text_t *text)
{
    int width;

    pango_layout_get_size(text->layout, &width, NULL);
    return (double)width / PANGO_SCALE;
}

void lims_text_shorten(lims_set_text_t *text, int lines)
{
    PangoLayout *whole = text->layout;

    if (text->lines <= lines) {
        return;
    }
    /* The whole text may be kept for others. */
    text->layout = pango_layout_copy(whole);
    pango_layout_set_height(text->layout, -lines);
    pango_layout_set_ellipsize(text->layout, PANGO_ELLIPSIZE_END);
    text->lines = pango_layout_get_line_count(text->layout);
    g_object_unref(whole);
}

void lims_text_drop(lims_set_text_t *text)
{
    g_object_unref(text->layout);
    text->layout = NULL;
}

/* Returns the offset of a line from the left edge of its column. Text begins at the side
 * where its script does, in a column that is aligned at the start. */
static double line_offset(PangoLayoutLine *line, double column, lims_align_e align)
{
    PangoRectangle logical;
    double width;

    pango_layout_line_get_extents(line, NULL, &logical);
    width = (double)logical.width / PANGO_SCALE;
    switch (align) {
    case LIMS_ALIGN_END:
        return column - width;
    case LIMS_ALIGN_CENTRE:
        return (column - width) / 2;
    case LIMS_ALIGN_START:
        return line->resolved_dir == PANGO_DIRECTION_RTL ? column - width : 0;
    default:
        return 0;
    }
}

void lims_text_draw(lims_paper_t *paper, const lims_set_text_t *text, int first, int end, double x,
                    double dy, lims_align_e align)
{
    const lims_style_t *style = text->style;
    /* Where a baseline lies in its line: Noto Sans reaches 0.73 em above it. */
    double baseline = paper->y + dy + style->leading / 2 + 0.36 * style->size;
    GSList *line;

    if (!paper->cr) {
        return;
    }
    cairo_set_source_rgb(paper->cr, style->ink->red, style->ink->green, style->ink->blue);
    line = g_slist_nth(pango_layout_get_lines_readonly(text->layout), (guint)first);
    for (int i = first; i < end && line; i++, line = line->next) {
        cairo_move_to(paper->cr, x + line_offset(line->data, text->width, align), baseline);
        pango_cairo_show_layout_line(paper->cr, line->data);
        baseline += style->leading;
    }
}

double lims_text_line(lims_paper_t *paper, lims_type_style_e style, double x, double dy,
                      double width, lims_align_e align, const char *text)
{
    lims_set_text_t set = set_text(paper, style, width, true, text, strlen(text));
    double used;

    lims_text_draw(paper, &set, 0, 1, x, dy, align);
    used = lims_text_width(&set);
    lims_text_drop(&set);
    return used;
}

/* --- Lines and tags --------------------------------------------------------- */

void lims_paper_rule(lims_paper_t *paper, double x, double x2, double dy, double thickness,
                     const lims_ink_t *ink)
{
    if (!paper->cr) {
        return;
    }
    cairo_set_source_rgb(paper->cr, ink->red, ink->green, ink->blue);
    cairo_set_line_width(paper->cr, thickness);
    cairo_move_to(paper->cr, x, paper->y + dy);
    cairo_line_to(paper->cr, x2, paper->y + dy);
    cairo_stroke(paper->cr);
}

void lims_tag_open(lims_paper_t *paper, const char *name)
{
    if (paper->cr) {
        cairo_tag_begin(paper->cr, name, NULL);
    }
}

void lims_tag_figure(lims_paper_t *paper, const char *alternative)
{
    lims_tag_open(paper, "Figure");
    if (paper->cr) {
        g_ptr_array_add(paper->alternatives, (gpointer)(uintptr_t)alternative);
    }
}

void lims_tag_close(lims_paper_t *paper, const char *name)
{
    if (paper->cr) {
        cairo_tag_end(paper->cr, name);
    }
}
