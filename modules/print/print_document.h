/* SPDX-License-Identifier: Apache-2.0 */
/* print_document.h - a whole document: its parts, its paper, and the bytes of its PDF. */
#ifndef LIMS_PRINT_PRINT_DOCUMENT_H
#define LIMS_PRINT_PRINT_DOCUMENT_H

#include "print/blocks.h"

typedef struct lims_print_part_t lims_print_part_t;

/* A part, whose pages are counted by themselves. */
struct lims_print_part_t {
    lims_print_part_t *next;
    lims_frame_t frame;
    /* Sets all content. */
    void (*set)(lims_paper_t *paper, const void *baton);
    const void *baton;
};

typedef struct {
    bool letter; /* paper: US letter, else A4 */
    bool landscape;
    const char *title;    /* of the document, in its metadata */
    const char *author;   /* laboratory, or NULL */
    const char *made_at;  /* ISO 8601, or NULL */
    const char *language; /* RFC 5646 */
    double width, height; /* of another paper in points, or 0 */
    bool without_margins;
    lims_han_e han;
    lims_print_part_t *parts;
} lims_print_document_t;

/* Makes the PDF. */
const lims_error_t *lims_document_make(const char **bytes, apr_size_t *length,
                                       const lims_print_document_t *document, lims_fonts_t *fonts,
                                       apr_pool_t *pool);

#endif /* LIMS_PRINT_PRINT_DOCUMENT_H */
