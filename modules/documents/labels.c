/* SPDX-License-Identifier: Apache-2.0 */
/*
 * labels.c - labels of samples, their containers, lots and storage locations: as a PDF for a
 * sheet or a roll, or as ZPL for a label printer. What a label says is lims.label
 * (sql/224_labels.sql); sizes are records of the laboratory (reference/label_sizes.c).
 */
#include "documents/labels.h"

#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "documents/documents.h"
#include "documents/zpl.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "service/service.h"

/* Most records of a request, as many as an order has samples, and most labels. */
#define RECORDS_MAX 200
#define LABELS_MAX 1000

static const char *const kinds[] = { "sample",    "container",        "reagent-lot",
                                     "media-lot", "storage-location", NULL };
static const char *const formats[] = { "pdf", "zpl", NULL };

static const lims_field_t query[] = {
    { .name = "of",
      .type = LIMS_T_ENUM,
      .values = kinds,
      .fallback = "sample",
      .doc = "Kind of the records. container: the containers of samples, as many labels for each "
             "sample as were received of it, numbered." },
    { .name = "ids",
      .type = LIMS_T_ID_LIST,
      .flags = LIMS_F_REQUIRED,
      .min = 1,
      .max = RECORDS_MAX,
      .doc = "Ids of the records, comma-separated, in the order in which the labels are printed.",
      .example = "[4217, 4218]" },
    { .name = "format",
      .type = LIMS_T_ENUM,
      .values = formats,
      .fallback = "pdf",
      .doc = "Form of the labels: pdf for sheets and for printers with a driver, zpl for label "
             "printers that are sent ZPL II." },
    { .name = "size",
      .type = LIMS_T_STRING,
      .min = 1,
      .max = 64,
      .doc = "Code of the label size. Without one, the first active sheet, and for ZPL the first "
             "active roll.",
      .example = "A4-21" },
    { .name = "skip",
      .type = LIMS_T_INTEGER,
      .max = 3599,
      .fallback = "0",
      .doc = "Number of labels already used on the first sheet. Ignored for ZPL." },
    LIMS_FIELD_END,
};

/* Labels that are to be printed, and the name of their file. */
typedef struct {
    const lims_label_t *labels;
    int count;
    const char *sheet; /* JSON */
    lims_zpl_size_t size;
    const char *size_code;
    const char *name;
} batch_t;

/* --- Labels of rows --------------------------------------------------------- */

/* Returns a small number of a row. */
static int number_of(const lims_result_t *rows, int row, const char *column)
{
    return (int)apr_atoi64(lims_result_get(rows, row, column));
}

/* Returns the lines of a text behind `first`, which may be NULL. */
static const char *const *lines_of(const char *first, const char *text, apr_pool_t *pool)
{
    apr_array_header_t *lines = apr_array_make(pool, 8, sizeof(const char *));
    char *rest = apr_pstrdup(pool, text), *line, *state = NULL;

    if (first) {
        APR_ARRAY_PUSH(lines, const char *) = first;
    }
    for (line = apr_strtok(rest, "\n", &state); line; line = apr_strtok(NULL, "\n", &state)) {
        APR_ARRAY_PUSH(lines, const char *) = line;
    }
    APR_ARRAY_PUSH(lines, const char *) = NULL;
    return (const char *const *)lines->elts;
}

/* Adds the labels of a row: one, or one for each container. */
static void add_labels(apr_array_header_t *labels, const lims_result_t *rows, int row,
                       bool containers, apr_pool_t *pool)
{
    int count = containers ? number_of(rows, row, "containers") : 1;

    for (int i = 1; i <= count && labels->nelts <= LABELS_MAX; i++) {
        const char *number = containers ? apr_psprintf(pool, "Container %d of %d", i, count) : NULL;

        APR_ARRAY_PUSH(labels, lims_label_t) = (lims_label_t){
            .code = lims_result_get(rows, row, "code"),
            .title = lims_result_get(rows, row, "title"),
            .lines = lines_of(number, lims_result_get(rows, row, "lines"), pool),
        };
    }
}

/* Returns the first of the ids that no row has: the rows are in the order of the ids. */
static const char *missing_id(const lims_result_t *rows, const char *ids, apr_pool_t *pool)
{
    char *state = NULL, *id = apr_strtok(apr_pstrdup(pool, ids), "{},", &state);
    int row = 0;

    while (id && row < lims_result_count(rows) &&
           strcmp(id, lims_result_get(rows, row, "id")) == 0) {
        id = apr_strtok(NULL, "{},", &state);
        row++;
    }
    return id;
}

static const lims_error_t *no_symbol(const lims_request_t *rq, const char *code)
{
    return lims_client_error(rq->pool, LIMS_E_DOCUMENT_FAILED,
                             "The code '%s' cannot be printed as a barcode: only letters, digits "
                             "and signs of ASCII can, at most %d of them. Give the record another "
                             "code.",
                             lims_excerpt(code, rq->pool), LIMS_LABEL_CODE_MAX);
}

static const lims_error_t *collect(batch_t *batch, const lims_request_t *rq,
                                   const lims_result_t *rows)
{
    const char *of = lims_values_get(rq->values, "of");
    const char *missing = missing_id(rows, lims_values_get(rq->values, "ids"), rq->pool);
    apr_array_header_t *labels = apr_array_make(rq->pool, 32, sizeof(lims_label_t));
    bool containers = strcmp(of, "container") == 0;

    if (missing) {
        char *noun = apr_pstrdup(rq->pool, containers ? "sample" : of), *dash = strchr(noun, '-');

        if (dash) {
            *dash = ' ';
        }
        return lims_client_error(rq->pool, LIMS_E_NOT_FOUND,
                                 "There is no %s %s in your organization.", noun, missing);
    }
    for (int i = 0; i < lims_result_count(rows); i++) {
        if (!lims_label_has_symbol(lims_result_get(rows, i, "code"))) {
            return no_symbol(rq, lims_result_get(rows, i, "code"));
        }
        add_labels(labels, rows, i, containers, rq->pool);
    }
    if (labels->nelts > LABELS_MAX) {
        return lims_client_error(rq->pool, LIMS_E_INVALID_QUERY,
                                 "These are more than 1,000 labels: print fewer at a time.");
    }
    batch->labels = (const lims_label_t *)labels->elts;
    batch->count = labels->nelts;
    return NULL;
}

static const lims_error_t *read_size(batch_t *batch, const lims_request_t *rq,
                                     const lims_result_t *row)
{
    const char *size = lims_values_get(rq->values, "size");
    bool pdf = strcmp(lims_values_get(rq->values, "format"), "pdf") == 0;

    if (lims_result_count(row) == 0) {
        return size ? lims_client_error(rq->pool, LIMS_E_NOT_FOUND,
                                        "There is no active label size %s in your organization.",
                                        lims_excerpt(size, rq->pool))
                    : lims_client_error(rq->pool, LIMS_E_NOT_FOUND,
                                        "There is no active label size in your organization.");
    }
    batch->sheet = lims_result_get(row, 0, "sheet");
    batch->size_code = lims_result_get(row, 0, "code");
    batch->size = (lims_zpl_size_t){ .width = strtod(lims_result_get(row, 0, "labelWidth"), NULL),
                                     .height = strtod(lims_result_get(row, 0, "labelHeight"), NULL),
                                     .dpi = number_of(row, 0, "dpi") };
    if (pdf && apr_atoi64(lims_values_get(rq->values, "skip")) >= number_of(row, 0, "places")) {
        return lims_client_error(rq->pool, LIMS_E_INVALID_QUERY,
                                 "skip: a sheet of %s has %s labels; fewer can be skipped.",
                                 batch->size_code, lims_result_get(row, 0, "places"));
    }
    return NULL;
}

static const lims_error_t *prepare_labels(lims_request_t *rq)
{
    const lims_call_t calls[] = { { .statement = LIMS_STMT_LABEL_LIST },
                                  { .statement = LIMS_STMT_LABEL_LIST_SIZE } };
    lims_result_t *results[LIMS_LENGTH(calls)] = { NULL };
    batch_t *batch = apr_pcalloc(rq->pool, sizeof(*batch));
    const lims_error_t *error = lims_service_read(results, rq, calls, LIMS_LENGTH(calls));

    if (!error) {
        error = read_size(batch, rq, results[1]);
    }
    if (!error) {
        error = collect(batch, rq, results[0]);
    }
    batch->name = apr_pstrcat(rq->pool, "labels.", lims_values_get(rq->values, "format"), NULL);
    rq->staged = batch;
    return error;
}

/* --- Printing ---------------------------------------------------------------- */

static void write_label(lims_writer_t *w, const lims_label_t *label)
{
    lims_writer_object_begin(w);
    lims_writer_key(w, "code");
    lims_writer_string(w, label->code);
    lims_writer_key(w, "symbology");
    lims_writer_string(w, "fitting");
    lims_writer_key(w, "title");
    lims_writer_string(w, label->title);
    lims_writer_key(w, "lines");
    lims_writer_array_begin(w);
    for (const char *const *line = label->lines; *line; line++) {
        lims_writer_string(w, *line);
    }
    lims_writer_array_end(w);
    lims_writer_object_end(w);
}

/* Returns the job of lims-print (print/README.md). */
static const char *job_of(const batch_t *batch, const char *skip, apr_pool_t *pool)
{
    lims_writer_t *w = lims_writer_create(pool);
    apr_size_t length;

    lims_writer_object_begin(w);
    lims_writer_key(w, "kind");
    lims_writer_string(w, "labels");
    lims_writer_key(w, "sheet");
    lims_writer_raw(w, batch->sheet);
    lims_writer_key(w, "skip");
    lims_writer_raw(w, skip);
    lims_writer_key(w, "labels");
    lims_writer_array_begin(w);
    for (int i = 0; i < batch->count; i++) {
        write_label(w, &batch->labels[i]);
    }
    lims_writer_array_end(w);
    lims_writer_object_end(w);
    return lims_writer_finish(&length, w);
}

static const lims_error_t *write_zpl(lims_request_t *rq, const batch_t *batch)
{
    apr_size_t length = 0;
    int too_long = 0;
    const char *zpl =
        lims_zpl_write(&length, &too_long, batch->labels, batch->count, &batch->size, rq->pool);

    if (!zpl) {
        return lims_client_error(
            rq->pool, LIMS_E_DOCUMENT_FAILED, "The code '%s' has no room on labels of size %s.",
            lims_excerpt(batch->labels[too_long].code, rq->pool), batch->size_code);
    }
    rq->reply->body = zpl;
    rq->reply->length = length;
    rq->reply->file_name = batch->name;
    rq->reply->media_type = "application/octet-stream";
    return NULL;
}

static const lims_error_t *print_labels(lims_request_t *rq)
{
    const batch_t *batch = rq->staged;
    const char *bytes = NULL;
    apr_size_t length = 0;
    const lims_error_t *error;

    if (strcmp(lims_values_get(rq->values, "format"), "zpl") == 0) {
        return write_zpl(rq, batch);
    }
    error = lims_print_pdf(&bytes, &length,
                           job_of(batch, lims_values_get(rq->values, "skip"), rq->pool), rq);
    if (!error) {
        lims_answer_with_pdf(rq, batch->name, bytes, length);
    }
    return error;
}

static const lims_error_e label_errors[] = { LIMS_E_NOT_FOUND, LIMS_E_DOCUMENT_FAILED,
                                             LIMS_E_COUNT };

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/labels",
      .command = "label print",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "printLabels",
      .summary = "Labels of samples, containers, lots or storage locations",
      .description = "A DataMatrix and, where there is room, bars of Code 128 with the code of the "
                     "record, which a reader sends to the scan box; the code in letters, with its "
                     "check character where it has one; and what people need to know of it. At "
                     "most 200 records and 1,000 labels. At the command line the bytes go to "
                     "standard output: `limsctl ... > labels.pdf`.",
      .permission = "data.read",
      .flags = LIMS_PDF_FLAGS | LIMS_R_ZPL,
      .query = query,
      .status = 200,
      .handler = prepare_labels,
      .work = print_labels,
      .errors = label_errors },
    LIMS_ROUTE_END,
};

static const lims_field_t no_fields[] = { LIMS_FIELD_END };

const lims_resource_t lims_label = {
    .name = "label",
    .title = "Labels",
    .schema = "Label",
    .doc = "Label of a record, to be printed.",
    .fields = no_fields,
    .routes = routes,
};
