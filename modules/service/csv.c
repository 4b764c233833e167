/* SPDX-License-Identifier: Apache-2.0 */
/* csv.c - writes rows of the database as a file for spreadsheets. */
#include "service/csv.h"

#include <apr_strings.h>
#include <string.h>

#include "kernel/base64.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/json.h"
#include "kernel/record.h"
#include "kernel/time.h"
#include "service/service.h"

const lims_field_t lims_csv_output[] = {
    { .name = "fileName",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Name of the file.",
      .example = "samples.csv" },
    { .name = "contentBase64",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Bytes of the file, in base64." },
    LIMS_FIELD_END,
};

/* A column of the file. */
typedef struct {
    const lims_field_t *field;
    const lims_field_t *member; /* of the object that the field is, or NULL */
    int column;                 /* of the rows; below 0: none */
} csv_column_t;

/* --- Text ----------------------------------------------------------------- */

static void append(apr_array_header_t *file, const char *text, apr_size_t length)
{
    for (apr_size_t i = 0; i < length; i++) {
        APR_ARRAY_PUSH(file, char) = text[i];
    }
}

/* Whether a text is a number as people write it, such as -0.25 or +1.5e-3. */
static bool is_number(const char *text)
{
    apr_size_t digits;

    text += *text == '-' || *text == '+' ? 1 : 0;
    digits = strspn(text, "0123456789");
    text += digits;
    if (*text == '.') {
        apr_size_t decimals = strspn(text + 1, "0123456789");

        digits += decimals;
        text += 1 + decimals;
    }
    if (digits > 0 && (*text == 'e' || *text == 'E')) {
        text += text[1] == '-' || text[1] == '+' ? 2 : 1;
        digits = strspn(text, "0123456789");
        text += digits;
    }
    return digits > 0 && *text == '\0';
}

static bool is_formula(const char *text)
{
    return *text != '\0' && strchr("=+-@\t\r\n", *text) && !is_number(text);
}

/* Appends a cell, quoted (RFC 4180, 2.5 to 2.7). */
static void append_cell(apr_array_header_t *file, const char *text)
{
    append(file, "\"", 1);
    if (text && is_formula(text)) {
        append(file, "'", 1);
    }
    for (; text && *text != '\0'; text++) {
        append(file, "\"\"", *text == '"' ? 2 : 0);
        append(file, text, *text == '"' ? 0 : 1);
    }
    append(file, "\"", 1);
}

/* --- Cells ---------------------------------------------------------------- */

static const char *json_text(const lims_field_t *field, const char *text, apr_pool_t *pool)
{
    lims_writer_t *w = lims_writer_create(pool);
    apr_size_t length;

    lims_record_write_value(w, field, text);
    return lims_writer_finish(&length, w);
}

/* Returns the text of a member of an object; NULL for null. */
static const char *member_text(const char *object, const char *name, apr_pool_t *pool)
{
    lims_json_t *node = NULL;
    const lims_json_t *member;

    if (lims_json_parse(&node, object, strlen(object), pool) || node->type != LIMS_JSON_OBJECT) {
        return NULL;
    }
    member = lims_json_member(node, name);
    return member && member->type != LIMS_JSON_NULL ? member->text : NULL;
}

static const char *cell_text(const csv_column_t *column, const char *text, apr_pool_t *pool)
{
    if (!text) {
        return NULL;
    }
    if (column->member) {
        return member_text(text, column->member->name, pool);
    }
    switch (column->field->type) {
    case LIMS_T_BOOLEAN:
        return text[0] == 't' ? "true" : "false";
    case LIMS_T_TIMESTAMP:
        return lims_time_from_database(text, pool);
    case LIMS_T_ID_LIST:
    case LIMS_T_STRING_LIST:
    case LIMS_T_JSON:
        return json_text(column->field, text, pool);
    default:
        return text;
    }
}

/* --- Columns -------------------------------------------------------------- */

/* Adds the columns of a member that include asked for: one for each member of its own. */
static void add_included(apr_array_header_t *columns, const lims_field_t *field, int column)
{
    if (!field->members) {
        APR_ARRAY_PUSH(columns, csv_column_t) = (csv_column_t){ .field = field, .column = column };
        return;
    }
    for (const lims_field_t *member = field->members; member->name; member++) {
        APR_ARRAY_PUSH(columns, csv_column_t) =
            (csv_column_t){ .field = field, .member = member, .column = column };
    }
}

/* Whether any row has a value there. */
static bool has_value(const lims_result_t *rows, int column)
{
    for (int i = 0; column >= 0 && i < lims_result_count(rows); i++) {
        if (lims_result_cell(rows, i, column)) {
            return true;
        }
    }
    return false;
}

static const apr_array_header_t *find_columns(const lims_field_t *fields, const lims_result_t *rows,
                                              apr_pool_t *pool)
{
    apr_array_header_t *columns = apr_array_make(pool, 40, sizeof(csv_column_t));

    for (const lims_field_t *field = fields; field->name; field++) {
        int column = lims_result_column(rows, field->name, 0);

        if ((field->flags & LIMS_F_DIGEST) != 0) {
            continue;
        }
        if ((field->flags & LIMS_F_OUT) != 0) {
            APR_ARRAY_PUSH(columns, csv_column_t) =
                (csv_column_t){ .field = field, .column = column };
        } else if ((field->flags & LIMS_F_INCLUDED) != 0 && has_value(rows, column)) {
            add_included(columns, field, column);
        }
    }
    return columns;
}

/* --- The file ------------------------------------------------------------- */

static void append_header(apr_array_header_t *file, const apr_array_header_t *columns)
{
    for (int i = 0; i < columns->nelts; i++) {
        const csv_column_t *column = &APR_ARRAY_IDX(columns, i, csv_column_t);

        append(file, ",", i > 0 ? 1 : 0);
        append(file, column->field->name, strlen(column->field->name));
        if (column->member) {
            append(file, ".", 1);
            append(file, column->member->name, strlen(column->member->name));
        }
    }
    append(file, "\r\n", 2);
}

static void append_row(apr_array_header_t *file, const apr_array_header_t *columns,
                       const lims_result_t *rows, int row, apr_pool_t *pool)
{
    for (int i = 0; i < columns->nelts; i++) {
        const csv_column_t *column = &APR_ARRAY_IDX(columns, i, csv_column_t);
        const char *text = column->column < 0 ? NULL : lims_result_cell(rows, row, column->column);

        append(file, ",", i > 0 ? 1 : 0);
        append_cell(file, cell_text(column, text, pool));
    }
    append(file, "\r\n", 2);
}

static const apr_array_header_t *write_file(const lims_request_t *rq, const lims_field_t *fields,
                                            const lims_result_t *rows)
{
    apr_array_header_t *file = apr_array_make(rq->pool, 65536, sizeof(char));
    const apr_array_header_t *columns = find_columns(fields, rows, rq->pool);
    apr_pool_t *scratch = NULL;

    apr_pool_create(&scratch, rq->pool);
    append_header(file, columns);
    for (int i = 0; i < lims_result_count(rows); i++) {
        append_row(file, columns, rows, i, scratch);
        apr_pool_clear(scratch);
    }
    apr_pool_destroy(scratch);
    return file;
}

void lims_csv_page(lims_request_t *rq)
{
    lims_values_set(rq->values, "cursor", "0");
    lims_values_set(rq->values, "limit", APR_STRINGIFY(LIMS_CSV_ROWS_MAX));
}

void lims_csv_write(lims_request_t *rq, const lims_field_t *fields, const lims_result_t *rows,
                    const char *name)
{
    const apr_array_header_t *file = write_file(rq, fields, rows);
    lims_writer_t *w = lims_writer_create(rq->pool);

    lims_writer_object_begin(w);
    lims_writer_key(w, "fileName");
    lims_writer_string(w, name);
    lims_writer_key(w, "contentBase64");
    lims_writer_string(w, lims_base64_encode(file->elts, (apr_size_t)file->nelts, rq->pool));
    lims_writer_object_end(w);
    lims_render_finish(rq, w);
}

const lims_error_t *lims_csv_answer(lims_request_t *rq, const lims_result_t *rows, const char *name)
{
    if (lims_result_count(rows) > LIMS_CSV_ROWS_MAX) {
        return lims_client_error(rq->pool, LIMS_E_INVALID_QUERY,
                                 "There are more than 50,000 rows: ask for fewer by filters.");
    }
    lims_csv_write(rq, rq->resource->fields, rows, name);
    return NULL;
}

const lims_error_t *lims_csv_list(lims_request_t *rq, lims_stmt_e list, const char *name)
{
    const lims_call_t call = { .statement = list };
    lims_result_t *rows = NULL;
    const lims_error_t *error;

    lims_csv_page(rq);
    error = lims_service_read(&rows, rq, &call, 1);
    return error ? error : lims_csv_answer(rq, rows, name);
}
