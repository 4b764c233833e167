/* SPDX-License-Identifier: Apache-2.0 */
/* samples.h - the resource of samples. */
#ifndef LIMS_SAMPLES_H
#define LIMS_SAMPLES_H

#include "lims.h"

extern const lims_resource_t lims_sample;

/* Workflow statuses, NULL-terminated. */
extern const char *const lims_sample_statuses[];

/* Of a test and of a sample, NULL-terminated. */
extern const char *const lims_holding_statuses[];

#endif /* LIMS_SAMPLES_H */
