/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reference_uses.c - what refers to a record of reference data, so that nobody deactivates it
 * unaware.
 */
#include <string.h>

#include "database/database.h"
#include "kernel/field.h"
#include "reference/reference.h"
#include "service/service.h"

/* Nouns whose records are referred to in more places than their own lists tell. */
enum { TEST_DEFINITION, MATERIAL_TYPE, PROJECT, CLIENT, STORAGE_LOCATION, INSTRUMENT, NOUN_COUNT };

static const char *const nouns[] = {
    [TEST_DEFINITION] = "test-definitions",
    [MATERIAL_TYPE] = "material-types",
    [PROJECT] = "projects",
    [CLIENT] = "clients",
    [STORAGE_LOCATION] = "storage-locations",
    [INSTRUMENT] = "instruments",
    [NOUN_COUNT] = NULL,
};

static const lims_stmt_e statements[] = {
    [TEST_DEFINITION] = LIMS_STMT_TEST_DEFINITION_USES,
    [MATERIAL_TYPE] = LIMS_STMT_MATERIAL_TYPE_USES,
    [PROJECT] = LIMS_STMT_PROJECT_USES,
    [CLIENT] = LIMS_STMT_CLIENT_USES,
    [STORAGE_LOCATION] = LIMS_STMT_STORAGE_LOCATION_USES,
    [INSTRUMENT] = LIMS_STMT_INSTRUMENT_USES,
};

_Static_assert(LIMS_LENGTH(statements) == NOUN_COUNT, "a statement for each noun");

static const lims_field_t fields[] = {
    { .name = "noun",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Noun of the records that refer to it, as it stands in paths.",
      .example = "sample-tests" },
    { .name = "count",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Number of these records, at most 1,000.",
      .example = "12" },
    { .name = "more",
      .type = LIMS_T_BOOLEAN,
      .flags = LIMS_F_OUT,
      .doc = "Whether there are more than are counted." },
    LIMS_FIELD_END,
};

static const lims_field_t query[] = {
    { .name = "noun",
      .type = LIMS_T_ENUM,
      .values = nouns,
      .flags = LIMS_F_REQUIRED,
      .doc = "Noun of the record.",
      .example = "test-definitions" },
    { .name = "id", .type = LIMS_T_ID, .flags = LIMS_F_REQUIRED, .doc = "Id of the record." },
    LIMS_FIELD_END,
};

static const lims_field_t output[] = {
    { .name = "data",
      .type = LIMS_T_OBJECT_LIST,
      .flags = LIMS_F_OUT,
      .members = fields,
      .doc = "Nouns with records that refer to it; empty: nothing does." },
    LIMS_FIELD_END,
};

static lims_stmt_e statement_of(const char *noun)
{
    int i = 0;

    while (strcmp(nouns[i], noun) != 0) {
        i++;
    }
    return statements[i];
}

static const lims_error_t *list(lims_request_t *rq)
{
    const lims_call_t call = { .statement = statement_of(lims_values_get(rq->values, "noun")) };
    lims_result_t *rows = NULL;
    const lims_error_t *error = lims_service_read(&rows, rq, &call, 1);
    lims_writer_t *w = lims_writer_create(rq->pool);

    if (error) {
        return error;
    }
    lims_writer_object_begin(w);
    lims_writer_key(w, "data");
    lims_render_rows(w, rq->resource, rows, lims_result_count(rows), rq->pool);
    lims_writer_object_end(w);
    lims_render_finish(rq, w);
    return NULL;
}

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/reference-data/uses",
      .command = "reference-data uses",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "listReferenceUses",
      .summary = "Count what refers to a record of reference data",
      .description = "Samples, tests, orders, batches and controls of any state; reference data "
                     "that is active.",
      .permission = "data.read",
      .flags = LIMS_R_NO_RECORD,
      .query = query,
      .output = output,
      .status = 200,
      .handler = list },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_reference_use = {
    .name = "reference use",
    .title = "Reference data",
    .schema = "ReferenceUse",
    .doc = "Records of a noun that refer to a record of reference data.",
    .fields = fields,
    .routes = routes,
};
