/* SPDX-License-Identifier: Apache-2.0 */
/* uploads.h - files that a model finds results in; see uploads.c. */
#ifndef LIMS_UPLOADS_H
#define LIMS_UPLOADS_H

#include "lims.h"

extern const lims_resource_t lims_instrument_upload;
extern const lims_resource_t lims_extraction_calibration;

#endif /* LIMS_UPLOADS_H */
