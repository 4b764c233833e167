/* SPDX-License-Identifier: Apache-2.0 */
/*
 * status_page.c - the status as an HTML page, made from its JSON members alone, so that
 * both forms say the same: the first words of a member's name determine its section,
 * the last ones the unit of its number.
 */
#include "server/status_page.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <apr_time.h>
#include <httpd.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/json.h"

typedef enum {
    OF_SERVICE,
    OF_HTTPD,
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
    [OF_SERVICE] = "Service",        [OF_HTTPD] = "Threads of httpd",
    [OF_REQUESTS] = "Requests",      [OF_KEYS] = "Keys known to a process",
    [OF_RATE_LIMIT] = "Rate limit",  [OF_DATABASE] = "Database",
    [OF_WEBHOOKS] = "Webhooks",      [OF_SCAN] = "Lifecycle scan",
    [OF_FILES] = "Instrument files", [OF_RECOVERY] = "Recoveries of deliveries",
    [OF_RETENTION] = "Retention",
};
_Static_assert(LIMS_LENGTH(titles) == SECTIONS, "one title for each section");

/* Sections by the beginning of a name; the first match counts. */
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
    { "retention", OF_RETENTION },  { "workers", OF_HTTPD },
};

/* Labels of members whose name does not make one. */
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

static section_e section_of(apr_size_t *prefix, const char *name)
{
    for (apr_size_t i = 0; i < LIMS_LENGTH(prefixes); i++) {
        *prefix = strlen(prefixes[i].prefix);
        if (strncmp(name, prefixes[i].prefix, *prefix) == 0) {
            return prefixes[i].section;
        }
    }
    *prefix = 0;
    return OF_SERVICE;
}

static bool ends(const char *name, const char *end)
{
    apr_size_t length = strlen(name), size = strlen(end);

    return length >= size && strcmp(name + length - size, end) == 0;
}

/* Makes a label of a name: "Connections in use" of "ConnectionsInUse". */
static const char *words_of(const char *name, apr_pool_t *pool)
{
    char *label = apr_palloc(pool, 2 * strlen(name) + 1), *out = label;

    for (apr_size_t i = 0; name[i]; i++) {
        if (i > 0 && apr_isupper(name[i])) {
            *out++ = ' ';
        }
        *out++ = (char)(i == 0 ? apr_toupper(name[i]) : apr_tolower(name[i]));
    }
    *out = '\0';
    return label;
}

static const char *label_of(const char *name, apr_size_t prefix, apr_pool_t *pool)
{
    for (apr_size_t i = 0; i < LIMS_LENGTH(labels); i++) {
        if (strcmp(labels[i].name, name) == 0) {
            return labels[i].label;
        }
    }
    if (ends(name, "LastMicroseconds")) {
        return "Last run took";
    }
    return words_of(name[prefix] ? name + prefix : name, pool);
}

/* --- Values --------------------------------------------------------------- */

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

/* Formats a number with its unit, which the end of the member's name gives. */
static const char *number_of(const lims_json_t *member, apr_pool_t *pool)
{
    if (ends(member->name, "LastSuccess")) {
        return moment(member->text, pool);
    }
    if (ends(member->name, "Microseconds")) {
        return span(strtod(member->text, NULL) / APR_USEC_PER_SEC, pool);
    }
    if (ends(member->name, "Seconds") || ends(member->name, "SecondsLeft")) {
        return span(strtod(member->text, NULL), pool);
    }
    return member->text;
}

/* Formats a value for people. */
static const char *value_of(const lims_json_t *member, apr_pool_t *pool)
{
    switch (member->type) {
    case LIMS_JSON_NULL:
        return "none";
    case LIMS_JSON_BOOLEAN:
        return *member->text == 't' ? "yes" : "no";
    case LIMS_JSON_NUMBER:
        return number_of(member, pool);
    default:
        return member->text;
    }
}

/* --- Rows ----------------------------------------------------------------- */

/* Writes the rows of each section, in the order of the members. */
static void write_rows(const char *rows[SECTIONS], const lims_json_t *object, apr_pool_t *pool)
{
    for (const lims_json_t *member = object->first; member; member = member->next) {
        apr_size_t prefix;
        section_e section = section_of(&prefix, member->name);
        const char *label = label_of(member->name, prefix, pool);

        rows[section] =
            apr_pstrcat(pool, rows[section], "<tr><th>", ap_escape_html(pool, label), "</th><td>",
                        ap_escape_html(pool, value_of(member, pool)), "</td></tr>\n", NULL);
    }
}

const char *lims_status_page_sections(const char *json, apr_pool_t *pool)
{
    const char *rows[SECTIONS];
    const char *page = "";
    lims_json_t *object = NULL;

    for (int i = 0; i < SECTIONS; i++) {
        rows[i] = "";
    }
    if (!lims_json_parse(&object, json, strlen(json), pool)) {
        write_rows(rows, object, pool);
    }
    for (int i = 0; i < SECTIONS; i++) {
        page = apr_pstrcat(pool, page, "<section><h3>", titles[i], "</h3><table>\n", rows[i],
                           "</table></section>\n", NULL);
    }
    return page;
}

/* Labels on the left, numbers aligned; sections side by side on a wide screen. */
#define STYLE                                                                                      \
    "<style>:root{color-scheme:light dark}body{font:16px sans-serif;margin:1.5em}"                 \
    "main{columns:22em;column-gap:3em}section{break-inside:avoid;margin:0 0 1.5em}"                \
    "h3{font-size:1.05em;margin:0 0 .2em}table{border-collapse:collapse;width:100%}"               \
    "th{font-weight:normal;text-align:left}th,td{padding:.25em 0;vertical-align:top}"              \
    "td{font-variant-numeric:tabular-nums;text-align:right;padding-left:1em;"                      \
    "overflow-wrap:anywhere}tr{border-bottom:1px solid #8886}</style>"

const char *lims_status_page_whole(const char *sections, apr_pool_t *pool)
{
    return apr_pstrcat(pool,
                       "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
                       "<title>mod_lims</title>" STYLE "</head><body>\n<h1>mod_lims</h1>\n<main>\n",
                       sections, "</main>\n</body></html>\n", NULL);
}
