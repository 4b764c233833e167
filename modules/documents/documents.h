/* SPDX-License-Identifier: Apache-2.0 */
/*
 * documents.h - documents: the PDF of each certificate, printed by a job after the
 * certificate is issued, and kept for ever; and PDFs that are printed for one answer.
 */
#ifndef LIMS_DOCUMENTS_H
#define LIMS_DOCUMENTS_H

#include "documents/printer.h"
#include "lims.h"

/* Flags of a route that answers a PDF. */
#define LIMS_PDF_FLAGS (LIMS_R_NO_RECORD | LIMS_R_DOCUMENT | LIMS_R_BYTES | LIMS_R_PDF)

/* States of a document: waits to be printed, made, could not be made. */
extern const char *const lims_document_states[];
extern const lims_resource_t lims_document;
extern const lims_resource_t lims_certificate_pdf;

/* Has a job (print/protocol.h) printed for an answer that is not kept; in the request's pool.
 * To be called without a database connection, as .work of a route: it waits for its turn and
 * for the printer. The outcome is LIMS_PRINT_DONE or LIMS_PRINT_REFUSED, whose reason the
 * caller tells. LIMS_E_DOCUMENT_FAILED: the printer failed; LIMS_E_SERVICE_UNAVAILABLE: not
 * now. */
const lims_error_t *lims_print_now(lims_printed_t *printed, const char *job, lims_request_t *rq);

/* The same for a document: a refusal is LIMS_E_DOCUMENT_FAILED, too. */
const lims_error_t *lims_print_pdf(const char **bytes, apr_size_t *length, const char *job,
                                   lims_request_t *rq);

/* Makes a printed PDF the answer, as a file of this name. */
void lims_answer_with_pdf(lims_request_t *rq, const char *name, const char *bytes,
                          apr_size_t length);

/* Leaves a job, and the name of its file, to what prints it: lims_print_and_answer as .work of
 * a read, or lims_print_staged as .work of a POST with lims_answer_staged as its handler. */
void lims_print_later(lims_request_t *rq, const char *job, const char *name);
lims_handler_fn lims_print_staged;
lims_handler_fn lims_answer_staged;
lims_handler_fn lims_print_and_answer;

/* The same as .work of a POST whose handler judges a refusal itself. */
lims_handler_fn lims_print_checked;

/* Returns what came of lims_print_checked(). */
const lims_printed_t *lims_printed_staged(const lims_request_t *rq);

/* Outcome of a step of the job "print". */
typedef enum {
    LIMS_PRINTING_NONE, /* no document waits */
    LIMS_PRINTING_MADE,
    LIMS_PRINTING_TRIED,    /* it will be tried again, or another process was faster */
    LIMS_PRINTING_FAILED,   /* it cannot be made */
    LIMS_PRINTING_ANNOUNCED /* documents were announced that are late */
} lims_printing_e;

/* Prints the next document that waits, with the request's printer and process, in
 * transactions of its own and with none open while it is printed. Announces what has waited
 * for long: without a printer all, else what was tried. Sets *line to what the log is to say,
 * or NULL. */
const lims_error_t *lims_documents_print(lims_printing_e *outcome, const char **line,
                                         lims_request_t *rq);

#endif /* LIMS_DOCUMENTS_H */
