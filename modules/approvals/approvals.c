/* SPDX-License-Identifier: Apache-2.0 */
/*
 * approvals.c - approval records: the steps by which a sample is released.
 *
 * The records are created when a sample is completed. Rules of the database: a
 * decided record is final, steps are decided in order, a rejection has a
 * comment, and the organization's policy may require a signature.
 */
#include "approvals/approvals.h"

#include <string.h>

#include "kernel/error.h"
#include "kernel/field.h"
#include "service/service.h"

const char *const lims_approval_statuses[] = { "pending", "approved", "rejected", NULL };

static const lims_field_t fields[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the approval record, assigned by the service." },
    { .name = "sampleId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the sample to be released." },
    { .name = "step",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .min = 1,
      .max = 32767,
      .doc = "Number of the step in the order of decisions, from 1; the last step is the final "
             "approval." },
    { .name = "name",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Name of the step, as the organization's approvalSteps have it.",
      .example = "Technical review" },
    { .name = "status",
      .type = LIMS_T_ENUM,
      .values = lims_approval_statuses,
      .flags = LIMS_F_OUT,
      .doc = "Status of the approval; a decided record is final." },
    { .name = "requestedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "When the approval was requested, UTC." },
    { .name = "decidedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "When the approval was decided, UTC; null until then." },
    { .name = "decidedBy",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Id of the user who decided; null until then." },
    { .name = "comment",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .max = 4000,
      .doc = "Comment on the decision; a rejection always has one." },
    { .name = "round",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .min = 1,
      .max = 32767,
      .doc = "Number of the round, from 1. A new round begins when a sample is completed again "
             "after a rejection, or when the content of its certificate changes after a decision. "
             "Only the last round counts." },
    { .name = "current",
      .type = LIMS_T_BOOLEAN,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Whether the sample's content is still what the decision was made on; null until "
             "decided." },
    LIMS_FIELD_END,
};

static const lims_field_t paging[] = { LIMS_PAGING_FIELDS, LIMS_FIELD_END };

static const lims_field_t decision_input[] = {
    { .name = "status",
      .type = LIMS_T_ENUM,
      .values = lims_approval_statuses + 1,
      .flags = LIMS_F_REQUIRED,
      .doc = "Decision on this step: approved or rejected." },
    { .name = "comment",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_NULLABLE,
      .max = 4000,
      .doc = "Comment on the decision; required for a rejection." },
    LIMS_FIELD_END,
};

static const lims_error_t *list_of_sample(lims_request_t *rq)
{
    const lims_call_t calls[] = {
        { .statement = LIMS_STMT_APPROVAL_SAMPLE },
        { .statement = lims_service_in_order(rq, LIMS_STMT_APPROVAL_LIST) },
    };
    lims_result_t *results[2] = { NULL, NULL };
    const lims_error_t *error = lims_service_read(results, rq, calls, 2);

    if (error) {
        return error;
    }
    if (lims_result_count(results[0]) == 0) {
        return lims_client_error(rq->pool, LIMS_E_NOT_FOUND,
                                 "There is no sample %s in your organization.",
                                 lims_values_get(rq->values, "id"));
    }
    lims_render_page(rq, results[1]);
    return NULL;
}

/* The same decision again, by the same person or by any key, is not an error, and changes
 * nothing. */
const lims_error_t *lims_approval_guard(lims_request_t *rq)
{
    const char *current = lims_result_get(rq->locked, 0, "status");
    const char *wanted = lims_values_get(rq->values, "status");
    const char *by = lims_result_get(rq->locked, 0, "decidedBy");
    bool again = strcmp(current, wanted) == 0 &&
                 (rq->actor.key || (by && strcmp(by, rq->actor.user) == 0));

    if (strcmp(current, "pending") == 0 || again) {
        return NULL;
    }
    return lims_client_error(rq->pool, LIMS_E_ALREADY_DECIDED,
                             "Approval record %s is %s already, which is final.",
                             lims_values_get(rq->values, "id"), current);
}

static const lims_error_e decide_errors[] = { LIMS_E_ESIGNATURE_REQUIRED, LIMS_E_APPROVAL_REQUIRED,
                                              LIMS_E_ALREADY_DECIDED, LIMS_E_INVALID_TRANSITION,
                                              LIMS_E_PERMISSION_REQUIRED, LIMS_E_SELF_APPROVAL,
                                              LIMS_E_COUNT };

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/samples/:id/approvals",
      .command = "approval list",
      .surfaces = LIMS_SURFACES_ALL,
      .operation = "listSampleApprovals",
      .summary = "List the approval records of a sample",
      .scope = "approvals:read",
      .permission = "data.read",
      .flags = LIMS_R_LIST,
      .query = paging,
      .status = 200,
      .handler = list_of_sample },
    { .method = "GET",
      .path = "/approval-records/:id",
      .command = "approval show",
      .surfaces = LIMS_SURFACES_ALL,
      .operation = "getApprovalRecord",
      .summary = "One approval record",
      .scope = "approvals:read",
      .permission = "data.read",
      .status = 200,
      .statement = LIMS_STMT_APPROVAL_GET },
    { .method = "PATCH",
      .path = "/approval-records/:id",
      .command = "approval decide",
      .surfaces = LIMS_SURFACES_ALL,
      .operation = "decideApproval",
      .summary = "Approve or reject a step of a sample's release",
      .description = "A signing act. Steps are decided in their order. Sending the same decision "
                     "again returns the record unchanged.",
      .scope = "approvals:write",
      .permission = "approval.decide",
      .input = decision_input,
      .status = 200,
      .meaning = ":status",
      .signs = "approval",
      .guard = lims_approval_guard,
      .statement = LIMS_STMT_APPROVAL_DECIDE,
      .errors = decide_errors },
    { .method = "POST",
      .path = "/approval-records/decide",
      .command = "approval decide-many",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "decideApprovals",
      .summary = "Approve or reject many steps",
      .description = "One password, and a signature for each. By default all are decided or none; "
                     "otherwise each that can be.",
      .permission = "approval.decide",
      .flags = LIMS_R_NO_RECORD | LIMS_R_EACH,
      .input = lims_approvals_decide_input,
      .output = lims_approvals_decide_output,
      .status = 200,
      .meaning = ":status",
      .signs = "approval",
      .handler = lims_approvals_decide_many,
      .errors = decide_errors },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_approval = {
    .name = "approval record",
    .title = "Approvals",
    .schema = "ApprovalRecord",
    .doc = "Approval steps of a completed sample, decided before it is released.",
    .fields = fields,
    .routes = routes,
    .record = LIMS_STMT_APPROVAL_GET,
    .lock = LIMS_STMT_APPROVAL_LOCK,
};
