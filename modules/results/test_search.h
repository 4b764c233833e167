/* SPDX-License-Identifier: Apache-2.0 */
/* test_search.h - the list of sample tests, with its filters. */
#ifndef LIMS_RESULTS_TEST_SEARCH_H
#define LIMS_RESULTS_TEST_SEARCH_H

#include "lims.h"

/* Query parameters of the list. */
extern const lims_field_t lims_sample_test_filters[];

/* Query parameters of one sample test. */
extern const lims_field_t lims_sample_test_includes[];

/* Handlers of the list, of its file and of one test. */
lims_handler_fn lims_sample_tests_list, lims_sample_tests_export, lims_sample_tests_print,
    lims_sample_test_show;

#endif /* LIMS_RESULTS_TEST_SEARCH_H */
