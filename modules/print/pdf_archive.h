/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pdf_archive.h - from cairo's PDF to one by PDF/A-2b (ISO 19005-2) that is tagged.
 *
 * cairo writes one object after the other and a plain table of their places. They are
 * written anew here, with what cairo leaves out: the metadata as XMP, the profile of the
 * colours, the document's identifier and language, maps of glyphs, headers of columns, texts
 * in the place of pictures.
 */
#ifndef LIMS_PRINT_PDF_ARCHIVE_H
#define LIMS_PRINT_PDF_ARCHIVE_H

#include <glib.h>

#include "lims.h"

typedef struct {
    const char *title, *author, *language;
    const char *made_at;           /* ISO 8601, or NULL */
    const char *producer;          /* as cairo names itself */
    const GPtrArray *alternatives; /* of char *: texts of figures, in their order */
} lims_pdf_facts_t;

/* Writes the document anew into `archive`. False: the bytes are not as cairo writes them. */
bool lims_pdf_archive(GByteArray *archive, const GByteArray *pdf, const lims_pdf_facts_t *facts,
                      apr_pool_t *pool);

#endif /* LIMS_PRINT_PDF_ARCHIVE_H */
