/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vocabulary.h - words of the laboratory that records, events and refusals share.
 * Each list ends with NULL; which of them may grow is said where a field has them
 * (LIMS_F_CLOSED).
 */
#ifndef LIMS_KERNEL_VOCABULARY_H
#define LIMS_KERNEL_VOCABULARY_H

/* The workflow of a sample, in its order. */
extern const char *const lims_sample_statuses[];
/* Of a test or a sample with regard to its holding time. */
extern const char *const lims_holding_statuses[];
/* Findings of the release: what kind, and whether they block. */
extern const char *const lims_finding_categories[];
extern const char *const lims_finding_severities[];
extern const char *const lims_investigation_kinds[];
extern const char *const lims_qc_statuses[];

#endif /* LIMS_KERNEL_VOCABULARY_H */
