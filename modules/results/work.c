/* SPDX-License-Identifier: Apache-2.0 */
/*
 * work.c - work on tests between people: sending a result back, assigning tests.
 *
 * The rules are in the database (sql/139_work.sql).
 */
#include "results/work.h"

#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/writer.h"
#include "results/results.h"
#include "service/service.h"

static const lims_field_t return_input[] = {
    LIMS_REASON_FIELD,
    { .name = "assignedTo",
      .type = LIMS_T_ID,
      .doc = "Id of the user who enters it again; absent: who entered it." },
    LIMS_FIELD_END,
};

static const lims_field_t assign_input[] = {
    { .name = "sampleTestIds",
      .type = LIMS_T_ID_LIST,
      .flags = LIMS_F_REQUIRED,
      .min = 1,
      .max = 500,
      .doc = "Ids of the sample tests, each once.",
      .example = "[90211, 90212]" },
    { .name = "assignedTo",
      .type = LIMS_T_ID,
      .flags = LIMS_F_REQUIRED | LIMS_F_NULLABLE,
      .doc = "Id of the user who does them; null: nobody in particular." },
    LIMS_FIELD_END,
};

const lims_field_t lims_results_updated[] = {
    { .name = "updated",
      .type = LIMS_T_OBJECT_LIST,
      .flags = LIMS_F_OUT,
      .members = lims_sample_test_fields,
      .doc = "Sample tests after the change, in the order sent." },
    LIMS_FIELD_END,
};

const lims_error_t *lims_results_enter_again(lims_request_t *rq)
{
    lims_result_t *ignored = NULL;

    return lims_database_call(&ignored, rq, LIMS_STMT_RESULT_ENTER_AGAIN);
}

static const lims_error_t *assign(lims_request_t *rq)
{
    const lims_call_t calls[] = { { .statement = LIMS_STMT_SAMPLE_TESTS_ASSIGN },
                                  { .statement = LIMS_STMT_SAMPLE_TESTS_ASSIGNED } };
    lims_result_t *results[2] = { NULL, NULL };
    const lims_error_t *error = lims_database_run(results, rq, calls, 2, 0);
    lims_writer_t *w;

    if (error) {
        return error;
    }
    w = lims_writer_create(rq->pool);
    lims_writer_object_begin(w);
    lims_writer_key(w, "updated");
    lims_render_rows(w, rq->resource, results[1], lims_result_count(results[1]), rq->pool);
    lims_writer_object_end(w);
    lims_render_finish(rq, w);
    return NULL;
}

static const lims_error_e return_errors[] = { LIMS_E_INVALID_REFERENCE,
                                              LIMS_E_TEST_VERIFIED_LOCKED,
                                              LIMS_E_INVALID_TRANSITION, LIMS_E_COUNT };
static const lims_error_e assign_errors[] = { LIMS_E_INVALID_REFERENCE,
                                              LIMS_E_TEST_VERIFIED_LOCKED,
                                              LIMS_E_INVALID_TRANSITION, LIMS_E_COUNT };

static const lims_route_t routes[] = {
    { .method = "POST",
      .path = "/sample-tests/:id/return",
      .command = "sample-test return",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "returnResult",
      .summary = "Send a result back to be entered again",
      .description = "It stands in the worklist until it is entered again, also by the same "
                     "value, and is not verified before (409 invalid_transition).",
      .permission = "result.verify",
      .flags = LIMS_R_REASON,
      .input = return_input,
      .status = 200,
      .statement = LIMS_STMT_SAMPLE_TEST_RETURN,
      .errors = return_errors },
    { .method = "PATCH",
      .path = "/sample-tests/assign",
      .command = "sample-test assign",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "assignSampleTests",
      .summary = "Assign sample tests to somebody",
      .permission = "result.enter",
      .flags = LIMS_R_NO_RECORD,
      .input = assign_input,
      .output = lims_results_updated,
      .status = 200,
      .handler = assign,
      .errors = assign_errors },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_test_work = {
    .name = "sample test",
    .title = "Sample tests",
    .schema = "SampleTest",
    .doc = "Test scheduled on a sample: sent back, assigned.",
    .fields = lims_sample_test_fields,
    .routes = routes,
    .record = LIMS_STMT_SAMPLE_TEST_GET,
    .lock = LIMS_STMT_SAMPLE_TEST_LOCK,
};
