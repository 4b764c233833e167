/* SPDX-License-Identifier: Apache-2.0 */
/* receipt.h - the route that receives many samples. */
#ifndef LIMS_SAMPLES_RECEIPT_H
#define LIMS_SAMPLES_RECEIPT_H

#include "lims.h"

extern const lims_field_t lims_receive_input[];
extern const lims_field_t lims_receive_output[];

/* Refuses a body that names samples both by sampleIds and items, by neither, or an item in
 * several ways. */
lims_handler_fn lims_receive_check;

/* Receives the samples that await it; the others are listed under skipped. */
lims_handler_fn lims_receive;

#endif /* LIMS_SAMPLES_RECEIPT_H */
