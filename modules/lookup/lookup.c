/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lookup.c - finds records by what is written on them: a scanned label, a number that the
 * client reads out.
 */
#include "lookup/lookup.h"

#include "database/database.h"
#include "kernel/record.h"
#include "service/service.h"

static const lims_field_t fields[] = {
    { .name = "noun",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Noun of the record, as limsctl spells it.",
      .example = "sample" },
    { .name = "id", .type = LIMS_T_ID, .flags = LIMS_F_OUT, .doc = "Id of the record." },
    { .name = "name",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Name of the record, for people." },
    LIMS_FIELD_END,
};

static const lims_field_t query[] = {
    { .name = "text",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_REQUIRED,
      .min = 1,
      .max = 400,
      .doc = "Tracking id in any case, with or without dashes; or sample identifier, external id, "
             "number or code.",
      .example = "LAB-26-0004217-K" },
    LIMS_FIELD_END,
};

static const lims_field_t output[] = {
    { .name = "data",
      .type = LIMS_T_OBJECT_LIST,
      .flags = LIMS_F_OUT,
      .members = fields,
      .doc = "Records that the text names, samples first." },
    { .name = "mistyped",
      .type = LIMS_T_BOOLEAN,
      .flags = LIMS_F_OUT,
      .doc = "Whether the text has the form of a tracking id with a wrong check character, and "
             "names nothing." },
    LIMS_FIELD_END,
};

static const lims_error_t *find(lims_request_t *rq)
{
    const lims_call_t calls[] = { { .statement = LIMS_STMT_LOOKUP_FIND },
                                  { .statement = LIMS_STMT_LOOKUP_IS_MISTYPED } };
    lims_result_t *results[LIMS_LENGTH(calls)] = { NULL };
    const lims_error_t *error = lims_service_read(results, rq, calls, LIMS_LENGTH(calls));
    lims_writer_t *w = lims_writer_create(rq->pool);
    int count;

    if (error) {
        return error;
    }
    count = lims_result_count(results[0]);
    lims_writer_object_begin(w);
    lims_writer_key(w, "data");
    lims_render_rows(w, rq->resource, results[0], count, rq->pool);
    lims_writer_key(w, "mistyped");
    lims_writer_boolean(w, count == 0 && lims_result_true(results[1], 0, "mistyped"));
    lims_writer_object_end(w);
    lims_render_finish(rq, w);
    return NULL;
}

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/lookup",
      .command = "lookup",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "lookUp",
      .summary = "Find records by what is written on them",
      .description = "Samples by tracking id, sample identifier or external id; orders, QC "
                     "batches, lots, certificates and investigations by number; clients, "
                     "projects, test definitions, material types, panels, storage locations, "
                     "instruments and profiles by code; instrument files by SHA-256. Users by "
                     "e-mail address, API keys by name or prefix and webhook endpoints by name, "
                     "for those who manage them.",
      .permission = "data.read",
      .flags = LIMS_R_NO_RECORD,
      .query = query,
      .output = output,
      .status = 200,
      .handler = find },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_lookup = {
    .name = "lookup",
    .title = "Lookup",
    .schema = "Found",
    .doc = "Record found by what is written on it.",
    .fields = fields,
    .routes = routes,
};
