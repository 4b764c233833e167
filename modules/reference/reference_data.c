/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reference_data.c - reference data as files: out for a spreadsheet or another installation,
 * and back in after its differences were shown.
 */
#include <apr_strings.h>
#include <string.h>

#include "kernel/digest.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/writer.h"
#include "reference/csv_columns.h"
#include "reference/csv_import.h"
#include "reference/reference.h"
#include "service/content.h"
#include "service/csv.h"
#include "service/service.h"
#include "service/spool.h"

/* Maximum length of a file, in bytes. */
#define FILE_MAX (4 * 1024 * 1024)

static const lims_field_t change_fields[] = {
    { .name = "column",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Column of the file.",
      .example = "high" },
    { .name = "old",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Value that the record has, as the file would have it; empty: none.",
      .example = "10" },
    { .name = "new",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Value that it gets; empty: none.",
      .example = "12" },
    LIMS_FIELD_END,
};

static const char *const outcomes[] = { "created", "changed", NULL };

static const lims_field_t difference_fields[] = {
    { .name = "row",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Line of the file, from 1, where the row begins." },
    { .name = "name",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Name of the record: its code, or the codes of what it is about." },
    { .name = "outcome",
      .type = LIMS_T_ENUM,
      .values = outcomes,
      .flags = LIMS_F_OUT,
      .doc = "Whether there was no such record yet (created), or it differed (changed)." },
    { .name = "changes",
      .type = LIMS_T_OBJECT_LIST,
      .members = change_fields,
      .flags = LIMS_F_OUT,
      .doc = "Columns that differ." },
    LIMS_FIELD_END,
};

static const lims_field_t mistake_fields[] = {
    { .name = "row",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Line of the file, from 1, where the row begins." },
    { .name = "column",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Column of the file; null: the row as a whole." },
    { .name = "error",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Slug of the refusal that the record alone would have met.",
      .example = "invalid_reference" },
    { .name = "message",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Explanation for people. Its wording may change." },
    LIMS_FIELD_END,
};

static const lims_field_t import_output[] = {
    { .name = "valid",
      .type = LIMS_T_BOOLEAN,
      .flags = LIMS_F_OUT,
      .doc = "Whether the file can be imported as it is: always true of one that was." },
    { .name = "created",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Number of rows whose record is new." },
    { .name = "changed",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Number of rows whose record differs." },
    { .name = "unchanged",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Number of rows whose record is the same." },
    { .name = "differences",
      .type = LIMS_T_OBJECT_LIST,
      .members = difference_fields,
      .flags = LIMS_F_OUT,
      .doc = "Rows whose record is new or differs, in the order of the file." },
    { .name = "errors",
      .type = LIMS_T_OBJECT_LIST,
      .members = mistake_fields,
      .flags = LIMS_F_OUT,
      .doc = "Every mistake of every row, the first 1,000." },
    { .name = "contentHash",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Digest of the differences. The import that names it does these and no others." },
    LIMS_FIELD_END,
};

/* clang-format off */
#define NOUN_FIELD                                                                   \
    { .name = "noun",                                                                \
      .type = LIMS_T_ENUM,                                                           \
      .values = lims_reference_nouns,                                                      \
      .flags = LIMS_F_REQUIRED,                                                      \
      .doc = "Noun whose records the file has.",                                     \
      .example = "specifications" }
/* clang-format on */

static const lims_field_t export_query[] = { NOUN_FIELD, LIMS_FIELD_END };

static const lims_field_t import_input[] = {
    NOUN_FIELD,
    { .name = "content",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_FILE,
      .max = FILE_MAX,
      .doc = "CSV file in UTF-8, with a line of headings; or use contentBase64." },
    { .name = "contentBase64",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_FILE64,
      .max = FILE_MAX / 3 * 4,
      .doc = "Bytes of the file, in base64 without line breaks; its encoding is UTF-8, UTF-16 with "
             "a byte order mark, or Windows-1252." },
    { .name = "dryRun",
      .type = LIMS_T_BOOLEAN,
      .fallback = "false",
      .doc = "Whether to say only what would become different, and every mistake, and write "
             "nothing." },
    { .name = "contentHash",
      .type = LIMS_T_STRING,
      .min = 64,
      .max = 64,
      .pattern = "^[0-9a-f]*$",
      .doc = "Digest of a dry run of the file, its contentHash: nothing is written if the "
             "differences have become others since (412 precondition_failed)." },
    LIMS_FIELD_END,
};

/* --- Out ------------------------------------------------------------------------ */

static void append(apr_array_header_t *line, const char *text)
{
    for (; *text; text++) {
        APR_ARRAY_PUSH(line, char) = *text;
    }
}

static const lims_error_t *write_line(lims_spool_t *spool, apr_array_header_t *line)
{
    const lims_error_t *error;

    append(line, "\r\n");
    error = lims_spool_write(spool, line->elts, (apr_size_t)line->nelts);
    apr_array_clear(line);
    return error;
}

static const lims_error_t *write_row(lims_spool_t *spool, apr_array_header_t *line,
                                     const apr_array_header_t *columns,
                                     const lims_reference_codes_t *codes, const lims_result_t *rows,
                                     int row)
{
    apr_pool_t *scratch;
    const lims_error_t *error;

    apr_pool_create(&scratch, line->pool);
    for (int i = 0; i < columns->nelts; i++) {
        const lims_reference_column_t *column = &APR_ARRAY_IDX(columns, i, lims_reference_column_t);
        const char *value = lims_result_get(rows, row, column->field->name);

        append(line, i ? "," : "");
        lims_csv_cell(line, lims_reference_text(column, value, codes, scratch));
    }
    error = write_line(spool, line);
    apr_pool_destroy(scratch);
    return error;
}

static const lims_error_t *write_file(lims_request_t *rq, const lims_resource_t *resource,
                                      const lims_result_t *rows,
                                      const lims_reference_codes_t *codes)
{
    const apr_array_header_t *columns = lims_reference_columns(resource, rq->pool);
    apr_array_header_t *line = apr_array_make(rq->pool, 4096, sizeof(char));
    const char *name = apr_pstrcat(rq->pool, lims_values_get(rq->values, "noun"), ".csv", NULL);
    lims_spool_t *spool = NULL;
    const lims_error_t *error = lims_spool_open(&spool, name, rq->pool);

    for (int i = 0; i < columns->nelts; i++) {
        append(line, i ? "," : "");
        append(line, APR_ARRAY_IDX(columns, i, lims_reference_column_t).heading);
    }
    if (!error) {
        error = write_line(spool, line);
    }
    for (int row = 0; row < lims_result_count(rows) && !error; row++) {
        error = write_row(spool, line, columns, codes, rows, row);
    }
    return error ? error : lims_spool_answer(rq->reply, spool);
}

static const lims_error_t *export_file(lims_request_t *rq)
{
    const lims_resource_t *resource = lims_reference_resource(lims_values_get(rq->values, "noun"));
    lims_values_t *all = lims_values_create(rq->pool);
    const lims_call_t calls[] = { { .statement = resource->routes[0].statement, .values = all },
                                  { .statement = LIMS_STMT_REFERENCE_CODES, .values = all } };
    lims_result_t *results[2] = { NULL, NULL };
    const lims_error_t *error;

    lims_values_set(all, "cursor", "0");
    lims_values_set(all, "limit", APR_STRINGIFY(LIMS_CSV_ROWS_MAX));
    error = lims_service_read(results, rq, calls, 2);
    if (!error && lims_result_count(results[0]) > LIMS_CSV_ROWS_MAX) {
        error = lims_client_error(rq->pool, LIMS_E_INVALID_QUERY,
                                  "There are more than 50,000 records: a file has no more.");
    }
    return error ? error
                 : write_file(rq, resource, results[0], lims_reference_codes(results[1], rq->pool));
}

/* --- In ------------------------------------------------------------------------- */

static bool is_dry(const lims_request_t *rq)
{
    return *lims_values_get(rq->values, "dryRun") == 't';
}

/* A dry run keeps nothing, the record of an idempotency key included. */
static const lims_error_t *check_import(lims_request_t *rq)
{
    if (!lims_values_get(rq->values, "content") && !lims_values_get(rq->values, "contentBase64")) {
        return lims_client_error(rq->pool, LIMS_E_INVALID_BODY,
                                 "content or contentBase64 is missing: the file.");
    }
    rq->roll_back = is_dry(rq);
    return NULL;
}

static void write_text(lims_writer_t *w, const char *name, const char *text)
{
    lims_writer_key(w, name);
    lims_writer_string(w, text);
}

static void write_number(lims_writer_t *w, const char *name, int value)
{
    lims_writer_key(w, name);
    lims_writer_integer(w, value);
}

static void write_difference(lims_writer_t *w, const lims_reference_difference_t *difference)
{
    lims_writer_object_begin(w);
    write_number(w, "row", difference->row);
    write_text(w, "name", difference->name);
    write_text(w, "outcome", outcomes[difference->created ? 0 : 1]);
    lims_writer_key(w, "changes");
    lims_writer_array_begin(w);
    for (int i = 0; i < difference->changes->nelts; i++) {
        const lims_reference_change_t *change =
            &APR_ARRAY_IDX(difference->changes, i, lims_reference_change_t);

        lims_writer_object_begin(w);
        write_text(w, "column", change->column);
        write_text(w, "old", change->old);
        write_text(w, "new", change->new);
        lims_writer_object_end(w);
    }
    lims_writer_array_end(w);
    lims_writer_object_end(w);
}

static const char *differences_json(const lims_reference_outcome_t *outcome, apr_pool_t *pool)
{
    lims_writer_t *w = lims_writer_create(pool);
    apr_size_t length;

    lims_writer_array_begin(w);
    for (int i = 0; i < outcome->differences->nelts; i++) {
        write_difference(w, &APR_ARRAY_IDX(outcome->differences, i, lims_reference_difference_t));
    }
    lims_writer_array_end(w);
    return lims_writer_finish(&length, w);
}

/* Writes the mistakes; `paths`: their places as paths, "lines[3].high", as in every refusal. */
static const char *mistakes_json(const lims_reference_outcome_t *outcome, bool paths,
                                 apr_pool_t *pool)
{
    lims_writer_t *w = lims_writer_create(pool);
    apr_size_t length;

    lims_writer_array_begin(w);
    for (int i = 0; i < outcome->mistakes->nelts; i++) {
        const lims_reference_mistake_t *mistake =
            &APR_ARRAY_IDX(outcome->mistakes, i, lims_reference_mistake_t);

        lims_writer_object_begin(w);
        if (paths) {
            write_text(w, "path",
                       apr_psprintf(pool, "lines[%d]%s%s", mistake->row, mistake->column ? "." : "",
                                    mistake->column ? mistake->column : ""));
        } else {
            write_number(w, "row", mistake->row);
            write_text(w, "column", mistake->column);
        }
        write_text(w, "error", lims_error_kinds[mistake->kind].slug);
        write_text(w, "message", lims_sentence(mistake->message, pool));
        lims_writer_object_end(w);
    }
    lims_writer_array_end(w);
    return lims_writer_finish(&length, w);
}

/* Refuses a file with mistakes: nothing of it is written. */
static const lims_error_t *refuse(lims_request_t *rq, const lims_reference_outcome_t *outcome)
{
    const lims_reference_mistake_t *first =
        &APR_ARRAY_IDX(outcome->mistakes, 0, lims_reference_mistake_t);
    const char *members =
        apr_pstrcat(rq->pool, "\"errors\":", mistakes_json(outcome, true, rq->pool), NULL);

    return lims_client_error_with(rq->pool, LIMS_E_INVALID_BODY, members,
                                  "The file has mistakes, and nothing was written; the first, in "
                                  "line %d: %s",
                                  first->row, first->message);
}

static void answer(lims_request_t *rq, const lims_reference_outcome_t *outcome,
                   const char *differences, const char *hash)
{
    lims_writer_t *w = lims_writer_create(rq->pool);

    lims_writer_object_begin(w);
    lims_writer_key(w, "valid");
    lims_writer_boolean(w, outcome->mistakes->nelts == 0);
    write_number(w, "created", outcome->created);
    write_number(w, "changed", outcome->changed);
    write_number(w, "unchanged", outcome->unchanged);
    lims_writer_key(w, "differences");
    lims_writer_raw(w, differences);
    lims_writer_key(w, "errors");
    lims_writer_raw(w, mistakes_json(outcome, false, rq->pool));
    write_text(w, "contentHash", hash);
    lims_writer_object_end(w);
    lims_render_finish(rq, w);
}

/* Answers an import; an error has it rolled back. */
static const lims_error_t *judge(lims_request_t *rq, const lims_reference_outcome_t *outcome)
{
    const char *seen = lims_values_get(rq->values, "contentHash");
    const char *differences = differences_json(outcome, rq->pool);
    const char *hash =
        lims_sha256_hex(differences, strlen(differences), LIMS_SHA256_LENGTH, rq->pool);

    if (!hash) {
        return lims_no_digest(rq->pool);
    }
    if (!is_dry(rq) && outcome->mistakes->nelts > 0) {
        return refuse(rq, outcome);
    }
    if (!is_dry(rq) && seen && strcmp(seen, hash) != 0) {
        return lims_client_error(rq->pool, LIMS_E_PRECONDITION_FAILED,
                                 "The differences are no longer those that were shown: somebody "
                                 "changed records in between. Try the file again.");
    }
    answer(rq, outcome, differences, hash);
    return NULL;
}

static const lims_error_t *import_file(lims_request_t *rq)
{
    lims_reference_outcome_t outcome = { .created = 0 };
    const char *bytes = NULL;
    apr_size_t length = 0;
    const lims_error_t *error = lims_content_read(&bytes, &length, rq);

    if (!error) {
        error =
            lims_reference_import(&outcome, rq, lims_values_get(rq->values, "noun"), bytes, length);
    }
    return error ? error : judge(rq, &outcome);
}

/* --- Routes ---------------------------------------------------------------------- */

static const lims_error_e import_errors[] = { LIMS_E_PRECONDITION_FAILED, LIMS_E_PAYLOAD_TOO_LARGE,
                                              LIMS_E_COUNT };

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/reference-data/export",
      .command = "reference-data export",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "exportReferenceData",
      .summary = "Export the records of a noun of reference data as CSV",
      .description =
          "All records, also those that are not active, with codes in place of ids. The file goes "
          "to standard output: `limsctl ... > specifications.csv`. With --json it is in base64.",
      .permission = "data.read",
      .flags = LIMS_R_NO_RECORD | LIMS_R_DOCUMENT | LIMS_R_BYTES,
      .query = export_query,
      .status = 200,
      .handler = export_file },
    { .method = "POST",
      .path = "/reference-data/import",
      .command = "reference-data import",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "importReferenceData",
      .summary = "Import a CSV file of reference data: what is new or different in it",
      .description =
          "The file is as GET /reference-data/export makes it. A row whose code (of a "
          "specification: testDefinition, materialType and project) is known changes that record, "
          "any other makes one. Columns and records that the file does not have stay as they are. "
          "All of the file is done or nothing; at most 2,000 rows may be new or different.",
      .permission = "reference.manage",
      .flags = LIMS_R_NO_RECORD | LIMS_R_FILE,
      .input = import_input,
      .output = import_output,
      .status = 200,
      .check = check_import,
      .handler = import_file,
      .errors = import_errors },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_reference_data = {
    .name = "reference data",
    .title = "Reference data",
    .schema = "ReferenceDataDifference",
    .doc = "Row of a file of reference data whose record is new or differs.",
    .fields = difference_fields,
    .routes = routes,
};
