/* SPDX-License-Identifier: Apache-2.0 */
/* verify.h - verification of one result or of many (verify.c); the routes are in
 * results.c. */
#ifndef LIMS_RESULTS_VERIFY_H
#define LIMS_RESULTS_VERIFY_H

#include "lims.h"

/* Refuses where the gates of verifying the test of :id are closed. */
lims_handler_fn lims_results_verify_gates;

/* Verifies many, each in a savepoint of its own. */
extern const lims_field_t lims_results_verify_input[];
extern const lims_field_t lims_results_verify_output[];
lims_handler_fn lims_results_verify_many;

#endif /* LIMS_RESULTS_VERIFY_H */
