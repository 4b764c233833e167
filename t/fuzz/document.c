/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first byte chooses what is declared, the rest is a file of any kind.
 */
#include "formats/read.h"

#include "fuzz.h"
#include "sheet_invariants.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const lims_dialect_t dialects[] = {
        { ',', '"', false },
        { ';', '\0', false },
        { ',', '"', true },
        { '\0', '\0', false },
    };
    static const char *const charsets[] = { NULL, "UTF-16LE", "BIG5", "ISO-2022-JP" };
    apr_pool_t *pool = fuzz_pool();
    lims_reasons_t *reasons = lims_reasons_create(pool);

    if (size > 0) {
        const lims_decoding_t decoding = {
            .charset = charsets[data[0] % LIMS_LENGTH(charsets)],
            .dialect = data[0] & 4 ? &dialects[data[0] / 8 % LIMS_LENGTH(dialects)] : NULL,
        };
        const lims_document_t *document =
            lims_document_read((const char *)data + 1, size - 1, &decoding, reasons, pool);
        const char *fault = NULL;

        must(!document == (reasons->blocking > 0), "a document, or why not");
        if (document && document->count) {
            fault = sheets_fault(document->sheets, document->count, reasons);
        }
        must(!fault, fault ? fault : "");
    }
    apr_pool_destroy(pool);
    return 0;
}
