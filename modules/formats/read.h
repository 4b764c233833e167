/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.h - reading of any file: detects the container by content, then reads rows
 * of cells.
 */
#ifndef LIMS_FORMATS_READ_H
#define LIMS_FORMATS_READ_H

#include "formats/astm.h"
#include "formats/container.h"
#include "formats/delimited.h"
#include "formats/hl7.h"
#include "formats/json_elements.h"
#include "formats/xml.h"

/* The profile's declarations for decoding text. */
typedef struct {
    const char *charset; /* charset of files that do not state one; NULL: LIMS_ENCODING_DEFAULT */
    const lims_dialect_t *dialect; /* dialect of delimited text; NULL: detected */
} lims_decoding_t;

typedef struct {
    lims_container_e container;
    int count; /* number of sheets; 1 except in workbooks */
    const lims_sheet_t *sheets;
    const char *encoding;      /* encoding of the file; NULL for workbooks and XML */
    const lims_text_t *text;   /* LIMS_CONTAINER_TEXT: the whole text; else NULL */
    lims_dialect_t dialect;    /* LIMS_CONTAINER_TEXT: declared or detected */
    const lims_astm_t *astm;   /* LIMS_CONTAINER_ASTM: with the delimiters; else NULL */
    const lims_hl7_t *hl7;     /* LIMS_CONTAINER_HL7: with the delimiters; else NULL */
    const lims_element_t *xml; /* LIMS_CONTAINER_XML and _JSON: root element; else NULL */
} lims_document_t;

/* Reads a file into `pool`; `decoding` may be NULL. NULL with blocking reasons.
 * The limits hold for this call, except the time limit, which is shared by all
 * readings with the same `reasons`. `bytes` need not outlive the call. */
const lims_document_t *lims_document_read(const char *bytes, apr_size_t length,
                                          const lims_decoding_t *decoding, lims_reasons_t *reasons,
                                          apr_pool_t *pool);

#endif /* LIMS_FORMATS_READ_H */
