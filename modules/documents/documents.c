/* SPDX-License-Identifier: Apache-2.0 */
/*
 * documents.c - the documents of certificates: their states, and asking again for one that
 * could not be made. They are asked for by the database when a certificate is issued
 * (sql/166_documents.sql), printed by a job (print_job.c), and read by certificate_pdf.c.
 */
#include "documents/documents.h"

#include <string.h>

#include "kernel/error.h"
#include "kernel/field.h"
#include "service/service.h"

const char *const lims_document_states[] = { "pending", "made", "failed", NULL };

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
      .values = lims_document_states,
      .flags = SHOWN,
      .doc = "State of the document: pending while it waits to be printed, made once its bytes "
             "are kept, failed if it could not be printed." },
    { .name = "attempts",
      .type = LIMS_T_INTEGER,
      .flags = SHOWN,
      .doc = "Number of failed attempts since the document was last requested, and the one under "
             "way." },
    { .name = "failure",
      .type = LIMS_T_STRING,
      .flags = PERHAPS,
      .max = 1000,
      .doc = "Reason why the last one came to nothing." },
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
      .values = lims_document_states,
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

/* --- Routes --------------------------------------------------------------- */

static const lims_error_e retry_errors[] = { LIMS_E_INVALID_TRANSITION, LIMS_E_COUNT };

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
