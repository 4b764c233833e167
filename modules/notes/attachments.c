/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attachments.c - files that people attach to samples, sample tests, QC batches, lots and
 * investigations. The bytes are kept as they came and are never looked into.
 */
#include "kernel/error.h"
#include "kernel/field.h"
#include "notes/notes.h"
#include "service/content.h"

#define NAME_MAX 255
#define MEDIA_TYPE_MAX 127
/* Maximum length of base64 text, for 10 MB of bytes (sql/167_notes.sql has the exact
 * limit). */
#define CONTENT_MAX (14 * 1024 * 1024)

enum { SHOWN = LIMS_F_OUT, GIVEN = LIMS_F_OUT | LIMS_F_CREATE };

static const lims_field_t fields[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = SHOWN,
      .doc = "Id of the attachment, assigned by the service; also its cursor value." },
    { .name = "on",
      .type = LIMS_T_OBJECT,
      .members = lims_noted_record,
      .flags = GIVEN | LIMS_F_REQUIRED,
      .doc = "Record that the file is attached to." },
    { .name = "fileName",
      .type = LIMS_T_STRING,
      .flags = GIVEN | LIMS_F_REQUIRED,
      .min = 1,
      .max = NAME_MAX,
      .doc = "Name of the file, without a path.",
      .example = "chain-of-custody.pdf" },
    { .name = "contentBase64",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_CREATE | LIMS_F_REQUIRED | LIMS_F_FILE64,
      .min = 1,
      .max = CONTENT_MAX,
      .doc = "Bytes of the file, in base64 without line breaks; at most 10 MB of bytes." },
    { .name = "size", .type = LIMS_T_INTEGER, .flags = SHOWN, .doc = "Size of the file in bytes." },
    { .name = "sha256",
      .type = LIMS_T_STRING,
      .flags = SHOWN,
      .doc = "SHA-256 of the file's bytes, hexadecimal." },
    { .name = "mediaType",
      .type = LIMS_T_STRING,
      .flags = GIVEN,
      .min = 3,
      .max = MEDIA_TYPE_MAX,
      .fallback = "application/octet-stream",
      .doc = "Media type of the file, as its sender said; the service never trusts it.",
      .example = "application/pdf" },
    { .name = "addedBy",
      .type = LIMS_T_ID,
      .flags = SHOWN,
      .doc = "Id of the person who attached the file." },
    { .name = "withdrawnAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = SHOWN | LIMS_F_NULLABLE,
      .doc = "When the attachment was withdrawn, UTC; null if it stands." },
    { .name = "withdrawalReason",
      .type = LIMS_T_STRING,
      .flags = SHOWN | LIMS_F_NULLABLE,
      .max = 1000,
      .doc = "Reason for the withdrawal; null if the attachment stands." },
    { .name = "createdAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = SHOWN,
      .doc = "When the file was attached, UTC." },
    { .name = "updatedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = SHOWN,
      .doc = "When the record was last changed, UTC." },
    LIMS_FIELD_END,
};

static const lims_error_e add_errors[] = { LIMS_E_INVALID_REFERENCE, LIMS_E_FILE_STORAGE_EXCEEDED,
                                           LIMS_E_INVALID_TRANSITION, LIMS_E_PAYLOAD_TOO_LARGE,
                                           LIMS_E_COUNT };
static const lims_error_e withdraw_errors[] = { LIMS_E_INVALID_TRANSITION, LIMS_E_COUNT };

/* The database decodes the bytes that it keeps. */
static const lims_error_t *check(lims_request_t *rq)
{
    const char *bytes = NULL;
    apr_size_t length = 0;

    return lims_content_read(&bytes, &length, rq);
}

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/attachments",
      .command = "attachment list",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "listAttachments",
      .summary = "List the attachments of a record",
      .permission = "data.read",
      .flags = LIMS_R_LIST,
      .query = lims_note_filters,
      .status = 200,
      .statement = LIMS_STMT_ATTACHMENT_LIST },
    { .method = "GET",
      .path = "/attachments/:id",
      .command = "attachment show",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "getAttachment",
      .summary = "One attachment",
      .permission = "data.read",
      .status = 200,
      .statement = LIMS_STMT_ATTACHMENT_GET },
    { .method = "GET",
      .path = "/attachments/:id/content",
      .command = "attachment content",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "getAttachmentContent",
      .summary = "Bytes of an attachment, unchanged",
      .description = "The bytes go to standard output: `limsctl ... > photo.jpg`. With --json they "
                     "are in base64.",
      .permission = "data.read",
      .flags = LIMS_R_NO_RECORD | LIMS_R_DOCUMENT | LIMS_R_BYTES,
      .status = 200,
      .statement = LIMS_STMT_ATTACHMENT_CONTENT },
    { .method = "POST",
      .path = "/attachments",
      .command = "attachment add",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "addAttachment",
      .summary = "Attach a file to a record",
      .permission = "note.add",
      .flags = LIMS_R_FILE,
      .body = LIMS_F_CREATE,
      .status = 201,
      .check = check,
      .statement = LIMS_STMT_ATTACHMENT_ADD,
      .errors = add_errors },
    { .method = "POST",
      .path = "/attachments/:id/withdraw",
      .command = "attachment withdraw",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "withdrawAttachment",
      .summary = "Withdraw an attachment of one's own",
      .description = "The attachment stays, marked as withdrawn, and can still be read.",
      .permission = "note.add",
      .flags = LIMS_R_REASON,
      .input = lims_reason_input,
      .status = 200,
      .statement = LIMS_STMT_ATTACHMENT_WITHDRAW,
      .errors = withdraw_errors },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_attachment = {
    .name = "attachment",
    .title = "Attachments",
    .schema = "Attachment",
    .doc = "File that a person attached to a record.",
    .fields = fields,
    .routes = routes,
    .record = LIMS_STMT_ATTACHMENT_GET,
    .lock = LIMS_STMT_ATTACHMENT_LOCK,
};
