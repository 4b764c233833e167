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

static const char *const gates[] = { "esignature_required",
                                     "test_verified_locked",
                                     "blank_result",
                                     "worksheet_incomplete",
                                     "incomplete_sample",
                                     "qc_failed",
                                     "approval_required",
                                     "confirmation_required",
                                     "media_qc_failed",
                                     "reagent_lot_expired",
                                     "invalid_transition",
                                     "investigation_open",
                                     "sample_on_hold",
                                     "retest_undecided",
                                     "self_verification",
                                     "lot_not_released",
                                     "qc_pending",
                                     NULL };

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

/* In the order of gates[]. */
static const char *const remedies[] = {
    "signing in the application: an API key cannot give a signature",
    "reopening the result in the application, with a reason and a signature",
    "entering a result",
    "filling and signing the worksheet",
    "entering and verifying every result",
    "a passing evaluation or a signed override of the batch",
    "approving the sample; after a rejection, correcting the sample and completing it again",
    "deciding the confirmation",
    "repeating the test on another lot, or requalifying the lot",
    "entering the result with a lot that is in date",
    "restoring the test, choosing its result, or taking its sample back",
    "closing the investigation",
    "making the sample active again",
    "choosing the verified result that is reported",
    "another person's verification",
    "releasing the lot, repeating the test with another, or a signed override",
    "an evaluated QC batch with all controls of the method, or a signed override of it",
};

_Static_assert(LIMS_LENGTH(remedies) == LIMS_LENGTH(gates) - 1, "what clears each gate");

const char *lims_blocker_cleared_by(const char *slug)
{
    for (int i = 0; gates[i]; i++) {
        if (strcmp(gates[i], slug) == 0) {
            return remedies[i];
        }
    }
    return "what the message says";
}
