/* SPDX-License-Identifier: Apache-2.0 */
/* results.h - the resource of sample tests and their results. */
#ifndef LIMS_RESULTS_H
#define LIMS_RESULTS_H

#include "lims.h"

extern const lims_resource_t lims_sample_test;
extern const lims_resource_t lims_test_disposition;
extern const lims_resource_t lims_test_work;
extern const lims_resource_t lims_worklist;

/* The fields of a sample test, for answers that have some. */
extern const lims_field_t lims_sample_test_fields[];

/* Members of the return of a result that was sent back. */
extern const lims_field_t lims_returned_fields[];

/* The answer of acts that add sample tests: { tests }. */
extern const lims_field_t lims_tests_output[];

/* Adds tests to the sample :id, and answers them. */
const lims_error_t *lims_add_tests(lims_request_t *rq);

#endif /* LIMS_RESULTS_H */
