/* SPDX-License-Identifier: Apache-2.0 */
/*
 * certificate_pdf.c - certificates as PDF: the bytes that are kept, and those that are
 * printed for one answer: a draft, the certificates of an order.
 */
#include <apr_strings.h>
#include <string.h>

#include "documents/documents.h"
#include "kernel/base64.h"
#include "kernel/error.h"
#include "kernel/etag.h"
#include "kernel/field.h"
#include "service/service.h"

static const lims_error_t *none(const lims_request_t *rq, const char *noun)
{
    return lims_client_error(rq->pool, LIMS_E_NOT_FOUND, "There is no %s %s in your organization.",
                             noun, lims_values_get(rq->values, "id"));
}

/* --- Kept bytes ------------------------------------------------------------- */

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
        return none(rq, "certificate");
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

static const lims_error_t *prepare_draft(lims_request_t *rq)
{
    const lims_call_t call = { .statement = LIMS_STMT_CERTIFICATE_PREVIEW_JOB };
    lims_result_t *row = NULL;
    const lims_error_t *error = lims_service_read(&row, rq, &call, 1);

    if (error) {
        return error;
    }
    if (lims_result_count(row) == 0) {
        return none(rq, "sample");
    }
    lims_print_later(rq, lims_result_get(row, 0, "job"),
                     apr_pstrcat(rq->pool, lims_result_get(row, 0, "trackingId"), "-draft.pdf",
                                 NULL));
    return NULL;
}

/* Sets the ETag of the answer. Whether the caller has what it is of. */
static bool is_known(lims_request_t *rq, const char *digest)
{
    const lims_exchange_t *x = rq->exchange;
    const char *etag = apr_pstrcat(rq->pool, "\"", digest, "\"", NULL);

    apr_table_setn(rq->reply->headers, "ETag", etag);
    return x && x->if_none_match && lims_etag_matches(x->if_none_match, etag, true);
}

static const lims_error_t *prepare_order(lims_request_t *rq)
{
    const lims_call_t call = { .statement = LIMS_STMT_ORDER_CERTIFICATES_JOB };
    const lims_exchange_t *x = rq->exchange;
    const char *number, *name;
    lims_result_t *row = NULL;
    const lims_error_t *error;

    lims_values_set(rq->values, "version", LIMS_VERSION);
    lims_values_set(rq->values, "known", x ? x->if_none_match : NULL);
    error = lims_service_read(&row, rq, &call, 1);
    if (error) {
        return error;
    }
    if (lims_result_count(row) == 0) {
        return none(rq, "order");
    }
    number = lims_result_get(row, 0, "orderNumber");
    if (!lims_result_get(row, 0, "digest")) {
        return lims_client_error(rq->pool, LIMS_E_NOT_FOUND,
                                 "No certificate is issued yet for a sample of order %s.", number);
    }
    name = apr_pstrcat(rq->pool, number, "-certificates.pdf", NULL);
    if (is_known(rq, lims_result_get(row, 0, "digest"))) {
        lims_answer_with_pdf(rq, name, "", 0);
    } else {
        lims_print_later(rq, lims_result_get(row, 0, "job"), name);
    }
    return NULL;
}

/* Prints the document, but where the caller has it. */
static const lims_error_t *print_order(lims_request_t *rq)
{
    return rq->staged ? lims_print_and_answer(rq) : NULL;
}

/* --- Routes ----------------------------------------------------------------- */

static const lims_error_e bytes_errors[] = { LIMS_E_DOCUMENT_PENDING, LIMS_E_DOCUMENT_FAILED,
                                             LIMS_E_COUNT };
static const lims_error_e print_errors[] = { LIMS_E_DOCUMENT_FAILED, LIMS_E_COUNT };

static const lims_route_t routes[] = {
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
      .flags = LIMS_PDF_FLAGS,
      .status = 200,
      .handler = fetch_document,
      .errors = bytes_errors },
    { .method = "GET",
      .path = "/orders/:id/certificates.pdf",
      .command = "order certificates-pdf",
      .surfaces = LIMS_SURFACES_ALL,
      .operation = "getOrderCertificates",
      .summary = "The certificates of an order as one PDF",
      .description = "Of each sample of the order the version that is valid, in the order of the "
                     "samples; each part has its own number and pages. The bytes are made for "
                     "this answer and not kept: what is kept, and verified by its digest, is the "
                     "document of each certificate. The ETag is of the certificates, so that what "
                     "is known is not printed again.",
      .scope = "certificates:read",
      .permission = "data.read",
      .flags = LIMS_PDF_FLAGS,
      .status = 200,
      .handler = prepare_order,
      .work = print_order,
      .errors = print_errors },
    { .method = "GET",
      .path = "/samples/:id/certificate-preview.pdf",
      .command = "certificate preview-pdf",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "previewCertificateDocument",
      .summary = "The next certificate of a sample as PDF, marked as a draft",
      .description = "Of any sample, reported or not; nothing is issued, and the bytes are not "
                     "kept.",
      .permission = "data.read",
      .flags = LIMS_PDF_FLAGS,
      .status = 200,
      .handler = prepare_draft,
      .work = lims_print_and_answer,
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
    .routes = routes,
};
