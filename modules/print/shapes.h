/* SPDX-License-Identifier: Apache-2.0 */
/* shapes.h - the glyphs of verdicts and status, as the application's pages have them. */
#ifndef LIMS_PRINT_SHAPES_H
#define LIMS_PRINT_SHAPES_H

#include "print/paper.h"

typedef enum {
    LIMS_SHAPE_NONE,
    LIMS_SHAPE_WITHIN,    /* a tick */
    LIMS_SHAPE_ABOVE,     /* a filled triangle upwards */
    LIMS_SHAPE_BELOW,     /* ... downwards */
    LIMS_SHAPE_ATTENTION, /* an open triangle with a mark of exclamation */
    LIMS_SHAPE_BLOCKED,   /* a filled octagon with a bar */
    LIMS_SHAPE_PROGRESS,  /* a circle, half of it filled */
    LIMS_SHAPE_READY,     /* a ring with a tick */
    LIMS_SHAPE_COUNT
} lims_shape_e;

/* Draws a shape in a square of `size` whose upper left corner is (x, .y + dy). */
void lims_shape_draw(lims_paper_t *paper, lims_shape_e shape, double x, double dy, double size);

/* Returns the shape of that name ("within"); LIMS_SHAPE_COUNT: there is none. */
lims_shape_e lims_shape_named(const char *name);

#endif /* LIMS_PRINT_SHAPES_H */
