/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signed_contents.c - what a signature of a record would cover now, and its digest, which
 * whoever signs sends as contentHash: an act names what was seen (sql/234_signed_content.sql).
 */
#include "trail/trail.h"

/* The tables whose records people sign, and of lots, which they accept for a sample. */
static const char *const tables[] = { "sample_test",  "approval",    "sample",        "amendment",
                                      "worksheet",    "qc_batch",    "investigation", "certificate",
                                      "organization", "reagent_lot", "media_lot",     NULL };

static const lims_field_t fields[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the record; also its cursor value." },
    { .name = "table",
      .type = LIMS_T_ENUM,
      .values = tables,
      .flags = LIMS_F_OUT,
      .doc = "Table of the record." },
    { .name = "name",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Name of the record." },
    { .name = "contentHash",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Digest of what a signature of the record would cover now." },
    { .name = "content",
      .type = LIMS_T_JSON,
      .flags = LIMS_F_OUT,
      .doc = "Content that a signature of the record would cover now." },
    LIMS_FIELD_END,
};

static const lims_field_t filters[] = {
    LIMS_CURSOR_FIELDS,
    { .name = "table",
      .type = LIMS_T_ENUM,
      .values = tables,
      .flags = LIMS_F_REQUIRED,
      .doc = "Table of the records." },
    { .name = "recordId",
      .type = LIMS_T_ID_LIST,
      .flags = LIMS_F_REQUIRED,
      .min = 1,
      .max = 200,
      .doc = "Ids of the records, separated by commas." },
    LIMS_FIELD_END,
};

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/signed-contents",
      .command = "signature preview",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "listSignedContents",
      .summary = "List what signatures of records would cover now",
      .description = "A signed act sends back the contentHash of what was seen.",
      .permission = "data.read",
      .flags = LIMS_R_LIST,
      .query = filters,
      .status = 200,
      .statement = LIMS_STMT_SIGNED_CONTENT_LIST },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_signed_content = {
    .name = "signed content",
    .title = "Contents of signatures",
    .schema = "SignedContent",
    .doc = "Content that a signature of a record would cover.",
    .fields = fields,
    .routes = routes,
};
