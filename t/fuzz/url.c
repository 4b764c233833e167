/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A text as the address of a receiver.
 */
#include "kernel/url.h"

#include "fuzz.h"
#include "kernel/utf8.h"

static void must_be_kept_so(const char *kept, apr_pool_t *pool)
{
    const char *again = NULL;
    const char *path = strchr(kept + strlen("https://"), '/');

    must(strncmp(kept, "https://", strlen("https://")) == 0, "it is https");
    must(path && path > kept + strlen("https://"), "it has a host and a path");
    must(strlen(kept) <= LIMS_URL_MAX, "it is not too long");
    must(!strpbrk(kept, "# \t\r\n\x7f"), "it has neither fragment nor white space");
    must(!memchr(kept, '@', (apr_size_t)(path - kept)), "it has no user");
    must(!lims_url_check(&again, kept, pool), "as it is kept it is accepted");
    must(strcmp(again, kept) == 0, "a URL that is kept stays what it is");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    apr_pool_t *pool = fuzz_pool();
    const char *kept = NULL;
    const char *problem =
        lims_url_check(&kept, apr_pstrmemdup(pool, (const char *)data, size), pool);

    if (problem) {
        must(lims_utf8_valid(problem, strlen(problem)), "what is wrong can be shown");
    } else {
        must_be_kept_so(kept, pool);
    }
    apr_pool_destroy(pool);
    return 0;
}
