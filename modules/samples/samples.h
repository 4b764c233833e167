/* SPDX-License-Identifier: Apache-2.0 */
/* samples.h - the resource of samples. */
#ifndef LIMS_SAMPLES_H
#define LIMS_SAMPLES_H

#include "lims.h"

extern const lims_resource_t lims_sample;

#endif /* LIMS_SAMPLES_H */
