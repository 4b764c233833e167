/* SPDX-License-Identifier: Apache-2.0 */
/* letterhead.h - what stands above and below the content of a certificate on each page. */
#ifndef LIMS_PRINT_LETTERHEAD_H
#define LIMS_PRINT_LETTERHEAD_H

#include "print/certificate.h"
#include "print/pictures.h"

/* Makes the frame of a certificate's pages. LIMS_E_INVALID_BODY: a text does not fit. */
const lims_error_t *lims_letterhead_make(lims_frame_t *frame, const lims_certificate_t *certificate,
                                         lims_pictures_t *pictures, apr_pool_t *pool);

/* Returns the title of a document: "Certificate of analysis C-2026-000123, version 2". */
const char *lims_letterhead_title(const lims_json_t *content, bool draft, apr_pool_t *pool);

#endif /* LIMS_PRINT_LETTERHEAD_H */
