/* SPDX-License-Identifier: Apache-2.0 */
/* decisions.h - what a quarantined file is released with. */
#ifndef LIMS_INSTRUMENTS_DECISIONS_H
#define LIMS_INSTRUMENTS_DECISIONS_H

#include "instruments/import.h"

/* The body of a release. */
extern const lims_field_t lims_release_input[];

/* Takes exclusions, aliases and named tests from the request's values.
 * LIMS_E_INVALID_BODY. */
const lims_error_t *lims_decisions_parse(lims_import_t *import, lims_request_t *rq);

/* Adds the decisions that were kept with the file :id to the request's values, but for the
 * members that these have already. */
const lims_error_t *lims_decisions_recall(lims_request_t *rq);

/* Returns the decisions of the request's values as JSON, to be kept with the file. */
const char *lims_decisions_text(lims_request_t *rq);

#endif /* LIMS_INSTRUMENTS_DECISIONS_H */
