/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/error.h"

#include <apr_strings.h>

#include "../lib/unit.h"
#include "kernel/utf8.h"

static void test_catalogue(void)
{
    for (int kind = 0; kind < LIMS_E_COUNT; kind++) {
        const lims_error_kind_t *row = &lims_error_kinds[kind];

        ok(row->slug && row->title && row->doc && row->status >= 400 && row->status <= 599,
           "kind %d is complete", kind);
        is_number(lims_error_by_slug(row->slug), kind, "no other error has its slug");
    }
    is_number(lims_error_by_slug("no_such_slug"), LIMS_E_COUNT, "an unknown slug");
    is_number(lims_error_by_slug(NULL), LIMS_E_COUNT, "no slug");
    is_number(lims_error_kinds[LIMS_E_IDEMPOTENCY_MISMATCH].status, 422, "a status");
    is_number(lims_error_kinds[LIMS_E_ESIGNATURE_REQUIRED].status, 403, "another status");
}

static void test_making(apr_pool_t *pool)
{
    const lims_error_t *error =
        lims_client_error(pool, LIMS_E_NOT_FOUND, "There is no sample %d", 7);

    is(error->message, "There is no sample 7.", "lims_client_error formats");
    ok(!error->members && !error->cause && error->number == 0 &&
           error->failure == LIMS_FAILURE_OTHER,
       "a plain error has no members, cause or number");
    error = lims_server_error(pool, LIMS_E_INTERNAL, 12, "disk on fire", "It failed: %s", "soon");
    is(error->message, "It failed: soon.", "lims_server_error formats");
    is(error->cause, "disk on fire", "an internal error keeps its cause");
    is_number(error->number, 12, "an internal error keeps its log number");
    is_number(lims_error_with_failure(error, LIMS_FAILURE_TIMEOUT, pool)->failure,
              LIMS_FAILURE_TIMEOUT, "the error says what failed");
    is_number(lims_error_with_failure(error, LIMS_FAILURE_TIMEOUT, pool)->number, 12,
              "an error that says what failed keeps its log number");
}

static void test_sentences(apr_pool_t *pool)
{
    is(lims_sentence("the file is final", pool), "The file is final.", "a sentence");
    is(lims_sentence("NO3 has no result", pool), "NO3 has no result.", "a code stays as it is");
    is(lims_sentence("notes has a control character.", pool), "notes has a control character.",
       "a sentence may begin with a field's name");
    is(lims_sentence("", pool), "", "nothing is no sentence");
}

static void test_body(apr_pool_t *pool)
{
    apr_size_t length = 0;
    const lims_error_t *error =
        lims_client_error(pool, LIMS_E_NOT_FOUND, "There is no \"%s\"", "x\n");
    const char *body = lims_error_body(&length, error, pool);

    is(body, "{\"error\":\"not_found\",\"message\":\"There is no \\\"x\\n\\\".\"}",
       "a plain error");
    is_number((long long)length, (long long)strlen(body), "the length of the body is right");

    error = lims_client_error_with(pool, LIMS_E_QC_FAILED, "\"blockers\":[]", "QC failed");
    body = lims_error_body(&length, error, pool);
    is(body, "{\"error\":\"qc_failed\",\"message\":\"QC failed.\",\"blockers\":[]}",
       "the body has the error's members");
    is_number((long long)length, (long long)strlen(body), "the length of the body is right");

    error = lims_client_error(pool, LIMS_E_SAMPLE_LIMIT_EXCEEDED, "Used up");
    is(lims_error_body(&length, error, pool),
       "{\"code\":\"SAMPLE_LIMIT_EXCEEDED\",\"message\":\"Used up.\"}", "a plan limit has a code");

    error = lims_server_error(pool, LIMS_E_INTERNAL, 1, "secret cause", "Sorry");
    ok(!strstr(lims_error_body(&length, error, pool), "secret"), "a cause stays inside");

    error = lims_client_error(pool, LIMS_E_NOT_FOUND, "bad \xFF bytes");
    body = lims_error_body(&length, error, pool);
    ok(lims_utf8_valid(body, length), "a message that is no UTF-8 is replaced");
    has(body, "The organization has no record at this address", "the message is the catalogue's");
}

static void test_excerpt(apr_pool_t *pool)
{
    static const char sixty[] = "012345678901234567890123456789012345678901234567890123456789";
    char umlauts[2 * 61 + 1] = "";

    is(lims_excerpt("short", pool), "short", "a short text is quoted whole");
    is(lims_excerpt(sixty, pool), sixty, "an excerpt keeps 60 characters");
    is(lims_excerpt(apr_pstrcat(pool, sixty, "x", NULL), pool),
       apr_pstrcat(pool, sixty, "...", NULL), "61 are cut");
    for (int i = 0; i < 61; i++) {
        strcat(umlauts, "\xC3\xA4");
    }
    ok(lims_utf8_valid(lims_excerpt(umlauts, pool), strlen(lims_excerpt(umlauts, pool))),
       "never within a character");
}

int main(void)
{
    apr_pool_t *pool = unit_pool();

    test_catalogue();
    test_making(pool);
    test_sentences(pool);
    test_body(pool);
    test_excerpt(pool);
    return tap_done();
}
