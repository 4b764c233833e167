/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sequence.h - the sequence of an instrument: what it measures, in order, as the tables of
 * instruments take it (CSV).
 */
#ifndef LIMS_RESULTS_SEQUENCE_H
#define LIMS_RESULTS_SEQUENCE_H

#include "lims.h"

/* A line of the sequence: position, name of the sample or control, type. */
extern const lims_field_t lims_sequence_fields[];

/* Answers the samples of the worklist, by its filters, as sequence.csv: each once, in the order
 * in which its first test is to be done, or in which its tests are given (sampleTestIds). */
lims_handler_fn lims_worklist_sequence;

#endif /* LIMS_RESULTS_SEQUENCE_H */
