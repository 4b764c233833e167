/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sheet.h - what the unit tests of the readers share: sheets and reasons as a
 * line of text, "1[a][b] 3[c]" and "code@row message".
 */
#ifndef LIMS_SHEET_H
#define LIMS_SHEET_H

#include <apr_strings.h>
#include <string.h>

#include "formats/document.h"

static inline const char *sheet_text(const lims_sheet_t *sheet, apr_pool_t *pool)
{
    const char *text = "";

    if (!sheet) {
        return "none";
    }
    for (int i = 0; i < sheet->count; i++) {
        const lims_row_t *row = &sheet->rows[i];
        text = apr_psprintf(pool, "%s%s%d%s", text, i ? " " : "", row->number,
                            row->hidden ? "(hidden)" : "");
        for (int j = 0; j < row->count; j++) {
            text = apr_pstrcat(pool, text, "[", row->cells[j].text, "]", NULL);
        }
    }
    return text;
}

static inline const char *reasons_text(const lims_reasons_t *reasons, apr_pool_t *pool)
{
    const char *text = "";

    for (int i = 0; i < reasons->list->nelts; i++) {
        const lims_reason_t *reason = &APR_ARRAY_IDX(reasons->list, i, lims_reason_t);
        text = apr_psprintf(pool, "%s%s%s@%d %s", text, i ? "; " : "",
                            lims_reason_name(reason->code), reason->row, reason->message);
    }
    return text;
}

#endif /* LIMS_SHEET_H */
