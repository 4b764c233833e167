/* SPDX-License-Identifier: Apache-2.0 */
/*
 * advance.c - moves samples to the status that their results have reached: the move that a
 * person makes together with entering the results.
 */
#include "database/database.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/vocabulary.h"
#include "kernel/writer.h"
#include "results/results.h"
#include "samples/samples.h"
#include "service/service.h"

static const lims_field_t advance_input[] = {
    { .name = "sampleIds",
      .type = LIMS_T_ID_LIST,
      .flags = LIMS_F_REQUIRED,
      .min = 1,
      .max = 1000,
      .doc = "Ids of the samples, each once.",
      .example = "[4217, 4218]" },
    LIMS_FIELD_END,
};

static const lims_field_t advanced_fields[] = {
    { .name = "sampleId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the sample." },
    { .name = "trackingId",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Tracking id of the sample." },
    { .name = "status",
      .type = LIMS_T_ENUM,
      .values = lims_sample_statuses,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Status to which this call moved it; null: it stays as it was." },
    { .name = "error",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Slug of the refusal of completed, where every test has its result; null: there is "
             "none.",
      .example = "qc_failed" },
    { .name = "message",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Text of that refusal, for people." },
    LIMS_FIELD_END,
};

static const lims_field_t advance_output[] = {
    { .name = "samples",
      .type = LIMS_T_OBJECT_LIST,
      .flags = LIMS_F_OUT,
      .members = advanced_fields,
      .doc = "Samples that were moved, and those that cannot be completed, by id. The others stay "
             "as they are." },
    LIMS_FIELD_END,
};

static const lims_error_t *advance(lims_request_t *rq)
{
    const lims_call_t calls[] = { { .statement = LIMS_STMT_SAMPLES_LOCK },
                                  { .statement = LIMS_STMT_SAMPLES_ADVANCE } };
    lims_result_t *results[2] = { NULL, NULL };
    const lims_error_t *error = lims_database_run(results, rq, calls, 2, 0);
    lims_writer_t *w;

    if (!error && lims_result_count(results[0]) > 0) {
        error = lims_client_error(rq->pool, LIMS_E_INVALID_REFERENCE,
                                  "sampleIds: there is no sample %s in your organization.",
                                  lims_result_get(results[0], 0, "id"));
    }
    if (error) {
        return error;
    }
    w = lims_writer_create(rq->pool);
    lims_writer_object_begin(w);
    lims_writer_key(w, "samples");
    lims_render_objects(w, advanced_fields, results[1], lims_result_count(results[1]), rq->pool);
    lims_writer_object_end(w);
    lims_render_finish(rq, w);
    return NULL;
}

static const lims_error_e errors[] = { LIMS_E_INVALID_REFERENCE, LIMS_E_COUNT };

static const lims_route_t routes[] = {
    { .method = "POST",
      .path = "/samples/advance",
      .command = "sample advance",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "advanceSamples",
      .summary = "Move samples to the status that their results have reached",
      .description = "A received sample with a first result goes to processing, one with a result "
                     "on every active test to completed, as by `PATCH /samples/{id}/status`. One "
                     "with a result that was sent back is not completed, nor one of a failed QC "
                     "batch.",
      .permission = "result.enter",
      .flags = LIMS_R_NO_RECORD,
      .input = advance_input,
      .output = advance_output,
      .status = 200,
      .handler = advance,
      .errors = errors },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_sample_advance = {
    .name = "sample",
    .title = "Samples",
    .schema = "Sample",
    .doc = "Sample sent by a client: the status that its results have reached.",
    .fields = lims_sample_fields,
    .routes = routes,
    .record = LIMS_STMT_SAMPLE_GET,
    .lock = LIMS_STMT_SAMPLE_LOCK,
    .nested = "tests",
    .nested_resource = &lims_sample_test,
    .nested_statement = LIMS_STMT_SAMPLE_TESTS,
};
