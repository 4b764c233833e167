/* SPDX-License-Identifier: Apache-2.0 */
/* review.h - data for the review of a result (sql/162_work_records.sql). */
#ifndef LIMS_RESULTS_REVIEW_H
#define LIMS_RESULTS_REVIEW_H

#include "lims.h"

/* Members of the review of a result. */
extern const lims_field_t lims_review_fields[];

#endif /* LIMS_RESULTS_REVIEW_H */
