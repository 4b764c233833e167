/* SPDX-License-Identifier: Apache-2.0 */
/* many.h - results of many tests at once; the routes are in results.c. */
#ifndef LIMS_RESULTS_MANY_H
#define LIMS_RESULTS_MANY_H

#include "lims.h"

/* Members of a warning about a result. */
extern const lims_field_t lims_entry_warning_fields[];

/* Bodies of the two routes, and the answer of judging. */
extern const lims_field_t lims_results_bulk_input[];
extern const lims_field_t lims_results_judge_input[];
extern const lims_field_t lims_results_judge_output[];

/* Returns the refusal of sample tests, ids separated by commas, that are verified
 * (results.c). */
const lims_error_t *lims_results_locked(lims_request_t *rq, const char *ids);

/* Returns the refusal of a sample test that is not active (results.c). */
const lims_error_t *lims_results_inactive(lims_request_t *rq, const char *id);

/* Handlers: enter all results or none; judge results. */
lims_handler_fn lims_results_enter_many;
lims_handler_fn lims_results_judge_many;

#endif /* LIMS_RESULTS_MANY_H */
