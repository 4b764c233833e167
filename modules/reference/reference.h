/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reference.h - reference data: records that samples and tests refer to.
 *
 * Every reference record has an id, a code unique within its organization, a
 * name, and whether it is active; new samples cannot refer to an inactive one.
 * These fields are the same for all of them and defined here once.
 */
#ifndef LIMS_REFERENCE_H
#define LIMS_REFERENCE_H

#include "lims.h"

extern const lims_resource_t lims_client;
extern const lims_resource_t lims_project;
extern const lims_resource_t lims_material_type;
extern const lims_resource_t lims_storage_location;
extern const lims_resource_t lims_instrument;
extern const lims_resource_t lims_test_definition;
/* Members of a step of a confirmation plan. */
extern const lims_field_t lims_confirmation_plan[];
extern const lims_resource_t lims_specification;
extern const lims_resource_t lims_panel;
extern const lims_resource_t lims_label_size;
/* All of these as files. */
extern const lims_resource_t lims_reference_data;
/* Counts of the records that refer to one. */
extern const lims_resource_t lims_reference_use;

/* Errors of creating and of changing a record. */
extern const lims_error_e lims_reference_create_errors[];
extern const lims_error_e lims_reference_update_errors[];

/* Flags of a field that people maintain: in answers, creations and changes. */
enum {
    LIMS_F_KEPT = LIMS_F_OUT | LIMS_F_CREATE | LIMS_F_UPDATE,
    LIMS_F_KEPT_NULLABLE = LIMS_F_KEPT | LIMS_F_NULLABLE
};

/* clang-format off */
#define LIMS_REFERENCE_HEAD_FIELDS                                                   \
    { .name = "id",                                                                  \
      .type = LIMS_T_ID,                                                             \
      .flags = LIMS_F_OUT,                                                           \
      .doc = "Id of the record, assigned by the service; also its cursor value.",    \
      .example = "7" },                                                              \
    { .name = "code",                                                                \
      .type = LIMS_T_STRING,                                                         \
      .flags = LIMS_F_KEPT | LIMS_F_REQUIRED,                                        \
      .min = 1,                                                                      \
      .max = 64,                                                                     \
      .doc = "Short name, unique within the organization." },                        \
    { .name = "name",                                                                \
      .type = LIMS_T_STRING,                                                         \
      .flags = LIMS_F_KEPT | LIMS_F_REQUIRED,                                        \
      .min = 1,                                                                      \
      .max = 255,                                                                    \
      .doc = "Name by which people know it." }

#define LIMS_REFERENCE_TAIL_FIELDS                                                   \
    { .name = "active",                                                              \
      .type = LIMS_T_BOOLEAN,                                                        \
      .flags = LIMS_F_KEPT,                                                          \
      .fallback = "true",                                                            \
      .doc = "Whether the record is active; new samples can't refer to an inactive " \
             "one." },                                                               \
    { .name = "createdAt",                                                           \
      .type = LIMS_T_TIMESTAMP,                                                      \
      .flags = LIMS_F_OUT,                                                           \
      .doc = "When the record was created, UTC." },                                  \
    { .name = "updatedAt",                                                           \
      .type = LIMS_T_TIMESTAMP,                                                      \
      .flags = LIMS_F_OUT,                                                           \
      .doc = "When the record was last changed, UTC." }

#define LIMS_REFERENCE_FILTERS                                                       \
    LIMS_PAGING_FIELDS,                                                              \
    { .name = "active",                                                              \
      .type = LIMS_T_BOOLEAN,                                                        \
      .doc = "Only active (true) or inactive (false) records." },                    \
    { .name = "code", .type = LIMS_T_STRING,                                         \
      .doc = "Only the record with this code." },                                    \
    { .name = "q",                                                                   \
      .type = LIMS_T_STRING,                                                         \
      .flags = LIMS_F_PEOPLE | LIMS_F_WORDS,                                         \
      .max = 64,                                                                     \
      .doc = "Only records whose code and name, as \"code, name\", contain this text in "  \
             "any case." }

/* clang-format on */

#endif /* LIMS_REFERENCE_H */
