/* SPDX-License-Identifier: Apache-2.0 */
/*
 * disposition.c - what becomes of a sample beside its status: on hold, cancelled, rejected,
 * taken back, disposed of.
 *
 * Which change is allowed, and to whom, is in the database
 * (sql/127_sample_dispositions.sql).
 */
#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/vocabulary.h"
#include "results/results.h"
#include "samples/samples.h"
#include "service/service.h"

static const lims_field_t disposition_input[] = {
    { .name = "disposition",
      .type = LIMS_T_ENUM,
      .values = lims_sample_dispositions,
      .flags = LIMS_F_REQUIRED,
      .doc = "New disposition of the sample.",
      .example = "on_hold" },
    LIMS_REASON_FIELD,
    LIMS_FIELD_END,
};

const lims_error_t *lims_refuse_closed(lims_request_t *rq)
{
    const char *closed = lims_result_get(rq->locked, 0, "closed");

    return closed ? lims_client_error(rq->pool, LIMS_E_INVALID_TRANSITION, "Sample %s is %s.",
                                      lims_values_get(rq->values, "id"), closed)
                  : NULL;
}

static const lims_permission_by_t permissions[] = {
    { "disposition", "cancelled", "sample.cancel" },
    { "disposition", "rejected", "sample.cancel" },
    { NULL, NULL, NULL },
};

static const lims_error_e errors[] = { LIMS_E_INVALID_TRANSITION, LIMS_E_INVESTIGATION_OPEN,
                                       LIMS_E_COUNT };

static const lims_route_t routes[] = {
    { .method = "POST",
      .path = "/samples/:id/disposition",
      .command = "sample disposition",
      .surfaces = LIMS_SURFACES_ALL,
      .operation = "setSampleDisposition",
      .summary = "Hold, cancel, reject, take back or dispose of a sample",
      .description = "From active or on_hold to on_hold, active, cancelled or rejected; from "
                     "cancelled or rejected back to active; a sample that is reported, cancelled "
                     "or rejected becomes disposed, which is final. A sample on hold is not "
                     "reported (409 sample_on_hold). On a cancelled or rejected one nothing is "
                     "done (409 invalid_transition), and nothing is lost when it is taken back. "
                     "Setting the present disposition changes nothing. No event is emitted.",
      .scope = "samples:write",
      .permission = "sample.edit",
      .permission_by = permissions,
      .permission_or = "sample.cancel",
      .flags = LIMS_R_REASON,
      .input = disposition_input,
      .status = 200,
      .statement = LIMS_STMT_SAMPLE_SET_DISPOSITION,
      .errors = errors },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_sample_disposition = {
    .name = "sample",
    .title = "Samples",
    .schema = "Sample",
    .doc = "Sample sent by a client: its disposition.",
    .fields = lims_sample_fields,
    .routes = routes,
    .record = LIMS_STMT_SAMPLE_GET,
    .lock = LIMS_STMT_SAMPLE_DISPOSITION_LOCK,
    .nested = "tests",
    .nested_resource = &lims_sample_test,
    .nested_statement = LIMS_STMT_SAMPLE_TESTS,
};
