/* SPDX-License-Identifier: Apache-2.0 */
/* search.h - the list of samples, with its filters. */
#ifndef LIMS_SAMPLES_SEARCH_H
#define LIMS_SAMPLES_SEARCH_H

#include "lims.h"

/* Query parameters of the list. */
extern const lims_field_t lims_sample_filters[];

/* Handler of the list. */
const lims_error_t *lims_samples_list(lims_request_t *rq);

#endif /* LIMS_SAMPLES_SEARCH_H */
