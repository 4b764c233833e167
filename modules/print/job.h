/* SPDX-License-Identifier: Apache-2.0 */
/* job.h - from the JSON of a job to the bytes of its answer. */
#ifndef LIMS_PRINT_JOB_H
#define LIMS_PRINT_JOB_H

#include "kernel/json.h"
#include "print/print_document.h"

/* Makes the document of a job. */
const lims_error_t *lims_job_make(const char **bytes, apr_size_t *length, const char *job,
                                  apr_size_t job_length, lims_fonts_t *fonts, apr_pool_t *pool);

/* Turns a job of the kind certificate into a document. */
const lims_error_t *lims_certificate_document(lims_print_document_t *document,
                                              const lims_json_t *job, lims_fonts_t *fonts,
                                              apr_pool_t *pool);

/* Turns a job of the kind report into a document. */
const lims_error_t *lims_report_document(lims_print_document_t *document, const lims_json_t *job,
                                         lims_fonts_t *fonts, apr_pool_t *pool);

/* Turns a job of labels into a document. */
const lims_error_t *lims_label_document(lims_print_document_t *document, const lims_json_t *job,
                                        lims_fonts_t *fonts, apr_pool_t *pool);

#endif /* LIMS_PRINT_JOB_H */
