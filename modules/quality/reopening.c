/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reopening.c - reopening a verified result, signed and with a reason.
 *
 * The value stays until another is entered; the database keeps its history, and
 * requests the sample's approvals again.
 */
#include "kernel/error.h"
#include "kernel/field.h"
#include "quality/quality.h"
#include "results/results.h"
#include "service/service.h"

static const lims_error_t *reopen(lims_request_t *rq)
{
    lims_result_t *row = NULL;
    const lims_error_t *error = lims_database_call(&row, rq, LIMS_STMT_SAMPLE_TEST_REOPEN);

    if (!error && lims_result_count(row) == 0) {
        error = lims_client_error(rq->pool, LIMS_E_INVALID_TRANSITION,
                                  "Sample test %s is not verified: there is nothing to reopen.",
                                  lims_values_get(rq->values, "id"));
    }
    /* The answer is the sample test, with the fields of its own routes. */
    rq->resource = &lims_sample_test;
    return error;
}

static const lims_error_e reopen_errors[] = { LIMS_E_ESIGNATURE_REQUIRED, LIMS_E_INVALID_TRANSITION,
                                              LIMS_E_COUNT };

static const lims_route_t routes[] = {
    { .method = "POST",
      .path = "/sample-tests/:id/reopen",
      .command = "sample-test reopen",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "reopenResult",
      .summary = "Reopen a verified result, signed and with a reason",
      .description = "Unlocks the result. The sign-offs of its worksheet end, and approvals are "
                     "requested again.",
      .permission = "result.reopen",
      .flags = LIMS_R_SIGN | LIMS_R_REASON,
      .input = lims_reason_input,
      .status = 200,
      .meaning = "reopened",
      .signs = "sample_test",
      .handler = reopen,
      .errors = reopen_errors },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_reopening = {
    .name = "sample test",
    .title = "Sample tests",
    .schema = "SampleTest",
    .doc = "Reopening of a verified result.",
    .fields = lims_sample_test_fields,
    .routes = routes,
    .record = LIMS_STMT_SAMPLE_TEST_GET,
    .lock = LIMS_STMT_SAMPLE_TEST_HOLD,
};
