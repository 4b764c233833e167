/* SPDX-License-Identifier: Apache-2.0 */
/*
 * investigations.c - investigations: out-of-specification results and whatever
 * else has to be looked into (21 CFR 211.192; FDA, Investigating
 * Out-of-Specification Test Results, 2022).
 *
 * Out-of-specification results open theirs by themselves, where the
 * organization's policy says so; all others are opened by hand.
 */
#include "quality/quality.h"
#include "kernel/vocabulary.h"
#include "reference/reference.h"

static const char *const statuses[] = { "opened",        "phase_1", "phase_2",   "conclusion",
                                        "capa_required", "closed",  "cancelled", NULL };
static const char *const next_statuses[] = { "phase_1", "phase_2",   "conclusion", "capa_required",
                                             "closed",  "cancelled", NULL };

enum {
    SHOWN = LIMS_F_OUT,
    SHOWN_NULLABLE = LIMS_F_OUT | LIMS_F_NULLABLE,
    OPENED_WITH = LIMS_F_OUT | LIMS_F_CREATE | LIMS_F_NULLABLE
};

static const lims_field_t fields[] = {
    { .name = "id", .type = LIMS_T_ID, .flags = SHOWN, .doc = "Called investigationId in events." },
    { .name = "investigationNumber",
      .type = LIMS_T_STRING,
      .flags = SHOWN,
      .doc = "Given when it is opened.",
      .example = "OOS-26-0000012" },
    { .name = "kind",
      .type = LIMS_T_ENUM,
      .values = lims_investigation_kinds,
      .flags = LIMS_F_OUT | LIMS_F_CREATE | LIMS_F_REQUIRED,
      .doc = "oos, oot, oof: out of specification, of trend, of expectation; pt: proficiency "
             "test." },
    { .name = "title",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_KEPT | LIMS_F_REQUIRED,
      .min = 1,
      .doc = "What it is about, in a line." },
    { .name = "sampleId", .type = LIMS_T_ID, .flags = OPENED_WITH, .doc = "The sample." },
    { .name = "sampleTestId",
      .type = LIMS_T_ID,
      .flags = OPENED_WITH,
      .doc = "The sample test; its sample follows from it." },
    { .name = "status",
      .type = LIMS_T_ENUM,
      .values = statuses,
      .flags = SHOWN,
      .doc = "phase_1 in the laboratory, phase_2 beyond it." },
    { .name = "dueOn",
      .type = LIMS_T_DATE,
      .flags = LIMS_F_KEPT_NULLABLE,
      .doc = "When it should be concluded." },
    { .name = "conclusion",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_UPDATE | LIMS_F_NULLABLE,
      .max = 4000,
      .doc = "What was found; needed to close or cancel it." },
    { .name = "parentId",
      .type = LIMS_T_ID,
      .flags = OPENED_WITH,
      .doc = "The investigation that it follows from, such as the OOS behind a CAPA." },
    { .name = "openedAt", .type = LIMS_T_TIMESTAMP, .flags = SHOWN, .doc = "Opened." },
    { .name = "openedBy",
      .type = LIMS_T_ID,
      .flags = SHOWN_NULLABLE,
      .doc = "User whose action opened it." },
    { .name = "closedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = SHOWN_NULLABLE,
      .doc = "Closed or cancelled." },
    { .name = "closedBy",
      .type = LIMS_T_ID,
      .flags = SHOWN_NULLABLE,
      .doc = "User who closed or cancelled it." },
    { .name = "createdAt", .type = LIMS_T_TIMESTAMP, .flags = SHOWN, .doc = "Creation." },
    { .name = "updatedAt", .type = LIMS_T_TIMESTAMP, .flags = SHOWN, .doc = "Last change." },
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
      .doc = "Only open ones (true), or closed and cancelled ones (false)." },
    LIMS_FIELD_END,
};

static const lims_field_t advance_input[] = {
    { .name = "status",
      .type = LIMS_T_ENUM,
      .values = next_statuses,
      .flags = LIMS_F_REQUIRED,
      .doc = "Where it goes from here." },
    { .name = "conclusion",
      .type = LIMS_T_STRING,
      .max = 4000,
      .doc = "Left as it is when absent." },
    LIMS_FIELD_END,
};

static const lims_error_e advance_errors[] = { LIMS_E_INVALID_BODY, LIMS_E_INVALID_TRANSITION,
                                               LIMS_E_COUNT };

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/investigations",
      .command = "investigation list",
      .operation = "listInvestigations",
      .summary = "List investigations",
      .flags = LIMS_R_TOOL | LIMS_R_LIST,
      .query = filters,
      .status = 200,
      .statement = LIMS_STMT_INVESTIGATION_LIST },
    { .method = "GET",
      .path = "/investigations/:id",
      .command = "investigation show",
      .operation = "getInvestigation",
      .summary = "One investigation",
      .flags = LIMS_R_TOOL,
      .status = 200,
      .statement = LIMS_STMT_INVESTIGATION_GET },
    { .method = "POST",
      .path = "/investigations",
      .command = "investigation create",
      .operation = "createInvestigation",
      .summary = "Open an investigation",
      .description = "Emits investigation.opened.",
      .flags = LIMS_R_TOOL,
      .body = LIMS_F_CREATE,
      .status = 201,
      .statement = LIMS_STMT_INVESTIGATION_CREATE,
      .errors = lims_reference_create_errors },
    { .method = "PATCH",
      .path = "/investigations/:id",
      .command = "investigation update",
      .operation = "updateInvestigation",
      .summary = "Change what an open investigation says",
      .flags = LIMS_R_TOOL,
      .body = LIMS_F_UPDATE,
      .status = 200,
      .statement = LIMS_STMT_INVESTIGATION_UPDATE,
      .errors = lims_reference_update_errors },
    { .method = "POST",
      .path = "/investigations/:id/advance",
      .command = "investigation advance",
      .operation = "advanceInvestigation",
      .summary = "Take an investigation to its next phase, or close it",
      .flags = LIMS_R_TOOL,
      .input = advance_input,
      .status = 200,
      .statement = LIMS_STMT_INVESTIGATION_ADVANCE,
      .errors = advance_errors },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_investigation = {
    .name = "investigation",
    .title = "Investigations",
    .schema = "Investigation",
    .doc = "Something that went wrong, or may have, and is looked into.",
    .fields = fields,
    .routes = routes,
    .record = LIMS_STMT_INVESTIGATION_GET,
    .lock = LIMS_STMT_INVESTIGATION_LOCK,
};
