/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confirmations.c - the confirmation of presumptive positives.
 *
 * A confirmation has the id of its sample test. Its steps are the readings on
 * the way (LTB to BGLB, XLD to TSI and serology), its outcome says whether the
 * presumptive positive is confirmed. A newly entered result needs a
 * confirmation of its own.
 */
#include "documents/pdf_report.h"
#include "kernel/vocabulary.h"
#include "quality/quality.h"
#include "reference/reference.h"
#include "service/csv.h"
#include "service/service.h"

static const lims_field_t fields[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the sample test; also the cursor value.",
      .example = "90211" },
    { .name = "sampleId", .type = LIMS_T_ID, .flags = LIMS_F_OUT, .doc = "Id of the sample." },
    { .name = "trackingId",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Tracking id of the sample.",
      .example = "LAB-26-0004217-K" },
    { .name = "testCode",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Code of the test definition.",
      .example = "FC" },
    { .name = "testName",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Name of the test definition." },
    { .name = "result",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Result that is to be confirmed." },
    { .name = "presumptiveSince",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "When a result was first entered, UTC." },
    { .name = "contentHash",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_UNTAGGED | LIMS_F_NULLABLE,
      .doc = "Digest of what a signature would cover now; null unless pending." },
    { .name = "confirmationStatus",
      .type = LIMS_T_ENUM,
      .values = lims_confirmation_statuses,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Status of the confirmation: pending for a presumptive positive; null when no "
             "confirmation is needed." },
    { .name = "plan",
      .type = LIMS_T_OBJECT_LIST,
      .members = lims_confirmation_plan,
      .flags = LIMS_F_OUT,
      .doc = "Steps of the confirmation by the plan of the test definition." },
    { .name = "readingsMade",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Number of readings of the result that stands: so many steps of the plan are done. "
             "Readings of an earlier result are among the steps, but do not count.",
      .example = "1" },
    { .name = "nextStep",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Name of the next step of the plan; null where none is left.",
      .example = "BGLB, gas" },
    { .name = "nextReadDue",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "When the next step of the plan is to be read, UTC; null where none is left." },
    LIMS_FIELD_END,
};

static const lims_field_t filters[] = {
    LIMS_PAGING_FIELDS,
    { .name = "confirmationStatus",
      .type = LIMS_T_ENUM,
      .values = lims_confirmation_statuses,
      .doc = "Only confirmations of this status." },
    { .name = "sampleId", .type = LIMS_T_ID, .doc = "Only confirmations for this sample." },
    { .name = "dueBefore",
      .type = LIMS_T_TIMESTAMP,
      .doc = "Only confirmations whose next reading is due before this time, UTC.",
      .example = "2026-11-21T08:00:00Z" },
    LIMS_FIELD_END,
};

/* Fields of a step, for recording it and for showing it. */
#define STEP_FIELDS(GIVEN)                                                                         \
    { .name = "medium",                                                                            \
      .type = LIMS_T_STRING,                                                                       \
      .flags = (GIVEN) | LIMS_F_NULLABLE,                                                          \
      .doc = "Name of the medium that was read.",                                                  \
      .example = "BGLB" },                                                                         \
        { .name = "mediaLotId",                                                                    \
          .type = LIMS_T_ID,                                                                       \
          .flags = (GIVEN) | LIMS_F_NULLABLE,                                                      \
          .doc = "Id of the lot of the medium.",                                                   \
          .example = "9" },                                                                        \
        { .name = "procedure",                                                                     \
          .type = LIMS_T_STRING,                                                                   \
          .flags = (GIVEN) | LIMS_F_NULLABLE,                                                      \
          .doc = "Procedure that was carried out.",                                                \
          .example = "35 C, 48 h" },                                                               \
        { .name = "readAt",                                                                        \
          .type = LIMS_T_TIMESTAMP,                                                                \
          .flags = (GIVEN) | LIMS_F_NULLABLE,                                                      \
          .doc = "When the step was read, UTC; by default now." },                                 \
        { .name = "reading",                                                                       \
          .type = LIMS_T_STRING,                                                                   \
          .flags = (GIVEN) | LIMS_F_NULLABLE,                                                      \
          .max = 1000,                                                                             \
          .doc = "Observation, such as growth or colour.",                                         \
          .example = "gas in 3 of 3 tubes" },                                                      \
        { .name = "outcome",                                                                       \
          .type = LIMS_T_STRING,                                                                   \
          .flags = (GIVEN) | LIMS_F_REQUIRED,                                                      \
          .min = 1,                                                                                \
          .doc = "Outcome of this step.",                                                          \
          .example = "growth" },                                                                   \
    {                                                                                              \
        .name = "notes", .type = LIMS_T_STRING, .flags = (GIVEN) | LIMS_F_NULLABLE, .max = 4000,   \
        .doc = "Remarks on the step."                                                              \
    }

static const lims_field_t step_input[] = { STEP_FIELDS(0), LIMS_FIELD_END };

static const lims_field_t step_fields[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the step, assigned by the service." },
    { .name = "position",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Position of the step in its order, from 1." },
    STEP_FIELDS(LIMS_F_OUT),
    { .name = "mediaLotCode",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Code of that lot; null without one.",
      .example = "LTB-A" },
    { .name = "performedBy",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Id of the user who recorded the step." },
    { .name = "createdAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "When the step was recorded, UTC." },
    LIMS_FIELD_END,
};

static const lims_field_t outcome_input[] = {
    { .name = "outcome",
      .type = LIMS_T_ENUM,
      .values = lims_confirmation_statuses + 1,
      .flags = LIMS_F_REQUIRED,
      .doc = "Outcome of the confirmation: whether the presumptive positive is confirmed." },
    LIMS_FIELD_END,
};

static const lims_error_e step_errors[] = { LIMS_E_INVALID_REFERENCE, LIMS_E_INVALID_TRANSITION,
                                            LIMS_E_LOT_NOT_RELEASED, LIMS_E_COUNT };

static const lims_error_e outcome_errors[] = { LIMS_E_ESIGNATURE_REQUIRED,
                                               LIMS_E_TEST_VERIFIED_LOCKED,
                                               LIMS_E_INVALID_TRANSITION, LIMS_E_COUNT };

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/confirmations",
      .command = "confirmation list",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "listConfirmations",
      .summary = "List the sample tests that need or needed confirmation",
      .permission = "data.read",
      .flags = LIMS_R_LIST,
      .query = filters,
      .status = 200,
      .statement = LIMS_STMT_CONFIRMATION_LIST },
    { LIMS_CSV_EXPORT("/confirmations", "confirmation export", "exportConfirmations",
                      "confirmations"),
      .permission = "data.read",
      .flags = LIMS_CSV_FLAGS,
      .query = filters + LIMS_PAGING_COUNT },
    { LIMS_REPORT_LIST("/confirmations", "confirmation pdf", "printConfirmations", "confirmations"),
      .permission = "data.read",
      .flags = LIMS_PDF_FLAGS,
      .query = filters + LIMS_PAGING_COUNT },
    { .method = "GET",
      .path = "/confirmations/:id",
      .command = "confirmation show",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "getConfirmation",
      .summary = "The confirmation of a sample test with its steps",
      .permission = "data.read",
      .status = 200,
      .statement = LIMS_STMT_CONFIRMATION_GET },
    { .method = "POST",
      .path = "/confirmations/:id/steps",
      .command = "confirmation step",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "addConfirmationStep",
      .summary = "Record a step of the confirmation of a sample test",
      .permission = "confirmation.record",
      .input = step_input,
      .status = 200,
      .statement = LIMS_STMT_CONFIRMATION_STEP,
      .errors = step_errors },
    { .method = "POST",
      .path = "/confirmations/:id/outcome",
      .command = "confirmation outcome",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "decideConfirmation",
      .summary = "Decide the confirmation of a sample test",
      .permission = "confirmation.decide",
      .input = outcome_input,
      .status = 200,
      .meaning = "reviewed",
      .signs = "sample_test",
      .statement = LIMS_STMT_CONFIRMATION_OUTCOME,
      .errors = outcome_errors },
    LIMS_ROUTE_END,
};

static const lims_resource_t confirmation_step = {
    .name = "confirmation step",
    .title = "Confirmations",
    .schema = "ConfirmationStep",
    .doc = "Step of a confirmation: one reading of a medium.",
    .fields = step_fields,
};

const lims_resource_t lims_confirmation = {
    .name = "confirmation",
    .title = "Confirmations",
    .schema = "Confirmation",
    .doc = "Confirmation of a presumptive positive result.",
    .fields = fields,
    .routes = routes,
    .record = LIMS_STMT_CONFIRMATION_GET,
    .lock = LIMS_STMT_SAMPLE_TEST_LOCK,
    .nested = "steps",
    .nested_resource = &confirmation_step,
    .nested_statement = LIMS_STMT_CONFIRMATION_STEPS,
};
