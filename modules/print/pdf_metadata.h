/* SPDX-License-Identifier: Apache-2.0 */
/* pdf_metadata.h - a document's metadata, in the two forms that have to say the same. */
#ifndef LIMS_PRINT_PDF_METADATA_H
#define LIMS_PRINT_PDF_METADATA_H

#include "print/pdf_archive.h"

/* Returns the information dictionary as the object of that number. */
const char *lims_pdf_info(unsigned number, const lims_pdf_facts_t *facts, apr_pool_t *pool);

/* Returns the XMP packet, which says that the document is PDF/A-2b. */
const char *lims_pdf_xmp(const lims_pdf_facts_t *facts, apr_pool_t *pool);

/* Returns a text as a string of PDF: UTF-16 in hexadecimal. */
const char *lims_pdf_string(const char *text, apr_pool_t *pool);

#endif /* LIMS_PRINT_PDF_METADATA_H */
