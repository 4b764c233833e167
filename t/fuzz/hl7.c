/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file of HL7 messages.
 */
#include "formats/hl7.h"

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    apr_pool_t *pool = fuzz_pool();
    lims_reasons_t *reasons = lims_reasons_create(pool);
    const lims_hl7_t *hl7 =
        lims_hl7_read((const char *)data, size, LIMS_ENCODING_DEFAULT, reasons, pool);

    must(!hl7 == (reasons->blocking > 0), "messages, or why not");
    for (int i = 0; hl7 && i < hl7->sheet->count; i++) {
        const lims_row_t *row = &hl7->sheet->rows[i];
        for (int j = 1; j <= row->count + 1; j++) {
            must(lims_hl7_component(row, j, 1, &hl7->signs, pool), "a first component");
            must(lims_hl7_component(row, j, 3, &hl7->signs, pool), "a third component");
        }
    }
    apr_pool_destroy(pool);
    return 0;
}
