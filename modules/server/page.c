/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page.c - the status for people. The JSON's members are the only source, so
 * that nothing is in one form and not in the other: the beginning of a member's
 * name says which section it belongs to, the end of it what its number means.
 */
#include "server/page.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <apr_time.h>
#include <httpd.h>
#include <stdlib.h>
#include <string.h>

#include "lims.h"

typedef enum {
    OF_SERVICE,
    OF_REQUESTS,
    OF_KEYS,
    OF_RATE_LIMIT,
    OF_DATABASE,
    OF_WEBHOOKS,
    OF_SCAN,
    OF_FILES,
    OF_RECOVERY,
    OF_RETENTION,
    SECTIONS
} section_e;

static const char *const titles[] = {
    [OF_SERVICE] = "Service",
    [OF_REQUESTS] = "Requests",
    [OF_KEYS] = "Keys known to a process",
    [OF_RATE_LIMIT] = "Rate limit",
    [OF_DATABASE] = "Database",
    [OF_WEBHOOKS] = "Webhooks",
    [OF_SCAN] = "Lifecycle scan",
    [OF_FILES] = "Instrument files",
    [OF_RECOVERY] = "Recoveries of deliveries",
    [OF_RETENTION] = "Retention",
};
_Static_assert(LIMS_LENGTH(titles) == SECTIONS, "one title for each section");

/* The first that a name begins with counts. */
static const struct {
    const char *prefix;
    section_e section;
} prefixes[] = {
    { "requests", OF_REQUESTS },    { "refusals", OF_REQUESTS },
    { "rateLimited", OF_REQUESTS }, { "unauthorized", OF_REQUESTS },
    { "keyCache", OF_KEYS },        { "rateLimitStore", OF_RATE_LIMIT },
    { "database", OF_DATABASE },    { "webhooks", OF_WEBHOOKS },
    { "webhook", OF_WEBHOOKS },     { "scan", OF_SCAN },
    { "files", OF_FILES },          { "recovery", OF_RECOVERY },
    { "retention", OF_RETENTION },
};

/* What a name says that its words do not. */
static const struct {
    const char *name;
    const char *label;
} labels[] = {
    { "rateLimitStore", "Counted by" },
    { "databaseMicroseconds", "Waited for its answers" },
    { "databaseWaits", "Waits for a connection" },
    { "databaseExhausted", "Had no connection in time" },
    { "webhooksFailed", "Attempts failed" },
    { "webhooksKept", "Kept for disabled endpoints" },
    { "webhooksOldestDueSeconds", "Oldest is due for" },
    { "scanOldestSecondsLeft", "Oldest waits for" },
    { "filesFiles", "Read again" },
    { "filesReceivedLeft", "Received, not read" },
    { "filesQuarantinedLeft", "In quarantine" },
};

static section_e section_of(apr_size_t *prefix, const char *name, apr_size_t length)
{
    for (apr_size_t i = 0; i < LIMS_LENGTH(prefixes); i++) {
        *prefix = strlen(prefixes[i].prefix);
        if (*prefix <= length && strncmp(name, prefixes[i].prefix, *prefix) == 0) {
            return prefixes[i].section;
        }
    }
    *prefix = 0;
    return OF_SERVICE;
}

static bool ends(const char *name, apr_size_t length, const char *end)
{
    apr_size_t size = strlen(end);

    return length >= size && strncmp(name + length - size, end, size) == 0;
}

/* "ConnectionsInUse" as "Connections in use". */
static const char *words_of(const char *name, apr_size_t length, apr_pool_t *pool)
{
    char *label = apr_palloc(pool, 2 * length + 1), *out = label;

    for (apr_size_t i = 0; i < length; i++) {
        if (i > 0 && apr_isupper(name[i])) {
            *out++ = ' ';
        }
        *out++ = (char)(i == 0 ? apr_toupper(name[i]) : apr_tolower(name[i]));
    }
    *out = '\0';
    return label;
}

static const char *label_of(const char *name, apr_size_t length, apr_size_t prefix,
                            apr_pool_t *pool)
{
    for (apr_size_t i = 0; i < LIMS_LENGTH(labels); i++) {
        if (strlen(labels[i].name) == length && strncmp(name, labels[i].name, length) == 0) {
            return labels[i].label;
        }
    }
    if (ends(name, length, "LastMicroseconds")) {
        return "Last run took";
    }
    return prefix == length ? words_of(name, length, pool)
                            : words_of(name + prefix, length - prefix, pool);
}

/* --- Values --------------------------------------------------------------- */

/* A string without its quotes and escapes. */
static const char *unquoted(const char *value, apr_size_t length, apr_pool_t *pool)
{
    char *words = apr_pstrmemdup(pool, value + 1, length - 2), *out = words;

    for (const char *in = words; *in; in++) {
        in += *in == '\\' && in[1];
        *out++ = *in;
    }
    *out = '\0';
    return words;
}

static const char *moment(const char *seconds, apr_pool_t *pool)
{
    apr_time_exp_t parts;
    apr_int64_t since = apr_atoi64(seconds);

    if (since == 0 || apr_time_exp_gmt(&parts, apr_time_from_sec(since)) != APR_SUCCESS) {
        return "not since httpd started";
    }
    return apr_psprintf(pool, "%d-%02d-%02d %02d:%02d:%02d UTC", parts.tm_year + 1900,
                        parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

static const char *span(double seconds, apr_pool_t *pool)
{
    if (seconds < 60) {
        return apr_psprintf(pool, "%.3f s", seconds);
    }
    if (seconds < 3600) {
        return apr_psprintf(pool, "%.1f min", seconds / 60);
    }
    return apr_psprintf(pool, "%.1f h", seconds / 3600);
}

/* As a person writes it. */
static const char *value_of(const char *name, apr_size_t name_length, const char *value,
                            apr_size_t length, apr_pool_t *pool)
{
    const char *text = apr_pstrmemdup(pool, value, length);

    if (strcmp(text, "null") == 0) {
        return "none";
    }
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
        return *text == 't' ? "yes" : "no";
    }
    if (*text == '"') {
        return unquoted(value, length, pool);
    }
    if (ends(name, name_length, "LastSuccess")) {
        return moment(text, pool);
    }
    if (ends(name, name_length, "Microseconds")) {
        return span(strtod(text, NULL) / APR_USEC_PER_SEC, pool);
    }
    if (ends(name, name_length, "Seconds") || ends(name, name_length, "SecondsLeft")) {
        return span(strtod(text, NULL), pool);
    }
    return text;
}

/* --- Rows ----------------------------------------------------------------- */

/* The comma behind a value, or the object's end. A comma within a string is the
 * string's. */
static const char *end_of_value(const char *value)
{
    bool quoted = false;

    for (; *value; value++) {
        if (quoted && *value == '\\' && value[1]) {
            value++;
        } else if (*value == '"') {
            quoted = !quoted;
        } else if (!quoted && (*value == ',' || *value == '}')) {
            break;
        }
    }
    return value;
}

/* The rows of each section, as the object's members come. */
static void write_rows(const char *rows[SECTIONS], const char *json, apr_pool_t *pool)
{
    while (*json && json[1] == '"') {
        const char *name = json + 2, *colon = strchr(name, ':');
        apr_size_t length = (apr_size_t)(colon - name - 1), prefix;
        const char *end = end_of_value(colon + 1);
        section_e section = section_of(&prefix, name, length);
        const char *label = label_of(name, length, prefix, pool);
        const char *value = value_of(name, length, colon + 1, (apr_size_t)(end - colon - 1), pool);

        rows[section] = apr_pstrcat(pool, rows[section], "<tr><th>", ap_escape_html(pool, label),
                                    "</th><td>", ap_escape_html(pool, value), "</td></tr>\n", NULL);
        json = end;
    }
}

const char *lims_page_sections(const char *json, apr_pool_t *pool)
{
    const char *rows[SECTIONS];
    const char *page = "";

    for (int i = 0; i < SECTIONS; i++) {
        rows[i] = "";
    }
    write_rows(rows, json, pool);
    for (int i = 0; i < SECTIONS; i++) {
        page = apr_pstrcat(pool, page, "<section><h3>", titles[i], "</h3><table>\n", rows[i],
                           "</table></section>\n", NULL);
    }
    return page;
}

/* Names on the left, numbers under each other; sections beside each other where
 * the screen is wide. */
#define STYLE                                                                                      \
    "<style>:root{color-scheme:light dark}body{font:16px sans-serif;margin:1.5em}"                 \
    "main{columns:22em;column-gap:3em}section{break-inside:avoid;margin:0 0 1.5em}"                \
    "h3{font-size:1.05em;margin:0 0 .2em}table{border-collapse:collapse;width:100%}"               \
    "th{font-weight:normal;text-align:left}th,td{padding:.25em 0;vertical-align:top}"              \
    "td{font-variant-numeric:tabular-nums;text-align:right;padding-left:1em;"                      \
    "overflow-wrap:anywhere}tr{border-bottom:1px solid #8886}</style>"

const char *lims_page_whole(const char *sections, apr_pool_t *pool)
{
    return apr_pstrcat(pool,
                       "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
                       "<title>mod_lims</title>" STYLE "</head><body>\n<h1>mod_lims</h1>\n<main>\n",
                       sections, "</main>\n</body></html>\n", NULL);
}
