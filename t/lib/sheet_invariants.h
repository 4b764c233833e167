/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sheet_invariants.h - what holds for every sheet that was read, whatever the file was.
 */
#ifndef LIMS_SHEET_INVARIANTS_H
#define LIMS_SHEET_INVARIANTS_H

#include <string.h>

#include "formats/document.h"
#include "kernel/utf8.h"

/* NULL, or what does not hold. */
static inline const char *sheet_fault(const lims_sheet_t *sheet)
{
    if (!lims_utf8_valid(sheet->name, strlen(sheet->name))) {
        return "a sheet's name is UTF-8";
    }
    for (int i = 0; i < sheet->count; i++) {
        const lims_row_t *row = &sheet->rows[i];
        if (row->number < 1 || (i > 0 && row->number < row[-1].number)) {
            return "rows ascend";
        }
        for (int j = 0; j < row->count; j++) {
            const lims_cell_t *cell = &row->cells[j];
            if (strlen(cell->text) != cell->length) {
                return "a cell's length is that of its text";
            }
            if (!lims_utf8_valid(cell->text, cell->length)) {
                return "a cell is UTF-8";
            }
            if (cell->kind >= LIMS_CELL_COUNT) {
                return "a cell has a kind";
            }
        }
    }
    return NULL;
}

/* NULL, or what does not hold: there are sheets, or reasons why not. */
static inline const char *sheets_fault(const lims_sheet_t *sheets, int count,
                                       const lims_reasons_t *reasons)
{
    if (!sheets != (reasons->blocking > 0)) {
        return "sheets, or why not";
    }
    for (int i = 0; sheets && i < count; i++) {
        const char *fault = sheet_fault(&sheets[i]);
        if (fault) {
            return fault;
        }
    }
    for (int i = 0; i < reasons->list->nelts; i++) {
        const char *message = APR_ARRAY_IDX(reasons->list, i, lims_reason_t).message;
        if (!lims_utf8_valid(message, strlen(message))) {
            return "a message is UTF-8";
        }
    }
    return NULL;
}

#endif /* LIMS_SHEET_INVARIANTS_H */
