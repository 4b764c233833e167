/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file_review.c - what a person looks at who decides about files: how many there are of
 * each status, a file's cells as the reader sees them, and the tests that a row may be for.
 */
#include <apr_strings.h>
#include <stdlib.h>

#include "instruments/cells.h"
#include "instruments/import.h"
#include "instruments/instruments.h"
#include "kernel/base64.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/writer.h"
#include "service/service.h"

static const lims_field_t grid_query[] = {
    { .name = "sheet",
      .type = LIMS_T_STRING,
      .max = 255,
      .doc = "Name of the sheet; without it, every sheet that is not hidden." },
    { .name = "from",
      .type = LIMS_T_INTEGER,
      .min = 1,
      .max = LIMS_FILE_ROWS_MAX,
      .fallback = "1",
      .doc = "Number of the first row to show." },
    { .name = "rows",
      .type = LIMS_T_INTEGER,
      .min = 1,
      .max = LIMS_CELLS_ROWS_MAX,
      .fallback = "200",
      .doc = "Number of rows to show of each sheet." },
    LIMS_FIELD_END,
};

static const lims_field_t grid_output[] = {
    { .name = "sheets",
      .type = LIMS_T_OBJECT_LIST,
      .flags = LIMS_F_OUT,
      .members = lims_sheet_fields,
      .doc = "Sheets of the file; none where it cannot be read." },
    { .name = "problem",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Reason why the file cannot be read; null where it can." },
    LIMS_FIELD_END,
};

static const lims_field_t candidates_query[] = {
    { .name = "row",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_REQUIRED,
      .min = 1,
      .max = LIMS_FILE_ROWS_MAX,
      .doc = "Number of the row or line, from 1." },
    LIMS_FIELD_END,
};

static const lims_field_t candidates_output[] = {
    { .name = "readings",
      .type = LIMS_T_JSON,
      .flags = LIMS_F_OUT,
      .doc = "Values that are read from the row: sheet, column, trackingId, testCode, result, and "
             "candidates, the tests that each may be for: those of the sample that the row names, "
             "else the newest ones of received samples that are pending, those first whose "
             "tracking id differs in its check character alone (near), then those of a client "
             "(sameClient) or a day of collection (sameDay) of the samples that other rows name. "
             "A candidate has sampleTestId, sampleId, trackingId, sampleIdentifier, near, status, "
             "result, retestOf, clientName, collectionDate, sameClient and sameDay." },
    LIMS_FIELD_END,
};

static const lims_field_t counts_output[] = {
    { .name = "received",
      .type = LIMS_T_JSON,
      .flags = LIMS_F_OUT,
      .doc = "Number of files that are not yet read to their end." },
    { .name = "imported",
      .type = LIMS_T_JSON,
      .flags = LIMS_F_OUT,
      .doc = "Number of files that were imported." },
    { .name = "quarantined",
      .type = LIMS_T_JSON,
      .flags = LIMS_F_OUT,
      .doc = "Number of files that are held for a person to decide." },
    { .name = "rejected",
      .type = LIMS_T_JSON,
      .flags = LIMS_F_OUT,
      .doc = "Number of files that were rejected." },
    { .name = "released",
      .type = LIMS_T_JSON,
      .flags = LIMS_F_OUT,
      .doc = "Number of files that were released." },
    LIMS_FIELD_END,
};

/* --- Counts ---------------------------------------------------------------- */

static const lims_error_t *count_files(lims_request_t *rq)
{
    const lims_call_t call = { .statement = LIMS_STMT_INSTRUMENT_FILE_COUNTS };
    lims_result_t *rows = NULL;
    const lims_error_t *error = lims_service_read(&rows, rq, &call, 1);
    lims_writer_t *w = lims_writer_create(rq->pool);

    if (!error) {
        lims_render_counts(w, rows);
        lims_render_finish(rq, w);
        lims_render_etag(rq);
    }
    return error;
}

/* --- The grid -------------------------------------------------------------- */

static int number_of(const lims_request_t *rq, const char *name)
{
    return (int)strtol(lims_values_get(rq->values, name), NULL, 10);
}

static void write_grid(lims_request_t *rq, const char *bytes, apr_size_t length)
{
    const lims_cells_t which = { .sheet = lims_values_get(rq->values, "sheet"),
                                 .from = number_of(rq, "from"),
                                 .rows = number_of(rq, "rows") };
    lims_reasons_t *reasons = lims_reasons_create(rq->pool);
    const lims_document_t *document = lims_document_read(bytes, length, NULL, reasons, rq->pool);
    lims_writer_t *w = lims_writer_create(rq->pool);

    lims_writer_object_begin(w);
    lims_writer_key(w, "sheets");
    lims_cells_write(w, document, &which);
    lims_writer_key(w, "problem");
    lims_writer_string(w, document || reasons->list->nelts == 0
                              ? NULL
                              : APR_ARRAY_IDX(reasons->list, 0, lims_reason_t).message);
    lims_writer_object_end(w);
    lims_render_finish(rq, w);
}

static const lims_error_t *grid(lims_request_t *rq)
{
    lims_import_t *import = lims_import_create(NULL, NULL, 0, NULL, rq->pool);
    const lims_error_t *error = lims_import_load(import, rq, lims_values_get(rq->values, "id"));

    if (!error) {
        write_grid(rq, import->bytes, import->length);
    }
    return error;
}

/* --- Candidates ------------------------------------------------------------ */

/* The values of samples that are read from the row, as JSON. */
static const char *readings_of(const lims_import_t *import, int row, apr_pool_t *pool)
{
    const apr_array_header_t *list = import->readings->readings;
    lims_writer_t *w = lims_writer_create(pool);
    apr_size_t length = 0;

    lims_writer_array_begin(w);
    for (int i = 0; i < list->nelts; i++) {
        const lims_reading_t *each = &APR_ARRAY_IDX(list, i, lims_reading_t);

        if (each->row != row || each->control) {
            continue;
        }
        lims_writer_object_begin(w);
        lims_writer_key(w, "sheet");
        lims_writer_string(w, each->sheet);
        lims_writer_key(w, "column");
        lims_writer_integer(w, each->column);
        lims_writer_key(w, "trackingId");
        lims_writer_string(w, each->tracking_id);
        lims_writer_key(w, "testCode");
        lims_writer_string(w, each->test_code);
        lims_writer_key(w, "result");
        lims_writer_string(w, each->result);
        lims_writer_object_end(w);
    }
    lims_writer_array_end(w);
    return lims_writer_finish(&length, w);
}

/* The names of samples in the other rows, as a JSON array. */
static const char *named_beside(const lims_import_t *import, int row, apr_pool_t *pool)
{
    const apr_array_header_t *list = import->readings->readings;
    lims_writer_t *w = lims_writer_create(pool);
    apr_size_t length = 0;

    lims_writer_array_begin(w);
    for (int i = 0; i < list->nelts; i++) {
        const lims_reading_t *each = &APR_ARRAY_IDX(list, i, lims_reading_t);

        if (each->row != row && !each->control && each->tracking_id) {
            lims_writer_string(w, each->tracking_id);
        }
    }
    lims_writer_array_end(w);
    return lims_writer_finish(&length, w);
}

static const lims_error_t *candidates(lims_request_t *rq)
{
    const lims_call_t call = { .statement = LIMS_STMT_INSTRUMENT_FILE_CANDIDATES };
    lims_import_t *import = lims_import_create(NULL, NULL, 0, NULL, rq->pool);
    lims_result_t *found = NULL;
    const lims_error_t *error = lims_import_load(import, rq, lims_values_get(rq->values, "id"));
    lims_writer_t *w;

    if (error) {
        return error;
    }
    lims_import_read(import);
    lims_values_set(rq->values, "readings",
                    readings_of(import, number_of(rq, "row"), rq->pool));
    lims_values_set(rq->values, "named",
                    named_beside(import, number_of(rq, "row"), rq->pool));
    error = lims_service_read(&found, rq, &call, 1);
    if (error) {
        return error;
    }
    w = lims_writer_create(rq->pool);
    lims_writer_object_begin(w);
    lims_writer_key(w, "readings");
    lims_writer_raw(w, lims_result_get(found, 0, "readings"));
    lims_writer_object_end(w);
    lims_render_finish(rq, w);
    return NULL;
}

/* --- Routes --------------------------------------------------------------- */

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/instrument-files/counts",
      .command = "instrument-file counts",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "countInstrumentFiles",
      .summary = "Count the instrument files by status",
      .description = "Exact up to 10,000; more are the text `10,000+`.",
      .permission = "data.read",
      .flags = LIMS_R_DOCUMENT,
      .output = counts_output,
      .status = 200,
      .handler = count_files },
    { .method = "GET",
      .path = "/instrument-files/:id/grid",
      .command = "instrument-file grid",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "getInstrumentFileGrid",
      .summary = "Cells of an instrument file, as the reader sees them",
      .permission = "data.read",
      .flags = LIMS_R_NO_RECORD,
      .query = grid_query,
      .output = grid_output,
      .status = 200,
      .handler = grid },
    { .method = "GET",
      .path = "/instrument-files/:id/candidates",
      .command = "instrument-file candidates",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "listInstrumentFileCandidates",
      .summary = "Tests that a row of an instrument file may be for",
      .description = "A release names one of them (tests), or gives the sample's name in the file "
                     "an alias.",
      .permission = "data.read",
      .flags = LIMS_R_NO_RECORD,
      .query = candidates_query,
      .output = candidates_output,
      .status = 200,
      .handler = candidates },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_file_review = {
    .name = "instrument file",
    .title = "Instrument files",
    .schema = "InstrumentFile",
    .doc = "File that an instrument sent: its cells, and the tests that they may be for.",
    .fields = lims_instrument_file_fields,
    .routes = routes,
};
