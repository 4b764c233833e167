/* SPDX-License-Identifier: Apache-2.0 */
/* print_document.c - counts the pages of each part, draws them, finishes the PDF. */
#include "print/print_document.h"

#include <apr_strings.h>
#include <cairo-pdf.h>
#include <string.h>

#include "kernel/error.h"
#include "print/pdf_archive.h"
#include "print/protocol.h"

#define A4_WIDTH (210 * LIMS_MM)
#define A4_HEIGHT (297 * LIMS_MM)
#define LETTER_WIDTH 612.0
#define LETTER_HEIGHT 792.0

#define MARGIN_SIDE (18 * LIMS_MM)
#define MARGIN_TOP (14 * LIMS_MM)
#define MARGIN_BOTTOM (11 * LIMS_MM)

/* Room for the bytes that are added to cairo's, roughly. */
#define SPARE 65536

static cairo_status_t append(void *bytes, const unsigned char *data, unsigned int length)
{
    if (((GByteArray *)bytes)->len + (gsize)length > LIMS_PRINT_ANSWER_MAX) {
        return CAIRO_STATUS_WRITE_ERROR;
    }
    g_byte_array_append(bytes, data, length);
    return CAIRO_STATUS_SUCCESS;
}

static cairo_surface_t *open_surface(GByteArray *bytes, const lims_paper_t *paper)
{
    cairo_surface_t *surface =
        cairo_pdf_surface_create_for_stream(append, bytes, paper->width, paper->height);

    cairo_pdf_surface_restrict_to_version(surface, CAIRO_PDF_VERSION_1_5);
    return surface;
}

static lims_paper_t new_paper(const lims_print_document_t *document, lims_fonts_t *fonts,
                              apr_pool_t *pool)
{
    lims_paper_t paper = {
        .pool = pool,
        .fonts = fonts,
        .width = document->width > 0 ? document->width
                 : document->letter  ? LETTER_WIDTH
                                     : A4_WIDTH,
        .height = document->height > 0 ? document->height
                  : document->letter   ? LETTER_HEIGHT
                                       : A4_HEIGHT,
        .alternatives = g_ptr_array_new(),
    };
    bool margins = !document->without_margins;

    if (document->landscape) {
        double height = paper.height;

        paper.height = paper.width;
        paper.width = height;
    }

    paper.left = margins ? MARGIN_SIDE : 0;
    paper.right = paper.width - paper.left;
    paper.top = margins ? MARGIN_TOP : 0;
    return paper;
}

static void set_part(lims_paper_t *paper, const lims_print_part_t *part, bool margins, cairo_t *cr)
{
    paper->frame = &part->frame;
    paper->bottom = paper->height - (margins ? MARGIN_BOTTOM + part->frame.foot_height : 0);
    for (int pass = 0; pass < 2 && !paper->error; pass++) {
        lims_paper_begin(paper, pass == 0 ? NULL : cr);
        part->set(paper, part->baton);
        lims_paper_end(paper);
    }
}

static apr_status_t free_bytes(void *bytes)
{
    g_byte_array_free(bytes, TRUE);
    return APR_SUCCESS;
}

/* Makes the archived form of what cairo wrote. */
static const lims_error_t *archive(const char **bytes, apr_size_t *length, const GByteArray *pdf,
                                   const lims_print_document_t *document, const lims_paper_t *paper,
                                   apr_pool_t *pool)
{
    const lims_pdf_facts_t facts = {
        .title = document->title,
        .author = document->author,
        .language = document->language,
        .made_at = document->made_at,
        .producer = apr_pstrcat(pool, "cairo ", cairo_version_string(),
                                " (https://cairographics.org)", NULL),
        .alternatives = paper->alternatives,
    };
    GByteArray *out = g_byte_array_sized_new(pdf->len + SPARE);
    bool done = lims_pdf_archive(out, pdf, &facts, pool);

    /* The bytes may be many: they are not copied again. */
    apr_pool_cleanup_register(pool, out, free_bytes, apr_pool_cleanup_null);
    *length = out->len;
    *bytes = (const char *)out->data;
    return done ? NULL
                : lims_server_error(pool, LIMS_E_INTERNAL, 0, NULL,
                                    "The document cannot be archived: cairo wrote another form "
                                    "of PDF than is known");
}

static const lims_error_t *draw(GByteArray *pdf, const lims_print_document_t *document,
                                lims_paper_t *paper)
{
    cairo_surface_t *surface = open_surface(pdf, paper);
    cairo_t *cr = cairo_create(surface);

    paper->pdf = pdf;
    cairo_tag_begin(cr, "Document", NULL);
    for (const lims_print_part_t *part = document->parts; part && !paper->error;
         part = part->next) {
        set_part(paper, part, !document->without_margins, cr);
    }
    cairo_tag_end(cr, "Document");
    cairo_destroy(cr);
    cairo_surface_finish(surface);
    if (!paper->error && cairo_surface_status(surface) != CAIRO_STATUS_SUCCESS) {
        paper->error = lims_client_error(paper->pool, LIMS_E_PAYLOAD_TOO_LARGE,
                                         "The document cannot be drawn: %s",
                                         cairo_status_to_string(cairo_surface_status(surface)));
    }
    cairo_surface_destroy(surface);
    return paper->error;
}

const lims_error_t *lims_document_make(const char **bytes, apr_size_t *length,
                                       const lims_print_document_t *document, lims_fonts_t *fonts,
                                       apr_pool_t *pool)
{
    GByteArray *pdf = g_byte_array_new();
    const lims_error_t *error;
    lims_paper_t paper;

    lims_fonts_use(fonts, document->han);
    paper = new_paper(document, fonts, pool);
    error = draw(pdf, document, &paper);
    if (!error) {
        error = archive(bytes, length, pdf, document, &paper, pool);
    }
    g_ptr_array_free(paper.alternatives, TRUE);
    g_byte_array_free(pdf, TRUE);
    return error;
}
