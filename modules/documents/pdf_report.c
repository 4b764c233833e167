/* SPDX-License-Identifier: Apache-2.0 */
/* pdf_report.c - lists and charts as PDF: the job that lims-print sets. */
#include "documents/pdf_report.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/writer.h"
#include "service/service.h"

struct lims_report_t {
    lims_request_t *rq;
    const char *name; /* of the file */
    lims_writer_t *w; /* the job */
};

const lims_error_e lims_report_errors[] = { LIMS_E_INVALID_QUERY, LIMS_E_DOCUMENT_FAILED,
                                            LIMS_E_COUNT };

/* --- Words ------------------------------------------------------------------ */

/* Returns the name of a member as a label: "Issued by" of issuedBy, "Client" of clientId. */
static const char *label_of(const lims_field_t *field, apr_pool_t *pool)
{
    apr_size_t length = strlen(field->name);
    apr_array_header_t *text = apr_array_make(pool, 32, sizeof(char));

    if (field->type == LIMS_T_ID && length > 2 && strcmp(field->name + length - 2, "Id") == 0) {
        length -= 2;
    }
    for (apr_size_t i = 0; i < length; i++) {
        char c = field->name[i];

        if (i > 0 && apr_isupper(c)) {
            APR_ARRAY_PUSH(text, char) = ' ';
        }
        APR_ARRAY_PUSH(text, char) = (char)(i == 0 ? apr_toupper(c) : apr_tolower(c));
    }
    APR_ARRAY_PUSH(text, char) = '\0';
    return text->elts;
}

/* Returns the words of an enumeration's value: "on hold" of on_hold. */
static const char *words_of(const char *value, apr_pool_t *pool)
{
    char *words = apr_pstrdup(pool, value);

    for (char *c = strchr(words, '_'); c; c = strchr(c, '_')) {
        *c = ' ';
    }
    return words;
}

/* Returns the elements of an array's text, "{a,b}", as "a, b". */
static const char *elements_of(const char *array, apr_pool_t *pool)
{
    apr_array_header_t *text = apr_array_make(pool, 64, sizeof(char));

    for (const char *c = array; *c; c++) {
        if (*c == ',') {
            APR_ARRAY_PUSH(text, char) = ',';
            APR_ARRAY_PUSH(text, char) = ' ';
        } else if (!strchr("{}\"", *c)) {
            APR_ARRAY_PUSH(text, char) = *c;
        }
    }
    APR_ARRAY_PUSH(text, char) = '\0';
    return text->elts;
}

/* Whether the database says the value in words: a time, or the id of another record. */
static const char *kind_of(const lims_field_t *field)
{
    switch (field->type) {
    case LIMS_T_TIMESTAMP:
    case LIMS_T_MOMENT:
    case LIMS_T_MOMENT_END:
        return "time";
    case LIMS_T_ID:
        return strcmp(field->name, "id") == 0 ? NULL : "id";
    default:
        return NULL;
    }
}

/* Returns a value that needs no database in words. */
static const char *text_of(const lims_field_t *field, const char *value, apr_pool_t *pool)
{
    switch (field->type) {
    case LIMS_T_BOOLEAN:
        return value[0] == 't' ? "yes" : "no";
    case LIMS_T_ENUM:
        return words_of(value, pool);
    case LIMS_T_STRING_LIST:
    case LIMS_T_ID_LIST:
        return words_of(elements_of(value, pool), pool);
    default:
        return value;
    }
}

/* --- Values ----------------------------------------------------------------- */

/* Values that the database says in words, in the order in which they are needed. */
typedef struct {
    lims_writer_t *asked;
    lims_result_t *told;
    int count;
    int next;
} values_t;

static values_t begin_values(apr_pool_t *pool)
{
    values_t values = { .asked = lims_writer_create(pool) };

    lims_writer_array_begin(values.asked);
    return values;
}

static void ask_value(values_t *values, const lims_field_t *field, const char *value)
{
    const char *kind = value ? kind_of(field) : NULL;

    if (kind) {
        lims_writer_array_begin(values->asked);
        lims_writer_string(values->asked, kind);
        lims_writer_string(values->asked, field->name);
        lims_writer_string(values->asked, value);
        lims_writer_array_end(values->asked);
        values->count++;
    }
}

static const lims_error_t *find_values(values_t *values, lims_request_t *rq)
{
    lims_values_t *bound = lims_values_create(rq->pool);
    const lims_call_t call = { .statement = LIMS_STMT_REPORT_VALUES, .values = bound };
    apr_size_t length = 0;

    if (values->count == 0) {
        return NULL;
    }
    lims_writer_array_end(values->asked);
    lims_values_set(bound, "cells", lims_writer_finish(&length, values->asked));
    return lims_service_read(&values->told, rq, &call, 1);
}

/* Returns the text of a value. Must be called in the same order as ask_value(), which
 * requested the texts. */
static const char *take_value(values_t *values, const lims_field_t *field, const char *value,
                              apr_pool_t *pool)
{
    if (!value) {
        return "";
    }
    if (!kind_of(field)) {
        return text_of(field, value, pool);
    }
    value = lims_result_cell(values->told, values->next++, 0);
    return value ? value : "";
}

/* --- The head --------------------------------------------------------------- */

static const char *filter_value(const lims_request_t *rq, const lims_field_t *field)
{
    static const char *const paging[] = { "cursor", "limit", "order", "include" };

    for (apr_size_t i = 0; i < LIMS_LENGTH(paging); i++) {
        if (strcmp(field->name, paging[i]) == 0) {
            return NULL;
        }
    }
    return lims_values_get(rq->values, field->name);
}

/* Says in words by what the rows were chosen. */
static const lims_error_t *find_filters(const char **words, lims_request_t *rq)
{
    values_t values = begin_values(rq->pool);
    const lims_error_t *error;

    *words = "";
    for (const lims_field_t *field = rq->route->query; field && field->name; field++) {
        ask_value(&values, field, filter_value(rq, field));
    }
    error = find_values(&values, rq);
    for (const lims_field_t *field = rq->route->query; !error && field && field->name; field++) {
        const char *value = filter_value(rq, field);

        if (value) {
            *words = apr_pstrcat(rq->pool, *words, **words ? "; " : "", label_of(field, rq->pool),
                                 ": ", take_value(&values, field, value, rq->pool), NULL);
        }
    }
    return error;
}

const lims_error_t *lims_report_begin(lims_report_t **report, lims_request_t *rq, const char *title,
                                      const char *name)
{
    static const char *const members[] = { "laboratory", "madeAt" };
    const lims_call_t call = { .statement = LIMS_STMT_REPORT_HEAD };
    lims_report_t *made = apr_pcalloc(rq->pool, sizeof(*made));
    lims_result_t *head = NULL;
    const char *filters = NULL;
    const lims_error_t *error = lims_service_read(&head, rq, &call, 1);

    *report = made;
    *made = (lims_report_t){ .rq = rq, .name = name, .w = lims_writer_create(rq->pool) };
    if (!error) {
        error = find_filters(&filters, rq);
    }
    if (error) {
        return error;
    }
    lims_writer_object_begin(made->w);
    lims_writer_key(made->w, "kind");
    lims_writer_string(made->w, "report");
    lims_writer_key(made->w, "title");
    lims_writer_string(made->w, title);
    lims_writer_key(made->w, "subtitle");
    lims_writer_string(made->w, filters);
    lims_writer_key(made->w, "orientation");
    lims_writer_string(made->w, "landscape");
    for (apr_size_t i = 0; i < LIMS_LENGTH(members); i++) {
        lims_writer_key(made->w, members[i]);
        lims_writer_string(made->w, lims_result_get(head, 0, members[i]));
    }
    lims_writer_key(made->w, "blocks");
    lims_writer_array_begin(made->w);
    return NULL;
}

/* --- Blocks ----------------------------------------------------------------- */

void lims_report_facts(lims_report_t *report, const char *const *pairs)
{
    lims_writer_t *w = report->w;

    lims_writer_object_begin(w);
    lims_writer_key(w, "type");
    lims_writer_string(w, "facts");
    lims_writer_key(w, "items");
    lims_writer_array_begin(w);
    for (; pairs[0]; pairs += 2) {
        if (pairs[1]) {
            lims_writer_object_begin(w);
            lims_writer_key(w, "label");
            lims_writer_string(w, pairs[0]);
            lims_writer_key(w, "value");
            lims_writer_string(w, pairs[1]);
            lims_writer_object_end(w);
        }
    }
    lims_writer_array_end(w);
    lims_writer_object_end(w);
}

void lims_report_block(lims_report_t *report, const char *json)
{
    lims_writer_raw(report->w, json);
}

/* Returns the fields of a table's columns, NULL at the end. */
static const lims_field_t *const *fields_of(const lims_field_t *fields, const char *const *columns,
                                            apr_pool_t *pool)
{
    apr_array_header_t *found = apr_array_make(pool, 16, sizeof(const lims_field_t *));

    for (; *columns; columns++) {
        APR_ARRAY_PUSH(found, const lims_field_t *) = lims_field_find(fields, *columns);
    }
    APR_ARRAY_PUSH(found, const lims_field_t *) = NULL;
    return (const lims_field_t *const *)(const void *)found->elts;
}

static void write_heads(lims_writer_t *w, const lims_field_t *const *fields, apr_pool_t *pool)
{
    lims_writer_key(w, "columns");
    lims_writer_array_begin(w);
    for (; *fields; fields++) {
        lims_type_e type = (*fields)->type;

        lims_writer_object_begin(w);
        lims_writer_key(w, "title");
        lims_writer_string(w, label_of(*fields, pool));
        if (type == LIMS_T_DECIMAL || type == LIMS_T_INTEGER) {
            lims_writer_key(w, "align");
            lims_writer_string(w, type == LIMS_T_DECIMAL ? "decimal" : "right");
        }
        lims_writer_object_end(w);
    }
    lims_writer_array_end(w);
}

static void write_rows(lims_writer_t *w, const lims_field_t *const *fields,
                       const lims_result_t *rows, values_t *values, apr_pool_t *pool)
{
    lims_writer_key(w, "rows");
    lims_writer_array_begin(w);
    for (int row = 0; row < lims_result_count(rows); row++) {
        lims_writer_array_begin(w);
        for (int i = 0; fields[i]; i++) {
            lims_writer_string(w, take_value(values, fields[i],
                                             lims_result_get(rows, row, fields[i]->name), pool));
        }
        lims_writer_array_end(w);
    }
    lims_writer_array_end(w);
}

const lims_error_t *lims_report_table(lims_report_t *report, const lims_field_t *fields,
                                      const char *const *columns, const lims_result_t *rows)
{
    lims_request_t *rq = report->rq;
    lims_writer_t *w = report->w;
    const lims_field_t *const *shown = fields_of(fields, columns, rq->pool);
    values_t values = begin_values(rq->pool);
    const lims_error_t *error;

    if (lims_result_count(rows) > LIMS_REPORT_ROWS_MAX) {
        return lims_client_error(rq->pool, LIMS_E_INVALID_QUERY,
                                 "There are more than 2,000 rows, which is too long for paper: ask "
                                 "for fewer by filters, or for the CSV file.");
    }
    for (int row = 0; row < lims_result_count(rows); row++) {
        for (int i = 0; shown[i]; i++) {
            ask_value(&values, shown[i], lims_result_get(rows, row, shown[i]->name));
        }
    }
    error = find_values(&values, rq);
    if (error) {
        return error;
    }
    lims_writer_object_begin(w);
    lims_writer_key(w, "type");
    lims_writer_string(w, "table");
    write_heads(w, shown, rq->pool);
    write_rows(w, shown, rows, &values, rq->pool);
    lims_writer_object_end(w);
    return NULL;
}

/* --- The whole -------------------------------------------------------------- */

const lims_error_t *lims_report_end(lims_report_t *report)
{
    apr_size_t length = 0;

    lims_writer_array_end(report->w);
    lims_writer_object_end(report->w);
    lims_print_later(report->rq, lims_writer_finish(&length, report->w), report->name);
    return NULL;
}
