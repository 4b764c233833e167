/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line is an If-Match field; what follows it is a body with a tag.
 */
#include "kernel/etag.h"

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    apr_pool_t *pool = fuzz_pool();
    const char *text = apr_pstrmemdup(pool, (const char *)data, size);
    apr_size_t line = strcspn(text, "\n");
    const char *header = apr_pstrmemdup(pool, text, line);
    const char *rest = text + line + (text[line] != '\0' ? 1 : 0);
    const char *etag = lims_etag(rest, strlen(rest), pool);
    bool strong = lims_etag_matches(header, etag, false);

    must(lims_etag_matches(etag, etag, false), "a tag matches itself");
    must(!strong || lims_etag_matches(header, etag, true), "strong implies weak");
    must(!strong || strstr(header, etag) || strchr(header, '*'), "a match is in the list");
    lims_etag_matches(header, rest, true);
    apr_pool_destroy(pool);
    return 0;
}
