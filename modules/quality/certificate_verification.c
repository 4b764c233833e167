/* SPDX-License-Identifier: Apache-2.0 */
/*
 * certificate_verification.c - anybody who holds a certificate can ask whether it is valid.
 *
 * The code that is printed on it is the only way in: 100 random bits, of which an address
 * may ask for as many in a window as unknown API keys may come from it (LimsUnknownKeys).
 */
#include "kernel/error.h"
#include "kernel/field.h"
#include "quality/quality.h"
#include "service/service.h"

static const char *const statuses[] = { "valid", "superseded", NULL };

static const lims_field_t successor[] = {
    { .name = "number",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Number of the certificate." },
    { .name = "version", .type = LIMS_T_INTEGER, .flags = LIMS_F_OUT, .doc = "Latest version." },
    { .name = "issuedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "When the latest version was issued, UTC." },
    LIMS_FIELD_END,
};

static const lims_field_t verified[] = {
    { .name = "number",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Number of the certificate." },
    { .name = "version",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Version that has this code." },
    { .name = "laboratory",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Name of the laboratory that issued it." },
    { .name = "issuedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "When it was issued, UTC." },
    { .name = "status",
      .type = LIMS_T_ENUM,
      .values = statuses,
      .flags = LIMS_F_OUT,
      .doc = "Whether it is valid, or a later version supersedes it." },
    { .name = "supersededBy",
      .type = LIMS_T_OBJECT,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .members = successor,
      .doc = "Latest version, where it is superseded." },
    { .name = "fileMatches",
      .type = LIMS_T_BOOLEAN,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Whether sha256 is the digest of the document that was issued; null if none was "
             "given, or there is no such document." },
    LIMS_FIELD_END,
};

static const lims_field_t query[] = {
    { .name = "code",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_REQUIRED,
      .min = 1,
      .max = 64,
      .doc = "Verification code, as printed: in any case, with or without dashes.",
      .example = "7Q2M5-0GXJ8-RC4TN-W9KDA" },
    { .name = "sha256",
      .type = LIMS_T_STRING,
      .pattern = "^[0-9a-f]{64}$",
      .doc = "SHA-256 of a file, hexadecimal, to be compared with the document that was issued." },
    LIMS_FIELD_END,
};

static const lims_error_t *verify(lims_request_t *rq)
{
    lims_exchange_t *x = rq->exchange;
    const lims_call_t call = { .statement = LIMS_STMT_CERTIFICATE_VERIFY };
    lims_result_t *row = NULL;
    const lims_error_t *error = x->transport->check_unknown_key(x);

    if (!error) {
        x->transport->count_unknown_key(x);
        error = lims_service_read(&row, rq, &call, 1);
    }
    if (error) {
        return error;
    }
    if (lims_result_count(row) == 0) {
        return lims_client_error(rq->pool, LIMS_E_NOT_FOUND,
                                 "No certificate has this code: compare each character with what "
                                 "is printed.");
    }
    lims_render_members(rq, verified, row);
    return NULL;
}

static const lims_error_e errors[] = { LIMS_E_NOT_FOUND, LIMS_E_COUNT };

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/verifications",
      .surfaces = LIMS_SURFACE_APPLICATION,
      .operation = "verifyCertificate",
      .summary = "Whether a certificate is valid, for anybody who holds it",
      .description = "Needs no session, and tells nothing else than these members. Limited by "
                     "address.",
      .flags = LIMS_R_NO_SESSION | LIMS_R_NO_RECORD,
      .query = query,
      .output = verified,
      .status = 200,
      .handler = verify,
      .errors = errors },
    LIMS_ROUTE_END,
};

static const lims_field_t no_fields[] = { LIMS_FIELD_END };

const lims_resource_t lims_certificate_verification = {
    .name = "certificate verification",
    .title = "Certificates",
    .schema = "CertificateVerification",
    .doc = "Verification of a certificate by anybody who holds it.",
    .fields = no_fields,
    .routes = routes,
};
