/* SPDX-License-Identifier: Apache-2.0 */
/* cells.c - the cells of a file as JSON. */
#include "instruments/cells.h"

#include <string.h>

static const lims_field_t row_fields[] = {
    { .name = "row",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Number of the row or line, from 1, as reasons name it." },
    { .name = "cells",
      .type = LIMS_T_STRING_LIST,
      .flags = LIMS_F_OUT,
      .doc = "Texts of the cells, exactly as in the file; the first is column 1." },
    LIMS_FIELD_END,
};

const lims_field_t lims_sheet_fields[] = {
    { .name = "name",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Name of the sheet; empty in a file without named sheets." },
    { .name = "rowCount",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Number of rows of the sheet." },
    { .name = "rows",
      .type = LIMS_T_OBJECT_LIST,
      .flags = LIMS_F_OUT,
      .members = row_fields,
      .doc = "Rows that were asked for." },
    LIMS_FIELD_END,
};

static void write_row(lims_writer_t *w, const lims_row_t *row)
{
    lims_writer_object_begin(w);
    lims_writer_key(w, "row");
    lims_writer_integer(w, row->number);
    lims_writer_key(w, "cells");
    lims_writer_array_begin(w);
    for (int i = 0; i < row->count; i++) {
        lims_writer_string(w, row->cells[i].text);
    }
    lims_writer_array_end(w);
    lims_writer_object_end(w);
}

static void write_sheet(lims_writer_t *w, const lims_sheet_t *sheet, int from, int rows)
{
    lims_writer_object_begin(w);
    lims_writer_key(w, "name");
    lims_writer_string(w, sheet->name);
    lims_writer_key(w, "rowCount");
    lims_writer_integer(w, sheet->count);
    lims_writer_key(w, "rows");
    lims_writer_array_begin(w);
    for (int i = 0; i < sheet->count && rows > 0; i++) {
        if (sheet->rows[i].number >= from) {
            write_row(w, &sheet->rows[i]);
            rows--;
        }
    }
    lims_writer_array_end(w);
    lims_writer_object_end(w);
}

void lims_cells_write(lims_writer_t *w, const lims_document_t *document, const lims_cells_t *which)
{
    lims_writer_array_begin(w);
    for (int i = 0; document && i < document->count; i++) {
        const lims_sheet_t *sheet = &document->sheets[i];

        if (which->sheet ? strcmp(sheet->name, which->sheet) == 0 : !sheet->hidden) {
            write_sheet(w, sheet, which->from, which->rows);
        }
    }
    lims_writer_array_end(w);
}
