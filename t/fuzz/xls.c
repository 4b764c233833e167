/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A compound file, when it begins like one; else the records of a workbook, around
 * which the file is made here: by the first byte with the name of BIFF8 or BIFF5.
 */
#include "formats/workbook.h"

#include "biff.h"
#include "fuzz.h"
#include "sheet_invariants.h"

#define STREAM_MAX 60000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    apr_pool_t *pool = fuzz_pool();
    lims_reasons_t *reasons = lims_reasons_create(pool);
    const char *bytes = (const char *)data, *fault;
    const lims_workbook_t *workbook;
    apr_size_t length = size;

    if (size > 0 && data[0] != 0xd0 && size <= STREAM_MAX) {
        bytes = biff_file(&length, data[0] % 2 ? "Workbook" : "Book", bytes + 1, size - 1, pool);
    }
    workbook = lims_xls_read(bytes, length, reasons, pool);
    must(!workbook == (reasons->blocking > 0), "a workbook, or why not");
    fault = workbook && workbook->count ? sheets_fault(workbook->sheets, workbook->count, reasons)
                                        : NULL;
    must(!fault, fault ? fault : "");
    apr_pool_destroy(pool);
    return 0;
}
