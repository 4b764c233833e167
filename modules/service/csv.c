/* SPDX-License-Identifier: Apache-2.0 */
/* csv.c - writes rows of the database as a file for spreadsheets, one by one. */
#include "service/csv.h"

#include <apr_strings.h>
#include <string.h>

#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/json.h"
#include "kernel/record.h"
#include "kernel/time.h"
#include "service/service.h"
#include "service/spool.h"

/* A column of the file. */
typedef struct {
    const lims_field_t *field;
    const lims_field_t *member; /* of the object that the field is, or NULL */
    int column;                 /* of the rows; below 0: none */
} csv_column_t;

struct lims_csv_t {
    lims_request_t *rq;
    const lims_field_t *fields;
    int most; /* rows; 0: any number */
    int rows;
    const apr_array_header_t *columns; /* NULL: not known yet */
    lims_spool_t *spool;
    apr_array_header_t *line; /* that is being written */
    apr_pool_t *scratch;      /* of a row */
};

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

void lims_csv_cell(apr_array_header_t *line, const char *text)
{
    append(line, "\"", 1);
    if (text && is_formula(text)) {
        append(line, "'", 1);
    }
    for (; text && *text != '\0'; text++) {
        append(line, "\"\"", *text == '"' ? 2 : 0);
        append(line, text, *text == '"' ? 0 : 1);
    }
    append(line, "\"", 1);
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

/* Whether the parameter include asks for a field. */
static bool is_asked_for(const lims_request_t *rq, const lims_field_t *field)
{
    const char *include = lims_values_get(rq->values, "include");

    return (field->flags & LIMS_F_INCLUDED) != 0 && include && strcmp(include, field->include) == 0;
}

static const apr_array_header_t *find_columns(const lims_csv_t *csv, const lims_result_t *rows)
{
    apr_array_header_t *columns = apr_array_make(csv->rq->pool, 40, sizeof(csv_column_t));

    for (const lims_field_t *field = csv->fields; field->name; field++) {
        int column = lims_result_column(rows, field->name, 0);

        if ((field->flags & LIMS_F_DIGEST) != 0) {
            continue;
        }
        if ((field->flags & LIMS_F_OUT) != 0) {
            APR_ARRAY_PUSH(columns, csv_column_t) =
                (csv_column_t){ .field = field, .column = column };
        } else if (is_asked_for(csv->rq, field)) {
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
                       const lims_result_t *row, apr_pool_t *pool)
{
    for (int i = 0; i < columns->nelts; i++) {
        const csv_column_t *column = &APR_ARRAY_IDX(columns, i, csv_column_t);
        const char *text = lims_result_cell(row, 0, column->column);

        append(file, ",", i > 0 ? 1 : 0);
        lims_csv_cell(file, cell_text(column, text, pool));
    }
    append(file, "\r\n", 2);
}

static const lims_error_t *write_line(lims_csv_t *csv)
{
    const lims_error_t *error =
        lims_spool_write(csv->spool, csv->line->elts, (apr_size_t)csv->line->nelts);

    apr_array_clear(csv->line);
    return error;
}

const lims_error_t *lims_csv_head(lims_csv_t *csv, const lims_result_t *rest)
{
    if (csv->columns) {
        return NULL;
    }
    csv->columns = find_columns(csv, rest);
    append_header(csv->line, csv->columns);
    return write_line(csv);
}

const lims_error_t *lims_csv_begin(lims_csv_t **csv, lims_request_t *rq, const lims_field_t *fields,
                                   int most, const char *name)
{
    lims_csv_t *made = apr_pcalloc(rq->pool, sizeof(*made));

    *csv = made;
    made->rq = rq;
    made->fields = fields;
    made->most = most;
    made->line = apr_array_make(rq->pool, 4096, sizeof(char));
    apr_pool_create(&made->scratch, rq->pool);
    return lims_spool_open(&made->spool, name, rq->pool);
}

const lims_error_t *lims_csv_row(void *taker, const lims_result_t *row)
{
    lims_csv_t *csv = taker;
    const lims_error_t *error = lims_csv_head(csv, row);

    if (error) {
        return error;
    }
    if (csv->most && ++csv->rows > csv->most) {
        return lims_client_error(csv->rq->pool, LIMS_E_INVALID_QUERY,
                                 "There are more than 50,000 rows: ask for fewer by filters.");
    }
    append_row(csv->line, csv->columns, row, csv->scratch);
    apr_pool_clear(csv->scratch);
    return write_line(csv);
}

lims_spool_t *lims_csv_spool(const lims_csv_t *csv)
{
    return csv->spool;
}

const lims_error_t *lims_csv_end(lims_csv_t *csv, const lims_result_t *rest)
{
    const lims_error_t *error = lims_csv_head(csv, rest);

    return error ? error : lims_spool_answer(csv->rq->reply, csv->spool);
}

void lims_csv_page(lims_request_t *rq)
{
    lims_values_set(rq->values, "cursor", "0");
    lims_values_set(rq->values, "limit", APR_STRINGIFY(LIMS_CSV_ROWS_MAX));
}

const lims_error_t *lims_csv_list(lims_request_t *rq, lims_stmt_e list, const char *name)
{
    lims_csv_t *csv = NULL;
    lims_result_t *rest = NULL;
    const lims_error_t *error =
        lims_csv_begin(&csv, rq, rq->resource->fields, LIMS_CSV_ROWS_MAX, name);

    lims_csv_page(rq);
    if (!error) {
        const lims_call_t call = { .statement = list, .each = lims_csv_row, .taker = csv };

        error = lims_service_read(&rest, rq, &call, 1);
    }
    return error ? error : lims_csv_end(csv, rest);
}

const lims_error_t *lims_csv_export(lims_request_t *rq)
{
    return lims_csv_list(rq, lims_service_listed(rq),
                         apr_pstrcat(rq->pool, rq->route->list + 1, ".csv", NULL));
}
