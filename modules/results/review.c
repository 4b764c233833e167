/* SPDX-License-Identifier: Apache-2.0 */
/* review.c - data for the review of a result (sql/162_work_records.sql). */
#include "results/review.h"

#include "kernel/vocabulary.h"

enum { SHOWN = LIMS_F_OUT, PERHAPS = LIMS_F_OUT | LIMS_F_NULLABLE };

static const lims_field_t batch_fields[] = {
    { .name = "id", .type = LIMS_T_ID, .flags = SHOWN, .doc = "Id of the QC batch." },
    { .name = "batchNumber",
      .type = LIMS_T_STRING,
      .flags = SHOWN,
      .doc = "Number of the QC batch." },
    { .name = "qcStatus",
      .type = LIMS_T_ENUM,
      .values = lims_qc_statuses,
      .flags = SHOWN,
      .doc = "Status that the batch has for this result." },
    LIMS_FIELD_END,
};

static const lims_field_t source_fields[] = {
    { .name = "fileId", .type = LIMS_T_ID, .flags = SHOWN, .doc = "Id of the instrument file." },
    { .name = "fileName", .type = LIMS_T_STRING, .flags = SHOWN, .doc = "Name of the file." },
    { .name = "sheet",
      .type = LIMS_T_STRING,
      .flags = PERHAPS,
      .doc = "Name of the worksheet; null if the file is no workbook." },
    { .name = "row", .type = LIMS_T_INTEGER, .flags = SHOWN, .doc = "Number of the row, from 1." },
    LIMS_FIELD_END,
};

static const lims_field_t previous_fields[] = {
    { .name = "sampleTestId",
      .type = LIMS_T_ID,
      .flags = SHOWN,
      .doc = "Id of the earlier sample test." },
    { .name = "trackingId",
      .type = LIMS_T_STRING,
      .flags = SHOWN,
      .doc = "Tracking identifier of its sample." },
    { .name = "result",
      .type = LIMS_T_STRING,
      .flags = SHOWN,
      .doc = "Result of that sample test." },
    { .name = "qualifier",
      .type = LIMS_T_ENUM,
      .flags = PERHAPS,
      .values = lims_result_qualifiers,
      .doc = "Qualifier of the result." },
    { .name = "outOfSpecification",
      .type = LIMS_T_BOOLEAN,
      .flags = PERHAPS,
      .doc = "Whether it was outside its specification." },
    { .name = "collectionDate",
      .type = LIMS_T_DATE,
      .flags = PERHAPS,
      .doc = "Day on which its sample was taken." },
    LIMS_FIELD_END,
};

static const lims_field_t refusal_fields[] = {
    { .name = "error", .type = LIMS_T_STRING, .flags = SHOWN, .doc = "Slug of the refusal." },
    { .name = "message",
      .type = LIMS_T_STRING,
      .flags = SHOWN,
      .doc = "Text of the refusal, for people." },
    LIMS_FIELD_END,
};

static const lims_field_t holding_fields[] = {
    { .name = "beganAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = SHOWN,
      .doc = "When the holding time began, UTC." },
    { .name = "endedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = PERHAPS,
      .doc = "When the analysis was done, else the result first entered, UTC; null until then." },
    LIMS_FIELD_END,
};

const lims_field_t lims_review_fields[] = {
    { .name = "contentHash",
      .type = LIMS_T_STRING,
      .flags = SHOWN,
      .doc = "Digest of what a signature of the result would cover now." },
    { .name = "plantLocation",
      .type = LIMS_T_STRING,
      .flags = PERHAPS,
      .doc = "Location at which the sample was taken." },
    { .name = "qcBatches",
      .type = LIMS_T_OBJECT_LIST,
      .flags = SHOWN,
      .members = batch_fields,
      .doc = "QC batches that cover the result." },
    { .name = "reagentLotCode",
      .type = LIMS_T_STRING,
      .flags = PERHAPS,
      .doc = "Code of the reagent lot." },
    { .name = "mediaLotCode",
      .type = LIMS_T_STRING,
      .flags = PERHAPS,
      .doc = "Code of the media lot." },
    { .name = "worksheetId", .type = LIMS_T_ID, .flags = PERHAPS, .doc = "Id of the worksheet." },
    { .name = "worksheetStatus",
      .type = LIMS_T_ENUM,
      .flags = PERHAPS,
      .values = lims_worksheet_statuses,
      .doc = "Status of the worksheet; null when the method needs none." },
    { .name = "source",
      .type = LIMS_T_JSON,
      .flags = PERHAPS,
      .members = source_fields,
      .doc = "Place in an instrument file from which the result came; null: from none." },
    { .name = "previous",
      .type = LIMS_T_OBJECT_LIST,
      .flags = SHOWN,
      .members = previous_fields,
      .doc = "Last three results of the test at the same location, the latest first." },
    { .name = "holding",
      .type = LIMS_T_JSON,
      .flags = PERHAPS,
      .members = holding_fields,
      .doc = "Part of the holding time that is used; null: the test has none. It ends at "
             "holdingExpiresAt." },
    { .name = "refusals",
      .type = LIMS_T_OBJECT_LIST,
      .flags = SHOWN,
      .members = refusal_fields,
      .doc = "Refusals that verifying the result would meet; empty: it can be verified." },
    LIMS_FIELD_END,
};
