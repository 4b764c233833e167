/* SPDX-License-Identifier: Apache-2.0 */
/* symbol.c - libzint's matrix of modules, drawn as a stencil. */
#include "print/symbol.h"

#include <string.h>
#include <zint.h>

#include "kernel/error.h"

/* Longest text of a symbol in bytes: what a QR code on a certificate can have and still be
 * read from paper. */
#define LENGTH_MAX 300

/* Pixels of a module's side: the bits of one byte. So an edge is sharp to an eighth of a
 * module even where a viewer smooths pictures. */
#define FINE 8

static const int symbologies[] = {
    [LIMS_SYMBOL_QR] = BARCODE_QRCODE,
    [LIMS_SYMBOL_CODE128] = BARCODE_CODE128,
    [LIMS_SYMBOL_DATAMATRIX] = BARCODE_DATAMATRIX,
};
_Static_assert(LIMS_LENGTH(symbologies) == LIMS_SYMBOL_COUNT, "one symbology for each kind");

static void copy_modules(lims_symbol_t *symbol, const struct zint_symbol *zint, apr_pool_t *pool)
{
    unsigned char *modules = apr_palloc(pool, (apr_size_t)zint->rows * (apr_size_t)zint->width);

    for (int row = 0; row < zint->rows; row++) {
        for (int i = 0; i < zint->width; i++) {
            modules[row * zint->width + i] =
                (unsigned char)(zint->encoded_data[row][i / 8] >> (i % 8) & 1);
        }
    }
    *symbol = (lims_symbol_t){ zint->width, zint->rows, modules };
}

static bool is_ascii(const char *text)
{
    while (*text >= 0x20 && *text < 0x7F) {
        text++;
    }
    return *text == '\0';
}

const lims_error_t *lims_symbol_make(lims_symbol_t *symbol, lims_symbol_e kind, const char *text,
                                     apr_pool_t *pool)
{
    apr_size_t length = strlen(text);
    const lims_error_t *error = NULL;
    struct zint_symbol *zint;

    if (length == 0 || length > LENGTH_MAX) {
        return lims_client_error(pool, LIMS_E_INVALID_BODY,
                                 "The code '%s' cannot be printed: it has to have 1 to %d bytes",
                                 lims_excerpt(text, pool), LENGTH_MAX);
    }
    if (kind != LIMS_SYMBOL_QR && !is_ascii(text)) {
        return lims_client_error(pool, LIMS_E_INVALID_BODY,
                                 "The code '%s' cannot be printed as a barcode: it has other "
                                 "characters than letters, digits and signs of ASCII",
                                 lims_excerpt(text, pool));
    }
    zint = ZBarcode_Create();
    if (!zint) {
        return lims_client_error(pool, LIMS_E_PAYLOAD_TOO_LARGE,
                                 "The document takes too much memory");
    }
    zint->symbology = symbologies[kind];
    zint->input_mode = kind == LIMS_SYMBOL_QR ? UNICODE_MODE : DATA_MODE;
    zint->option_1 = kind == LIMS_SYMBOL_QR ? 2 : zint->option_1;
    zint->option_3 = kind == LIMS_SYMBOL_DATAMATRIX ? DM_SQUARE : zint->option_3;
    if (ZBarcode_Encode(zint, (const unsigned char *)text, (int)length) >= ZINT_ERROR) {
        error = lims_client_error(pool, LIMS_E_INVALID_BODY,
                                  "The code '%s' cannot be printed as a barcode: %s",
                                  lims_excerpt(text, pool), zint->errtxt);
    } else {
        copy_modules(symbol, zint, pool);
    }
    ZBarcode_Delete(zint);
    return error;
}

/* Returns a mask of the modules. A rectangle for each would take more of a certificate's
 * time than all its texts. */
static cairo_pattern_t *stencil(const lims_symbol_t *symbol)
{
    cairo_surface_t *image = cairo_image_surface_create(
        CAIRO_FORMAT_A1, symbol->columns * FINE, symbol->rows * FINE);
    unsigned char *line = cairo_image_surface_get_data(image);
    int stride = cairo_image_surface_get_stride(image);
    const unsigned char *module = symbol->modules;
    cairo_pattern_t *mask;

    for (int row = 0; row < symbol->rows && line; row++, line += FINE * stride) {
        for (int i = 0; i < symbol->columns; i++) {
            line[i] = *module++ ? 0xFF : 0;
        }
        for (int i = 1; i < FINE; i++) {
            memcpy(line + i * stride, line, (size_t)symbol->columns);
        }
    }
    cairo_surface_mark_dirty(image);
    mask = cairo_pattern_create_for_surface(image);
    cairo_pattern_set_filter(mask, CAIRO_FILTER_NEAREST);
    cairo_surface_destroy(image);
    return mask;
}

void lims_symbol_draw(lims_paper_t *paper, const lims_symbol_t *symbol, double x, double dy,
                      double width, double height)
{
    cairo_pattern_t *mask;

    if (!paper->cr) {
        return;
    }
    mask = stencil(symbol);
    cairo_save(paper->cr);
    cairo_translate(paper->cr, x, paper->y + dy);
    cairo_scale(paper->cr, width / (symbol->columns * FINE), height / (symbol->rows * FINE));
    cairo_set_source_rgb(paper->cr, 0, 0, 0);
    cairo_mask(paper->cr, mask);
    cairo_restore(paper->cr);
    cairo_pattern_destroy(mask);
}
