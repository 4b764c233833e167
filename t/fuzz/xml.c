/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An XML file.
 */
#include "formats/xml.h"

#include "fuzz.h"
#include "sheet_invariants.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    apr_pool_t *pool = fuzz_pool();
    lims_reasons_t *reasons = lims_reasons_create(pool);
    const lims_element_t *root =
        lims_xml_read(lims_stream_bytes((const char *)data, size, pool), reasons, pool);
    const lims_sheet_t *sheet = root ? lims_xml_sheet(root, reasons, pool) : NULL;
    const char *fault = sheets_fault(sheet, 1, reasons);

    must(!fault, fault ? fault : "");
    apr_pool_destroy(pool);
    return 0;
}
