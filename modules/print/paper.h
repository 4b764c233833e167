/* SPDX-License-Identifier: Apache-2.0 */
/*
 * paper.h - the paper while it is filled: pages, texts, lines, tags.
 *
 * A document is set twice in the same way: once without a surface, which counts its pages,
 * then on one. What draws does nothing the first time; what moves .y, or breaks pages, does
 * the same each time.
 *
 * Lengths are points, y grows downwards.
 */
#ifndef LIMS_PRINT_PAPER_H
#define LIMS_PRINT_PAPER_H

#include "print/typeface.h"

#define LIMS_MM (72 / 25.4)

/* Longest text that is set at once, in bytes. */
#define LIMS_PAPER_TEXT_MAX 32768

typedef struct lims_paper_t lims_paper_t;

/* Parts of a page besides its content. */
typedef struct {
    /* Draws the head of a page and leaves .y below it. */
    void (*head)(lims_paper_t *paper, const void *baton);
    /* Draws the foot, from .bottom on. */
    void (*foot)(lims_paper_t *paper, const void *baton);
    const void *baton;
    double foot_height;
    const char *watermark; /* across each page, or NULL */
} lims_frame_t;

struct lims_paper_t {
    apr_pool_t *pool; /* of the document */
    lims_fonts_t *fonts;
    const lims_frame_t *frame;
    cairo_t *cr; /* NULL: pages are counted */
    double width, height;
    double left, right, top, bottom; /* what content fills */
    double y, fresh;                 /* .y behind the head */
    int page, pages;
    GPtrArray *alternatives; /* of const char *: texts of the figures drawn */
    const GByteArray *pdf;   /* what has been written so far */
    const lims_error_t *error;
};

typedef enum { LIMS_ALIGN_START, LIMS_ALIGN_END, LIMS_ALIGN_CENTRE, LIMS_ALIGN_LEFT } lims_align_e;

/* A text that has been set. */
typedef struct {
    PangoLayout *layout;
    const lims_style_t *style;
    double width; /* of its column */
    int lines;
} lims_set_text_t;

/* Begins counting (`cr` NULL) or drawing a part of the document, on a new page. */
void lims_paper_begin(lims_paper_t *paper, cairo_t *cr);

/* Ends the last page. */
void lims_paper_end(lims_paper_t *paper);

/* Begins a new page. */
void lims_paper_break(lims_paper_t *paper);

/* Begins a new page unless so much is left on this one. Returns whether it did. */
bool lims_paper_need(lims_paper_t *paper, double height);

/* Whether nothing stands on this page yet but its head. */
bool lims_paper_is_fresh(const lims_paper_t *paper);

/* Sets a text (made visible, at most LIMS_PAPER_TEXT_MAX bytes) in lines of a width. */
lims_set_text_t lims_text_set(lims_paper_t *paper, lims_type_style_e style, double width,
                              const char *text, apr_size_t length);

/* Draws lines `first` up to `end` (not included) of a text, the first at the top of .y +
 * `dy`, between x and x + its width. */
void lims_text_draw(lims_paper_t *paper, const lims_set_text_t *text, int first, int end, double x,
                    double dy, lims_align_e align);

/* Returns the widest line's width. */
double lims_text_width(const lims_set_text_t *text);

/* Shortens a text of one paragraph to so many lines, at least one, the last with an ellipsis;
 * does nothing to a text that has no more. */
void lims_text_shorten(lims_set_text_t *text, int lines);

/* Frees a set text. */
void lims_text_drop(lims_set_text_t *text);

/* Sets and draws a text on one line at (x, .y + dy), shortened by an ellipsis where it is
 * wider; returns its width. */
double lims_text_line(lims_paper_t *paper, lims_type_style_e style, double x, double dy,
                      double width, lims_align_e align, const char *text);

/* Draws a line from x to x2 at .y + dy. */
void lims_paper_rule(lims_paper_t *paper, double x, double x2, double dy, double thickness,
                     const lims_ink_t *ink);

/* Opens an element of the structure: "P", "TR". */
void lims_tag_open(lims_paper_t *paper, const char *name);

/* Opens a figure, with the text that stands for it. */
void lims_tag_figure(lims_paper_t *paper, const char *alternative);

/* Closes an element. */
void lims_tag_close(lims_paper_t *paper, const char *name);

#endif /* LIMS_PRINT_PAPER_H */
