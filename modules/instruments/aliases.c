/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aliases.c - names of samples in instrument files, listed by the laboratory.
 * Each name means one sample, until it is removed or its sample is reported,
 * cancelled or disposed of.
 */
#include "instruments/instruments.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/vocabulary.h"
#include "service/service.h"

enum { SHOWN = LIMS_F_OUT, PERHAPS = LIMS_F_OUT | LIMS_F_NULLABLE };

static const lims_field_t fields[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = SHOWN,
      .doc = "Id of the sample name, assigned by the service; also its cursor value." },
    { .name = "name",
      .type = LIMS_T_STRING,
      .flags = SHOWN,
      .doc = "Name of the sample in instrument files." },
    { .name = "trackingId",
      .type = LIMS_T_STRING,
      .flags = SHOWN,
      .doc = "Tracking id of the sample." },
    { .name = "sampleStatus",
      .type = LIMS_T_ENUM,
      .values = lims_sample_statuses,
      .flags = SHOWN,
      .doc = "Workflow status of the sample." },
    { .name = "active",
      .type = LIMS_T_BOOLEAN,
      .flags = SHOWN,
      .doc = "Whether files are read by this name: it was not removed, and its sample is neither "
             "reported nor cancelled nor disposed of." },
    { .name = "reason",
      .type = LIMS_T_STRING,
      .flags = SHOWN,
      .doc = "Reason why the name is known to mean this sample." },
    { .name = "createdBy",
      .type = LIMS_T_ID,
      .flags = PERHAPS,
      .doc = "Id of the user who listed the name." },
    { .name = "createdAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = SHOWN,
      .doc = "When the name was listed, UTC." },
    { .name = "endedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = PERHAPS,
      .doc = "When the name was removed, UTC; null until then." },
    { .name = "endedBy",
      .type = LIMS_T_ID,
      .flags = PERHAPS,
      .doc = "Id of the user who removed the name." },
    { .name = "endReason",
      .type = LIMS_T_STRING,
      .flags = PERHAPS,
      .doc = "Reason why the name was removed." },
    { .name = "updatedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = SHOWN,
      .doc = "When the record was last changed, UTC." },
    LIMS_FIELD_END,
};

static const lims_field_t filters[] = {
    LIMS_PAGING_FIELDS,
    { .name = "name", .type = LIMS_T_STRING, .max = 255, .doc = "Only records of this name." },
    { .name = "trackingId",
      .type = LIMS_T_STRING,
      .max = 64,
      .doc = "Only names of the sample with this tracking id." },
    { .name = "active",
      .type = LIMS_T_BOOLEAN,
      .doc = "Only active (true) or ended (false) names." },
    LIMS_FIELD_END,
};

static const lims_field_t add_input[] = {
    { .name = "name",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_REQUIRED,
      .min = 1,
      .max = 255,
      .doc = "Name of the sample exactly as files have it, without blanks around it." },
    { .name = "trackingId",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_REQUIRED,
      .min = 1,
      .max = 64,
      .doc = "Tracking id of the sample that is meant." },
    LIMS_REASON_FIELD,
    LIMS_FIELD_END,
};

static const lims_error_t *add(lims_request_t *rq)
{
    lims_result_t *row = NULL;
    const lims_error_t *error = lims_database_call(&row, rq, LIMS_STMT_SAMPLE_NAME_ADD);

    if (!error) {
        lims_values_set(rq->values, "id", lims_result_get(row, 0, "id"));
    }
    return error;
}

static const lims_error_t *remove_name(lims_request_t *rq)
{
    lims_result_t *row = NULL;
    const lims_error_t *error = lims_database_call(&row, rq, LIMS_STMT_SAMPLE_NAME_REMOVE);

    if (!error && lims_result_count(row) == 0) {
        return lims_client_error(rq->pool, LIMS_E_INVALID_TRANSITION,
                                 "Name %s was removed already.", lims_values_get(rq->values, "id"));
    }
    return error;
}

static const lims_error_e add_errors[] = { LIMS_E_INVALID_BODY, LIMS_E_INVALID_REFERENCE,
                                           LIMS_E_INVALID_TRANSITION, LIMS_E_COUNT };
static const lims_error_e remove_errors[] = { LIMS_E_INVALID_TRANSITION, LIMS_E_COUNT };

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/sample-names",
      .command = "sample-name list",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "listSampleNames",
      .summary = "List the names of samples in instrument files",
      .permission = "data.read",
      .flags = LIMS_R_LIST,
      .query = filters,
      .status = 200,
      .statement = LIMS_STMT_SAMPLE_NAME_LIST },
    { .method = "GET",
      .path = "/sample-names/:id",
      .command = "sample-name show",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "getSampleName",
      .summary = "One name of a sample",
      .permission = "data.read",
      .status = 200,
      .statement = LIMS_STMT_SAMPLE_NAME_GET },
    { .method = "POST",
      .path = "/sample-names",
      .command = "sample-name add",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "addSampleName",
      .summary = "Add a name of a sample in instrument files, with a reason",
      .description =
          "The name applies to files that are read from now on, also to those read again, by "
          "profiles that find samples by name (sample.by). It ends when the sample is reported, "
          "cancelled or disposed of; then it can be given to another sample.",
      .permission = "file.review",
      .flags = LIMS_R_REASON,
      .input = add_input,
      .status = 201,
      .handler = add,
      .errors = add_errors },
    { .method = "POST",
      .path = "/sample-names/:id/remove",
      .command = "sample-name remove",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "removeSampleName",
      .summary = "Remove a name of a sample, with a reason",
      .permission = "file.review",
      .flags = LIMS_R_REASON,
      .input = lims_reason_input,
      .status = 200,
      .handler = remove_name,
      .errors = remove_errors },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_sample_name = {
    .name = "name of a sample",
    .title = "Names of samples",
    .schema = "SampleName",
    .doc = "Name of a sample in instrument files.",
    .fields = fields,
    .routes = routes,
    .record = LIMS_STMT_SAMPLE_NAME_GET,
    .lock = LIMS_STMT_SAMPLE_NAME_LOCK,
};
