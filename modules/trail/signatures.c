/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signatures.c - electronic signatures as people see them (21 CFR 11.50): printed name,
 * time, meaning, record, and whether the signed content is unchanged.
 */
#include "trail/trail.h"

static const char *const meanings[] = { "verified",  "approved", "rejected", "performed",
                                        "reviewed",  "override", "reopened", "amended",
                                        "witnessed", "chosen",   "closed",   NULL };

static const char *const methods[] = { "password", "provider", NULL };

static const lims_field_t fields[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the signature; also its cursor value." },
    { .name = "userId", .type = LIMS_T_ID, .flags = LIMS_F_OUT, .doc = "Id of the signer." },
    { .name = "printedName",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Name of the signer at the time of signing." },
    { .name = "signedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "When it was signed, UTC." },
    { .name = "meaning",
      .type = LIMS_T_ENUM,
      .values = meanings,
      .flags = LIMS_F_OUT,
      .doc = "Meaning of the signature." },
    { .name = "reason",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .max = 2000,
      .doc = "Reason that was given." },
    { .name = "table",
      .type = LIMS_T_STRING,
      .max = 64,
      .flags = LIMS_F_OUT,
      .doc = "Table of the signed record.",
      .example = "sample_test" },
    { .name = "recordId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the signed record." },
    { .name = "method",
      .type = LIMS_T_ENUM,
      .values = methods,
      .flags = LIMS_F_OUT,
      .doc = "Way in which the signer was identified." },
    { .name = "content",
      .type = LIMS_T_JSON,
      .flags = LIMS_F_OUT,
      .doc = "Content that was signed: the members of the record at the time of signing." },
    { .name = "act",
      .type = LIMS_T_JSON,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Texts that the signed act wrote beside it, such as a comment or a conclusion." },
    { .name = "stands",
      .type = LIMS_T_BOOLEAN,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Whether the record still has the content that was signed; null where an older "
             "list of members was signed." },
    LIMS_FIELD_END,
};

static const lims_field_t filters[] = {
    LIMS_PAGING_FIELDS,
    { .name = "table",
      .type = LIMS_T_STRING,
      .min = 1,
      .max = 64,
      .doc = "Only signatures of this table.",
      .example = "sample_test" },
    { .name = "recordId", .type = LIMS_T_ID, .doc = "Only signatures of this record." },
    LIMS_FIELD_END,
};

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/signatures",
      .command = "signature list",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "listSignatures",
      .summary = "List electronic signatures",
      .permission = "data.read",
      .flags = LIMS_R_LIST,
      .query = filters,
      .status = 200,
      .statement = LIMS_STMT_SIGNATURE_LIST },
    { .method = "GET",
      .path = "/signatures/:id",
      .command = "signature show",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "getSignature",
      .summary = "One electronic signature, and whether it stands",
      .permission = "data.read",
      .status = 200,
      .statement = LIMS_STMT_SIGNATURE_GET },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_electronic_signature = {
    .name = "signature",
    .title = "Electronic signatures",
    .schema = "Signature",
    .doc = "Electronic signature of a person on a record.",
    .fields = fields,
    .routes = routes,
    .record = LIMS_STMT_SIGNATURE_GET,
};
