/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify.c - verification of one result, and of many by one signature act: one
 * password, and a signature of each result.
 */
#include "results/verify.h"

#include <string.h>

#include "database/database.h"
#include "kernel/field.h"
#include "kernel/vocabulary.h"
#include "release/gates.h"
#include "service/each.h"
#include "service/signing.h"

static const lims_field_t item_fields[] = {
    { .name = "sampleTestId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_REQUIRED,
      .doc = "Id of the sample test.",
      .example = "90211" },
    { .name = "contentHash",
      .type = LIMS_T_STRING,
      .min = 64,
      .max = 64,
      .pattern = "^[0-9a-f]*$",
      .doc = "Digest of what is signed, as the test showed it. If it differs now, this one is not "
             "verified (precondition_failed)." },
    { .name = "choose",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_WORDS,
      .min = 1,
      .max = 1000,
      .doc = "Reason for which this result of a repeated test is also chosen." },
    LIMS_FIELD_END,
};

const lims_field_t lims_results_verify_input[] = {
    { .name = "items",
      .type = LIMS_T_OBJECT_LIST,
      .flags = LIMS_F_REQUIRED | LIMS_F_UNIQUE,
      .min = 1,
      .max = 200,
      .members = item_fields,
      .unique = "sampleTestId",
      .doc = "Results to verify, each test once.",
      .example = "[{\"sampleTestId\":90211}]" },
    { .name = "atomic",
      .type = LIMS_T_BOOLEAN,
      .fallback = "true",
      .doc = "Whether nothing is verified if one of them is refused." },
    LIMS_FIELD_END,
};

static const lims_field_t result_fields[] = {
    { .name = "sampleTestId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the sample test." },
    { .name = "status",
      .type = LIMS_T_ENUM,
      .values = lims_test_statuses,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Status of the test now; null for a test that there is not." },
    { .name = "error",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Slug of the error by which this one was refused; null: it was not." },
    { .name = "message",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Text of the refusal, for people." },
    { .name = "blockers",
      .type = LIMS_T_JSON,
      .flags = LIMS_F_OUT,
      .doc = "Every gate that refuses this one, as when it is verified alone." },
    LIMS_FIELD_END,
};

const lims_field_t lims_results_verify_output[] = {
    { .name = "results",
      .type = LIMS_T_OBJECT_LIST,
      .flags = LIMS_F_OUT,
      .members = result_fields,
      .doc = "Outcome for each, in the order sent." },
    LIMS_FIELD_END,
};

/* The gates of a verification also refuse a test that is verified already. */
const lims_error_t *lims_results_verify_gates(lims_request_t *rq)
{
    return lims_gates_check(rq, LIMS_STMT_SAMPLE_TEST_VERIFY_BLOCKERS);
}

/* Chooses the verified result, with a reason and a signature of its own. */
static const lims_error_t *choose(lims_request_t *rq, const char *reason)
{
    const char *given = rq->reason;
    lims_result_t *ignored = NULL;
    const lims_error_t *error;

    rq->reason = reason;
    error = lims_database_call(&ignored, rq, LIMS_STMT_REASON_GIVE);
    if (!error && rq->signs) {
        error = lims_signing_sign_as(rq, "chosen");
    }
    if (!error) {
        error = lims_database_call(&ignored, rq, LIMS_STMT_SAMPLE_TEST_CHOOSE);
    }
    rq->reason = given;
    return error ? error : lims_database_call(&ignored, rq, LIMS_STMT_REASON_GIVE);
}

static const lims_error_t *verify(lims_request_t *rq, const lims_each_t *item)
{
    const lims_json_t *reason = lims_json_member(item->asked, "choose");
    const lims_error_t *error = lims_results_verify_gates(rq);
    lims_result_t *ignored = NULL;

    if (!error) {
        error = lims_database_call(&ignored, rq, LIMS_STMT_SAMPLE_TEST_VERIFY);
    }
    return error || !reason ? error : choose(rq, reason->text);
}

/* Tells each item the status that its test has, of the tests in order of id. */
static void note_statuses(lims_each_t *items, int count, const lims_result_t *tests)
{
    for (int i = 0; i < count; i++) {
        items[i].becomes = "verified";
        for (int row = 0; row < lims_result_count(tests); row++) {
            if (strcmp(lims_result_get(tests, row, "id"), items[i].id) == 0) {
                items[i].stood = lims_result_get(tests, row, "status");
            }
        }
    }
}

const lims_error_t *lims_results_verify_many(lims_request_t *rq)
{
    bool atomic = strcmp(lims_values_get(rq->values, "atomic"), "t") == 0;
    lims_each_t *items = NULL;
    lims_result_t *tests = NULL;
    int count = 0;
    const lims_error_t *error = lims_each_read(&items, &count, rq, "items", "sampleTestId");

    if (!error) {
        error = lims_database_call(&tests, rq, LIMS_STMT_SAMPLE_TESTS_LOCK);
    }
    if (!error) {
        note_statuses(items, count, tests);
        error = lims_each(rq, items, count, NULL, verify);
    }
    return error ? error : lims_each_answer(rq, items, count, "sampleTestId", atomic);
}
