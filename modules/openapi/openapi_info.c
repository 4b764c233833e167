/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openapi_info.c - the description of the API as a whole (Markdown), and its security
 * scheme.
 */
#include <apr_strings.h>

#include "kernel/error.h"
#include "openapi/openapi_parts.h"
#include "kernel/scope.h"

static const char conventions[] =
    "Register samples, schedule their tests, enter and verify results, report samples, and keep "
    "reference data. A key reads and changes the records of its own organization only, under the "
    "same quality-control, release and compliance gates that apply to people.\n"
    "\n"
    "## Requests\n"
    "\n"
    "- Only over TLS, with `Authorization: Bearer <key>`. Without a valid key every path answers "
    "401.\n"
    "- A request is checked in this order: TLS, key, rate limit, upload-only key, path (404) and "
    "method (405, with the allowed ones in `Allow`), scope, media type and size, id, query and "
    "body, the record (404), `If-Match`, the gates. The answer has the first failure.\n"
    "- Bodies are JSON in UTF-8 of 1 MB at most. An unknown or repeated member, a member of the "
    "wrong type, and a control character in a text are refused, with the name of the member. A "
    "text is stored as it was sent.\n"
    "- HEAD is supported wherever GET is.\n"
    "- Ids are positive 64-bit integers. Dates are `YYYY-MM-DD`. Timestamps are ISO 8601: with "
    "any zone in requests, in UTC with milliseconds in answers.\n"
    "\n"
    "## Pages\n"
    "\n"
    "A list is answered as `{ data, nextCursor, hasMore }`, with the records in the order of "
    "their ids. Pass `nextCursor` as `cursor` for as long as `hasMore` is true. The default of "
    "`limit` is 50; more than 500 is taken as 500.\n"
    "\n"
    "## Concurrent changes\n"
    "\n"
    "The answer with a single record has an `ETag`, after reads and writes. With "
    "`If-None-Match`, a GET of an unchanged record is answered 304 without a body. With "
    "`If-Match`, a write is refused if the record has changed since (412).\n"
    "\n"
    "## Retries\n"
    "\n"
    "POST accepts an `Idempotency-Key`: a request with the same key, path and body within 24 "
    "hours is done only once, and the first answer is returned again with `Idempotent-Replayed: "
    "true`. The same key with another body is answered 422. While the first request is in "
    "progress, the same key is answered 409 with `Retry-After`; after a crash, until the time "
    "that the request may take has passed. A refused request does not use up the key, so it may "
    "be repeated once the cause is removed; neither does a dry run, which is computed again each "
    "time. A POST that was answered 500 or 503, or not at all, may have been done: send it again "
    "with the same key. GET and PATCH can be repeated without a key.\n"
    "\n"
    "## Rate limit\n"
    "\n"
    "120 requests in any 60 seconds per key, a sliding window. `RateLimit-Limit`, "
    "`RateLimit-Remaining` and `RateLimit-Reset` have the limit, the requests left and the "
    "seconds to wait; a refused request (429, with `Retry-After`) is not counted.\n"
    "\n"
    "## Request ids\n"
    "\n"
    "Every answer has an `X-Request-Id`, the caller's own if it sent one. It is in the service's "
    "log and, for changes, in the audit trail: quote it when asking about a request.\n"
    "\n"
    "## Gates\n"
    "\n"
    "Verifying, approving and reporting pass gates that no key can bypass. A refusal names the "
    "first failing gate in `error` and lists every failing one in `blockers`, with the ids of "
    "what blocks, so that one answer lists everything that remains to be done. `GET "
    "/samples/{id}/readiness` lists the same without an attempt.\n"
    "\n"
    "## Webhooks\n"
    "\n"
    "Events are posted to the endpoints that an administrator registered. The signature is "
    "HMAC-SHA256, keyed with the endpoint's `whsec_` secret, of `X-Service-Timestamp`, a period "
    "and the exact bytes of the body: check it before parsing, compare in constant time, and "
    "refuse a timestamp older than a few minutes. A delivery is made at least once; its id stays "
    "the same when it is repeated. `User-Agent` is `" LIMS_WEBHOOK_AGENT "`.\n"
    "\n"
    "## Versions\n"
    "\n"
    "The schemas are closed: they say exactly what this release answers. Later releases of this "
    "version may add endpoints, optional members and error slugs; a breaking change comes under "
    "another path.\n"
    "\n"
    "## Errors\n"
    "\n"
    "`{ error, message }`, `error` being one of these slugs; a limit of the plan has `code` in "
    "its place. Never HTML.\n"
    "\n"
    "| Status | Slug | Meaning |\n"
    "|---|---|---|\n";

static const char of_people[] =
    "The interactive application's own API: the same resources, rules and events as those of "
    "the REST API, for people who sign in. Its form is that API's: JSON, errors, `blockers`, "
    "pages, `ETag`, `Idempotency-Key`.\n"
    "\n"
    "## Sessions\n"
    "\n"
    "`POST /app/api/session` sets a cookie that scripts cannot read. Every other request names "
    "the session that its page knows in `X-Lims-Session`; where another is signed in by now, "
    "it is refused (401 `session_changed`). A session ends when it is not used for a time, and "
    "12 hours after it began. Requests with `X-Lims-Background: 1` do not prolong it.\n"
    "\n"
    "Every request that is neither GET nor HEAD is made by a page of this host: it has "
    "`Sec-Fetch-Site: same-origin`, or the `Origin` of this host, and `X-Lims-Request: 1`; else "
    "it is refused (403 `cross_site_request`).\n"
    "\n"
    "## Errors\n"
    "\n"
    "| Status | Slug | Meaning |\n"
    "|---|---|---|\n";

/* Returns the error catalogue as rows of a Markdown table. */
static const char *error_rows(apr_pool_t *pool)
{
    const char *rows = "";

    for (int kind = 0; kind < LIMS_E_COUNT; kind++) {
        const lims_error_kind_t *row = &lims_error_kinds[kind];

        rows = apr_psprintf(pool, "%s| %d | `%s` | %s |\n", rows, row->status, row->slug, row->doc);
    }
    return rows;
}

void lims_openapi_info(lims_openapi_t *doc)
{
    lims_writer_object_begin(doc->w);
    lims_openapi_member(doc, "title", LIMS_API_NAME);
    lims_openapi_member(doc, "version", LIMS_VERSION);
    lims_openapi_member(doc, "description",
                        apr_pstrcat(doc->pool,
                                    doc->surface == LIMS_SURFACE_API ? conventions : of_people,
                                    error_rows(doc->pool), NULL));
    lims_writer_key(doc->w, "license");
    lims_writer_object_begin(doc->w);
    lims_openapi_member(doc, "name", "Apache License 2.0");
    lims_openapi_member(doc, "identifier", "Apache-2.0");
    lims_writer_object_end(doc->w);
    lims_writer_object_end(doc->w);
}

static void write_key_scheme(lims_openapi_t *doc)
{
    const char *text = "An API key, `lk_...`, made by an administrator and shown once. One made "
                       "with a list of scopes is limited to them; one made for uploads only may "
                       "deliver instrument files and ask who it is.\n\n";

    for (const lims_scope_t *scope = lims_scopes; scope->name; scope++) {
        text = apr_pstrcat(doc->pool, text, "- `", scope->name, "`: ", scope->doc, "\n", NULL);
    }
    lims_writer_object_begin(doc->w);
    lims_writer_key(doc->w, "bearer");
    lims_writer_object_begin(doc->w);
    lims_openapi_member(doc, "type", "http");
    lims_openapi_member(doc, "scheme", "bearer");
    lims_openapi_member(doc, "description", text);
    lims_writer_object_end(doc->w);
    lims_writer_object_end(doc->w);
}

/* Writes the security scheme of sessions: a cookie, named without the suffix that
 * LimsCookieSuffix gives it on a server. */
static void write_session_scheme(lims_openapi_t *doc)
{
    lims_writer_object_begin(doc->w);
    lims_writer_key(doc->w, "session");
    lims_writer_object_begin(doc->w);
    lims_openapi_member(doc, "type", "apiKey");
    lims_openapi_member(doc, "in", "cookie");
    lims_openapi_member(doc, "name", "__Host-lims");
    lims_openapi_member(doc, "description", "The cookie that signing in sets.");
    lims_writer_object_end(doc->w);
    lims_writer_object_end(doc->w);
}

void lims_openapi_security_schemes(lims_openapi_t *doc)
{
    if (doc->surface != LIMS_SURFACE_API) {
        write_session_scheme(doc);
        return;
    }
    write_key_scheme(doc);
}
