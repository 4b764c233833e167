/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.h - findings as JSON: to be entered, to be kept, to be answered.
 */
#ifndef LIMS_EXTRACTION_REPORT_H
#define LIMS_EXTRACTION_REPORT_H

#include "extraction/pointer_check.h"
#include "kernel/writer.h"

/* The updates that lims.apply_extraction() takes: of those that are PROPOSED. */
const char *lims_report_updates(const apr_array_header_t *findings, apr_pool_t *pool);

/* The rows that are kept, with the evidence. */
const char *lims_report_rows(const apr_array_header_t *findings, apr_pool_t *pool);

/* The members rows and summary of an answer. */
void lims_report_answer(lims_writer_t *w, const apr_array_header_t *findings);

/* Millionths as a decimal without zeros at its end: "0.97". */
const char *lims_report_share(int millionths, apr_pool_t *pool);

#endif /* LIMS_EXTRACTION_REPORT_H */
