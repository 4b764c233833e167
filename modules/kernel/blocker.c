/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blocker.c - what a refusal of a release gate says beside its message.
 */
#include "kernel/blocker.h"

static const lims_field_t qc_batch_fields[] = {
    { .name = "id", .type = LIMS_T_ID, .flags = LIMS_F_OUT, .doc = "The QC batch." },
    { .name = "batchNumber",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Its number in the laboratory.",
      .example = "IC-261120-A" },
    { .name = "qcStatus",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "What its controls came to.",
      .example = "failed" },
    LIMS_FIELD_END,
};

const lims_field_t lims_gate_fields[] = {
    { .name = "qcBatches",
      .type = LIMS_T_OBJECT_LIST,
      .members = qc_batch_fields,
      .doc = "With qc_failed: the failed QC batches." },
    { .name = "missing",
      .type = LIMS_T_STRING_LIST,
      .doc = "With worksheet_incomplete: worksheet fields without a value." },
    { .name = "needsSignoff",
      .type = LIMS_T_STRING_LIST,
      .doc = "With worksheet_incomplete: worksheet steps without a signature." },
    LIMS_FIELD_END,
};

const lims_field_t lims_blocker_fields[] = {
    { .name = "slug",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "The gate, by the slug it refuses with.",
      .example = "qc_failed" },
    { .name = "message", .type = LIMS_T_STRING, .flags = LIMS_F_OUT, .doc = "In words." },
    { .name = "testIds", .type = LIMS_T_ID_LIST, .doc = "Sample tests that block." },
    { .name = "qcBatchIds", .type = LIMS_T_ID_LIST, .doc = "QC batches that block." },
    { .name = "mediaLotIds", .type = LIMS_T_ID_LIST, .doc = "Media lots that block." },
    { .name = "worksheetIds", .type = LIMS_T_ID_LIST, .doc = "Worksheets that block." },
    { .name = "approvalIds", .type = LIMS_T_ID_LIST, .doc = "Approvals that block." },
    LIMS_FIELD_END,
};
