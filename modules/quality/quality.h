/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quality.h - quality records that the release gates depend on: QC batches and
 * their controls, reagent and media lots, method worksheets, confirmations,
 * investigations, certificates.
 *
 * The rules are in the database (sql/115_lots.sql, and from
 * sql/140_qc_batches.sql on), which derives all statuses from the evidence,
 * whatever program writes it. These modules have the commands by which people
 * record evidence and take decisions. There are no REST routes for them: an API
 * key can be refused by a gate but never open one.
 */
#ifndef LIMS_QUALITY_H
#define LIMS_QUALITY_H

#include "lims.h"

extern const lims_resource_t lims_qc_template;
extern const lims_resource_t lims_qc_batch;
/* The tests that a QC batch covers, as a resource of their own because of the
 * lock order: these commands lock the tests, then the samples and the batch; all
 * others the samples, then the batch. */
extern const lims_resource_t lims_qc_coverage;
extern const lims_resource_t lims_qc_control;
extern const lims_resource_t lims_qc_series;
extern const lims_resource_t lims_reagent_lot;
extern const lims_resource_t lims_media_lot;
extern const lims_resource_t lims_lot_recall;
extern const lims_resource_t lims_lot_override;
extern const lims_resource_t lims_worksheet_template;
extern const lims_resource_t lims_worksheet;
extern const lims_resource_t lims_confirmation;
extern const lims_resource_t lims_investigation;
extern const lims_resource_t lims_certificate;
extern const lims_resource_t lims_certificate_preview;
extern const lims_resource_t lims_package;
extern const lims_resource_t lims_certificate_verification;
extern const lims_resource_t lims_reopening;

/* The content of a certificate (certificate_content.c). */
extern const lims_field_t lims_certificate_content[];

/* The body of opening a lot, and what the routes of lots refuse beyond the usual
 * (lot_use.c). */
extern const lims_field_t lims_lot_opening[];
extern const lims_error_e lims_lot_errors[];
extern const lims_error_e lims_lot_update_errors[];

/* Fields of every lot, before and after those of its kind. */
#define LIMS_LOT_HEAD_FIELDS                                                                       \
    { .name = "id",                                                                                \
      .type = LIMS_T_ID,                                                                           \
      .flags = LIMS_F_OUT,                                                                         \
      .doc = "Id of the lot, assigned by the service; also its cursor value.",                     \
      .example = "31" },                                                                           \
        { .name = "code",                                                                          \
          .type = LIMS_T_STRING,                                                                   \
          .flags = LIMS_F_KEPT | LIMS_F_REQUIRED,                                                  \
          .min = 1,                                                                                \
          .max = 64,                                                                               \
          .doc = "Code of the lot in the laboratory, unique within the organization.",             \
          .example = "TSA-A" },                                                                    \
        { .name = "lotNumber",                                                                     \
          .type = LIMS_T_STRING,                                                                   \
          .flags = LIMS_F_KEPT | LIMS_F_REQUIRED,                                                  \
          .min = 1,                                                                                \
          .max = 64,                                                                               \
          .doc = "Lot number of the manufacturer.",                                                \
          .example = "24113A" },                                                                   \
        { .name = "name",                                                                          \
          .type = LIMS_T_STRING,                                                                   \
          .flags = LIMS_F_KEPT | LIMS_F_REQUIRED,                                                  \
          .min = 1,                                                                                \
          .max = 255,                                                                              \
          .doc = "Name of the reagent or medium.",                                                 \
          .example = "Tryptic soy agar" },                                                         \
        { .name = "supplier",                                                                      \
          .type = LIMS_T_STRING,                                                                   \
          .flags = LIMS_F_KEPT_NULLABLE,                                                           \
          .max = 255,                                                                              \
          .doc = "Manufacturer or supplier of the lot." },                                         \
        { .name = "expiresOn",                                                                     \
          .type = LIMS_T_DATE,                                                                     \
          .flags = LIMS_F_KEPT_NULLABLE,                                                           \
          .doc = "Last day on which the lot may be used, in the organization's time zone." },      \
        { .name = "openedOn",                                                                      \
          .type = LIMS_T_DATE,                                                                     \
          .flags = LIMS_F_KEPT_NULLABLE,                                                           \
          .doc = "Day on which the first container was opened." },                                 \
        { .name = "openedAt",                                                                      \
          .type = LIMS_T_TIMESTAMP,                                                                \
          .flags = LIMS_F_OUT | LIMS_F_NULLABLE,                                                   \
          .doc = "When the first container was opened, UTC; null where only the day is known." },  \
        { .name = "useDaysAfterOpening",                                                           \
          .type = LIMS_T_INTEGER,                                                                  \
          .flags = LIMS_F_KEPT_NULLABLE,                                                           \
          .min = 1,                                                                                \
          .max = 3650,                                                                             \
          .doc = "Number of days that the lot may be used after it was opened.",                   \
          .example = "30" },                                                                       \
        { .name = "usableUntil",                                                                   \
          .type = LIMS_T_DATE,                                                                     \
          .flags = LIMS_F_OUT | LIMS_F_NULLABLE,                                                   \
          .doc = "Last day on which the lot may be used: the earlier of expiresOn and the end of " \
                 "its days after opening." },                                                      \
        { .name = "quarantineReason",                                                              \
          .type = LIMS_T_STRING,                                                                   \
          .flags = LIMS_F_OUT | LIMS_F_NULLABLE,                                                   \
          .doc = "Reason for the quarantine of the lot." },                                        \
    {                                                                                              \
        .name = "usedBy", .type = LIMS_T_INTEGER, .flags = LIMS_F_OUT | LIMS_F_UNTAGGED,           \
        .doc = "Number of sample tests that name the lot, counted up to 1,000."                    \
    }

/* The reason of a change of a lot, where the change needs one. */
#define LIMS_LOT_REASON_FIELD(FLAGS)                                                               \
    {                                                                                              \
        .name = "reason", .type = LIMS_T_STRING, .flags = (FLAGS) | LIMS_F_WORDS, .min = 1,        \
        .max = 1000,                                                                               \
        .doc = "Reason, kept in the audit trail; needed to quarantine a lot, and to take it out "  \
               "of quarantine or failure."                                                         \
    }

#define LIMS_LOT_TAIL_FIELDS                                                                       \
    { .name = "notes",                                                                             \
      .type = LIMS_T_STRING,                                                                       \
      .flags = LIMS_F_KEPT_NULLABLE,                                                               \
      .max = 4000,                                                                                 \
      .doc = "Remarks on the lot." },                                                              \
        { .name = "createdAt",                                                                     \
          .type = LIMS_T_TIMESTAMP,                                                                \
          .flags = LIMS_F_OUT,                                                                     \
          .doc = "When the record was created, UTC." },                                            \
    {                                                                                              \
        .name = "updatedAt", .type = LIMS_T_TIMESTAMP, .flags = LIMS_F_OUT,                        \
        .doc = "When the record was last changed, UTC."                                            \
    }

#endif /* LIMS_QUALITY_H */
