/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entry_export.h - files of the trail's entries, as CSV or as lines of JSON, signed by their
 * last line (signed_lines.h). In CSV this is a line of one cell, quoted as every cell.
 */
#ifndef LIMS_TRAIL_ENTRY_EXPORT_H
#define LIMS_TRAIL_ENTRY_EXPORT_H

#include "lims.h"

/* Longest file that is verified, in bytes. */
#define LIMS_ENTRY_EXPORT_MAX (64 * 1024 * 1024)

/* Answers the entries that the request's values find, oldest first, as the file that its
 * `format` asks for; of CSV with the columns `columns`. LIMS_E_INVALID_QUERY: there are more
 * than 50,000; further errors are those of a spool file (service/spool.h). */
const lims_error_t *lims_entry_export(lims_request_t *rq, const lims_field_t *columns);

/* Checks that a file is one of the organization's, as it was signed. `*key_id` is the key that
 * signed it, in rq->pool. LIMS_E_BAD_REQUEST: it is another file, or was changed. */
const lims_error_t *lims_entry_export_check(const char **key_id, lims_request_t *rq,
                                            const char *text);

#endif /* LIMS_TRAIL_ENTRY_EXPORT_H */
