/* SPDX-License-Identifier: Apache-2.0 */
/* search.h - the list of samples, with its filters. */
#ifndef LIMS_SAMPLES_SEARCH_H
#define LIMS_SAMPLES_SEARCH_H

#include "lims.h"

/* clang-format off */

/* Members of a record in lists with include=progress, for people. */
#define LIMS_SAMPLE_PROGRESS_FIELDS                                                   \
    { .name = "holdingExpiresAt",                                                     \
      .type = LIMS_T_TIMESTAMP,                                                       \
      .flags = LIMS_F_INCLUDED | LIMS_F_PEOPLE,                                       \
      .include = "progress",                                                          \
      .doc = "When the first holding time ends of the open tests that were not analysed, " \
             "UTC, if any has one; in lists with include=progress." },                \
    { .name = "testCounts",                                                           \
      .type = LIMS_T_JSON,                                                            \
      .flags = LIMS_F_INCLUDED | LIMS_F_PEOPLE,                                       \
      .include = "progress",                                                          \
      .members = lims_sample_test_counts,                                             \
      .doc = "Number of active tests by status; in lists with include=progress." },   \
    { .name = "blockerCount",                                                         \
      .type = LIMS_T_INTEGER,                                                         \
      .flags = LIMS_F_INCLUDED | LIMS_F_PEOPLE,                                       \
      .include = "progress",                                                          \
      .doc = "Number of findings that block the report, or the next version of the "  \
             "certificate, as readiness lists them, without the work still to be done: " \
             "results to enter or verify, repeats to choose from, QC and approvals to "   \
             "come; in lists with include=progress." },                               \
    { .name = "certificateId",                                                        \
      .type = LIMS_T_ID,                                                              \
      .flags = LIMS_F_INCLUDED | LIMS_F_PEOPLE,                                       \
      .include = "progress",                                                          \
      .doc = "Id of the certificate that is valid, if one was issued; in lists with " \
             "include=progress." },                                                   \
    { .name = "flags",                                                                \
      .type = LIMS_T_STRING_LIST,                                                     \
      .flags = LIMS_F_INCLUDED | LIMS_F_PEOPLE,                                       \
      .include = "progress",                                                          \
      .values = lims_sample_flags,                                                    \
      .doc = "Signs of what should be seen at once: oos (out of specification), presumptive "   \
             "(a result that awaits confirmation), qc (QC failed or pending, or under review)," \
             " holding (a holding time expired or expiring soon), amended, approval_rejected;"  \
             " in lists with include=progress." }

/* clang-format on */

/* Names of the flags, and members of testCounts. */
extern const char *const lims_sample_flags[];
extern const lims_field_t lims_sample_test_counts[];

/* The answer of the counts. */
extern const lims_field_t lims_sample_counts_output[];

/* Query parameters of the list. */
extern const lims_field_t lims_sample_filters[];

/* Handlers of the list, of its counts by state and of its file. */
lims_handler_fn lims_samples_list, lims_samples_count, lims_samples_export, lims_samples_print;

#endif /* LIMS_SAMPLES_SEARCH_H */
