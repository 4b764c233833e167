/* SPDX-License-Identifier: Apache-2.0 */
/*
 * error.c - the error catalogue and the body of an error answer.
 */
#include "kernel/error.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <stdarg.h>
#include <string.h>

#include "kernel/utf8.h"
#include "kernel/writer.h"

/* Longest quotation of a caller's text, in characters. */
#define EXCERPT_MAX 60

/* The error catalogue. The status codes have the meaning of RFC 9110 section 15 and RFC
 * 6585. */
const lims_error_kind_t lims_error_kinds[] = {
    [LIMS_E_INVALID_BODY] = { "invalid_body", 400, "Invalid body",
                              "The body is malformed, or a member is unknown, missing or of the "
                              "wrong type." },
    [LIMS_E_INVALID_QUERY] = { "invalid_query", 400, "Invalid query",
                               "A query parameter is unknown, repeated or has no valid value." },
    [LIMS_E_INVALID_REFERENCE] = { "invalid_reference", 400, "Invalid reference",
                                   "A referenced id is not the organization's." },
    [LIMS_E_INVALID_ID] = { "invalid_id", 400, "Invalid id",
                            "The id in the path is not a positive integer." },
    [LIMS_E_FIELD_NOT_PATCHABLE] = { "field_not_patchable", 400, "Field not patchable",
                                     "The field is read-only or has an endpoint of its own." },
    [LIMS_E_NO_UPDATABLE_FIELDS] = { "no_updatable_fields", 400, "No updatable fields",
                                     "The update is empty." },
    [LIMS_E_BAD_REQUEST] = { "bad_request", 400, "Bad request",
                             "The request is not a valid HTTP message." },
    [LIMS_E_UNAUTHORIZED] = { "unauthorized", 401, "Unauthorized",
                              "The key is missing or invalid, or the organization's plan has no "
                              "API access; in the application, nobody is signed in." },
    [LIMS_E_SESSION_CHANGED] = { "session_changed", 401, "Session changed",
                                 "Another session than the page's is signed in in this browser; "
                                 "nothing was done." },
    [LIMS_E_TLS_REQUIRED] = { "tls_required", 403, "TLS required",
                              "The request did not come over HTTPS." },
    [LIMS_E_CROSS_SITE_REQUEST] = { "cross_site_request", 403, "Cross-site request",
                                    "The request was not made by a page of this host; nothing "
                                    "was done." },
    [LIMS_E_FORBIDDEN] = { "forbidden", 403, "Forbidden",
                           "The server's own rules do not let this client in." },
    [LIMS_E_UPLOAD_ONLY_KEY] = { "upload_only_key", 403, "Upload-only key",
                                 "The key may only upload instrument files." },
    [LIMS_E_SCOPE_REQUIRED] = { "scope_required", 403, "Scope required",
                                "The key lacks the scope of this endpoint." },
    [LIMS_E_AI_DATA_ACCESS_DISABLED] = { "ai_data_access_disabled", 403, "AI data access disabled",
                                         "The organization does not let its files be sent to an "
                                         "AI service." },
    [LIMS_E_ESIGNATURE_REQUIRED] = { "esignature_required", 403, "Electronic signature required",
                                     "The act needs a person's electronic signature, which an "
                                     "API key cannot give." },
    [LIMS_E_PERMISSION_REQUIRED] = { "permission_required", 403, "Permission required",
                                     "None of the person's roles has the permission that the "
                                     "act needs." },
    [LIMS_E_SIGNATURE_INVALID] = { "signature_invalid", 403, "Signature invalid",
                                   "The password is not the signer's; nothing was signed." },
    [LIMS_E_ACCOUNT_LOCKED] = { "account_locked", 403, "Account locked",
                                "The account is locked for a time, after failed signatures: it "
                                "only reads; see `Retry-After`." },
    [LIMS_E_SAMPLE_LIMIT_EXCEEDED] = { "SAMPLE_LIMIT_EXCEEDED", 403, "Sample limit exceeded",
                                       "The plan's monthly sample allowance is used up." },
    [LIMS_E_FILE_STORAGE_EXCEEDED] = { "FILE_STORAGE_EXCEEDED", 403, "File storage exceeded",
                                       "The instrument files that the key has sent take all the "
                                       "storage that it has." },
    [LIMS_E_NOT_FOUND] = { "not_found", 404, "Not found",
                           "The organization has no record at this address." },
    [LIMS_E_METHOD_NOT_ALLOWED] = { "method_not_allowed", 405, "Method not allowed",
                                    "The resource does not have this method; `Allow` names "
                                    "those it has." },
    [LIMS_E_REQUEST_TIMEOUT] = { "request_timeout", 408, "Request time-out",
                                 "The request did not arrive in time." },
    [LIMS_E_INCOMPLETE_SAMPLE] = { "incomplete_sample", 409, "Incomplete sample",
                                   "The sample has tests that are not entered or not verified." },
    [LIMS_E_QC_FAILED] = { "qc_failed", 409, "QC failed",
                           "A failed QC batch that was not overridden blocks release." },
    [LIMS_E_APPROVAL_REQUIRED] = { "approval_required", 409, "Approval required",
                                   "The final approval is open, or an approval was rejected." },
    [LIMS_E_CONFIRMATION_REQUIRED] = { "confirmation_required", 409, "Confirmation required",
                                       "A presumptive positive awaits confirmation." },
    [LIMS_E_MEDIA_QC_FAILED] = { "media_qc_failed", 409, "Media QC failed",
                                 "A media lot failed growth promotion or sterility." },
    [LIMS_E_WORKSHEET_INCOMPLETE] = { "worksheet_incomplete", 409, "Worksheet incomplete",
                                      "A required worksheet is incomplete or unsigned." },
    [LIMS_E_BLANK_RESULT] = { "blank_result", 409, "Blank result", "The result is blank." },
    [LIMS_E_REAGENT_LOT_EXPIRED] = { "reagent_lot_expired", 409, "Reagent lot expired",
                                     "The reagent lot is expired and the policy is to block." },
    [LIMS_E_TEST_VERIFIED_LOCKED] = { "test_verified_locked", 409, "Test verified and locked",
                                      "The result is verified and locked." },
    [LIMS_E_NOT_RECEIVABLE] = { "not_receivable", 409, "Not receivable",
                                "The sample is not awaiting receiving." },
    [LIMS_E_INVALID_TRANSITION] = { "invalid_transition", 409, "Invalid transition",
                                    "The record's state does not allow this change." },
    [LIMS_E_ALREADY_DECIDED] = { "already_decided", 409, "Already decided",
                                 "The approval has been decided." },
    [LIMS_E_SELF_VERIFICATION] = { "self_verification", 409, "Own result",
                                   "Whoever entered a result does not verify it, by the "
                                   "organization's policy." },
    [LIMS_E_SELF_APPROVAL] = { "self_approval", 409, "Own verification",
                               "Whoever verified a result of the sample, or decided another step, "
                               "does not decide this one, by the organization's policy." },
    [LIMS_E_POLICY_UNSATISFIABLE] = { "policy_unsatisfiable", 409, "Policy unsatisfiable",
                                      "The active people of the organization could not meet the "
                                      "policy." },
    [LIMS_E_LAST_ADMINISTRATOR] = { "last_administrator", 409, "Last administrator",
                                    "The change would leave nobody who manages users." },
    [LIMS_E_OWN_ROLES] = { "own_roles", 409, "Own roles",
                           "Nobody changes their own roles while somebody else can." },
    [LIMS_E_REASON_REQUIRED] = { "reason_required", 409, "Reason required",
                                 "The organization's policy asks for a reason for this change." },
    [LIMS_E_AMENDMENT_DIFFERS] = { "amendment_differs", 409, "Amendment differs",
                                   "The sample is not as it was when the amendment was opened." },
    [LIMS_E_QC_PENDING] = { "qc_pending", 409, "QC pending",
                            "The quality control that the method requires is not yet "
                            "evaluated." },
    [LIMS_E_INVESTIGATION_OPEN] = { "investigation_open", 409, "Investigation open",
                                    "An investigation of the sample is open." },
    [LIMS_E_SAMPLE_ON_HOLD] = { "sample_on_hold", 409, "Sample on hold", "The sample is on hold." },
    [LIMS_E_LOT_NOT_RELEASED] = { "lot_not_released", 409, "Lot not released",
                                  "The lot is quarantined or failed its quality control." },
    [LIMS_E_RETEST_UNDECIDED] = { "retest_undecided", 409, "Retest undecided",
                                  "A test was repeated, and none of its results is chosen." },
    [LIMS_E_DOCUMENT_PENDING] = { "document_pending", 409, "Document pending",
                                  "The document is not printed yet." },
    [LIMS_E_DOCUMENT_FAILED] = { "document_failed", 409, "Document failed",
                                 "The document cannot be printed; the message says why." },
    [LIMS_E_IDEMPOTENCY_IN_PROGRESS] = { "idempotency_in_progress", 409, "In progress",
                                         "The first request with this Idempotency-Key is still "
                                         "running." },
    [LIMS_E_PRECONDITION_FAILED] = { "precondition_failed", 412, "Precondition failed",
                                     "The record has changed since its `ETag` was read." },
    [LIMS_E_PAYLOAD_TOO_LARGE] = { "payload_too_large", 413, "Payload too large",
                                   "The body is larger than this endpoint takes." },
    [LIMS_E_UNSUPPORTED_MEDIA_TYPE] = { "unsupported_media_type", 415, "Unsupported media type",
                                        "The body's `Content-Type` is not what the endpoint "
                                        "takes." },
    [LIMS_E_IDEMPOTENCY_MISMATCH] = { "idempotency_mismatch", 422, "Idempotency mismatch",
                                      "The Idempotency-Key was used with another request." },
    [LIMS_E_PRECONDITION_REQUIRED] = { "precondition_required", 428, "Precondition required",
                                       "A signed act names what was seen: the `contentHash` that "
                                       "the record showed." },
    [LIMS_E_RATE_LIMITED] = { "rate_limited", 429, "Rate limited",
                              "The key's request limit is exceeded; see `Retry-After`." },
    [LIMS_E_INTERNAL] = { "internal", 500, "Internal error", "Something unexpected failed." },
    [LIMS_E_AI_UNAVAILABLE] = { "ai_unavailable", 503, "AI unavailable",
                                "No AI service is configured, or the configured one did not give "
                                "an answer of use. Nothing was written." },
    [LIMS_E_SERVICE_UNAVAILABLE] = { "service_unavailable", 503, "Service unavailable",
                                     "The database is out of reach; see `Retry-After`." },
};

_Static_assert(LIMS_LENGTH(lims_error_kinds) == LIMS_E_COUNT, "an error kind has no row");

/* Makes a sentence of a message. Its first word is left unchanged if it may be a name, of
 * a field or a code. */
static const char *to_sentence(char *text, apr_pool_t *pool)
{
    static const char *const begins[] = { "a",        "an",         "the",           "no",
                                          "what",     "when",       "these",         "sample",
                                          "media",    "approval",   "approvals",     "reagent",
                                          "webhook",  "worksheets", "investigation", "certificate",
                                          "signing",  "receiving",  "deciding",      "closing",
                                          "amending", "overriding", "verifying",     "choosing",
                                          "this",     "nobody" };
    apr_size_t word = strcspn(text, " ");
    apr_size_t length = strlen(text);

    for (apr_size_t i = 0; i < LIMS_LENGTH(begins); i++) {
        if (strlen(begins[i]) == word && strncmp(text, begins[i], word) == 0 &&
            strncmp(text + word, " must ", 6) != 0) {
            text[0] = (char)apr_toupper(text[0]);
        }
    }
    return length > 0 && !strchr(".!?", text[length - 1]) ? apr_pstrcat(pool, text, ".", NULL)
                                                          : text;
}

const char *lims_sentence(const char *text, apr_pool_t *pool)
{
    return to_sentence(apr_pstrdup(pool, text), pool);
}

static lims_error_t *make_error(apr_pool_t *pool, lims_error_e kind, const char *format,
                                va_list arguments)
{
    lims_error_t *error = apr_pcalloc(pool, sizeof(*error));

    error->kind = kind;
    error->message = to_sentence(apr_pvsprintf(pool, format, arguments), pool);
    return error;
}

const lims_error_t *lims_client_error(apr_pool_t *pool, lims_error_e kind, const char *format, ...)
{
    va_list arguments;
    lims_error_t *error;

    va_start(arguments, format);
    error = make_error(pool, kind, format, arguments);
    va_end(arguments);
    return error;
}

const lims_error_t *lims_client_error_with(apr_pool_t *pool, lims_error_e kind, const char *members,
                                           const char *format, ...)
{
    va_list arguments;
    lims_error_t *error;

    va_start(arguments, format);
    error = make_error(pool, kind, format, arguments);
    va_end(arguments);
    error->members = members;
    return error;
}

const lims_error_t *lims_server_error(apr_pool_t *pool, lims_error_e kind, int number,
                                      const char *cause, const char *format, ...)
{
    va_list arguments;
    lims_error_t *error;

    va_start(arguments, format);
    error = make_error(pool, kind, format, arguments);
    va_end(arguments);
    error->cause = cause;
    error->number = number;
    return error;
}

const lims_error_t *lims_error_with_failure(const lims_error_t *error, lims_failure_e failure,
                                            apr_pool_t *pool)
{
    lims_error_t *copy = apr_pmemdup(pool, error, sizeof(*error));

    copy->failure = failure;
    return copy;
}

bool lims_error_is_refusal(const lims_error_t *error)
{
    return lims_error_kinds[error->kind].status < 500 && error->retry == LIMS_RETRY_NO;
}

const lims_error_t *lims_no_digest(apr_pool_t *pool)
{
    return lims_server_error(pool, LIMS_E_INTERNAL, 41, "SHA-256 is not available",
                             "The request could not be carried out.");
}

bool lims_error_is_plan_limit(lims_error_e kind)
{
    return kind == LIMS_E_SAMPLE_LIMIT_EXCEEDED || kind == LIMS_E_FILE_STORAGE_EXCEEDED;
}

lims_error_e lims_error_by_slug(const char *slug)
{
    int kind = 0;

    while (slug && kind < LIMS_E_COUNT && strcmp(lims_error_kinds[kind].slug, slug) != 0) {
        kind++;
    }
    return slug ? (lims_error_e)kind : LIMS_E_COUNT;
}

const char *lims_error_body(apr_size_t *length, const lims_error_t *error, apr_pool_t *pool)
{
    const lims_error_kind_t *kind = &lims_error_kinds[error->kind];
    const char *message = error->message;
    lims_writer_t *w = lims_writer_create(pool);
    const char *body;

    /* A message that is not UTF-8 is replaced, so that the answer is valid JSON. */
    if (!message || !lims_utf8_valid(message, strlen(message))) {
        message = kind->doc;
    }
    lims_writer_object_begin(w);
    lims_writer_key(w, lims_error_is_plan_limit(error->kind) ? "code" : "error");
    lims_writer_string(w, kind->slug);
    lims_writer_key(w, "message");
    lims_writer_string(w, message);
    lims_writer_object_end(w);
    body = lims_writer_finish(length, w);

    if (error->members && error->members[0] != '\0') {
        body = apr_psprintf(pool, "%.*s,%s}", (int)(*length - 1), body, error->members);
        *length = strlen(body);
    }
    return body;
}

const char *lims_excerpt(const char *text, apr_pool_t *pool)
{
    const char *end = text;
    int characters = 0;

    for (; *end != '\0'; end++) {
        bool first_byte = ((unsigned char)*end & 0xC0) != 0x80;

        if (first_byte && characters++ == EXCERPT_MAX) {
            return apr_pstrcat(pool, apr_pstrmemdup(pool, text, (apr_size_t)(end - text)), "...",
                               NULL);
        }
    }
    return text;
}
