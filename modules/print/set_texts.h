/* SPDX-License-Identifier: Apache-2.0 */
/*
 * set_texts.h - a cache of texts that have been set, for all documents of the process: each
 * document is set twice, and the certificates of a laboratory have most of their texts in
 * common. Shaping a text takes far longer than drawing it.
 *
 * What is kept is bounded by number and by length, and does not change what is drawn.
 */
#ifndef LIMS_PRINT_SET_TEXTS_H
#define LIMS_PRINT_SET_TEXTS_H

#include <pango/pango.h>
#include <stdbool.h>

/* Longest text that is kept, in bytes. */
#define LIMS_SET_TEXT_MAX 400

/* Texts, and bytes of them, in a generation; two generations are kept. */
#define LIMS_SET_TEXTS_MAX 3000
#define LIMS_SET_TEXTS_BYTES_MAX (128 * 1024)

typedef struct lims_set_texts_t lims_set_texts_t;

/* A text, and how it is set. */
typedef struct {
    const PangoFontDescription *font; /* lives as long as the cache: compared by its address */
    int width;                        /* of its lines, in units of pango */
    bool one_line;                    /* shortened by an ellipsis where it is wider */
    const char *text;
    size_t length; /* bytes */
} lims_text_setting_t;

/* Makes an empty cache, for the life of the process. */
lims_set_texts_t *lims_set_texts_create(PangoContext *context);

/* Returns the text set in lines, which nobody may change; unref it after use. */
PangoLayout *lims_set_texts_get(lims_set_texts_t *texts, const lims_text_setting_t *setting);

#endif /* LIMS_PRINT_SET_TEXTS_H */
