/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A JSON document as a tree, in whatever encoding it comes.
 */
#include "formats/json_elements.h"

#include "fuzz.h"
#include "sheet_invariants.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    apr_pool_t *pool = fuzz_pool();
    lims_reasons_t *reasons = lims_reasons_create(pool);
    const lims_element_t *root = NULL;
    const lims_sheet_t *sheet;
    const char *fault;
    lims_text_t text;

    if (lims_encoding_decode(&text, (const char *)data, size, LIMS_ENCODING_DEFAULT, reasons,
                             pool)) {
        root = lims_json_read(&text, reasons, pool);
    }
    must(root || reasons->blocking > 0, "what is no document has a reason");
    sheet = root ? lims_xml_sheet(root, reasons, pool) : NULL;
    fault = sheets_fault(sheet, 1, reasons);
    must(!fault, fault ? fault : "");
    apr_pool_destroy(pool);
    return 0;
}
