/* SPDX-License-Identifier: Apache-2.0 */
/* uploads.h - extraction of results from files by a model; see uploads.c. */
#ifndef LIMS_UPLOADS_H
#define LIMS_UPLOADS_H

#include "lims.h"

extern const lims_resource_t lims_instrument_upload;
extern const lims_resource_t lims_extraction_calibration;

#endif /* LIMS_UPLOADS_H */
