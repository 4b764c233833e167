/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zpl.h - labels in ZPL II, the language of label printers.
 *
 * Every text is field data whose bytes other than letters, digits and a few signs are
 * hexadecimal (^FH), so that none can be read as a command; characters are UTF-8 (^CI28).
 * Knows neither httpd nor the database.
 */
#ifndef LIMS_DOCUMENTS_ZPL_H
#define LIMS_DOCUMENTS_ZPL_H

#include "lims.h"

/* A label: its code as symbols and as text, a title, and lines, the most needed first. */
typedef struct {
    const char *code; /* printable ASCII */
    const char *title;
    const char *const *lines; /* NULL at the end */
} lims_label_t;

/* Size of a label in millimetres, and dots per inch of its printer. */
typedef struct {
    double width, height;
    int dpi;
} lims_zpl_size_t;

/* Longest code of a label in bytes, as long as codes of records may be. */
#define LIMS_LABEL_CODE_MAX 64

/* Returns whether a code can be a symbol: 1 to LIMS_LABEL_CODE_MAX printable ASCII
 * characters. */
bool lims_label_has_symbol(const char *code);

/* Writes labels, each as a format of its own: a DataMatrix, bars of Code 128 where they
 * are wide enough to be read, the code, the title, and as many lines as there is room for.
 * Returns the text, in `pool`; NULL: a code, whose index is then `*too_long`, has no room
 * on labels of this size. */
const char *lims_zpl_write(apr_size_t *length, int *too_long, const lims_label_t *labels, int count,
                           const lims_zpl_size_t *size, apr_pool_t *pool);

#endif /* LIMS_DOCUMENTS_ZPL_H */
