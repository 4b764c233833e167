/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xlsx.h - what the two halves of the XLSX reader share: the workbook's parts
 * (xlsx.c) and the cells of a sheet, which are walked and not kept as a tree
 * (xlsx_sheet.c).
 */
#ifndef LIMS_FORMATS_XLSX_H
#define LIMS_FORMATS_XLSX_H

#include "formats/workbook.h"

/* What the cells of a sheet refer to. */
typedef struct {
    const char *name;                  /* of the sheet */
    const apr_array_header_t *strings; /* of const char *: shared strings */
    const apr_array_header_t *formats; /* of lims_format_t: by style */
    bool since_1904;
} lims_xlsx_context_t;

/* Reads the part of a sheet. NULL with a reason. */
const lims_sheet_t *lims_xlsx_read_sheet(const lims_xlsx_context_t *context, lims_stream_t *stream,
                                         lims_reasons_t *reasons, apr_pool_t *pool);

#endif /* LIMS_FORMATS_XLSX_H */
