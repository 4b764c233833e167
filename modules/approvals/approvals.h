/* SPDX-License-Identifier: Apache-2.0 */
/* approvals.h - approval records, deciding many, and the inbox of those who decide. */
#ifndef LIMS_APPROVALS_H
#define LIMS_APPROVALS_H

#include "lims.h"

extern const lims_resource_t lims_approval;
/* The inbox: approvals, each with what is needed to decide it (inbox.c). */
extern const lims_resource_t lims_approval_task;

/* Statuses, NULL-terminated; those from the second on are decisions. */
extern const char *const lims_approval_statuses[];

/* Body and answer of deciding many (decide_many.c). */
extern const lims_field_t lims_approvals_decide_input[];
extern const lims_field_t lims_approvals_decide_output[];

/* Refuses a decision on the locked record, if it was decided otherwise. */
lims_handler_fn lims_approval_guard;
/* Handler: decides many. */
lims_handler_fn lims_approvals_decide_many;

#endif /* LIMS_APPROVALS_H */
