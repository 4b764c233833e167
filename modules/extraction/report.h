/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.h - findings as JSON: for the results, for the record, and for the answer.
 */
#ifndef LIMS_EXTRACTION_REPORT_H
#define LIMS_EXTRACTION_REPORT_H

#include "extraction/pointer_check.h"
#include "kernel/writer.h"

/* Returns the updates of PROPOSED findings for lims.apply_extraction(). */
const char *lims_report_updates(const apr_array_header_t *findings, apr_pool_t *pool);

/* Returns the rows to store, with their evidence. */
const char *lims_report_rows(const apr_array_header_t *findings, apr_pool_t *pool);

/* Writes the members `rows` and `summary` of the answer. */
void lims_report_answer(lims_writer_t *w, const apr_array_header_t *findings);

/* Formats millionths as a decimal without trailing zeros: "0.97". */
const char *lims_report_share(int millionths, apr_pool_t *pool);

#endif /* LIMS_EXTRACTION_REPORT_H */
