/* SPDX-License-Identifier: Apache-2.0 */
/*
 * investigations.c - investigations of out-of-specification results and of
 * other deviations (21 CFR 211.192; FDA, Investigating Out-of-Specification
 * Test Results, 2022).
 *
 * An out-of-specification result opens one automatically if the organization's
 * policy says so; all others are opened by a person.
 */
#include "quality/quality.h"
#include "database/database.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/vocabulary.h"
#include "reference/reference.h"

/* All statuses. The first is that of a new investigation, and cannot be set. */
static const char *const statuses[] = { "opened",        "phase_1", "phase_2",   "conclusion",
                                        "capa_required", "closed",  "cancelled", NULL };

enum {
    SHOWN = LIMS_F_OUT,
    SHOWN_NULLABLE = LIMS_F_OUT | LIMS_F_NULLABLE,
    OPENED_WITH = LIMS_F_OUT | LIMS_F_CREATE | LIMS_F_NULLABLE
};

static const lims_field_t value_members[] = {
    { .name = "result",
      .type = LIMS_T_STRING,
      .flags = SHOWN_NULLABLE,
      .doc = "Value with its qualifier; null: the result was withdrawn." },
    { .name = "at", .type = LIMS_T_TIMESTAMP, .flags = SHOWN, .doc = "When it was entered, UTC." },
    { .name = "by", .type = LIMS_T_ID, .flags = SHOWN_NULLABLE, .doc = "Id of the user." },
    LIMS_FIELD_END,
};

static const lims_field_t action_members[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = SHOWN,
      .doc = "Id of the action, assigned by the service." },
    { .name = "text",
      .type = LIMS_T_STRING,
      .flags = SHOWN,
      .max = 4000,
      .doc = "Description of the work to be done." },
    { .name = "ownerId",
      .type = LIMS_T_ID,
      .flags = SHOWN_NULLABLE,
      .doc = "Id of the user who does it." },
    { .name = "dueDate",
      .type = LIMS_T_DATE,
      .flags = SHOWN_NULLABLE,
      .doc = "Day on which it should be done." },
    { .name = "doneAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = SHOWN_NULLABLE,
      .doc = "When it was done, UTC; null until then." },
    LIMS_FIELD_END,
};

static const lims_field_t fields[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = SHOWN,
      .doc = "Id of the investigation; in events it is called investigationId." },
    { .name = "investigationNumber",
      .type = LIMS_T_STRING,
      .flags = SHOWN,
      .doc = "Number of the investigation, assigned when it is opened.",
      .example = "OOS-26-0000012" },
    { .name = "kind",
      .type = LIMS_T_ENUM,
      .values = lims_investigation_kinds,
      .flags = LIMS_F_OUT | LIMS_F_CREATE | LIMS_F_REQUIRED,
      .doc = "Kind of investigation. oos, oot, oof: out of specification, of trend, of "
             "expectation; pt: proficiency test." },
    { .name = "title",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_KEPT | LIMS_F_REQUIRED,
      .min = 1,
      .doc = "Title of the investigation, one line." },
    { .name = "sampleId",
      .type = LIMS_T_ID,
      .flags = OPENED_WITH,
      .doc = "Id of the sample concerned." },
    { .name = "sampleTestId",
      .type = LIMS_T_ID,
      .flags = OPENED_WITH,
      .doc = "Id of the sample test concerned; its sample follows from it." },
    { .name = "status",
      .type = LIMS_T_ENUM,
      .values = statuses,
      .flags = SHOWN,
      .doc = "Status of the investigation: phase_1 in the laboratory, phase_2 beyond it." },
    { .name = "dueOn",
      .type = LIMS_T_DATE,
      .flags = LIMS_F_KEPT_NULLABLE,
      .doc = "Day on which the investigation should be concluded." },
    { .name = "dueDate",
      .type = LIMS_T_DATE,
      .flags = SHOWN_NULLABLE,
      .doc = "The same as dueOn." },
    { .name = "assigneeId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_KEPT_NULLABLE,
      .doc = "Id of the user who works on the investigation." },
    { .name = "rootCause",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_UPDATE | LIMS_F_NULLABLE,
      .max = 4000,
      .doc = "Root cause that was found." },
    { .name = "openedValue",
      .type = LIMS_T_STRING,
      .flags = SHOWN_NULLABLE,
      .doc = "Result of the test, with its qualifier, when the investigation was opened." },
    { .name = "values",
      .type = LIMS_T_OBJECT_LIST,
      .members = value_members,
      .flags = SHOWN,
      .doc = "Every later value of the test, in order." },
    { .name = "actions",
      .type = LIMS_T_OBJECT_LIST,
      .members = action_members,
      .flags = SHOWN,
      .doc = "Actions that follow from the investigation, in the order added." },
    { .name = "qcBatchId",
      .type = LIMS_T_ID,
      .flags = OPENED_WITH,
      .doc = "Id of the QC batch that failed." },
    { .name = "conclusion",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_UPDATE | LIMS_F_NULLABLE,
      .max = 4000,
      .doc = "Conclusion of the investigation; needed to close or cancel it." },
    { .name = "parentId",
      .type = LIMS_T_ID,
      .flags = OPENED_WITH,
      .doc = "Id of the investigation that this one follows from, such as the OOS behind a CAPA." },
    { .name = "openedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = SHOWN,
      .doc = "When the investigation was opened, UTC." },
    { .name = "openedBy",
      .type = LIMS_T_ID,
      .flags = SHOWN_NULLABLE,
      .doc = "Id of the user whose action opened the investigation." },
    { .name = "closedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = SHOWN_NULLABLE,
      .doc = "When the investigation was closed or cancelled, UTC." },
    { .name = "closedBy",
      .type = LIMS_T_ID,
      .flags = SHOWN_NULLABLE,
      .doc = "Id of the user who closed or cancelled the investigation." },
    { .name = "createdAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = SHOWN,
      .doc = "When the record was created, UTC." },
    { .name = "updatedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = SHOWN,
      .doc = "When the record was last changed, UTC." },
    LIMS_FIELD_END,
};

static const lims_field_t filters[] = {
    LIMS_PAGING_FIELDS,
    { .name = "kind",
      .type = LIMS_T_ENUM,
      .values = lims_investigation_kinds,
      .doc = "Only investigations of this kind." },
    { .name = "status",
      .type = LIMS_T_ENUM,
      .values = statuses,
      .doc = "Only investigations of this status." },
    { .name = "sampleId", .type = LIMS_T_ID, .doc = "Only investigations of this sample." },
    { .name = "open",
      .type = LIMS_T_BOOLEAN,
      .doc = "Only open (true), or closed and cancelled (false) investigations." },
    LIMS_FIELD_END,
};

static const lims_field_t advance_input[] = {
    { .name = "status",
      .type = LIMS_T_ENUM,
      .values = statuses + 1,
      .flags = LIMS_F_REQUIRED,
      .doc = "Next status of the investigation." },
    { .name = "conclusion",
      .type = LIMS_T_STRING,
      .max = 4000,
      .doc = "Conclusion of the investigation; left as it is when absent." },
    LIMS_FIELD_END,
};

static const lims_field_t action_input[] = {
    { .name = "text",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_REQUIRED | LIMS_F_WORDS,
      .min = 1,
      .max = 4000,
      .doc = "Description of the work to be done.",
      .example = "train the night shift on the new diluter" },
    { .name = "ownerId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_NULLABLE,
      .doc = "Id of the user who does it." },
    { .name = "dueDate",
      .type = LIMS_T_DATE,
      .flags = LIMS_F_NULLABLE,
      .doc = "Day on which it should be done." },
    LIMS_FIELD_END,
};

static const lims_field_t action_done_input[] = {
    { .name = "actionId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_REQUIRED | LIMS_F_INNER,
      .doc = "Id of the action, one of the investigation's.",
      .example = "7" },
    { .name = "doneAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_REQUIRED | LIMS_F_NULLABLE,
      .doc = "When it was done, UTC, and not in the future; null: it is not done after all." },
    LIMS_FIELD_END,
};

/* Cancelling an investigation is closing it. */
static const char *const closing[] = { "closed", "cancelled", NULL };

static const lims_permission_by_t advance_permissions[] = {
    { "status", "closed", "investigation.close" },
    { "status", "cancelled", "investigation.close" },
    { NULL, NULL, NULL },
};

/* An action that is none of the investigation is not found. */
static const lims_error_t *guard_action(lims_request_t *rq)
{
    lims_result_t *row = NULL;
    const lims_error_t *error = lims_database_call(&row, rq, LIMS_STMT_INVESTIGATION_ACTION_FIND);

    if (error || lims_result_count(row) > 0) {
        return error;
    }
    return lims_client_error(rq->pool, LIMS_E_NOT_FOUND, "The investigation has no action %s.",
                             lims_values_get(rq->values, "actionId"));
}

static const lims_error_e advance_errors[] = { LIMS_E_INVALID_BODY, LIMS_E_INVALID_TRANSITION,
                                               LIMS_E_ESIGNATURE_REQUIRED, LIMS_E_COUNT };

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/investigations",
      .command = "investigation list",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "listInvestigations",
      .summary = "List investigations",
      .permission = "data.read",
      .flags = LIMS_R_LIST,
      .query = filters,
      .status = 200,
      .statement = LIMS_STMT_INVESTIGATION_LIST },
    { .method = "GET",
      .path = "/investigations/:id",
      .command = "investigation show",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "getInvestigation",
      .summary = "One investigation",
      .permission = "data.read",
      .status = 200,
      .statement = LIMS_STMT_INVESTIGATION_GET },
    { .method = "POST",
      .path = "/investigations",
      .command = "investigation create",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "createInvestigation",
      .summary = "Open an investigation",
      .description = "Emits investigation.opened.",
      .permission = "investigation.work",
      .body = LIMS_F_CREATE,
      .status = 201,
      .statement = LIMS_STMT_INVESTIGATION_CREATE,
      .errors = lims_reference_create_errors },
    { .method = "PATCH",
      .path = "/investigations/:id",
      .command = "investigation update",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "updateInvestigation",
      .summary = "Change fields of an open investigation",
      .permission = "investigation.work",
      .body = LIMS_F_UPDATE,
      .status = 200,
      .statement = LIMS_STMT_INVESTIGATION_UPDATE,
      .errors = lims_reference_update_errors },
    { .method = "POST",
      .path = "/investigations/:id/advance",
      .command = "investigation advance",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "advanceInvestigation",
      .summary = "Advance an investigation to its next phase, or close it",
      .description = "Closing and cancelling are signed, and need a conclusion.",
      .permission = "investigation.work",
      .permission_by = advance_permissions,
      .input = advance_input,
      .status = 200,
      .meaning = "closed",
      .signs = "investigation",
      .sign_member = "status",
      .sign_values = closing,
      .statement = LIMS_STMT_INVESTIGATION_ADVANCE,
      .errors = advance_errors },
    { .method = "POST",
      .path = "/investigations/:id/actions",
      .command = "investigation add-action",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "addInvestigationAction",
      .summary = "Add an action to an open investigation",
      .permission = "investigation.work",
      .input = action_input,
      .status = 200,
      .statement = LIMS_STMT_INVESTIGATION_ACTION_ADD,
      .errors = lims_reference_update_errors },
    { .method = "PATCH",
      .path = "/investigations/:id/actions/:actionId",
      .command = "investigation finish-action",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "updateInvestigationAction",
      .summary = "Say that an action was done",
      .permission = "investigation.work",
      .input = action_done_input,
      .status = 200,
      .guard = guard_action,
      .statement = LIMS_STMT_INVESTIGATION_ACTION_DONE,
      .errors = lims_reference_update_errors },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_investigation = {
    .name = "investigation",
    .title = "Investigations",
    .schema = "Investigation",
    .doc = "Investigation of a deviation, or of a possible one.",
    .fields = fields,
    .routes = routes,
    .record = LIMS_STMT_INVESTIGATION_GET,
    .lock = LIMS_STMT_INVESTIGATION_LOCK,
};
