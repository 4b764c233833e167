/* SPDX-License-Identifier: Apache-2.0 */
/*
 * documents.c - the documents of certificates: their states, their bytes, and asking again
 * for one that could not be made. They are asked for by the database when a certificate is
 * issued (sql/166_documents.sql), and printed by a job (print_job.c).
 */
#include "documents/documents.h"

#include <apr_strings.h>
#include <string.h>

#include "kernel/base64.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "service/service.h"

static const char *const states[] = { "pending", "made", "failed", NULL };

enum { SHOWN = LIMS_F_OUT, PERHAPS = LIMS_F_OUT | LIMS_F_NULLABLE };

static const lims_field_t fields[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = SHOWN,
      .doc = "Id of the document, assigned by the service; also its cursor value." },
    { .name = "certificateId",
      .type = LIMS_T_ID,
      .flags = SHOWN,
      .doc = "Id of the certificate version that it is of." },
    { .name = "certificateNumber",
      .type = LIMS_T_STRING,
      .flags = SHOWN,
      .doc = "Number of the certificate." },
    { .name = "version",
      .type = LIMS_T_INTEGER,
      .flags = SHOWN,
      .doc = "Version of the certificate." },
    { .name = "sampleId", .type = LIMS_T_ID, .flags = SHOWN, .doc = "Id of the sample." },
    { .name = "state",
      .type = LIMS_T_ENUM,
      .values = states,
      .flags = SHOWN,
      .doc = "State of the document: pending while it waits to be printed, made once its bytes "
             "are kept, failed if it could not be printed." },
    { .name = "attempts",
      .type = LIMS_T_INTEGER,
      .flags = SHOWN,
      .doc = "Attempts that came to nothing since it was last asked for." },
    { .name = "failure",
      .type = LIMS_T_STRING,
      .flags = PERHAPS,
      .max = 1000,
      .doc = "Reason why the last of them came to nothing." },
    { .name = "sha256",
      .type = LIMS_T_STRING,
      .flags = PERHAPS,
      .doc = "SHA-256 of its bytes, hexadecimal." },
    { .name = "size", .type = LIMS_T_INTEGER, .flags = PERHAPS, .doc = "Size of its bytes." },
    { .name = "madeAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = PERHAPS,
      .doc = "When it was printed, UTC." },
    { .name = "announcedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = PERHAPS,
      .doc = "When coa.generated was written, UTC: once, with the bytes or without them." },
    { .name = "createdAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = SHOWN,
      .doc = "When it was asked for, UTC." },
    { .name = "updatedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = SHOWN,
      .doc = "When the record was last changed, UTC." },
    LIMS_FIELD_END,
};

static const lims_field_t filters[] = {
    LIMS_PAGING_FIELDS,
    { .name = "state",
      .type = LIMS_T_ENUM,
      .values = states,
      .doc = "Only documents of this state." },
    { .name = "sampleId", .type = LIMS_T_ID, .doc = "Only documents of this sample." },
    LIMS_FIELD_END,
};

static const lims_error_t *retry(lims_request_t *rq)
{
    lims_result_t *row = NULL;

    if (strcmp(lims_result_get(rq->locked, 0, "state"), "made") == 0) {
        return lims_client_error(rq->pool, LIMS_E_INVALID_TRANSITION,
                                 "Document %s is made: its bytes are kept and never change.",
                                 lims_values_get(rq->values, "id"));
    }
    rq->reply->prints = true;
    return lims_database_call(&row, rq, LIMS_STMT_DOCUMENT_RETRY);
}

/* --- Bytes ---------------------------------------------------------------- */

static const lims_error_t *no_bytes(const lims_request_t *rq, const lims_result_t *row)
{
    const char *number = lims_result_get(row, 0, "certificateNumber");

    if (strcmp(lims_result_get(row, 0, "state"), "failed") == 0) {
        return lims_client_error(rq->pool, LIMS_E_DOCUMENT_FAILED,
                                 "The document of certificate %s could not be made: %s. Somebody "
                                 "who issues certificates can have it made again.",
                                 number, lims_result_get(row, 0, "failure"));
    }
    return lims_client_error(rq->pool, LIMS_E_DOCUMENT_PENDING,
                             rq->printer
                                 ? "The document of certificate %s is not printed yet; try again "
                                   "in a few seconds."
                                 : "The document of certificate %s is not printed: there is no "
                                   "printer on this server.",
                             number);
}

static const lims_error_t *fetch_document(lims_request_t *rq)
{
    const lims_call_t call = { .statement = LIMS_STMT_CERTIFICATE_DOCUMENT_CONTENT };
    const lims_exchange_t *x = rq->exchange;
    const char *bytes = "", *content;
    apr_size_t length = 0;
    lims_result_t *row = NULL;
    const lims_error_t *error;

    lims_values_set(rq->values, "known", x ? x->if_none_match : NULL);
    error = lims_service_read(&row, rq, &call, 1);
    if (error) {
        return error;
    }
    if (lims_result_count(row) == 0) {
        return lims_client_error(rq->pool, LIMS_E_NOT_FOUND,
                                 "There is no certificate %s in your organization.",
                                 lims_values_get(rq->values, "id"));
    }
    if (strcmp(lims_result_get(row, 0, "state"), "made") != 0) {
        return no_bytes(rq, row);
    }
    content = lims_result_get(row, 0, "content");
    if (content && !lims_base64_decode(&bytes, &length, content, rq->pool)) {
        return lims_server_error(rq->pool, LIMS_E_INTERNAL, 393, "bytes of a document",
                                 "The document could not be read.");
    }
    apr_table_setn(rq->reply->headers, "ETag",
                   apr_pstrcat(rq->pool, "\"", lims_result_get(row, 0, "sha256"), "\"", NULL));
    lims_answer_with_pdf(rq,
                         apr_psprintf(rq->pool, "%s-v%s.pdf",
                                      lims_result_get(row, 0, "certificateNumber"),
                                      lims_result_get(row, 0, "version")),
                         bytes, length);
    return NULL;
}

/* --- Printed for the answer ------------------------------------------------- */

/* Job that the work prints, and the name of its file. */
typedef struct {
    const char *job;
    const char *name;
} draft_t;

static const lims_error_t *prepare_draft(lims_request_t *rq)
{
    const lims_call_t call = { .statement = LIMS_STMT_CERTIFICATE_PREVIEW_JOB };
    draft_t *draft = apr_palloc(rq->pool, sizeof(*draft));
    lims_result_t *row = NULL;
    const lims_error_t *error = lims_service_read(&row, rq, &call, 1);

    if (error) {
        return error;
    }
    if (lims_result_count(row) == 0) {
        return lims_client_error(rq->pool, LIMS_E_NOT_FOUND,
                                 "There is no sample %s in your organization.",
                                 lims_values_get(rq->values, "id"));
    }
    draft->job = lims_result_get(row, 0, "job");
    draft->name = apr_pstrcat(rq->pool, lims_result_get(row, 0, "trackingId"), "-draft.pdf", NULL);
    rq->staged = draft;
    return NULL;
}

static const lims_error_t *print_draft(lims_request_t *rq)
{
    const draft_t *draft = rq->staged;
    const char *bytes = NULL;
    apr_size_t length = 0;
    const lims_error_t *error = lims_print_pdf(&bytes, &length, draft->job, rq);

    if (!error) {
        lims_answer_with_pdf(rq, draft->name, bytes, length);
    }
    return error;
}

/* --- Routes --------------------------------------------------------------- */

static const lims_error_e retry_errors[] = { LIMS_E_INVALID_TRANSITION, LIMS_E_COUNT };
static const lims_error_e bytes_errors[] = { LIMS_E_DOCUMENT_PENDING, LIMS_E_DOCUMENT_FAILED,
                                             LIMS_E_COUNT };
static const lims_error_e print_errors[] = { LIMS_E_DOCUMENT_FAILED, LIMS_E_COUNT };

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/documents",
      .command = "document list",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "listDocuments",
      .summary = "List the documents of certificates",
      .permission = "data.read",
      .flags = LIMS_R_LIST,
      .query = filters,
      .status = 200,
      .statement = LIMS_STMT_DOCUMENT_LIST },
    { .method = "GET",
      .path = "/documents/:id",
      .command = "document show",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "getDocument",
      .summary = "One document of a certificate",
      .permission = "data.read",
      .status = 200,
      .statement = LIMS_STMT_DOCUMENT_GET },
    { .method = "POST",
      .path = "/documents/:id/retry",
      .command = "document retry",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "retryDocument",
      .summary = "Print a failed document again",
      .description = "It waits to be printed again, and no second coa.generated is sent.",
      .permission = "certificate.issue",
      .flags = LIMS_R_NO_BODY,
      .status = 200,
      .handler = retry,
      .errors = retry_errors },
    LIMS_ROUTE_END,
};

static const lims_route_t bytes_routes[] = {
    { .method = "GET",
      .path = "/certificates/:id.pdf",
      .command = "certificate pdf",
      .surfaces = LIMS_SURFACES_ALL,
      .operation = "getCertificateDocument",
      .summary = "A certificate of analysis as PDF",
      .description = "The bytes are made once, behind the issue, and never change; the ETag is "
                     "their SHA-256. Until then the answer is 409 `document_pending`. At the "
                     "command line the bytes go to standard output: `limsctl ... > coa.pdf`.",
      .scope = "certificates:read",
      .permission = "data.read",
      .flags = LIMS_R_NO_RECORD | LIMS_R_DOCUMENT | LIMS_R_BYTES | LIMS_R_PDF,
      .status = 200,
      .handler = fetch_document,
      .errors = bytes_errors },
    { .method = "GET",
      .path = "/samples/:id/certificate-preview.pdf",
      .command = "certificate preview-pdf",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "previewCertificateDocument",
      .summary = "The next certificate of a sample as PDF, marked as a draft",
      .description = "Of any sample, reported or not; nothing is issued, and the bytes are not "
                     "kept.",
      .permission = "data.read",
      .flags = LIMS_R_NO_RECORD | LIMS_R_DOCUMENT | LIMS_R_BYTES | LIMS_R_PDF,
      .status = 200,
      .handler = prepare_draft,
      .work = print_draft,
      .errors = print_errors },
    LIMS_ROUTE_END,
};

static const lims_field_t no_fields[] = { LIMS_FIELD_END };

const lims_resource_t lims_certificate_pdf = {
    .name = "certificate document",
    .title = "Certificates",
    .schema = "CertificateDocument",
    .doc = "PDF of a certificate of analysis.",
    .fields = no_fields,
    .routes = bytes_routes,
};

const lims_resource_t lims_document = {
    .name = "document",
    .title = "Certificates",
    .schema = "Document",
    .doc = "Document of a certificate of analysis: its PDF and how far it is.",
    .fields = fields,
    .routes = routes,
    .record = LIMS_STMT_DOCUMENT_GET,
    .lock = LIMS_STMT_DOCUMENT_LOCK,
};
