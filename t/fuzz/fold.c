/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a name: folding ends, folding again changes nothing, and comparing
 * agrees with it.
 */
#include "profiles/fold.h"

#include "fuzz.h"
#include "kernel/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    apr_pool_t *pool = fuzz_pool();
    const char *text = apr_pstrmemdup(pool, (const char *)data, size);
    apr_size_t length = strlen(text);
    const char *folded = lims_fold(text, length, pool);
    apr_size_t trimmed;
    const char *begin = lims_trim(&trimmed, text, length);

    must(lims_fold_equals(text, length, folded), "a text equals its folded form");
    must(!lims_fold_equals(text, length, apr_pstrcat(pool, folded, "x", NULL)),
         "a text does not equal its folded form with a letter more");
    if (lims_utf8_valid(text, length)) {
        must(lims_utf8_valid(folded, strlen(folded)), "text stays text");
        must(strcmp(lims_fold(folded, strlen(folded), pool), folded) == 0, "folded stays folded");
        must(strcmp(lims_fold(begin, trimmed, pool), folded) == 0, "blanks around do not count");
    }
    must(begin >= text && begin + trimmed <= text + length, "what is trimmed lies within");
    apr_pool_destroy(pool);
    return 0;
}
