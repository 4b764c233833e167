/* SPDX-License-Identifier: Apache-2.0 */
/* shapes.c - drawing the glyphs: on a field of 16 by 16, like those of the pages. */
#include "print/shapes.h"

#include <string.h>

static const char *const names[] = {
    [LIMS_SHAPE_NONE] = "none",           [LIMS_SHAPE_WITHIN] = "within",
    [LIMS_SHAPE_ABOVE] = "above",         [LIMS_SHAPE_BELOW] = "below",
    [LIMS_SHAPE_ATTENTION] = "attention", [LIMS_SHAPE_BLOCKED] = "blocked",
    [LIMS_SHAPE_PROGRESS] = "progress",   [LIMS_SHAPE_READY] = "ready",
};
_Static_assert(LIMS_LENGTH(names) == LIMS_SHAPE_COUNT, "one name for each shape");

lims_shape_e lims_shape_named(const char *name)
{
    int shape = 0;

    while (shape < LIMS_SHAPE_COUNT && strcmp(names[shape], name) != 0) {
        shape++;
    }
    return (lims_shape_e)shape;
}

typedef struct {
    double x, y;
} point_t;

static void path(cairo_t *cr, const point_t *points, size_t count, bool closed)
{
    cairo_move_to(cr, points[0].x, points[0].y);
    for (size_t i = 1; i < count; i++) {
        cairo_line_to(cr, points[i].x, points[i].y);
    }
    if (closed) {
        cairo_close_path(cr);
    }
}

static void ring(cairo_t *cr)
{
    cairo_arc(cr, 8, 8, 6.25, 0, 2 * G_PI);
    cairo_set_line_width(cr, 1.5);
    cairo_stroke(cr);
}

static void attention(cairo_t *cr)
{
    static const point_t triangle[] = { { 8, 2.2 }, { 14.6, 13.7 }, { 1.4, 13.7 } };

    cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
    cairo_set_line_width(cr, 1.5);
    path(cr, triangle, LIMS_LENGTH(triangle), true);
    cairo_stroke(cr);
    cairo_rectangle(cr, 7.2, 6, 1.6, 4);
    cairo_rectangle(cr, 7.2, 11, 1.6, 1.6);
    cairo_fill(cr);
}

static void blocked(cairo_t *cr)
{
    static const point_t octagon[] = { { 5.1, 1 },   { 10.9, 1 }, { 15, 5.1 }, { 15, 10.9 },
                                       { 10.9, 15 }, { 5.1, 15 }, { 1, 10.9 }, { 1, 5.1 } };

    path(cr, octagon, LIMS_LENGTH(octagon), true);
    cairo_rectangle(cr, 4.5, 7, 7, 2);
    cairo_set_fill_rule(cr, CAIRO_FILL_RULE_EVEN_ODD);
    cairo_fill(cr);
}

static void progress(cairo_t *cr)
{
    ring(cr);
    cairo_arc(cr, 8, 8, 6.25, G_PI / 2, 3 * G_PI / 2);
    cairo_close_path(cr);
    cairo_fill(cr);
}

static void tick(cairo_t *cr, const point_t points[3])
{
    cairo_set_line_width(cr, 1.75);
    path(cr, points, 3, false);
    cairo_stroke(cr);
}

static void draw(cairo_t *cr, lims_shape_e shape)
{
    static const point_t up[] = { { 8, 3.5 }, { 14, 13 }, { 2, 13 } };
    static const point_t down[] = { { 8, 12.5 }, { 2, 3 }, { 14, 3 } };
    static const point_t small[] = { { 4.9, 8.3 }, { 7.1, 10.5 }, { 11.1, 5.9 } };
    static const point_t large[] = { { 3.5, 8.4 }, { 6.5, 11.4 }, { 12.5, 4.8 } };

    switch (shape) {
    case LIMS_SHAPE_WITHIN:
        tick(cr, large);
        break;
    case LIMS_SHAPE_ABOVE:
    case LIMS_SHAPE_BELOW:
        path(cr, shape == LIMS_SHAPE_ABOVE ? up : down, 3, true);
        cairo_fill(cr);
        break;
    case LIMS_SHAPE_ATTENTION:
        attention(cr);
        break;
    case LIMS_SHAPE_BLOCKED:
        blocked(cr);
        break;
    case LIMS_SHAPE_PROGRESS:
        progress(cr);
        break;
    case LIMS_SHAPE_READY:
        ring(cr);
        tick(cr, small);
        break;
    default:
        break;
    }
}

void lims_shape_draw(lims_paper_t *paper, lims_shape_e shape, double x, double dy, double size)
{
    if (!paper->cr || shape == LIMS_SHAPE_NONE) {
        return;
    }
    cairo_save(paper->cr);
    cairo_translate(paper->cr, x, paper->y + dy);
    cairo_scale(paper->cr, size / 16, size / 16);
    cairo_set_source_rgb(paper->cr, lims_ink.red, lims_ink.green, lims_ink.blue);
    draw(paper->cr, shape);
    cairo_restore(paper->cr);
}
