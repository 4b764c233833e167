/* SPDX-License-Identifier: Apache-2.0 */
/* test_search.h - the list of sample tests, with its filters. */
#ifndef LIMS_RESULTS_TEST_SEARCH_H
#define LIMS_RESULTS_TEST_SEARCH_H

#include "lims.h"

/* Query parameters of the list. */
extern const lims_field_t lims_sample_test_filters[];

/* Handler of the list. */
lims_handler_fn lims_sample_tests_list;

#endif /* LIMS_RESULTS_TEST_SEARCH_H */
