/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blocker.c - the blockers of a release gate: the details of its refusal.
 */
#include "kernel/blocker.h"

#include <string.h>

#include "kernel/vocabulary.h"

static const lims_field_t qc_batch_fields[] = {
    { .name = "id", .type = LIMS_T_ID, .flags = LIMS_F_OUT, .doc = "Id of the QC batch." },
    { .name = "batchNumber",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Number of the QC batch in the laboratory.",
      .example = "IC-261120-A" },
    { .name = "qcStatus",
      .type = LIMS_T_ENUM,
      .values = lims_qc_statuses,
      .flags = LIMS_F_OUT,
      .doc = "Status of the QC batch. overridden: the override was signed for an earlier result "
             "than the one that stands.",
      .example = "failed" },
    LIMS_FIELD_END,
};

const lims_field_t lims_gate_fields[] = {
    { .name = "qcBatches",
      .type = LIMS_T_OBJECT_LIST,
      .members = qc_batch_fields,
      .doc = "QC batches behind a qc_failed or a qc_pending." },
    { .name = "missing",
      .type = LIMS_T_STRING_LIST,
      .doc = "Names of worksheet fields without a value, behind a worksheet_incomplete." },
    { .name = "needsSignoff",
      .type = LIMS_T_STRING_LIST,
      .doc = "Names of worksheet steps without a signature, behind a worksheet_incomplete." },
    LIMS_FIELD_END,
};

/* Slug of each gate, and what clears it. */
#define GATES(GATE)                                                                                \
    GATE("esignature_required", "signing in the application: an API key cannot give a signature")  \
    GATE("test_verified_locked",                                                                   \
         "reopening the result in the application, with a reason and a signature")                 \
    GATE("blank_result", "entering a result")                                                      \
    GATE("worksheet_incomplete", "filling and signing the worksheet")                              \
    GATE("incomplete_sample", "entering and verifying every result")                               \
    GATE("qc_failed", "a passing evaluation or a signed override of the batch")                    \
    GATE("approval_required", "approving the sample; after a rejection, correcting the sample "    \
                              "and completing it again, or "                                       \
                              "amending a reported one")                                           \
    GATE("confirmation_required", "deciding the confirmation")                                     \
    GATE("media_qc_failed", "repeating the test on another lot, or requalifying the lot")          \
    GATE("reagent_lot_expired", "entering the result with a lot that is in date")                  \
    GATE("invalid_transition",                                                                     \
         "restoring the test, choosing its result, or taking its sample back")                     \
    GATE("investigation_open", "closing the investigation, or, of a retest, approving its plan")   \
    GATE("sample_on_hold", "making the sample active again")                                       \
    GATE("retest_undecided", "choosing the verified result that is reported")                      \
    GATE("self_verification", "another person's verification")                                     \
    GATE("lot_not_released",                                                                       \
         "releasing the lot, repeating the test with another, or a signed override")               \
    GATE("qc_pending",                                                                             \
         "an evaluated QC batch with all controls of the method, or a signed override of it")

#define SLUG_OF(gate, remedy) gate,
#define REMEDY_OF(gate, remedy) remedy,

static const char *const gates[] = { GATES(SLUG_OF) NULL };
static const char *const remedies[] = { GATES(REMEDY_OF) };

const lims_field_t lims_blocker_fields[] = {
    { .name = "slug",
      .type = LIMS_T_ENUM,
      .values = gates,
      .flags = LIMS_F_OUT | LIMS_F_CLOSED,
      .doc = "Slug of the gate's refusal.",
      .example = "qc_failed" },
    { .name = "message",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Explanation for people. Its wording may change." },
    { .name = "clearedBy",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Action that clears the blocker.",
      .example = "a passing evaluation or a signed override of the batch" },
    { .name = "testIds", .type = LIMS_T_ID_LIST, .doc = "Ids of the sample tests that block." },
    { .name = "qcBatchIds", .type = LIMS_T_ID_LIST, .doc = "Ids of the QC batches that block." },
    { .name = "mediaLotIds", .type = LIMS_T_ID_LIST, .doc = "Ids of the media lots that block." },
    { .name = "reagentLotIds",
      .type = LIMS_T_ID_LIST,
      .doc = "Ids of the reagent lots that block." },
    { .name = "worksheetIds", .type = LIMS_T_ID_LIST, .doc = "Ids of the worksheets that block." },
    { .name = "approvalIds",
      .type = LIMS_T_ID_LIST,
      .doc = "Ids of the approval records that block." },
    { .name = "investigationIds",
      .type = LIMS_T_ID_LIST,
      .doc = "Ids of the open investigations that block." },
    LIMS_FIELD_END,
};

const char *lims_blocker_cleared_by(const char *slug)
{
    for (int i = 0; gates[i]; i++) {
        if (strcmp(gates[i], slug) == 0) {
            return remedies[i];
        }
    }
    return "what the message says";
}
