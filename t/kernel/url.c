/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/url.h"

#include <apr_strings.h>

#include "../lib/unit.h"

static apr_pool_t *pool;

static const struct {
    const char *url, *kept;
} good[] = {
    { "https://example.org/hook", "https://example.org/hook" },
    { "https://example.org", "https://example.org/" },
    { "HTTPS://Example.ORG/Hook?A=B", "https://example.org/Hook?A=B" },
    { "https://example.org:8443/a%20b", "https://example.org:8443/a%20b" },
    { "https://example.org:443/x", "https://example.org/x" },
    { "https://example.org./x", "https://example.org./x" },
    { "https://xn--mnchen-3ya.example/x", "https://xn--mnchen-3ya.example/x" },
    { "https://[2001:DB8::1]:8443/x", "https://[2001:db8::1]:8443/x" },
    { "https://192.0.2.7/x", "https://192.0.2.7/x" },
    /* As a resolver would read it, and so as the guard of addresses sees it. */
    { "https://0x7f.1/x", "https://127.0.0.1/x" },
    { "https://2130706433/x", "https://127.0.0.1/x" },
    { "https://example.org/#", "https://example.org/" },
    { "https://example.org/a/../b", "https://example.org/b" },
};

static const struct {
    const char *url, *part;
} bad[] = {
    { "", "absolute URL" },
    { "hook", "https://" },
    { "/hook", "absolute URL" },
    { "example.org/hook", "https://" },
    { "http://example.org/hook", "https://" },
    { "ftp://example.org/hook", "https://" },
    { "file:///etc/passwd", "https://" },
    { "gopher://example.org/", "https://" },
    { "javascript:alert(1)", "https://" },
    { "https://", "absolute URL" },
    { "https:///hook", "absolute URL" },
    { "https://m\xC3\xBCnchen.example/x", "xn--" },
    { "https://user@example.org/", "no user" },
    { "https://user:secret@example.org/", "no user" },
    { "https://:secret@example.org/", "no user" },
    { "https://@example.org/", "" },
    { "https://example.org/#top", "fragment" },
    { "https://example.org:0/", "port" },
    { "https://example.org:65536/", "absolute URL" },
    { "https://example.org:-1/", "absolute URL" },
    { "https://example.org:x/", "absolute URL" },
    { "https://exa mple.org/", "absolute URL" },
    { "https://example.org/a b", "absolute URL" },
    { "https://example.org/a\nb", "absolute URL" },
    { "https://example.org/a\r\nHost: x", "absolute URL" },
    { "https://example.org/a\x7f", "" },
    { "https://example.org/caf\xC3\xA9", "%XX" },
    { "https://exam%00ple.org/", "" },
    { "https://[::1/", "absolute URL" },
    { "https://[fe80::1%25eth0]/", "zone" },
    { "https://exa\\mple.org/", "" },
    { "https://-\xF0\x9F\x92\xA9\xE2\x80\x8B/", "" },
};

int main(void)
{
    char *longest;
    const char *kept;

    pool = unit_pool();
    for (apr_size_t i = 0; i < LIMS_LENGTH(good); i++) {
        const char *problem = lims_url_check(&kept, good[i].url, pool);

        is(problem, NULL, good[i].url);
        is(kept, good[i].kept, "the URL is kept in its normal form");
    }
    for (apr_size_t i = 0; i < LIMS_LENGTH(bad); i++) {
        const char *problem = lims_url_check(&kept, bad[i].url, pool);

        ok(problem && strstr(problem, bad[i].part), "refused: %s (%s)", bad[i].url,
           problem ? problem : kept);
    }
    longest = apr_pcalloc(pool, LIMS_URL_MAX + 2);
    memset(longest, 'x', LIMS_URL_MAX);
    memcpy(longest, "https://example.org/", 20);
    is(lims_url_check(&kept, longest, pool), NULL, "2000 bytes");
    longest[LIMS_URL_MAX] = 'x';
    is(lims_url_check(&kept, longest, pool), "have at most 2000 bytes", "2001 bytes");
    return tap_done();
}
