/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openapi_info.c - what holds for every operation, in words (Markdown).
 */
#include <apr_strings.h>

#include "kernel/error.h"
#include "openapi/openapi_parts.h"
#include "kernel/scope.h"

static const char conventions[] =
    "Register samples, schedule their tests, enter and verify results, report samples, and keep "
    "reference data. A key reads and changes the records of its own organization only, under "
    "the same quality-control, release and compliance gates as everybody else.\n"
    "\n"
    "## Requests\n"
    "\n"
    "- Only over TLS, with `Authorization: Bearer <key>`. Without a valid key every path answers "
    "401.\n"
    "- A request is judged in this order: TLS, key, rate limit, upload-only key, path (404) and "
    "method (405, `Allow` names the others), scope, media type and size, id, query and body, "
    "the record (404), `If-Match`, the gates. The first failure answers.\n"
    "- Bodies are JSON in UTF-8 of 1 MB at most. An unknown, repeated or ill-typed member is "
    "refused by name, and so is a control character in a text. A text is kept as it was sent.\n"
    "- HEAD is possible wherever GET is.\n"
    "- Ids are positive 64-bit integers. Dates are `YYYY-MM-DD`. Timestamps are ISO 8601: sent "
    "with any zone, answered in UTC with milliseconds.\n"
    "\n"
    "## Pages\n"
    "\n"
    "A list answers `{ data, nextCursor, hasMore }` in the order of ids. Pass `nextCursor` as "
    "`cursor` for as long as `hasMore` is true. `limit` is 50 unless given; more than 500 is "
    "taken as 500.\n"
    "\n"
    "## Records that others change too\n"
    "\n"
    "One record carries an `ETag`, whether it was read or written. `If-None-Match` on GET saves "
    "reading it again (304). `If-Match` on a write does nothing when somebody else was faster "
    "(412).\n"
    "\n"
    "## Sending again\n"
    "\n"
    "POST takes an `Idempotency-Key`: the same key, path and body within 24 hours is done once, "
    "and the first answer is given again with `Idempotent-Replayed: true`. The same key with "
    "another body is 422. While the first is still running it is 409 with `Retry-After`, and "
    "when the service died of it, until the time is over that its work may take. A refusal "
    "leaves no trace of the key, so the request may be repeated once its cause is gone; neither "
    "does a dry run, which is worked out anew each time. A POST that was answered 500 or 503, or "
    "not at all, may have been done: send it again with the same key. GET and PATCH can be "
    "repeated as they are.\n"
    "\n"
    "## Rate limit\n"
    "\n"
    "120 requests in any 60 seconds per key, a sliding window. `RateLimit-Limit`, "
    "`RateLimit-Remaining` and `RateLimit-Reset` tell how much is left; a refused request "
    "(429, with `Retry-After`) does not count.\n"
    "\n"
    "## Request ids\n"
    "\n"
    "Every answer has an `X-Request-Id`, the caller's own when it sent one. It is in the log "
    "and, with a change, in the audit trail: quote it when asking about a request.\n"
    "\n"
    "## Gates\n"
    "\n"
    "Verifying, approving and reporting pass gates that no key can get around. A refusal names "
    "the first failing gate in `error` and lists every failing one in `blockers`, with the ids "
    "of what blocks, so that one answer tells all there is to do. `GET "
    "/samples/{id}/readiness` tells the same without trying.\n"
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

/* The catalogue as rows of a Markdown table. */
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
                        apr_pstrcat(doc->pool, conventions, error_rows(doc->pool), NULL));
    lims_writer_key(doc->w, "license");
    lims_writer_object_begin(doc->w);
    lims_openapi_member(doc, "name", "Apache License 2.0");
    lims_openapi_member(doc, "identifier", "Apache-2.0");
    lims_writer_object_end(doc->w);
    lims_writer_object_end(doc->w);
}

void lims_openapi_security_schemes(lims_openapi_t *doc)
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
