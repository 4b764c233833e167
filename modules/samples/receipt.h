/* SPDX-License-Identifier: Apache-2.0 */
/* receipt.h - receipt of samples: the route that receives many, and what is found. */
#ifndef LIMS_SAMPLES_RECEIPT_H
#define LIMS_SAMPLES_RECEIPT_H

#include "lims.h"

/* Findings on receipt: as a record has them, and as people change them. */
extern const lims_field_t lims_receipt_fields[];
extern const lims_field_t lims_receipt_input[];

extern const lims_field_t lims_receive_input[];
extern const lims_field_t lims_receive_output[];

/* Refuses a body that names samples both by sampleIds and items, by neither, or an item in
 * several ways. */
lims_handler_fn lims_receive_check;

/* Receives the samples that await it; the others are listed under skipped. */
lims_handler_fn lims_receive;

#endif /* LIMS_SAMPLES_RECEIPT_H */
