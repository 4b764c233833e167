/* SPDX-License-Identifier: Apache-2.0 */
/* symbol.h - barcodes: QR, Code 128, DataMatrix, encoded by libzint. */
#ifndef LIMS_PRINT_SYMBOL_H
#define LIMS_PRINT_SYMBOL_H

#include "print/paper.h"

typedef enum {
    LIMS_SYMBOL_QR,         /* error correction M */
    LIMS_SYMBOL_CODE128,    /* one row */
    LIMS_SYMBOL_DATAMATRIX, /* ECC 200, square */
    LIMS_SYMBOL_COUNT
} lims_symbol_e;

typedef struct {
    int columns, rows;
    const unsigned char *modules; /* row by row, 1: dark */
} lims_symbol_t;

/* Encodes a text. Code 128 and DataMatrix take ASCII. LIMS_E_INVALID_BODY: it cannot be
 * encoded, for its characters or its length. */
const lims_error_t *lims_symbol_make(lims_symbol_t *symbol, lims_symbol_e kind, const char *text,
                                     apr_pool_t *pool);

/* Draws the modules, without a quiet zone, from (x, .y + dy) on. */
void lims_symbol_draw(lims_paper_t *paper, const lims_symbol_t *symbol, double x, double dy,
                      double width, double height);

#endif /* LIMS_PRINT_SYMBOL_H */
