/* SPDX-License-Identifier: Apache-2.0 */
/* on_demand.c - PDFs for answers that are not kept. */
#include "documents/documents.h"
#include "kernel/error.h"
#include "service/exchange.h"

#include <string.h>

static const lims_error_t *error_of(const lims_printed_t *printed, apr_pool_t *pool)
{
    if (printed->outcome == LIMS_PRINT_UNAVAILABLE) {
        return lims_server_error(pool, LIMS_E_SERVICE_UNAVAILABLE, 391, printed->reason,
                                 "The printer could not be started; try again shortly.");
    }
    return lims_server_error(pool, LIMS_E_DOCUMENT_FAILED, 392, printed->reason,
                             "The document cannot be printed: %s.", printed->reason);
}

const lims_error_t *lims_print_now(lims_printed_t *printed, const char *job, lims_request_t *rq)
{
    lims_exchange_t *x = rq->exchange;
    lims_printer_process_t process = { .pid = 0 };
    const lims_error_t *error = NULL;

    if (!rq->printer) {
        return lims_server_error(rq->pool, LIMS_E_SERVICE_UNAVAILABLE, 396,
                                 "no LimsPrinter is configured",
                                 "There is no printer on this server: no LimsPrinter is "
                                 "configured.");
    }
    /* At the command line nobody else prints in this process. */
    error = x ? x->transport->enter_queue(x, LIMS_QUEUE_PRINT) : NULL;
    if (error) {
        return error;
    }
    *printed = lims_printer_print(&process, rq->printer, job, strlen(job), rq->pool);
    lims_printer_end(&process);
    if (x) {
        x->transport->leave_queue(x, LIMS_QUEUE_PRINT);
    }
    return printed->outcome == LIMS_PRINT_DONE || printed->outcome == LIMS_PRINT_REFUSED
               ? NULL
               : error_of(printed, rq->pool);
}

const lims_error_t *lims_print_pdf(const char **bytes, apr_size_t *length, const char *job,
                                   lims_request_t *rq)
{
    lims_printed_t printed = { .outcome = LIMS_PRINT_DONE };
    const lims_error_t *error = lims_print_now(&printed, job, rq);

    *bytes = printed.bytes;
    *length = printed.length;
    return error || printed.outcome == LIMS_PRINT_DONE ? error : error_of(&printed, rq->pool);
}

void lims_answer_with_pdf(lims_request_t *rq, const char *name, const char *bytes,
                          apr_size_t length)
{
    rq->reply->body = bytes;
    rq->reply->length = length;
    rq->reply->file_name = name;
}

/* --- Between the steps of a route ------------------------------------------- */

/* A job, and once it is printed its document. */
typedef struct {
    const char *job;
    const char *name;
    lims_printed_t printed;
} staged_t;

void lims_print_later(lims_request_t *rq, const char *job, const char *name)
{
    staged_t *staged = apr_pcalloc(rq->pool, sizeof(*staged));

    staged->job = job;
    staged->name = name;
    rq->staged = staged;
}

const lims_error_t *lims_print_checked(lims_request_t *rq)
{
    staged_t *staged = rq->staged;

    return lims_print_now(&staged->printed, staged->job, rq);
}

const lims_printed_t *lims_printed_staged(const lims_request_t *rq)
{
    const staged_t *staged = rq->staged;

    return &staged->printed;
}

const lims_error_t *lims_print_staged(lims_request_t *rq)
{
    staged_t *staged = rq->staged;

    return lims_print_pdf(&staged->printed.bytes, &staged->printed.length, staged->job, rq);
}

const lims_error_t *lims_answer_staged(lims_request_t *rq)
{
    const staged_t *staged = rq->staged;

    lims_answer_with_pdf(rq, staged->name, staged->printed.bytes, staged->printed.length);
    return NULL;
}

const lims_error_t *lims_print_and_answer(lims_request_t *rq)
{
    const lims_error_t *error = lims_print_staged(rq);

    return error ? error : lims_answer_staged(rq);
}
