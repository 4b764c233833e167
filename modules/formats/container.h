/* SPDX-License-Identifier: Apache-2.0 */
/*
 * container.h - detection of the container format by the file's content. File name
 * extensions are ignored: of fifteen real .xls files three were in another format.
 */
#ifndef LIMS_FORMATS_CONTAINER_H
#define LIMS_FORMATS_CONTAINER_H

#include "formats/document.h"

typedef enum {
    LIMS_CONTAINER_TEXT, /* delimited text and reports: the profile states how to split it */
    LIMS_CONTAINER_XLSX, /* Office Open XML workbook */
    LIMS_CONTAINER_XLS,  /* BIFF workbook in an OLE2 compound file */
    LIMS_CONTAINER_ASTM, /* ASTM E1394, with or without E1381 frames */
    LIMS_CONTAINER_HL7,  /* HL7 v2 messages and batches, with or without MLLP framing */
    LIMS_CONTAINER_XML,
    LIMS_CONTAINER_JSON, /* with or without a byte order mark */
    LIMS_CONTAINER_HTML, /* web page with tables, under any file name */
    LIMS_CONTAINER_COUNT
} lims_container_e;

/* Names of the containers as profiles write them; the last is NULL. */
extern const char *const lims_container_names[LIMS_CONTAINER_COUNT + 1];

/* Returns the name of a container; static. */
const char *lims_container_name(lims_container_e container);

/* Detects the container. False with a reason for an empty file and for formats
 * that are known to be unsupported: PDF, image, an archive that is not a workbook,
 * an encrypted workbook. */
bool lims_container_detect(lims_container_e *container, const char *bytes, apr_size_t length,
                           lims_reasons_t *reasons);

#endif /* LIMS_FORMATS_CONTAINER_H */
