/* SPDX-License-Identifier: Apache-2.0 */
/*
 * print_job.c - the job "print": prints the documents that wait, one at a time.
 *
 * A document is claimed by a lease in its row, in a transaction of its own; it is printed
 * with none open, signed where there is a key, and kept by a second one, which also announces
 * it. A process that dies in between leaves a lease that ends, and the next one prints the same
 * bytes; a document that ends three of them is failed.
 */
#include <apr_strings.h>
#include <string.h>

#include "database/database.h"
#include "documents/documents.h"
#include "documents/pades.h"
#include "kernel/base64.h"
#include "kernel/error.h"
#include "kernel/field.h"

/* How much longer than printing a document its lease is: for keeping it. */
#define LEASE_REST apr_time_from_sec(5)

/* Announces what has waited for long: for a printer that there is not, or, `tried`, for an
 * attempt that does not come to nothing. */
static const lims_error_t *announce(lims_printing_e *outcome, const char **line, bool tried,
                                    lims_request_t *rq)
{
    lims_result_t *row = NULL;
    const lims_error_t *error;

    lims_values_set(rq->values, "tried", tried ? "t" : "f");
    error = lims_database_call(&row, rq, LIMS_STMT_DOCUMENT_ANNOUNCE);
    if (!error && lims_result_get(row, 0, "announced")) {
        *outcome = LIMS_PRINTING_ANNOUNCED;
        *line = apr_pstrcat(rq->pool,
                            "LIMS0395: there is no document within a minute, and coa.generated was "
                            "written without it, of the certificates ",
                            lims_result_get(row, 0, "announced"), NULL);
    }
    return error;
}

static const lims_error_t *keep(lims_printing_e *outcome, const lims_printed_t *printed,
                                lims_request_t *rq)
{
    lims_result_t *row = NULL;
    const lims_error_t *error;

    lims_values_set(rq->values, "contentBase64",
                    lims_base64_encode(printed->bytes, printed->length, rq->pool));
    lims_values_set(rq->values, "signed", rq->printer->key ? "t" : "f");
    error = lims_database_call(&row, rq, LIMS_STMT_DOCUMENT_KEEP);
    if (!error) {
        *outcome = lims_result_true(row, 0, "kept") ? LIMS_PRINTING_MADE : LIMS_PRINTING_TRIED;
    }
    return error;
}

/* Signs what was printed, where there is a key, with the time of the issue. */
static void sign(lims_printed_t *printed, const lims_request_t *rq, const lims_result_t *claimed)
{
    const lims_document_key_t *key = rq->printer->key;
    const char *problem = NULL;

    if (key && printed->outcome == LIMS_PRINT_DONE) {
        problem = lims_pades_sign(&printed->bytes, &printed->length, key, printed->bytes,
                                  printed->length, lims_result_get(claimed, 0, "issuedAt"),
                                  rq->pool);
    }
    if (problem) {
        printed->outcome = LIMS_PRINT_CRASHED;
        printed->reason = apr_pstrcat(rq->pool, "it could not be signed: ", problem, NULL);
    }
}

/* Says in a line of the log that a document cannot be made. */
static const char *failed_line(const lims_request_t *rq, const lims_result_t *claimed,
                               const char *reason)
{
    return apr_psprintf(rq->pool,
                        "LIMS0390: document %s of certificate %s of organization %s could not be "
                        "made: %s",
                        lims_values_get(rq->values, "id"),
                        lims_result_get(claimed, 0, "certificate"),
                        lims_values_get(rq->values, "organizationId"), reason);
}

static const lims_error_t *note_failure(lims_printing_e *outcome, const char **line,
                                        const lims_printed_t *printed, lims_request_t *rq,
                                        const lims_result_t *claimed)
{
    lims_result_t *row = NULL;
    const lims_error_t *error;

    lims_values_set(rq->values, "failure", printed->reason);
    lims_values_set(rq->values, "refused", printed->outcome == LIMS_PRINT_REFUSED ? "t" : "f");
    error = lims_database_call(&row, rq, LIMS_STMT_DOCUMENT_FAIL);
    *outcome = LIMS_PRINTING_TRIED;
    if (!error && lims_result_true(row, 0, "failed")) {
        *outcome = LIMS_PRINTING_FAILED;
        *line = failed_line(rq, claimed, printed->reason);
    }
    return error;
}

/* The job cannot work: what was claimed is tried again by its next run. */
static const lims_error_t *unavailable(lims_printing_e *outcome, const char **line,
                                       const char *reason, lims_request_t *rq)
{
    lims_result_t *none = NULL;
    const lims_error_t *error = lims_database_call(&none, rq, LIMS_STMT_DOCUMENT_UNCLAIM);

    if (!error) {
        error = announce(outcome, line, false, rq);
    }
    return error ? error
                 : lims_server_error(rq->pool, LIMS_E_SERVICE_UNAVAILABLE, 394, reason,
                                     "The printer could not be started.");
}

/* Returns the lease of a document, seconds. */
static const char *lease_of(const lims_printer_t *printer, apr_pool_t *pool)
{
    return apr_psprintf(pool, "%" APR_INT64_T_FMT,
                        (apr_int64_t)((printer->timeout + LEASE_REST) / APR_USEC_PER_SEC));
}

static const lims_error_t *claim(lims_result_t **claimed, lims_request_t *rq)
{
    const lims_error_t *error;

    lims_values_set(rq->values, "lease", lease_of(rq->printer, rq->pool));
    error = lims_database_call(claimed, rq, LIMS_STMT_DOCUMENT_CLAIM);
    if (!error && lims_result_count(*claimed) == 1) {
        lims_values_set(rq->values, "organizationId",
                        lims_result_get(*claimed, 0, "organizationId"));
        lims_values_set(rq->values, "id", lims_result_get(*claimed, 0, "id"));
        lims_values_set(rq->values, "claim", lims_result_get(*claimed, 0, "claim"));
    }
    return error;
}

static const lims_error_t *print_next(lims_printing_e *outcome, const char **line,
                                      lims_request_t *rq)
{
    lims_result_t *claimed = NULL;
    const lims_error_t *error = claim(&claimed, rq);
    lims_printed_t printed;
    const char *job;

    if (error || lims_result_count(claimed) == 0) {
        return error;
    }
    if (lims_result_get(claimed, 0, "failure")) {
        *outcome = LIMS_PRINTING_FAILED;
        *line = failed_line(rq, claimed, lims_result_get(claimed, 0, "failure"));
        return NULL;
    }
    job = lims_result_get(claimed, 0, "job");
    printed = lims_printer_print(rq->process, rq->printer, job, strlen(job), rq->pool);
    sign(&printed, rq, claimed);
    if (printed.outcome == LIMS_PRINT_UNAVAILABLE) {
        return unavailable(outcome, line, printed.reason, rq);
    }
    return printed.outcome == LIMS_PRINT_DONE ? keep(outcome, &printed, rq)
                                              : note_failure(outcome, line, &printed, rq, claimed);
}

const lims_error_t *lims_documents_print(lims_printing_e *outcome, const char **line,
                                         lims_request_t *rq)
{
    lims_values_t *values = rq->values;
    const lims_error_t *error = NULL;

    *outcome = LIMS_PRINTING_NONE;
    *line = NULL;
    rq->values = lims_values_create(rq->pool);
    /* Once in a run of the job: no process of the printer is there yet. */
    if (!rq->printer || !rq->process->pid) {
        error = announce(outcome, line, rq->printer, rq);
    }
    if (!error && rq->printer && *outcome == LIMS_PRINTING_NONE) {
        error = print_next(outcome, line, rq);
    }
    rq->values = values;
    return error;
}
