/* SPDX-License-Identifier: Apache-2.0 */
/* amendments.h - the resources of amendments of reported samples. */
#ifndef LIMS_AMENDMENTS_H
#define LIMS_AMENDMENTS_H

#include "lims.h"

extern const lims_resource_t lims_amendment;

/* Opening an amendment, a resource of its own because it locks and signs the sample. */
extern const lims_resource_t lims_amending;

#endif /* LIMS_AMENDMENTS_H */
