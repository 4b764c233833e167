/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.h - one way to read a file, whatever it is: the container by its content,
 * then the rows of cells that it holds.
 */
#ifndef LIMS_FORMATS_READ_H
#define LIMS_FORMATS_READ_H

#include "formats/astm.h"
#include "formats/container.h"
#include "formats/delimited.h"
#include "formats/hl7.h"
#include "formats/json_elements.h"
#include "formats/xml.h"

/* What a profile declares of the text that it reads. */
typedef struct {
    const char *charset;           /* of bytes that tell no other; NULL: LIMS_ENCODING_DEFAULT */
    const lims_dialect_t *dialect; /* of delimited text; NULL: as its lines look */
} lims_decoding_t;

typedef struct {
    lims_container_e container;
    int count; /* sheets; one but in a workbook */
    const lims_sheet_t *sheets;
    const char *encoding;      /* that it came in; NULL in a workbook and for XML */
    const lims_text_t *text;   /* LIMS_CONTAINER_TEXT: the whole, else NULL */
    lims_dialect_t dialect;    /* LIMS_CONTAINER_TEXT: as declared, or as found */
    const lims_astm_t *astm;   /* LIMS_CONTAINER_ASTM: its signs, else NULL */
    const lims_hl7_t *hl7;     /* LIMS_CONTAINER_HL7: its signs, else NULL */
    const lims_element_t *xml; /* LIMS_CONTAINER_XML and _JSON: its root, else NULL */
} lims_document_t;

/* Reads a file; `decoding` may be NULL. NULL with blocking reasons when it cannot
 * be read; then nothing of it can be used. The bounds hold for this one reading,
 * the time for all that share `reasons`. The bytes have to outlive the document
 * no longer than the call. */
const lims_document_t *lims_document_read(const char *bytes, apr_size_t length,
                                          const lims_decoding_t *decoding, lims_reasons_t *reasons,
                                          apr_pool_t *pool);

#endif /* LIMS_FORMATS_READ_H */
