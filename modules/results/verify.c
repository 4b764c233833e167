/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify.c - verification of one result, and of many by one signature act: one
 * password, and a signature of each result.
 */
#include "results/verify.h"

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
    LIMS_EACH_CONTENT_HASH_FIELD(
        "Digest of what is signed, as the test showed it. If it differs now, this one is not "
        "verified (precondition_failed)."),
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
    LIMS_EACH_ATOMIC_FIELD("Whether nothing is verified if one of them is refused."),
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
    LIMS_EACH_REFUSAL_FIELDS("Every gate that refuses this one, as when it is verified alone."),
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

const lims_error_t *lims_results_verify_many(lims_request_t *rq)
{
    static const lims_each_act_t act = { .id_name = "sampleTestId",
                                         .lock = LIMS_STMT_SAMPLE_TESTS_LOCK,
                                         .becomes = "verified",
                                         .act = verify };

    return lims_each(rq, &act);
}
