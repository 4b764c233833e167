/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A web page with tables: first as it came, then after it was decoded as it says.
 */
#include "formats/html.h"

#include "fuzz.h"
#include "sheet_invariants.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    apr_pool_t *pool = fuzz_pool();
    lims_reasons_t *reasons = lims_reasons_create(pool);
    const char *charset = lims_html_charset((const char *)data, size, pool);
    const lims_sheet_t *sheet = NULL;
    const char *fault;
    lims_text_t text;

    if (lims_encoding_decode(&text, (const char *)data, size,
                             charset ? charset : LIMS_ENCODING_DEFAULT, reasons, pool)) {
        sheet = lims_html_read(&text, reasons, pool);
    }
    fault = sheets_fault(sheet, 1, reasons);
    must(!fault, fault ? fault : "");
    apr_pool_destroy(pool);
    return 0;
}
