/* SPDX-License-Identifier: Apache-2.0 */
/*
 * certificates.c - certificates of analysis.
 *
 * A certificate is a copy of the reportable content at the time of its issue,
 * with its SHA-256, and is never changed: a new version for the same sample
 * supersedes it and states why. It is issued only for a reported sample, and
 * each later version only by an amendment (amendments/amendments.c), which it ends.
 */
#include <string.h>

#include "documents/documents.h"
#include "events/events.h"
#include "documents/pdf_report.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "quality/quality.h"
#include "release/gates.h"
#include "service/csv.h"
#include "service/service.h"

static const char *const statuses[] = { "issued", "superseded", NULL };

static const lims_field_t document[] = {
    { .name = "id", .type = LIMS_T_ID, .flags = LIMS_F_OUT, .doc = "Id of the document." },
    { .name = "state",
      .type = LIMS_T_ENUM,
      .values = lims_document_states,
      .flags = LIMS_F_OUT,
      .doc = "State of the document: pending while it waits to be printed, made, or failed." },
    { .name = "sha256",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "SHA-256 of its bytes, hexadecimal; null until they are made." },
    { .name = "size",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Size of its bytes." },
    { .name = "madeAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "When it was printed, UTC." },
    { .name = "failure",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .max = 1000,
      .doc = "Reason why the last attempt came to nothing." },
    LIMS_FIELD_END,
};

static const lims_field_t fields[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the certificate version, assigned by the service; also its cursor value." },
    { .name = "certificateNumber",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Number of the certificate, shared by all its versions.",
      .example = "COA-26-0000031" },
    { .name = "version",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Version of the certificate, counted from 1." },
    { .name = "sampleId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_CREATE | LIMS_F_REQUIRED,
      .doc = "Id of the sample." },
    { .name = "trackingId",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Tracking id of the sample." },
    { .name = "clientName",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Name of the sample's client now." },
    { .name = "status",
      .type = LIMS_T_ENUM,
      .values = statuses,
      .flags = LIMS_F_OUT,
      .doc = "Status of the version; only the latest version is issued." },
    { .name = "supersedesId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Id of the version that this one replaces; null for the first." },
    { .name = "amendment",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Reason for the amendment; null for the first version." },
    { .name = "sha256",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "SHA-256 of the certificate's content, hexadecimal." },
    { .name = "issuedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "When the version was issued, UTC." },
    { .name = "issuedBy",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Id of the user who issued the version." },
    { .name = "verificationCode",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Code by which anybody who holds the version can ask whether it is valid." },
    { .name = "withoutAnalysisDay",
      .type = LIMS_T_STRING_LIST,
      .flags = LIMS_F_OUT,
      .doc = "Codes of the tests of which no time of analysis was stated: the version does not "
             "say when they were done." },
    { .name = "document",
      .type = LIMS_T_OBJECT,
      .flags = LIMS_F_OUT,
      .members = document,
      .doc = "Document of the version: GET /certificates/:id.pdf has its bytes." },
    { .name = "deliveries",
      .type = LIMS_T_OBJECT_LIST,
      .flags = LIMS_F_OUT,
      .members = lims_event_delivery_fields,
      .doc = "Deliveries of the version's coa.generated to webhook endpoints, in order of id; none "
             "where nobody subscribed to it, or when the event is no longer kept." },
    LIMS_FIELD_END,
};

static const lims_field_t filters[] = {
    LIMS_PAGING_FIELDS,
    { .name = "sampleId", .type = LIMS_T_ID, .doc = "Only certificates of this sample." },
    { .name = "status",
      .type = LIMS_T_ENUM,
      .values = statuses,
      .doc = "Only certificates of this status." },
    LIMS_FIELD_END,
};

/* --- Actions -------------------------------------------------------------- */

/* The sample is locked before its content is read, so that it cannot change in
 * between. Until the certificate exists, the id is the sample's. */
static const lims_error_t *issue(lims_request_t *rq)
{
    const char *sample = lims_values_get(rq->values, "sampleId");
    lims_result_t *row = NULL;
    const lims_error_t *error;

    lims_values_set(rq->values, "id", sample);
    error = lims_database_call(&row, rq, LIMS_STMT_SAMPLE_LOCK);
    if (error) {
        return error;
    }
    if (lims_result_count(row) == 0) {
        return lims_client_error(rq->pool, LIMS_E_INVALID_REFERENCE,
                                 "sampleId: there is no sample %s in your organization.", sample);
    }
    if (strcmp(lims_result_get(row, 0, "status"), "reported") != 0) {
        return lims_client_error(rq->pool, LIMS_E_INVALID_TRANSITION,
                                 "Sample %s is %s: a certificate can only be issued for a "
                                 "reported sample.",
                                 sample, lims_result_get(row, 0, "status"));
    }
    error = lims_gates_check(rq, LIMS_STMT_CERTIFICATE_BLOCKERS);
    if (!error) {
        error = lims_database_call(&row, rq, LIMS_STMT_CERTIFICATE_ISSUE);
    }
    if (!error) {
        lims_values_set(rq->values, "id", lims_result_get(row, 0, "id"));
        rq->reply->prints = true;
    }
    return error;
}

/* --- Routes --------------------------------------------------------------- */

static const lims_error_e issue_errors[] = { LIMS_E_INVALID_REFERENCE,
                                             LIMS_E_ESIGNATURE_REQUIRED,
                                             LIMS_E_INCOMPLETE_SAMPLE,
                                             LIMS_E_QC_FAILED,
                                             LIMS_E_APPROVAL_REQUIRED,
                                             LIMS_E_CONFIRMATION_REQUIRED,
                                             LIMS_E_MEDIA_QC_FAILED,
                                             LIMS_E_INVALID_TRANSITION,
                                             LIMS_E_INVESTIGATION_OPEN,
                                             LIMS_E_RETEST_UNDECIDED,
                                             LIMS_E_COUNT };

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/certificates",
      .command = "certificate list",
      .surfaces = LIMS_SURFACES_ALL,
      .operation = "listCertificates",
      .summary = "List certificates of analysis",
      .scope = "certificates:read",
      .permission = "data.read",
      .flags = LIMS_R_LIST,
      .query = filters,
      .status = 200,
      .statement = LIMS_STMT_CERTIFICATE_LIST },
    { LIMS_CSV_EXPORT("/certificates", "certificate export", "exportCertificates", "certificates"),
      .permission = "data.read",
      .flags = LIMS_CSV_FLAGS,
      .query = filters + LIMS_PAGING_COUNT },
    { LIMS_REPORT_LIST("/certificates", "certificate list-pdf", "printCertificates",
                       "certificates"),
      .permission = "data.read",
      .flags = LIMS_PDF_FLAGS,
      .query = filters + LIMS_PAGING_COUNT },
    { .method = "GET",
      .path = "/certificates/:id",
      .command = "certificate show",
      .surfaces = LIMS_SURFACES_ALL,
      .operation = "getCertificate",
      .summary = "One certificate of analysis",
      .scope = "certificates:read",
      .permission = "data.read",
      .status = 200,
      .statement = LIMS_STMT_CERTIFICATE_GET },
    { .method = "GET",
      .path = "/certificates/:id/content",
      .command = "certificate content",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "getCertificateContent",
      .summary = "Content of a certificate of analysis",
      .permission = "data.read",
      .flags = LIMS_R_NO_RECORD | LIMS_R_DOCUMENT,
      .output = lims_certificate_content,
      .status = 200,
      .statement = LIMS_STMT_CERTIFICATE_CONTENT },
    { .method = "POST",
      .path = "/certificates",
      .command = "certificate issue",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "issueCertificate",
      .summary = "Issue a certificate of analysis, or its next version",
      .description = "Of the approvals that were requested the first version needs those that a "
                     "report would need now, and none rejected. The next one needs an open "
                     "amendment of the sample, the permission certificate.amend, a signature and "
                     "every gate of a report; its reason is the amendment's unless another is "
                     "given, and it ends the amendment. coa.generated comes with the document, "
                     "or, where the service has no printer, with the issue.",
      .permission = "certificate.issue",
      .permission_or = "certificate.amend",
      .flags = LIMS_R_SIGN_NEXT,
      .body = LIMS_F_CREATE,
      .status = 201,
      .meaning = "approved",
      .signs = "amendment",
      .handler = issue,
      .errors = issue_errors },
    LIMS_ROUTE_END,
};

static const lims_route_t preview_routes[] = {
    { .method = "GET",
      .path = "/samples/:id/certificate-preview",
      .command = "certificate preview",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "previewCertificate",
      .summary = "Content of the next certificate of a sample, as it would be now",
      .description = "Of any sample, reported or not; nothing is issued.",
      .permission = "data.read",
      .flags = LIMS_R_NO_RECORD | LIMS_R_DOCUMENT,
      .output = lims_certificate_content,
      .status = 200,
      .statement = LIMS_STMT_CERTIFICATE_PREVIEW },
    LIMS_ROUTE_END,
};

static const lims_field_t no_fields[] = { LIMS_FIELD_END };

const lims_resource_t lims_certificate_preview = {
    .name = "certificate preview",
    .title = "Certificates",
    .schema = "CertificatePreview",
    .doc = "Certificate of a sample before it is issued.",
    .fields = no_fields,
    .routes = preview_routes,
};

const lims_resource_t lims_certificate = {
    .name = "certificate",
    .title = "Certificates",
    .schema = "Certificate",
    .doc = "Certificate of analysis of a sample.",
    .fields = fields,
    .routes = routes,
    .record = LIMS_STMT_CERTIFICATE_GET,
    .lock = LIMS_STMT_CERTIFICATE_LOCK,
};
