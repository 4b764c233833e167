/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file of ASTM messages.
 */
#include "formats/astm.h"

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    apr_pool_t *pool = fuzz_pool();
    lims_reasons_t *reasons = lims_reasons_create(pool);
    const lims_astm_t *astm =
        lims_astm_read((const char *)data, size, LIMS_ENCODING_DEFAULT, reasons, pool);

    must(!astm == (reasons->blocking > 0), "messages, or why not");
    for (int i = 0; astm && i < astm->sheet->count; i++) {
        const lims_row_t *row = &astm->sheet->rows[i];
        for (int j = 1; j <= row->count + 1; j++) {
            must(lims_astm_component(row, j, 1, &astm->signs, pool), "a first component");
            must(lims_astm_component(row, j, 3, &astm->signs, pool), "a third component");
        }
    }
    apr_pool_destroy(pool);
    return 0;
}
