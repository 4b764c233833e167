/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first byte chooses the dialect, the rest is a file.
 */
#include "formats/delimited.h"

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const lims_dialect_t dialects[] = {
        { ',', '"', false }, { '\t', '"', false },  { ';', '\0', false },
        { ',', '"', true },  { '\0', '\0', false },
    };
    apr_pool_t *pool = fuzz_pool();
    lims_reasons_t *reasons = lims_reasons_create(pool);
    lims_text_t text;

    if (size > 0 && lims_encoding_decode(&text, (const char *)data + 1, size - 1,
                                         LIMS_ENCODING_DEFAULT, reasons, pool)) {
        const lims_dialect_t *dialect = &dialects[data[0] % LIMS_LENGTH(dialects)];
        const lims_sheet_t *sheet = lims_delimited_read(&text, dialect, reasons, pool);

        must(!sheet == (reasons->blocking > 0), "a sheet, or why not");
        for (int i = 0; sheet && i < sheet->count; i++) {
            const lims_row_t *row = &sheet->rows[i];
            must(i == 0 || row->number > row[-1].number, "rows ascend");
            for (int j = 0; j < row->count; j++) {
                must(row->cells[j].offset <= text.length, "a place in the text");
                must(strlen(row->cells[j].text) == row->cells[j].length, "a whole text");
            }
        }
    }
    apr_pool_destroy(pool);
    return 0;
}
