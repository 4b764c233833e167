/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One text as a date, a timestamp and as PostgreSQL's output.
 */
#include "kernel/time.h"

#include "fuzz.h"

static void check_timestamp(const char *text, apr_pool_t *pool)
{
    const char *utc = lims_time_timestamp(text, pool);
    const char *api;

    if (!utc) {
        return;
    }
    must(strlen(utc) == 27 && utc[26] == 'Z', "a timestamp is normalised");
    must(strcmp(lims_time_timestamp(utc, pool), utc) == 0, "once");
    api = lims_time_from_database(text, pool);
    must(api && strncmp(api, utc, 23) == 0, "both readers agree");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    apr_pool_t *pool = fuzz_pool();
    const char *text = apr_pstrmemdup(pool, (const char *)data, size);
    const char *first = lims_time_moment(text, false, pool);
    const char *last = lims_time_moment(text, true, pool);
    const char *api = lims_time_from_database(text, pool);

    check_timestamp(text, pool);
    must(!first == !last, "both ends read the same texts");
    must(!first || strcmp(first, last) <= 0, "both ends are in order");
    must(!api || strlen(api) == 24, "an answer has one length");
    if (lims_time_date_valid(text)) {
        must(first && strncmp(first, text, 10) == 0, "a date is a moment");
    }
    apr_pool_destroy(pool);
    return 0;
}
