/* SPDX-License-Identifier: Apache-2.0 */
/* results.h - the resource of sample tests and their results. */
#ifndef LIMS_RESULTS_H
#define LIMS_RESULTS_H

#include "lims.h"

extern const lims_resource_t lims_sample_test;

#endif /* LIMS_RESULTS_H */
