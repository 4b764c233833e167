/* SPDX-License-Identifier: Apache-2.0 */
/* release.c - readiness: lists what blocks the release of a sample. */
#include "release/release.h"

#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/vocabulary.h"
#include "kernel/writer.h"
#include "service/service.h"

static const lims_field_t finding_fields[] = {
    { .name = "category",
      .type = LIMS_T_ENUM,
      .values = lims_finding_categories,
      .flags = LIMS_F_OUT,
      .doc = "Category of the finding." },
    { .name = "severity",
      .type = LIMS_T_ENUM,
      .values = lims_finding_severities,
      .flags = LIMS_F_OUT,
      .doc =
          "Severity of the finding. blocking: the sample cannot be reported; warning: advisory." },
    { .name = "message",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Explanation for people. Its wording may change." },
    { .name = "clearedBy",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Action that clears the finding." },
    { .name = "sampleTestId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Id of the sample test concerned; null if none." },
    { .name = "qcBatchId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Id of the failed QC batch; null if none." },
    { .name = "mediaLotId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Id of the media lot that failed or is not released; null if none." },
    { .name = "reagentLotId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Id of the reagent lot that is not released; null if none." },
    { .name = "worksheetId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Id of the incomplete worksheet; null if none." },
    { .name = "approvalId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Id of the approval record that is open or was rejected; null if none." },
    { .name = "investigationId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Id of the open investigation; null if none." },
    LIMS_FIELD_END,
};

static const lims_resource_t finding = { .name = "finding",
                                         .title = "Release findings",
                                         .fields = finding_fields };

static const lims_field_t readiness_output[] = {
    { .name = "sampleId", .type = LIMS_T_ID, .flags = LIMS_F_OUT, .doc = "Id of the sample." },
    { .name = "releaseState",
      .type = LIMS_T_ENUM,
      .values = lims_release_states,
      .flags = LIMS_F_OUT,
      .doc = "Release state of the sample, derived from the findings." },
    { .name = "findings",
      .type = LIMS_T_OBJECT_LIST,
      .flags = LIMS_F_OUT,
      .members = finding_fields,
      .doc = "Findings about the release, the blocking ones first." },
    { .name = "lacks",
      .type = LIMS_T_STRING_LIST,
      .doc = "Acts on the way to the report that no active person can do under the "
             "organization's policies; absent where there are none." },
    LIMS_FIELD_END,
};

static void write_lacks(lims_writer_t *w, const lims_result_t *rows)
{
    if (lims_result_count(rows) == 0) {
        return;
    }
    lims_writer_key(w, "lacks");
    lims_writer_array_begin(w);
    for (int i = 0; i < lims_result_count(rows); i++) {
        lims_writer_string(w, lims_result_get(rows, i, "lack"));
    }
    lims_writer_array_end(w);
}

static const lims_error_t *readiness(lims_request_t *rq)
{
    const lims_call_t calls[] = { { .statement = LIMS_STMT_READINESS_STATE },
                                  { .statement = LIMS_STMT_READINESS_FINDINGS },
                                  { .statement = LIMS_STMT_READINESS_LACKS } };
    lims_result_t *results[3] = { NULL, NULL, NULL };
    const lims_error_t *error = lims_service_read(results, rq, calls, 3);
    lims_writer_t *w;

    if (error) {
        return error;
    }
    if (lims_result_count(results[0]) == 0) {
        return lims_client_error(rq->pool, LIMS_E_NOT_FOUND,
                                 "There is no sample %s in your organization.",
                                 lims_values_get(rq->values, "id"));
    }
    w = lims_writer_create(rq->pool);
    lims_writer_object_begin(w);
    lims_writer_key(w, "sampleId");
    lims_writer_raw(w, lims_result_get(results[0], 0, "id"));
    lims_writer_key(w, "releaseState");
    lims_writer_string(w, lims_result_get(results[0], 0, "releaseState"));
    lims_writer_key(w, "findings");
    lims_render_rows(w, &finding, results[1], lims_result_count(results[1]), rq->pool);
    write_lacks(w, results[2]);
    lims_writer_object_end(w);
    lims_render_finish(rq, w);
    return NULL;
}

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/samples/:id/readiness",
      .command = "sample readiness",
      .surfaces = LIMS_SURFACES_ALL,
      .operation = "getSampleReadiness",
      .summary = "List what blocks the release of a sample",
      .description = "The same findings decide the gates, the release state and the lifecycle "
                     "events. Nothing is reported by asking.",
      .scope = "samples:read",
      .permission = "data.read",
      .flags = LIMS_R_NO_RECORD,
      .output = readiness_output,
      .status = 200,
      .handler = readiness },
    LIMS_ROUTE_END,
};

static const lims_field_t no_fields[] = { LIMS_FIELD_END };

const lims_resource_t lims_release = {
    .name = "readiness",
    .title = "Readiness",
    .schema = "Readiness",
    .doc = "Release findings of a sample, which every gate goes by.",
    .fields = no_fields,
    .routes = routes,
};
