/* SPDX-License-Identifier: Apache-2.0 */
/* pictures.h - the pictures that come with a job, by their SHA-256. */
#ifndef LIMS_PRINT_PICTURES_H
#define LIMS_PRINT_PICTURES_H

#include "kernel/json.h"
#include "print/paper.h"

typedef struct lims_pictures_t lims_pictures_t;

typedef struct {
    cairo_surface_t *surface; /* NULL: there is none, for */
    const char *fault;        /* this reason */
    double width, height;     /* pixels */
} lims_picture_t;

/* Takes the member "files" of a job; nothing is decoded yet. */
lims_pictures_t *lims_pictures_of(const lims_json_t *files, apr_pool_t *pool);

/* Returns a picture, decoded once for all parts of the document. */
const lims_picture_t *lims_picture_find(lims_pictures_t *pictures, const char *sha256,
                                        apr_pool_t *pool);

/* Draws a picture in a box whose upper left corner is (x, .y). */
void lims_picture_draw(lims_paper_t *paper, const lims_picture_t *picture, double x, double width,
                       double height);

#endif /* LIMS_PRINT_PICTURES_H */
