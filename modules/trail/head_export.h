/* SPDX-License-Identifier: Apache-2.0 */
/*
 * head_export.h - the heads of the chain in a signed file (signed_lines.h), for keeping
 * outside: a line that says whose they are and when they were exported, a line for each
 * block, and the signature.
 */
#ifndef LIMS_TRAIL_HEAD_EXPORT_H
#define LIMS_TRAIL_HEAD_EXPORT_H

#include "lims.h"

/* Largest file of heads that is compared, in bytes: of one organization, and of several behind
 * each other, which limsctl reads. */
#define LIMS_HEAD_EXPORT_MAX (16 * 1024 * 1024)
#define LIMS_ALL_HEADS_MAX (256 * 1024 * 1024)

/* Answers with the file. */
lims_handler_fn lims_head_export;

/* Finds the heads of the request's organization in the text of one file, or of several behind
 * each other: `*heads` is the text of its part. A file that this service did not make, or that
 * was changed or cut off since, is refused with LIMS_E_BAD_REQUEST. */
const lims_error_t *lims_head_export_read(const char **heads, lims_request_t *rq, const char *text);

#endif /* LIMS_TRAIL_HEAD_EXPORT_H */
