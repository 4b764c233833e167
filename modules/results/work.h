/* SPDX-License-Identifier: Apache-2.0 */
/* work.h - sending results back, assigning tests, and the worklist (work.c, worklist.c). */
#ifndef LIMS_RESULTS_WORK_H
#define LIMS_RESULTS_WORK_H

#include "lims.h"

/* Members of an answer with the sample tests that were changed: { updated }. */
extern const lims_field_t lims_results_updated[];

/* Ends the return of the test of :id, whose value is entered again. */
const lims_error_t *lims_results_enter_again(lims_request_t *rq);

#endif /* LIMS_RESULTS_WORK_H */
