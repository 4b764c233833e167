/* SPDX-License-Identifier: Apache-2.0 */
/*
 * comments.c - comments of people on samples, sample tests, QC batches, lots and
 * investigations. A comment is never changed.
 */
#include "kernel/field.h"
#include "notes/notes.h"
#include "reference/reference.h"

#define TEXT_MAX 4000

/* The tables whose records take notes. */
static const char *const tables[] = { "sample",    "sample_test",   "qc_batch", "reagent_lot",
                                      "media_lot", "investigation", NULL };

const lims_field_t lims_noted_record[] = {
    { .name = "table",
      .type = LIMS_T_ENUM,
      .values = tables,
      .flags = LIMS_F_OUT | LIMS_F_REQUIRED,
      .doc = "Table of the record.",
      .example = "sample" },
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_REQUIRED,
      .doc = "Id of the record.",
      .example = "4217" },
    LIMS_FIELD_END,
};

const lims_field_t lims_note_filters[] = {
    LIMS_PAGING_FIELDS,
    { .name = "table",
      .type = LIMS_T_ENUM,
      .values = tables,
      .flags = LIMS_F_REQUIRED,
      .doc = "Table of the record." },
    { .name = "recordId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_REQUIRED,
      .doc = "Id of the record." },
    LIMS_FIELD_END,
};

static const lims_field_t fields[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the comment, assigned by the service; also its cursor value." },
    { .name = "on",
      .type = LIMS_T_OBJECT,
      .members = lims_noted_record,
      .flags = LIMS_F_OUT | LIMS_F_CREATE | LIMS_F_REQUIRED,
      .doc = "Record that the comment is on." },
    { .name = "text",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_CREATE | LIMS_F_REQUIRED | LIMS_F_WORDS,
      .min = 1,
      .max = TEXT_MAX,
      .doc = "Text of the comment, plain.",
      .example = "Client asked for the result by telephone." },
    { .name = "by",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the person who wrote the comment." },
    { .name = "createdAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "When the comment was written, UTC." },
    { .name = "updatedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "The same, since a comment is never changed." },
    LIMS_FIELD_END,
};

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/comments",
      .command = "comment list",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "listComments",
      .summary = "List the comments on a record",
      .permission = "data.read",
      .flags = LIMS_R_LIST,
      .query = lims_note_filters,
      .status = 200,
      .statement = LIMS_STMT_COMMENT_LIST },
    { .method = "GET",
      .path = "/comments/:id",
      .command = "comment show",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "getComment",
      .summary = "One comment",
      .permission = "data.read",
      .status = 200,
      .statement = LIMS_STMT_COMMENT_GET },
    { .method = "POST",
      .path = "/comments",
      .command = "comment add",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "addComment",
      .summary = "Comment on a record",
      .permission = "note.add",
      .body = LIMS_F_CREATE,
      .status = 201,
      .statement = LIMS_STMT_COMMENT_ADD,
      .errors = lims_reference_create_errors },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_comment = {
    .name = "comment",
    .title = "Comments",
    .schema = "Comment",
    .doc = "Comment of a person on a record.",
    .fields = fields,
    .routes = routes,
    .record = LIMS_STMT_COMMENT_GET,
};
