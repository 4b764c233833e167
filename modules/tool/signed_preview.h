/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signed_preview.h - what a signature at the command line will cover, shown before the
 * prompt for the password (21 CFR 11.50, 11.200).
 */
#ifndef LIMS_SIGNED_PREVIEW_H
#define LIMS_SIGNED_PREVIEW_H

#include "lims.h"

/* Reads what the signatures of the request's act would cover now, as JSON in rq->pool: `act`
 * is an object of the meaning and of what was given, `records` the content of the record, or
 * a list of those of several. NULL: there is none of them, which the act itself will report.
 * The request keeps the digests of what was read, so that a record that changes until it is
 * signed is not signed. To be called in an open transaction, which it does not write in. */
const lims_error_t *lims_signed_preview(const char **act, const char **records, lims_request_t *rq);

#endif /* LIMS_SIGNED_PREVIEW_H */
