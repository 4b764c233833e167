/* SPDX-License-Identifier: Apache-2.0 */
/* samples.h - the resource of samples. */
#ifndef LIMS_SAMPLES_H
#define LIMS_SAMPLES_H

#include "lims.h"

extern const lims_resource_t lims_sample;
extern const lims_resource_t lims_sample_disposition; /* the route that changes it */
extern const lims_resource_t lims_sample_advance; /* moves their status with their results */
extern const lims_resource_t lims_turnaround;

/* Fields of a sample: those that orders' samples are registered with, too. */
extern const lims_field_t lims_sample_fields[];

/* Refuses work on the locked sample if its disposition has closed it. */
const lims_error_t *lims_refuse_closed(lims_request_t *rq);

#endif /* LIMS_SAMPLES_H */
