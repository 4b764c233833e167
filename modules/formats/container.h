/* SPDX-License-Identifier: Apache-2.0 */
/*
 * container.h - what kind of file the bytes are, by their content. The name's
 * ending says nothing: of fifteen real .xls files three were none.
 */
#ifndef LIMS_FORMATS_CONTAINER_H
#define LIMS_FORMATS_CONTAINER_H

#include "formats/document.h"

typedef enum {
    LIMS_CONTAINER_TEXT, /* delimited text, reports: a profile says how to split it */
    LIMS_CONTAINER_XLSX, /* Office Open XML workbook */
    LIMS_CONTAINER_XLS,  /* BIFF workbook in an OLE2 compound file */
    LIMS_CONTAINER_ASTM, /* ASTM E1394, framed by E1381 or not */
    LIMS_CONTAINER_HL7,  /* HL7 v2 messages, batches, with or without MLLP bytes */
    LIMS_CONTAINER_XML,
    LIMS_CONTAINER_JSON, /* with or without a byte order mark */
    LIMS_CONTAINER_HTML, /* web page with tables, whatever its name ends in */
    LIMS_CONTAINER_COUNT
} lims_container_e;

/* The name of a container as profiles write it. */
const char *lims_container_name(lims_container_e container);

/* Tells the container. False, with a reason, for an empty file and for what is
 * known to be none of these: a PDF, a picture, an archive that is no
 * workbook, an encrypted workbook. */
bool lims_container_detect(lims_container_e *container, const char *bytes, apr_size_t length,
                           lims_reasons_t *reasons);

#endif /* LIMS_FORMATS_CONTAINER_H */
