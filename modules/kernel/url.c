/* SPDX-License-Identifier: Apache-2.0 */
/* url.c - URLs of webhook endpoints. */
#include "kernel/url.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <curl/curl.h>
#include <string.h>

/* Returns a part of the URL, allocated in the pool; NULL: there is none. */
static const char *part(CURLU *address, CURLUPart what, unsigned flags, apr_pool_t *pool)
{
    char *text = NULL;
    const char *copy = NULL;

    if (curl_url_get(address, what, &text, flags) == CURLUE_OK) {
        copy = apr_pstrdup(pool, text);
    }
    curl_free(text);
    return copy;
}

/* Whether a text is visible ASCII; only the host is converted to ASCII. */
static bool visible_ascii(const char *text)
{
    while (*text > ' ' && *text < 0x7f) {
        text++;
    }
    return !*text;
}

static const char *judge(CURLU *address, apr_pool_t *pool)
{
    const char *scheme = part(address, CURLUPART_SCHEME, 0, pool);
    const char *port = part(address, CURLUPART_PORT, 0, pool);

    if (!scheme || strcmp(scheme, "https") != 0) {
        return "begin with https://";
    }
    if (part(address, CURLUPART_USER, 0, pool) || part(address, CURLUPART_PASSWORD, 0, pool)) {
        return "have no user and no password: deliveries are signed instead";
    }
    if (part(address, CURLUPART_FRAGMENT, 0, pool)) {
        return "have no fragment (#), which is never sent";
    }
    if (port && strcmp(port, "0") == 0) {
        return "have a port from 1 to 65535, or none";
    }
    if (part(address, CURLUPART_ZONEID, 0, pool)) {
        return "have no zone: link-local addresses are not delivered to";
    }
    return NULL;
}

/* Returns the host in lower case. libcurl converts international names to ASCII only in a
 * matching locale. */
static const char *lower_host(CURLU *address, apr_pool_t *pool)
{
    char *host = apr_pstrdup(pool, part(address, CURLUPART_HOST, 0, pool));

    if (!host || !visible_ascii(host)) {
        return "name its host in ASCII: an international name as xn--...";
    }
    for (char *c = host; *c; c++) {
        *c = (char)apr_tolower(*c);
    }
    return curl_url_set(address, CURLUPART_HOST, host, 0) == CURLUE_OK ? NULL : "name a host";
}

static const char *check(const char **kept, CURLU *address, const char *url, apr_pool_t *pool)
{
    const char *problem;

    *kept = NULL;
    /* libcurl accepts too many slashes after the scheme. */
    if (curl_url_set(address, CURLUPART_URL, url, CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK ||
        strncmp(url + strcspn(url, ":"), ":///", 4) == 0) {
        return "be an absolute URL such as https://example.org/hook";
    }
    problem = judge(address, pool);
    if (!problem) {
        problem = lower_host(address, pool);
    }
    if (!problem) {
        *kept = part(address, CURLUPART_URL, CURLU_NO_DEFAULT_PORT, pool);
        if (!*kept || !visible_ascii(*kept)) {
            problem = "have a path and a query of ASCII: write other characters as %XX";
        } else if (strlen(*kept) > LIMS_URL_MAX) {
            problem = "have at most 2000 bytes";
        }
    }
    return problem;
}

const char *lims_url_check(const char **kept, const char *url, apr_pool_t *pool)
{
    CURLU *address = curl_url();
    const char *problem =
        address ? check(kept, address, url, pool) : "be shorter: memory is exhausted";

    curl_url_cleanup(address);
    return problem;
}
