/* SPDX-License-Identifier: Apache-2.0 */
/* search.h - the list of samples, with its filters. */
#ifndef LIMS_SAMPLES_SEARCH_H
#define LIMS_SAMPLES_SEARCH_H

#include "lims.h"

/* Query parameters of the list. */
extern const lims_field_t lims_sample_filters[];

/* Handlers of the list, of its counts by state and of its file. */
lims_handler_fn lims_samples_list, lims_samples_count, lims_samples_export;

#endif /* LIMS_SAMPLES_SEARCH_H */
