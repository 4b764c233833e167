/* SPDX-License-Identifier: Apache-2.0 */
/* samples.h - the resource of samples. */
#ifndef LIMS_SAMPLES_H
#define LIMS_SAMPLES_H

#include "lims.h"

extern const lims_resource_t lims_sample;

/* Fields of a sample: those that orders' samples are registered with, too. */
extern const lims_field_t lims_sample_fields[];

#endif /* LIMS_SAMPLES_H */
