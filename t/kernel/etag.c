/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/etag.h"

#include "../lib/unit.h"

static apr_pool_t *pool;

typedef struct {
    const char *header, *etag;
    bool strong, weak;
} case_t;

/* The first four are the table of RFC 9110 section 8.8.3.2. */
static const case_t cases[] = {
    { "W/\"1\"", "W/\"1\"", false, true },
    { "W/\"1\"", "W/\"2\"", false, false },
    { "W/\"1\"", "\"1\"", false, true },
    { "\"1\"", "\"1\"", true, true },
    { "\"1\"", "W/\"1\"", false, true },
    { "*", "\"1\"", true, true },
    { " * ", "\"1\"", true, true },
    { "*, \"1\"", "\"1\"", false, false },
    { "\"0\", \"1\"", "\"1\"", true, true },
    { "\"0\",\"1\"", "\"1\"", true, true },
    { "\"0\" ,\t\"1\" , \"2\"", "\"1\"", true, true },
    { ", ,\"1\"", "\"1\"", true, true },
    { "\"1\",", "\"1\"", true, true },
    { "\"0\", W/\"1\"", "\"1\"", false, true },
    { "W/\"1\", \"1\"", "\"1\"", true, true },
    { "\"a,b\"", "\"a,b\"", true, true },
    { "\"a,\"1\"", "\"1\"", false, false },
    { "\"\"", "\"\"", true, true },
    { "\"\x80\"", "\"\x80\"", true, true },
    { "1", "\"1\"", false, false },
    { "\"1", "\"1\"", false, false },
    { "1\"", "\"1\"", false, false },
    { "w/\"1\"", "\"1\"", false, false },
    { "W/ \"1\"", "\"1\"", false, false },
    { "W/", "\"1\"", false, false },
    { "\"0\" \"1\"", "\"1\"", false, false },
    { "\"0\"x, \"1\"", "\"1\"", false, false },
    { "\"1 \"", "\"1 \"", false, false },
    { "\"11\"", "\"1\"", false, false },
    { "\"1\"", "\"11\"", false, false },
    { "", "\"1\"", false, false },
    { " ", "\"1\"", false, false },
    { ",", "\"1\"", false, false },
    { NULL, "\"1\"", false, false },
    { "\"1\"", NULL, false, false },
};

static void test_lists(void)
{
    for (apr_size_t i = 0; i < LIMS_LENGTH(cases); i++) {
        const case_t *c = &cases[i];
        const char *header = c->header ? c->header : "no header";
        const char *etag = c->etag ? c->etag : "no tag";

        ok(lims_etag_matches(c->header, c->etag, false) == c->strong, "%s and %s, strong", header,
           etag);
        ok(lims_etag_matches(c->header, c->etag, true) == c->weak, "%s and %s, weak", header, etag);
    }
}

static void test_making(void)
{
    is(lims_etag("abc", 3, pool), "\"ba7816bf8f01cfea414140de5dae2223\"", "half of SHA-256");
    is(lims_etag("", 0, pool), "\"e3b0c44298fc1c149afbf4c8996fb924\"", "the ETag of nothing");
    ok(strcmp(lims_etag("abc", 3, pool), lims_etag("abd", 3, pool)) != 0,
       "another body has another ETag");
    ok(lims_etag_matches(lims_etag("abc", 3, pool), lims_etag("abc", 3, pool), false),
       "an ETag matches itself");
}

int main(void)
{
    pool = unit_pool();
    test_lists();
    test_making();
    return tap_done();
}
