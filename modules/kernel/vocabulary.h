/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vocabulary.h - enumerations of the laboratory that records, events and refusals share.
 * Each ends with NULL. A field says with LIMS_F_CLOSED that no value may be added.
 */
#ifndef LIMS_KERNEL_VOCABULARY_H
#define LIMS_KERNEL_VOCABULARY_H

/* The workflow of a sample, in its order. */
extern const char *const lims_sample_statuses[];
/* The disposition of a sample, independent of its workflow status. */
extern const char *const lims_sample_dispositions[];
/* The priority of a sample. */
extern const char *const lims_sample_priorities[];
/* States of a sample on its way to release, `reported` last. */
extern const char *const lims_release_states[];
/* States of a holding time, of a test or a sample. */
extern const char *const lims_holding_statuses[];
/* Findings about the release of a sample: categories and severities. */
extern const char *const lims_finding_categories[];
extern const char *const lims_finding_severities[];
extern const char *const lims_investigation_kinds[];
/* Statuses of a sample test. */
extern const char *const lims_test_statuses[];
/* The disposition of a test, independent of its status. */
extern const char *const lims_test_dispositions[];
/* Qualifiers of a result. */
extern const char *const lims_result_qualifiers[];
/* States of the confirmation of a presumptive positive; from the second on, the possible
 * decisions. */
extern const char *const lims_confirmation_statuses[];
/* States of the worksheet that a test needs. */
extern const char *const lims_worksheet_statuses[];
/* Kinds of the values of a worksheet. */
extern const char *const lims_worksheet_kinds[];
/* Quality control of a reagent or media lot. */
extern const char *const lims_lot_statuses[];
/* Outcome of a QC batch. */
extern const char *const lims_qc_statuses[];
/* Kinds of QC controls: blanks, spikes, duplicates and so on. */
extern const char *const lims_control_types[];

/* Acceptance criteria of QC controls. NONE: the control is only counted; not allowed for a
 * control of a QC batch. */
typedef enum {
    LIMS_CRITERION_NONE,
    LIMS_CRITERION_RECOVERY,
    LIMS_CRITERION_RPD,
    LIMS_CRITERION_MAXIMUM,
    LIMS_CRITERION_RANGE,
    LIMS_CRITERION_EXPECTED,
    LIMS_CRITERION_COUNT
} lims_criterion_e;

extern const char *const lims_criteria[];

/* States of the delivery of an event to a webhook. */
extern const char *const lims_delivery_states[];
/* Whether people may verify results that they entered themselves. */
extern const char *const lims_self_verifications[];
/* Consequences of a policy: of missing quality control, of an expired lot. */
extern const char *const lims_policy_consequences[];
extern const char *const lims_expiry_consequences[];
/* Roles of users. */
extern const char *const lims_user_roles[];

#endif /* LIMS_KERNEL_VOCABULARY_H */
