/* SPDX-License-Identifier: Apache-2.0 */
/* logo.c - PNG by libpng's simplified interface, whose sizes are checked before pixels are
 * read. */
#include "print/logo.h"

#include <apr_strings.h>
#include <png.h>
#include <string.h>

#include "kernel/error.h"

#define SIGNATURE "\x89PNG\r\n\x1a\n"

/* Bytes of a chunk beside its data: length, type, check sum. */
#define CHUNK_FRAME 12

static const lims_error_t *refuse(const char *why, apr_pool_t *pool)
{
    return lims_client_error(pool, LIMS_E_INVALID_BODY, "The logo cannot be used: %s", why);
}

static const lims_error_t *check_size(const png_image *image, apr_pool_t *pool)
{
    if (image->width > LIMS_LOGO_SIDE_MAX || image->height > LIMS_LOGO_SIDE_MAX ||
        (apr_uint64_t)image->width * image->height > LIMS_LOGO_PIXELS_MAX) {
        return refuse(apr_psprintf(pool,
                                   "it has %u by %u pixels; at most %d on a side and %d in all "
                                   "are taken",
                                   image->width, image->height, LIMS_LOGO_SIDE_MAX,
                                   LIMS_LOGO_PIXELS_MAX),
                      pool);
    }
    return NULL;
}

static apr_uint32_t read_number(const unsigned char *bytes)
{
    return (apr_uint32_t)bytes[0] << 24 | (apr_uint32_t)bytes[1] << 16 |
           (apr_uint32_t)bytes[2] << 8 | bytes[3];
}

/* Whether each chunk, up to the last one, ends within the file: libpng takes as much memory as
 * a chunk says that it is long, up to 2 GB, before it reads any of it. */
static bool is_whole(const unsigned char *bytes, apr_size_t length)
{
    apr_size_t at = sizeof(SIGNATURE) - 1;

    while (length - at >= CHUNK_FRAME) {
        apr_size_t size = read_number(bytes + at);

        if (size > length - at - CHUNK_FRAME) {
            return false;
        }
        if (memcmp(bytes + at + 4, "IEND", 4) == 0) {
            return true;
        }
        at += CHUNK_FRAME + size;
    }
    return false;
}

static bool is_opaque(const unsigned char *pixels, apr_size_t count)
{
    for (apr_size_t i = 0; i < count; i++) {
        if (pixels[4 * i + 3] != 0xFF) {
            return false;
        }
    }
    return true;
}

const lims_error_t *lims_logo_read(lims_logo_t *logo, const void *bytes, apr_size_t length,
                                   apr_pool_t *pool)
{
    png_image image = { .version = PNG_IMAGE_VERSION };
    const lims_error_t *error = NULL;
    unsigned char *pixels;

    if (length > LIMS_LOGO_BYTES_MAX) {
        return refuse("it is larger than 1 MB", pool);
    }
    if (length < sizeof(SIGNATURE) - 1 || memcmp(bytes, SIGNATURE, sizeof(SIGNATURE) - 1) != 0) {
        return refuse("it is not a PNG", pool);
    }
    if (!is_whole(bytes, length)) {
        return refuse("it is cut off, or one of its parts says that it is longer than it is", pool);
    }
    if (!png_image_begin_read_from_memory(&image, bytes, length)) {
        error = refuse(image.message, pool);
    } else {
        error = check_size(&image, pool);
    }
    if (!error) {
        image.format = PNG_FORMAT_BGRA;
        pixels = apr_palloc(pool, PNG_IMAGE_SIZE(image));
        if (png_image_finish_read(&image, NULL, pixels, 0, NULL)) {
            *logo = (lims_logo_t){
                .width = (int)image.width,
                .height = (int)image.height,
                .opaque = is_opaque(pixels, (apr_size_t)image.width * image.height),
                .pixels = pixels,
            };
        } else {
            error = refuse(image.message, pool);
        }
    }
    png_image_free(&image);
    return error;
}

const lims_error_t *lims_logo_write(const char **bytes, apr_size_t *length, const lims_logo_t *logo,
                                    apr_pool_t *pool)
{
    png_image image = { .version = PNG_IMAGE_VERSION };
    png_alloc_size_t size = 0;
    char *png = NULL;
    bool written;

    image.width = (png_uint_32)logo->width;
    image.height = (png_uint_32)logo->height;
    image.format = PNG_FORMAT_BGRA;
    written = png_image_write_get_memory_size(image, size, 0, logo->pixels, 0, NULL);
    if (written) {
        png = apr_palloc(pool, size);
        written = png_image_write_to_memory(&image, png, &size, 0, logo->pixels, 0, NULL);
    }
    *bytes = png;
    *length = size;
    return written ? NULL
                   : lims_server_error(pool, LIMS_E_INTERNAL, 0, NULL,
                                       "The logo cannot be written: %s", image.message);
}
