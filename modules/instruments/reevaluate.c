/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reevaluate.c - reads several quarantined files again, by today's profiles and records:
 * each is imported if nothing holds it any more, else it keeps the reasons that remain.
 */
#include <apr_strings.h>
#include <string.h>

#include "instruments/import.h"
#include "instruments/instruments.h"
#include "kernel/field.h"
#include "kernel/record.h"
#include "kernel/writer.h"
#include "service/service.h"

/* Most files in one call: all of them are in memory at once. */
#define FILES_MAX 10

static const lims_field_t input[] = {
    { .name = "cursor",
      .type = LIMS_T_INTEGER,
      .min = 0,
      .max = APR_INT64_MAX,
      .fallback = "0",
      .doc = "Cursor to go on from: nextCursor of the call before.",
      .example = "0" },
    { .name = "reasonCode",
      .type = LIMS_T_STRING,
      .min = 1,
      .max = 64,
      .doc = "Only files with a reason of this code.",
      .example = "unknown_tracking_id" },
    { .name = "dryRun",
      .type = LIMS_T_BOOLEAN,
      .fallback = "false",
      .doc = "Whether only to show the outcome and leave the files as they are." },
    LIMS_FIELD_END,
};

static const lims_field_t file_fields[] = {
    { .name = "id", .type = LIMS_T_ID, .flags = LIMS_F_OUT, .doc = "Id of the instrument file." },
    { .name = "fileName",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Name of the file, as its sender gave it." },
    { .name = "status",
      .type = LIMS_T_ENUM,
      .values = lims_instrument_file_statuses,
      .flags = LIMS_F_OUT,
      .doc = "Status of the file now; of a dry run, the status that it would get." },
    { .name = "reasons",
      .type = LIMS_T_JSON,
      .flags = LIMS_F_OUT,
      .doc = "Every reason that still holds the file, and every note about it." },
    LIMS_FIELD_END,
};

static const lims_field_t output[] = {
    { .name = "files",
      .type = LIMS_T_OBJECT_LIST,
      .flags = LIMS_F_OUT,
      .members = file_fields,
      .doc = "Files that were read again, in order of id: at most ten." },
    { .name = "nextCursor",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Cursor of the next call: the id of the last file." },
    { .name = "hasMore",
      .type = LIMS_T_BOOLEAN,
      .flags = LIMS_F_OUT,
      .doc = "Whether there are further files." },
    LIMS_FIELD_END,
};

/* State passed on from step to step. */
typedef struct {
    lims_import_t *imports[FILES_MAX];
    int count;
    bool more;
} several_t;

static const lims_error_t *check(lims_request_t *rq)
{
    const char *dry = lims_values_get(rq->values, "dryRun");

    rq->roll_back = dry && *dry == 't';
    rq->staged = apr_pcalloc(rq->pool, sizeof(several_t));
    return NULL;
}

static const lims_error_t *prepare(lims_request_t *rq)
{
    several_t *several = rq->staged;
    lims_result_t *held = NULL;
    const lims_error_t *error;

    lims_values_set(rq->values, "filesMax", apr_itoa(rq->pool, FILES_MAX));
    error = lims_database_call(&held, rq, LIMS_STMT_INSTRUMENT_FILES_HELD);
    several->count = 0;
    several->more = !error && lims_result_count(held) > FILES_MAX;
    for (int i = 0; !error && i < lims_result_count(held) && i < FILES_MAX; i++) {
        lims_import_t *import = lims_import_create(NULL, NULL, 0, NULL, rq->pool);

        error = lims_import_load(import, rq, lims_result_get(held, i, "id"));
        several->imports[several->count++] = import;
    }
    return error;
}

static const lims_error_t *work(lims_request_t *rq)
{
    several_t *several = rq->staged;

    for (int i = 0; i < several->count; i++) {
        lims_import_read(several->imports[i]);
    }
    return NULL;
}

static const char *cell(void *row, const char *name)
{
    return lims_result_get(row, 0, name);
}

/* A file that another process has decided about meanwhile is shown as it is. */
static const lims_error_t *decide(lims_request_t *rq, lims_writer_t *w, const lims_import_t *read)
{
    lims_import_t import = *read;
    lims_result_t *row = NULL;
    const lims_error_t *error = lims_import_decide(&import, rq, "quarantined", NULL, NULL);

    lims_values_set(rq->values, "id", import.id);
    if (!error) {
        error = lims_database_call(&row, rq, LIMS_STMT_INSTRUMENT_FILE_GET);
    }
    if (error) {
        return error;
    }
    lims_writer_object_begin(w);
    lims_record_write(w, file_fields, cell, row);
    lims_writer_object_end(w);
    return NULL;
}

static const lims_error_t *reevaluate(lims_request_t *rq)
{
    const several_t *several = rq->staged;
    lims_writer_t *w = lims_writer_create(rq->pool);
    const lims_error_t *error = NULL;

    lims_writer_object_begin(w);
    lims_writer_key(w, "files");
    lims_writer_array_begin(w);
    for (int i = 0; i < several->count && !error; i++) {
        error = decide(rq, w, several->imports[i]);
    }
    if (error) {
        return error;
    }
    lims_writer_array_end(w);
    lims_writer_key(w, "nextCursor");
    lims_writer_raw(w, several->count > 0 ? several->imports[several->count - 1]->id
                                          : lims_values_get(rq->values, "cursor"));
    lims_writer_key(w, "hasMore");
    lims_writer_boolean(w, several->more);
    lims_writer_object_end(w);
    lims_render_finish(rq, w);
    return NULL;
}

static const lims_route_t routes[] = {
    { .method = "POST",
      .path = "/instrument-files/reevaluate",
      .command = "instrument-file reevaluate-some",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "reevaluateInstrumentFiles",
      .summary = "Read quarantined files again, ten at a time",
      .description = "In order of id, from the cursor on, by today's profiles and records. A file "
                     "that nothing holds any more is imported; another keeps the reasons that "
                     "remain. limsctl instrument-file reevaluate-all reads every one.",
      .permission = "file.review",
      .flags = LIMS_R_NO_RECORD,
      .input = input,
      .output = output,
      .status = 200,
      .check = check,
      .prepare = prepare,
      .work = work,
      .handler = reevaluate },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_files_reevaluation = {
    .name = "instrument file",
    .title = "Instrument files",
    .schema = "InstrumentFile",
    .doc = "Files that instruments sent: reading several again.",
    .fields = lims_instrument_file_fields,
    .routes = routes,
};
