/* SPDX-License-Identifier: Apache-2.0 */
/*
 * logo.h - reading a laboratory's logo: a PNG from outside, of which nothing but the decoded
 * pixels is used.
 */
#ifndef LIMS_PRINT_LOGO_H
#define LIMS_PRINT_LOGO_H

#include "lims.h"

/* Most bytes of a file, and pixels of a side and of the picture. */
#define LIMS_LOGO_BYTES_MAX (1024 * 1024)
#define LIMS_LOGO_SIDE_MAX 4000
#define LIMS_LOGO_PIXELS_MAX 2000000

typedef struct {
    int width, height;
    bool opaque;
    const unsigned char *pixels; /* blue, green, red, alpha of each, not premultiplied */
} lims_logo_t;

/* Decodes a PNG into `pool`. LIMS_E_INVALID_BODY, with the reason: it is none that is taken. */
const lims_error_t *lims_logo_read(lims_logo_t *logo, const void *bytes, apr_size_t length,
                                   apr_pool_t *pool);

/* Encodes the pixels alone as a PNG. LIMS_E_INTERNAL: libpng could not. */
const lims_error_t *lims_logo_write(const char **bytes, apr_size_t *length, const lims_logo_t *logo,
                                    apr_pool_t *pool);

#endif /* LIMS_PRINT_LOGO_H */
