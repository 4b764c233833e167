/* SPDX-License-Identifier: Apache-2.0 */
/* pictures.c - from base64 to a surface of cairo. */
#include "print/pictures.h"

#include <string.h>

#include "kernel/base64.h"
#include "kernel/digest.h"
#include "print/logo.h"

/* Pictures of one document. */
#define COUNT_MAX 8

struct lims_pictures_t {
    const lims_json_t *files;
    const char *names[COUNT_MAX];
    lims_picture_t pictures[COUNT_MAX];
    int count;
};

static apr_status_t destroy_surface(void *surface)
{
    cairo_surface_destroy(surface);
    return APR_SUCCESS;
}

lims_pictures_t *lims_pictures_of(const lims_json_t *files, apr_pool_t *pool)
{
    lims_pictures_t *pictures = apr_pcalloc(pool, sizeof(*pictures));

    pictures->files = files;
    return pictures;
}

static unsigned char premultiplied(unsigned char colour, unsigned char alpha)
{
    return (unsigned char)((colour * alpha + 127) / 255);
}

/* Copies pixels into a surface: in the order of cairo's words, colours premultiplied. */
static void make_surface(lims_picture_t *picture, const lims_logo_t *logo, apr_pool_t *pool)
{
    cairo_surface_t *surface = cairo_image_surface_create(
        logo->opaque ? CAIRO_FORMAT_RGB24 : CAIRO_FORMAT_ARGB32, logo->width, logo->height);
    unsigned char *rows = cairo_image_surface_get_data(surface);
    int stride = cairo_image_surface_get_stride(surface);

    if (!rows) {
        cairo_surface_destroy(surface);
        picture->fault = "it takes too much memory";
        return;
    }
    for (int y = 0; y < logo->height; y++) {
        const unsigned char *from = logo->pixels + 4 * (apr_size_t)y * (apr_size_t)logo->width;
        guint32 *to = (guint32 *)(void *)(rows + (apr_size_t)y * (apr_size_t)stride);

        for (int x = 0; x < logo->width; x++, from += 4) {
            to[x] = (guint32)from[3] << 24 | (guint32)premultiplied(from[2], from[3]) << 16 |
                    (guint32)premultiplied(from[1], from[3]) << 8 |
                    (guint32)premultiplied(from[0], from[3]);
        }
    }
    cairo_surface_mark_dirty(surface);
    apr_pool_cleanup_register(pool, surface, destroy_surface, apr_pool_cleanup_null);
    *picture = (lims_picture_t){ surface, NULL, logo->width, logo->height };
}

static void decode(lims_picture_t *picture, const lims_json_t *file, const char *sha256,
                   apr_pool_t *pool)
{
    const char *bytes = NULL, *digest;
    apr_size_t length = 0;
    lims_logo_t logo;
    const lims_error_t *error;

    if (!file || file->type != LIMS_JSON_STRING) {
        picture->fault = "The logo is not in the job";
    } else if (!lims_base64_decode(&bytes, &length, file->text, pool)) {
        picture->fault = "The logo is not base64";
    } else if (!(digest = lims_sha256_hex(bytes, length, LIMS_SHA256_LENGTH, pool)) ||
               strcmp(digest, sha256) != 0) {
        picture->fault = "The logo is not the one of its SHA-256";
    } else if ((error = lims_logo_read(&logo, bytes, length, pool))) {
        picture->fault = error->message;
    } else {
        make_surface(picture, &logo, pool);
    }
}

const lims_picture_t *lims_picture_find(lims_pictures_t *pictures, const char *sha256,
                                        apr_pool_t *pool)
{
    static const lims_picture_t too_many = { .fault = "The document has too many logos" };
    int i = 0;

    while (i < pictures->count && strcmp(pictures->names[i], sha256) != 0) {
        i++;
    }
    if (i == COUNT_MAX) {
        return &too_many;
    }
    if (i == pictures->count) {
        pictures->names[pictures->count++] = sha256;
        decode(&pictures->pictures[i], lims_json_member(pictures->files, sha256), sha256, pool);
    }
    return &pictures->pictures[i];
}

void lims_picture_draw(lims_paper_t *paper, const lims_picture_t *picture, double x, double width,
                       double height)
{
    if (!paper->cr || !picture->surface) {
        return;
    }
    cairo_save(paper->cr);
    cairo_translate(paper->cr, x, paper->y);
    cairo_scale(paper->cr, width / picture->width, height / picture->height);
    cairo_set_source_surface(paper->cr, picture->surface, 0, 0);
    /* Anything smoother sets /Interpolate, which PDF/A forbids. */
    cairo_pattern_set_filter(cairo_get_source(paper->cr), CAIRO_FILTER_NEAREST);
    cairo_rectangle(paper->cr, 0, 0, picture->width, picture->height);
    cairo_fill(paper->cr);
    cairo_restore(paper->cr);
}
