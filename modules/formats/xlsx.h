/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xlsx.h - shared parts of the XLSX reader: the workbook (xlsx.c), and the cells
 * of a sheet (xlsx_sheet.c), which are streamed instead of being kept as a tree.
 */
#ifndef LIMS_FORMATS_XLSX_H
#define LIMS_FORMATS_XLSX_H

#include "formats/workbook.h"

/* The parts of a workbook to which cells refer: shared strings and styles. */
typedef struct {
    const char *name;                  /* name of the sheet */
    const apr_array_header_t *strings; /* array of const char *: shared strings */
    const apr_array_header_t *formats; /* array of lims_format_t, by style number */
    bool since_1904;
} lims_xlsx_context_t;

/* Reads a sheet from its part of the archive into `pool`. NULL with a reason. */
const lims_sheet_t *lims_xlsx_read_sheet(const lims_xlsx_context_t *context, lims_stream_t *stream,
                                         lims_reasons_t *reasons, apr_pool_t *pool);

#endif /* LIMS_FORMATS_XLSX_H */
