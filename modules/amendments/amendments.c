/* SPDX-License-Identifier: Apache-2.0 */
/*
 * amendments.c - amendments, by which people correct a reported sample.
 *
 * While one is open they may do all that an unreported sample allows, but change its
 * status. It ends with the next version of the certificate (quality/certificates.c), or is
 * withdrawn when the sample is again what it was. The rules are in the database
 * (sql/158_amendments.sql).
 */
#include <string.h>

#include "amendments/amendments.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/json.h"
#include "samples/samples.h"
#include "service/service.h"

static const char *const statuses[] = { "open", "issued", "withdrawn", NULL };

enum { SHOWN = LIMS_F_OUT, SHOWN_NULLABLE = LIMS_F_OUT | LIMS_F_NULLABLE };

static const lims_field_t difference_fields[] = {
    { .name = "member",
      .type = LIMS_T_STRING,
      .flags = SHOWN,
      .doc = "Name of a field of the sample, such as plantLocation; of a test, tests[178].result. "
             "A test that was added or is no longer reported is tests[178] alone.",
      .example = "plantLocation" },
    { .name = "old",
      .type = LIMS_T_STRING,
      .flags = SHOWN_NULLABLE,
      .doc = "Former value, of when the amendment was opened; null: none." },
    { .name = "new",
      .type = LIMS_T_STRING,
      .flags = SHOWN_NULLABLE,
      .doc = "Present value, or that of when the amendment ended; null: none." },
    LIMS_FIELD_END,
};

static const lims_field_t fields[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = SHOWN,
      .doc = "Id of the amendment, assigned by the service; also its cursor value." },
    { .name = "sampleId", .type = LIMS_T_ID, .flags = SHOWN, .doc = "Id of the sample." },
    { .name = "reason",
      .type = LIMS_T_STRING,
      .flags = SHOWN,
      .doc = "Reason for the amendment." },
    { .name = "status",
      .type = LIMS_T_ENUM,
      .values = statuses,
      .flags = SHOWN,
      .doc = "Status of the amendment: issued with a version of the certificate, or withdrawn." },
    { .name = "openedBy",
      .type = LIMS_T_ID,
      .flags = SHOWN_NULLABLE,
      .doc = "Id of the user who opened the amendment." },
    { .name = "signatureId",
      .type = LIMS_T_ID,
      .flags = SHOWN_NULLABLE,
      .doc = "Id of the signature under which it was opened." },
    { .name = "certificateId",
      .type = LIMS_T_ID,
      .flags = SHOWN_NULLABLE,
      .doc = "Id of the certificate version that ended it; null: none." },
    { .name = "differences",
      .type = LIMS_T_OBJECT_LIST,
      .flags = SHOWN,
      .members = difference_fields,
      .doc = "Facts, reported tests, values, limits and lots that differ from those at its "
             "opening; of an issued one, those that the certificate reports anew." },
    { .name = "submissions",
      .type = LIMS_T_INTEGER,
      .flags = SHOWN,
      .doc = "Number of times that approval was asked for: when it was opened, and with each "
             "resubmission." },
    { .name = "closedBy",
      .type = LIMS_T_ID,
      .flags = SHOWN_NULLABLE,
      .doc = "Id of the user who issued or withdrew it." },
    { .name = "closedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = SHOWN_NULLABLE,
      .doc = "When it was issued or withdrawn, UTC; null while it is open." },
    { .name = "closeReason",
      .type = LIMS_T_STRING,
      .flags = SHOWN_NULLABLE,
      .doc = "Reason for its withdrawal." },
    { .name = "createdAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = SHOWN,
      .doc = "When it was opened, UTC." },
    { .name = "updatedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = SHOWN,
      .doc = "When the record was last changed, UTC." },
    LIMS_FIELD_END,
};

static const lims_field_t filters[] = {
    LIMS_PAGING_FIELDS,
    { .name = "sampleId", .type = LIMS_T_ID, .doc = "Only amendments of this sample." },
    { .name = "status",
      .type = LIMS_T_ENUM,
      .values = statuses,
      .doc = "Only amendments of this status." },
    LIMS_FIELD_END,
};

/* Facts of a sample, named as its fields. */
static const lims_field_t facts[] = {
    { .name = "materialTypeId",
      .type = LIMS_T_ID,
      .doc = "Id of an active material type of the organization." },
    { .name = "projectId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_NULLABLE,
      .doc = "Id of an active project of the organization." },
    { .name = "externalId",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_NULLABLE,
      .min = 1,
      .max = 255,
      .doc = "Reference of the sample in the caller's system." },
    { .name = "clientName",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_WORDS,
      .min = 1,
      .max = 255,
      .doc = "Name of the client." },
    { .name = "collectionDate",
      .type = LIMS_T_DATE,
      .flags = LIMS_F_NULLABLE,
      .doc = "Day of collection." },
    { .name = "collectedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_NULLABLE,
      .doc = "Exact time of collection, UTC." },
    { .name = "notes",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_NULLABLE,
      .max = 4000,
      .doc = "Remarks on the sample." },
    { .name = "plantLocation",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_NULLABLE,
      .min = 1,
      .max = 64,
      .doc = "Sampling point." },
    LIMS_FIELD_END,
};

static const lims_field_t amend_input[] = {
    LIMS_REASON_FIELD,
    { .name = "changes",
      .type = LIMS_T_OBJECT,
      .members = facts,
      .doc = "Facts of the sample that are corrected at once, named as in PATCH /samples/{id}.",
      .example = "{\"plantLocation\":\"Well 4 North\"}" },
    LIMS_FIELD_END,
};

/* --- Actions -------------------------------------------------------------- */

/* Makes the members of `changes` values of the request, as a correction of the sample has
 * them. */
static const lims_error_t *take_changes(lims_request_t *rq, const char *changes)
{
    lims_json_t *root = NULL;
    const lims_error_t *error = lims_json_parse(&root, changes, strlen(changes), rq->pool);

    for (const lims_json_t *member = error ? NULL : root->first; member; member = member->next) {
        lims_values_set(rq->values, member->name,
                        member->type == LIMS_JSON_NULL ? NULL : member->text);
    }
    return error;
}

static const lims_error_t *amend(lims_request_t *rq)
{
    const char *changes = lims_values_get(rq->values, "changes");
    lims_result_t *opened = NULL, *ignored = NULL;
    const lims_error_t *error = lims_database_call(&opened, rq, LIMS_STMT_AMENDMENT_OPEN);

    if (!error && changes) {
        error = take_changes(rq, changes);
        if (!error) {
            error = lims_database_call(&ignored, rq, LIMS_STMT_SAMPLE_UPDATE);
        }
    }
    if (!error) {
        lims_values_set(rq->values, "id", lims_result_get(opened, 0, "id"));
        rq->resource = &lims_amendment;
    }
    return error;
}

/* --- Routes --------------------------------------------------------------- */

static const lims_error_e amend_errors[] = {
    LIMS_E_INVALID_REFERENCE,    LIMS_E_FIELD_NOT_PATCHABLE, LIMS_E_ESIGNATURE_REQUIRED,
    LIMS_E_TEST_VERIFIED_LOCKED, LIMS_E_INVALID_TRANSITION,  LIMS_E_COUNT
};
static const lims_error_e withdraw_errors[] = { LIMS_E_INVALID_TRANSITION,
                                                LIMS_E_AMENDMENT_DIFFERS, LIMS_E_COUNT };
static const lims_error_e resubmit_errors[] = { LIMS_E_INVALID_TRANSITION, LIMS_E_COUNT };

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/amendments",
      .command = "amendment list",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "listAmendments",
      .summary = "List amendments of reported samples",
      .permission = "data.read",
      .flags = LIMS_R_LIST,
      .query = filters,
      .status = 200,
      .statement = LIMS_STMT_AMENDMENT_LIST },
    { .method = "GET",
      .path = "/amendments/:id",
      .command = "amendment show",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "getAmendment",
      .summary = "One amendment with what it changes",
      .permission = "data.read",
      .status = 200,
      .statement = LIMS_STMT_AMENDMENT_GET },
    { .method = "POST",
      .path = "/amendments/:id/withdraw",
      .command = "amendment withdraw",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "withdrawAmendment",
      .summary = "Withdraw an amendment",
      .description = "Only when facts, reported tests, values, limits and lots are again those at "
                     "its opening; who entered and verified them, and when, may differ. The "
                     "approvals that it asked for no longer count.",
      .permission = "certificate.amend",
      .flags = LIMS_R_REASON,
      .input = lims_reason_input,
      .status = 200,
      .statement = LIMS_STMT_AMENDMENT_WITHDRAW,
      .errors = withdraw_errors },
    { .method = "POST",
      .path = "/amendments/:id/resubmit",
      .command = "amendment resubmit",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "resubmitAmendment",
      .summary = "Ask for approval of an amendment again",
      .description = "After a rejection, where nothing is to be changed.",
      .permission = "certificate.amend",
      .flags = LIMS_R_REASON,
      .input = lims_reason_input,
      .status = 200,
      .statement = LIMS_STMT_AMENDMENT_RESUBMIT,
      .errors = resubmit_errors },
    LIMS_ROUTE_END,
};

static const lims_route_t amending_routes[] = {
    { .method = "POST",
      .path = "/samples/:id/amend",
      .command = "sample amend",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "amendSample",
      .summary = "Open an amendment of a reported sample",
      .description = "While it is open, people may do all that an unreported sample allows, but "
                     "change its status; approvals are asked for anew. It ends with the next "
                     "version of the certificate, or is withdrawn.",
      .permission = "certificate.amend",
      .flags = LIMS_R_SIGN | LIMS_R_REASON,
      .input = amend_input,
      .status = 200,
      .meaning = "amended",
      .signs = "sample",
      .handler = amend,
      .errors = amend_errors },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_amendment = {
    .name = "amendment",
    .title = "Amendments",
    .schema = "Amendment",
    .doc = "Amendment of a reported sample.",
    .fields = fields,
    .routes = routes,
    .record = LIMS_STMT_AMENDMENT_GET,
    .lock = LIMS_STMT_AMENDMENT_LOCK,
};

const lims_resource_t lims_amending = {
    .name = "amendment",
    .title = "Amendments",
    .schema = "Amendment",
    .doc = "Opening of an amendment.",
    .fields = fields,
    .routes = amending_routes,
    .record = LIMS_STMT_AMENDMENT_GET,
    .lock = LIMS_STMT_SAMPLE_LOCK,
    .addressed = &lims_sample,
};
