/* SPDX-License-Identifier: Apache-2.0 */
/*
 * documents.h - documents: the PDF of each certificate, printed behind its issue by a job
 * and kept for ever; and PDFs that are printed for one answer.
 */
#ifndef LIMS_DOCUMENTS_H
#define LIMS_DOCUMENTS_H

#include "documents/printer.h"
#include "lims.h"

extern const lims_resource_t lims_document;
extern const lims_resource_t lims_certificate_pdf;

/* Prints a job (print/protocol.h) for an answer that is not kept; in the request's pool. To
 * be called without a database connection, as .work of a route: it waits for its turn and
 * for the printer. LIMS_E_DOCUMENT_FAILED: it cannot be printed; LIMS_E_SERVICE_UNAVAILABLE:
 * not now. */
const lims_error_t *lims_print_pdf(const char **bytes, apr_size_t *length, const char *job,
                                   lims_request_t *rq);

/* Makes a printed PDF the answer, as a file of this name. */
void lims_answer_with_pdf(lims_request_t *rq, const char *name, const char *bytes,
                          apr_size_t length);

/* Outcome of a step of the job "print". */
typedef enum {
    LIMS_PRINTING_NONE, /* no document waits */
    LIMS_PRINTING_MADE,
    LIMS_PRINTING_TRIED,    /* it will be tried again, or another process was faster */
    LIMS_PRINTING_FAILED,   /* it cannot be made */
    LIMS_PRINTING_ANNOUNCED /* documents were announced that wait for a printer */
} lims_printing_e;

/* Prints the next document that waits, with the request's printer and process, in
 * transactions of its own and with none open while it is printed. Without a printer it
 * announces what has waited for long. Sets *line to what the log is to say, or NULL. */
const lims_error_t *lims_documents_print(lims_printing_e *outcome, const char **line,
                                         lims_request_t *rq);

#endif /* LIMS_DOCUMENTS_H */
