/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dispositions.c - what becomes of sample tests beside their results: added, cancelled,
 * restored, repeated, chosen.
 *
 * The rules are in the database (sql/135_test_dispositions.sql, sql/136_retests.sql).
 */
#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/writer.h"
#include "results/results.h"
#include "service/service.h"

static const lims_field_t retest_input[] = {
    LIMS_REASON_FIELD,
    { .name = "replicates",
      .type = LIMS_T_INTEGER,
      .min = 1,
      .max = 10,
      .fallback = "1",
      .doc = "Number of repetitions to add.",
      .example = "2" },
    LIMS_FIELD_END,
};

const lims_field_t lims_tests_output[] = {
    { .name = "tests",
      .type = LIMS_T_OBJECT_LIST,
      .flags = LIMS_F_OUT,
      .members = lims_sample_test_fields,
      .doc = "Sample tests that were added, in order of id." },
    LIMS_FIELD_END,
};

/* --- Actions -------------------------------------------------------------- */

/* The answer is the sample test, with the fields of its own routes. */
static const lims_error_t *act_on_test(lims_request_t *rq, lims_stmt_e statement)
{
    lims_result_t *ignored = NULL;
    const lims_error_t *error = lims_database_call(&ignored, rq, statement);

    rq->resource = &lims_sample_test;
    return error;
}

static const lims_error_t *cancel(lims_request_t *rq)
{
    return act_on_test(rq, LIMS_STMT_SAMPLE_TEST_CANCEL);
}

static const lims_error_t *restore(lims_request_t *rq)
{
    return act_on_test(rq, LIMS_STMT_SAMPLE_TEST_RESTORE);
}

static const lims_error_t *choose(lims_request_t *rq)
{
    return act_on_test(rq, LIMS_STMT_SAMPLE_TEST_CHOOSE);
}

/* Runs a statement that adds tests, and answers them. */
static const lims_error_t *add_by(lims_request_t *rq, lims_stmt_e statement)
{
    lims_result_t *added = NULL, *rows = NULL;
    const lims_error_t *error = lims_database_call(&added, rq, statement);
    lims_writer_t *w;

    if (!error) {
        lims_values_set(rq->values, "added", lims_result_get(added, 0, "added"));
        error = lims_database_call(&rows, rq, LIMS_STMT_SAMPLE_TESTS_ADDED);
    }
    if (error) {
        return error;
    }
    w = lims_writer_create(rq->pool);
    lims_writer_object_begin(w);
    lims_writer_key(w, "tests");
    lims_render_rows(w, &lims_sample_test, rows, lims_result_count(rows), rq->pool);
    lims_writer_object_end(w);
    lims_render_finish(rq, w);
    return NULL;
}

static const lims_error_t *retest(lims_request_t *rq)
{
    return add_by(rq, LIMS_STMT_SAMPLE_TEST_RETEST);
}

const lims_error_t *lims_add_tests(lims_request_t *rq)
{
    return add_by(rq, LIMS_STMT_SAMPLE_TEST_ADD);
}

/* --- Routes --------------------------------------------------------------- */

static const lims_error_e cancel_errors[] = { LIMS_E_TEST_VERIFIED_LOCKED,
                                              LIMS_E_INVALID_TRANSITION,
                                              LIMS_E_INVESTIGATION_OPEN, LIMS_E_COUNT };
static const lims_error_e restore_errors[] = { LIMS_E_INVALID_TRANSITION, LIMS_E_COUNT };
static const lims_error_e retest_errors[] = { LIMS_E_INVALID_TRANSITION, LIMS_E_INVESTIGATION_OPEN,
                                              LIMS_E_COUNT };
static const lims_error_e choose_errors[] = { LIMS_E_ESIGNATURE_REQUIRED, LIMS_E_INVALID_TRANSITION,
                                              LIMS_E_SELF_VERIFICATION, LIMS_E_INVESTIGATION_OPEN,
                                              LIMS_E_COUNT };
static const lims_route_t routes[] = {
    { .method = "POST",
      .path = "/sample-tests/:id/cancel",
      .command = "sample-test cancel",
      .surfaces = LIMS_SURFACES_ALL,
      .operation = "cancelSampleTest",
      .summary = "Cancel a sample test",
      .description = "It leaves its QC batches, but for those that failed, and no longer counts. A "
                     "verified test is reopened first. Cancelling a cancelled test changes "
                     "nothing.",
      .scope = "samples:write",
      .permission = "sample.edit",
      .permission_or = "result.verify",
      .flags = LIMS_R_REASON,
      .input = lims_reason_input,
      .status = 200,
      .handler = cancel,
      .errors = cancel_errors },
    { .method = "POST",
      .path = "/sample-tests/:id/restore",
      .command = "sample-test restore",
      .surfaces = LIMS_SURFACES_ALL,
      .operation = "restoreSampleTest",
      .summary = "Make a cancelled sample test active again",
      .description = "It comes back with its result, judged by the limits that apply now, and with "
                     "the QC batches that it had left.",
      .scope = "samples:write",
      .permission = "sample.edit",
      .permission_or = "result.verify",
      .flags = LIMS_R_REASON,
      .input = lims_reason_input,
      .status = 200,
      .handler = restore,
      .errors = restore_errors },
    { .method = "POST",
      .path = "/sample-tests/:id/retest",
      .command = "sample-test retest",
      .surfaces = LIMS_SURFACES_ALL,
      .operation = "retestSampleTest",
      .summary = "Repeat a sample test",
      .description = "Adds new tests with retestOf, the first test of the family. What was found "
                     "stays as it is; until a verified result is chosen, the sample cannot be "
                     "reported (409 retest_undecided). An open investigation of the test whose "
                     "retest plan is written and not approved refuses it (409 investigation_open); "
                     "under the policy openInvestigationBlocks also one without a plan.",
      .scope = "results:verify",
      .permission = "result.verify",
      .flags = LIMS_R_NO_RECORD | LIMS_R_REASON,
      .input = retest_input,
      .output = lims_tests_output,
      .status = 201,
      .handler = retest,
      .errors = retest_errors },
    { .method = "POST",
      .path = "/sample-tests/:id/choose",
      .command = "sample-test choose",
      .surfaces = LIMS_SURFACES_ALL,
      .operation = "chooseSampleTest",
      .summary = "Choose the result of a repeated test that is reported",
      .description = "The result is verified; the other active tests of its family are set aside. "
                     "Reopening it, or another choice, undoes that.",
      .scope = "results:verify",
      .permission = "result.verify",
      .flags = LIMS_R_REASON,
      .input = lims_reason_input,
      .status = 200,
      .meaning = "chosen",
      .signs = "sample_test",
      .handler = choose,
      .errors = choose_errors },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_test_disposition = {
    .name = "sample test",
    .title = "Sample tests",
    .schema = "SampleTest",
    .doc = "Test scheduled on a sample: cancelled, restored, repeated, chosen.",
    .fields = lims_sample_test_fields,
    .routes = routes,
    .record = LIMS_STMT_SAMPLE_TEST_GET,
    .lock = LIMS_STMT_SAMPLE_TEST_HOLD,
};
