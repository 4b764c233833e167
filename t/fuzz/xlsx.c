/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "P" and a file as it is; or the insides of a workbook's parts, each up to a NUL:
 * sheet, shared strings, styles, workbook, second sheet. The archive around those
 * is made here, since a fuzzer finds no checksum.
 */
#include "archive.h"
#include "formats/workbook.h"
#include "fuzz.h"
#include "sheet_invariants.h"

/* The next part of the input; NULL for none. */
static const char *part(const char **at, const char *end, apr_pool_t *pool)
{
    const char *begin = *at;
    const char *nul = begin < end ? memchr(begin, '\0', (size_t)(end - begin)) : NULL;

    *at = nul ? nul + 1 : end;
    return begin < end ? apr_pstrmemdup(pool, begin, (size_t)((nul ? nul : end) - begin)) : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    apr_pool_t *pool = fuzz_pool();
    lims_reasons_t *reasons = lims_reasons_create(pool);
    const char *at = (const char *)data, *end = at + size;
    const lims_workbook_t *workbook;
    const char *bytes = at, *fault;
    apr_size_t length = size;

    if (size < 1 || *at != 'P') {
        book_parts_t parts;
        parts.sheet = part(&at, end, pool);
        parts.strings = part(&at, end, pool);
        parts.styles = part(&at, end, pool);
        parts.workbook = part(&at, end, pool);
        parts.second = part(&at, end, pool);
        bytes = book_of(&length, &parts, true, pool);
    }
    workbook = lims_xlsx_read(bytes, length, reasons, pool);
    must(!workbook == (reasons->blocking > 0), "a workbook, or why not");
    fault = workbook && workbook->count ? sheets_fault(workbook->sheets, workbook->count, reasons)
                                        : NULL;
    must(!fault, fault ? fault : "");
    apr_pool_destroy(pool);
    return 0;
}
