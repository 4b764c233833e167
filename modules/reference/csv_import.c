/* SPDX-License-Identifier: Apache-2.0 */
/* csv_import.c - writes the differences of a CSV file of reference data. */
#include "reference/csv_import.h"

#include <apr_hash.h>
#include <apr_strings.h>
#include <string.h>

#include "database/database.h"
#include "formats/delimited.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "reference/csv_columns.h"
#include "service/csv.h"

/* An import under way. */
typedef struct {
    lims_request_t *rq;
    apr_pool_t *pool; /* of the row at hand: one that is as it was leaves nothing behind */
    const char *noun;
    const lims_resource_t *resource;
    const apr_array_header_t *columns; /* lims_reference_column_t, of the noun */
    lims_reference_codes_t *codes;
    lims_result_t *records;                 /* that there were when it began */
    apr_hash_t *by_key;                     /* key -> row of .records, as int * */
    apr_hash_t *seen;                       /* key -> line of the file that had it, as int * */
    const lims_reference_column_t **headed; /* the column of each of the file, NULL: none */
    int width;                              /* number of columns of the file */
    lims_reference_outcome_t *outcome;
} import_t;

/* --- Mistakes --------------------------------------------------------------- */

static void add_mistake(const import_t *import, int row, const char *column, lims_error_e kind,
                        const char *message)
{
    if (import->outcome->mistakes->nelts < LIMS_REFERENCE_MISTAKES_MAX) {
        APR_ARRAY_PUSH(import->outcome->mistakes, lims_reference_mistake_t) =
            (lims_reference_mistake_t){
                .row = row, .column = column, .kind = kind, .message = message
            };
    }
}

/* Adds the refusal of a row, at the column of the member with whose name it begins. */
static void add_refusal(const import_t *import, int row, const lims_error_t *error)
{
    apr_size_t length = strcspn(error->message, " :.[");
    const char *heading = NULL, *message = error->message;

    for (int i = 0; i < import->columns->nelts; i++) {
        const lims_reference_column_t *column =
            &APR_ARRAY_IDX(import->columns, i, lims_reference_column_t);

        if (strlen(column->field->name) == length &&
            strncmp(column->field->name, message, length) == 0) {
            heading = column->heading;
        }
    }
    if (heading && strncmp(message + length, ": ", 2) == 0) {
        message += length + 2; /* the column says it */
    }
    add_mistake(import, row, heading, error->kind, message);
}

/* --- The file ---------------------------------------------------------------- */

static char find_delimiter(const lims_text_t *text)
{
    static const char candidates[] = { ',', ';', '\t' };
    apr_size_t first_line = strcspn(text->bytes, "\r\n");
    char delimiter = candidates[0];
    int most = 0;

    for (apr_size_t i = 0; i < sizeof(candidates); i++) {
        int count = 0;

        for (apr_size_t at = 0; at < first_line; at++) {
            count += text->bytes[at] == candidates[i] ? 1 : 0;
        }
        if (count > most) {
            most = count;
            delimiter = candidates[i];
        }
    }
    return delimiter;
}

static const lims_error_t *read_file(const lims_sheet_t **sheet, const char *bytes,
                                     apr_size_t length, apr_pool_t *pool)
{
    lims_reasons_t *reasons = lims_reasons_create(pool);
    lims_text_t text;

    *sheet = NULL;
    if (lims_encoding_decode(&text, bytes, length, LIMS_ENCODING_DEFAULT, reasons, pool)) {
        const lims_dialect_t dialect = { .delimiter = find_delimiter(&text), .quote = '"' };

        *sheet = lims_delimited_read(&text, &dialect, reasons, pool);
    }
    if (*sheet && (*sheet)->count > 0) {
        return NULL;
    }
    return lims_client_error(pool, LIMS_E_INVALID_BODY, "The file cannot be read: %s",
                             reasons->list->nelts > 0
                                 ? APR_ARRAY_IDX(reasons->list, 0, lims_reason_t).message
                                 : "it is empty.");
}

static bool is_blank(const char *text)
{
    return text[strspn(text, " \t\r\n")] == '\0';
}

static const lims_reference_column_t *find_column(const import_t *import, const char *heading)
{
    for (int i = 0; i < import->columns->nelts; i++) {
        const lims_reference_column_t *column =
            &APR_ARRAY_IDX(import->columns, i, lims_reference_column_t);

        if (apr_strnatcasecmp(column->heading, heading) == 0) {
            return column;
        }
    }
    return NULL;
}

static bool has_column(const import_t *import, const lims_reference_column_t *column, int until)
{
    for (int i = 0; i < until; i++) {
        if (import->headed[i] == column) {
            return true;
        }
    }
    return false;
}

static const char *headings(const import_t *import)
{
    const char *list = "";

    for (int i = 0; i < import->columns->nelts; i++) {
        list =
            apr_pstrcat(import->pool, list, i ? ", " : "",
                        APR_ARRAY_IDX(import->columns, i, lims_reference_column_t).heading, NULL);
    }
    return list;
}

/* Finds the column of each heading. */
static void read_heading(import_t *import, const lims_row_t *row)
{
    apr_pool_t *pool = import->pool;

    import->width = row->count;
    import->headed = apr_pcalloc(pool, sizeof(*import->headed) * (apr_size_t)(row->count + 1));
    for (int i = 0; i < row->count; i++) {
        const char *heading = row->cells[i].text + strspn(row->cells[i].text, " ");
        const lims_reference_column_t *column = find_column(import, heading);

        if (!column && !is_blank(heading)) {
            add_mistake(import, row->number, lims_excerpt(heading, pool), LIMS_E_INVALID_BODY,
                        apr_psprintf(pool,
                                     "There is no column of this name: the file's columns "
                                     "are %s.",
                                     headings(import)));
        } else if (column && has_column(import, column, i)) {
            add_mistake(import, row->number, column->heading, LIMS_E_INVALID_BODY,
                        "The column is there twice.");
        }
        import->headed[i] = column;
    }
    for (int i = 0; i < import->columns->nelts; i++) {
        const lims_reference_column_t *column =
            &APR_ARRAY_IDX(import->columns, i, lims_reference_column_t);

        if (column->is_key && (column->field->flags & LIMS_F_REQUIRED) != 0 &&
            !has_column(import, column, import->width)) {
            add_mistake(import, row->number, column->heading, LIMS_E_INVALID_BODY,
                        "The column is missing: it names the record of each row.");
        }
    }
}

/* --- Keys --------------------------------------------------------------------- */

/* Returns the key of a record's values: those of the columns that name it. */
static const char *key_of(const import_t *import, const lims_values_t *values)
{
    const char *key = "";

    for (int i = 0; i < import->columns->nelts; i++) {
        const lims_reference_column_t *column =
            &APR_ARRAY_IDX(import->columns, i, lims_reference_column_t);

        if (column->is_key) {
            const char *value = lims_values_get(values, column->field->name);

            key = apr_pstrcat(import->pool, key, value ? value : "", "\n", NULL);
        }
    }
    return key;
}

/* Returns how people call the record of these values. */
static const char *name_of(const import_t *import, const lims_values_t *values)
{
    apr_pool_t *pool = import->pool;
    const char *name = "";

    for (int i = 0; i < import->columns->nelts; i++) {
        const lims_reference_column_t *column =
            &APR_ARRAY_IDX(import->columns, i, lims_reference_column_t);
        const char *value = lims_values_get(values, column->field->name);

        if (column->is_key && value) {
            name = apr_pstrcat(pool, name, *name ? ", " : "",
                               lims_reference_text(column, value, import->codes, pool), NULL);
        }
    }
    return name;
}

static int *number(int value, apr_pool_t *pool)
{
    return apr_pmemdup(pool, &value, sizeof(value));
}

static void note_records(import_t *import)
{
    apr_pool_t *pool = import->pool;
    lims_values_t *values = lims_values_create(pool);

    import->by_key = apr_hash_make(pool);
    for (int row = 0; row < lims_result_count(import->records); row++) {
        for (int i = 0; i < import->columns->nelts; i++) {
            const lims_reference_column_t *column =
                &APR_ARRAY_IDX(import->columns, i, lims_reference_column_t);

            if (column->is_key) {
                lims_values_set(values, column->field->name,
                                lims_result_get(import->records, row, column->field->name));
            }
        }
        apr_hash_set(import->by_key, key_of(import, values), APR_HASH_KEY_STRING,
                     number(row, pool));
    }
}

/* --- Differences ---------------------------------------------------------------- */

/* Returns the cells of the file's row that differ from a record, and adds the values that
 * they are to become to `changed`. `records` NULL: a new record. */
static const apr_array_header_t *compare(lims_values_t *changed, const import_t *import,
                                         const lims_values_t *values, const lims_result_t *records,
                                         int row)
{
    apr_pool_t *pool = import->pool;
    apr_array_header_t *changes = apr_array_make(pool, 4, sizeof(lims_reference_change_t));
    lims_values_t *before = lims_values_create(pool);

    for (int i = 0; i < import->width; i++) {
        const lims_reference_column_t *column = import->headed[i];
        const char *name = column ? column->field->name : NULL;
        const char *value = column ? lims_values_get(values, name) : NULL;
        const char *old = column && records ? lims_result_get(records, row, name) : NULL;
        const char *text;

        if (!column || !lims_values_has(values, name)) {
            continue;
        }
        /* Both went the same way, from the text of a cell to a value. */
        text = lims_reference_text(column, old, import->codes, pool);
        (void)lims_reference_value(before, column, text, import->codes, pool);
        if (!lims_reference_same(column, lims_values_get(before, name), value, pool)) {
            lims_values_set(changed, name, value);
            APR_ARRAY_PUSH(changes, lims_reference_change_t) =
                (lims_reference_change_t){ .column = column->heading,
                                           .old = text,
                                           .new = lims_reference_text(column, value, import->codes,
                                                                      pool) };
        }
    }
    return changes;
}

static void add_difference(const import_t *import, int row, const lims_values_t *values,
                           bool created, const apr_array_header_t *changes)
{
    import->outcome->created += created ? 1 : 0;
    import->outcome->changed += created ? 0 : 1;
    APR_ARRAY_PUSH(import->outcome->differences, lims_reference_difference_t) =
        (lims_reference_difference_t){
            .row = row, .name = name_of(import, values), .created = created, .changes = changes
        };
}

/* Runs a statement for a row under a savepoint. `*result` is NULL where it was refused, which
 * is kept as a mistake. */
static const lims_error_t *attempt(lims_result_t **result, const import_t *import, int row,
                                   lims_stmt_e statement, const lims_values_t *values)
{
    const lims_call_t call = { .statement = statement, .values = values };
    const lims_error_t *error =
        lims_database_run(result, import->rq, &call, 1, LIMS_DB_SAVEPOINT | LIMS_DB_RELEASE);

    if (!error || !lims_error_is_refusal(error)) {
        return error;
    }
    *result = NULL;
    add_refusal(import, row, error);
    return lims_database_run(NULL, import->rq, NULL, 0, LIMS_DB_UNDO);
}

/* Returns the statement of the noun's first route of a method: its list, its creation, its
 * change. */
static lims_stmt_e statement_of(const import_t *import, const char *method)
{
    for (const lims_route_t *route = import->resource->routes; route->method; route++) {
        if (strcmp(route->method, method) == 0) {
            return route->statement;
        }
    }
    return LIMS_STMT_NONE;
}

static const lims_error_t *create(const import_t *import, int row, lims_values_t *values)
{
    const apr_array_header_t *changes =
        compare(lims_values_create(import->pool), import, values, NULL, 0);
    const lims_error_t *error = lims_values_complete(
        values, import->resource->fields, LIMS_F_CREATE, LIMS_E_INVALID_BODY, import->pool);
    const char *code = lims_values_get(values, "code");
    lims_result_t *made = NULL;

    if (error) {
        add_refusal(import, row, error);
        return NULL;
    }
    error = attempt(&made, import, row, statement_of(import, "POST"), values);
    if (!error && made) {
        add_difference(import, row, values, true, changes);
        if (code) {
            lims_reference_codes_add(import->codes, import->noun, lims_result_get(made, 0, "id"),
                                     code, import->rq->pool);
        }
    }
    return error;
}

/* Changes a record that differed when the import began: it is locked, and compared as it is
 * now. */
static const lims_error_t *change(const import_t *import, int row, lims_values_t *values,
                                  const char *id)
{
    lims_values_t *changed = lims_values_create(import->pool);
    const lims_call_t calls[] = { { .statement = import->resource->lock, .values = changed },
                                  { .statement = import->resource->record, .values = changed } };
    lims_result_t *found[2] = { NULL, NULL }, *made = NULL;
    const apr_array_header_t *changes;
    const lims_error_t *error;

    lims_values_set(changed, "id", id);
    error = lims_database_run(found, import->rq, calls, 2, 0);
    if (error) {
        return error;
    }
    if (lims_result_count(found[1]) == 0) {
        return create(import, row, values); /* it was deleted in between */
    }
    changes = compare(changed, import, values, found[1], 0);
    if (changes->nelts == 0) {
        import->outcome->unchanged++;
        return NULL;
    }
    error = attempt(&made, import, row, statement_of(import, "PATCH"), changed);
    if (!error && made) {
        add_difference(import, row, values, false, changes);
    }
    return error;
}

/* --- Rows ------------------------------------------------------------------------ */

/* Validates the cells of a row. False, with the mistakes, if there are any. */
static bool read_row(lims_values_t *values, const import_t *import, const lims_row_t *row)
{
    int before = import->outcome->mistakes->nelts;

    for (int i = 0; i < row->count || i < import->width; i++) {
        const lims_reference_column_t *column = i < import->width ? import->headed[i] : NULL;
        const char *text = lims_row_cell(row, i)->text;
        const lims_error_t *error = NULL;

        if (column) {
            error = lims_reference_value(values, column, text, import->codes, import->pool);
        } else if (!is_blank(text)) {
            add_mistake(import, row->number, NULL, LIMS_E_INVALID_BODY,
                        apr_psprintf(import->pool, "Cell %d has no heading.", i + 1));
        }
        if (error) {
            add_refusal(import, row->number, error);
        }
    }
    return import->outcome->mistakes->nelts == before;
}

/* Whether an earlier line is about the same record, which is a mistake. */
static bool is_repeated(const import_t *import, const lims_row_t *row, const char *key,
                        const lims_values_t *values)
{
    apr_pool_t *pool = import->rq->pool;
    const int *line = apr_hash_get(import->seen, key, APR_HASH_KEY_STRING);

    if (line) {
        add_mistake(
            import, row->number, NULL, LIMS_E_INVALID_BODY,
            apr_psprintf(pool, "Line %d is about %s, too.", *line, name_of(import, values)));
        return true;
    }
    apr_hash_set(import->seen, apr_pstrdup(pool, key), APR_HASH_KEY_STRING,
                 number(row->number, pool));
    return false;
}

static const lims_error_t *import_row(const import_t *import, const lims_row_t *row)
{
    lims_values_t *values = lims_values_create(import->pool);
    const char *key;
    const int *found;

    if (!read_row(values, import, row)) {
        return NULL;
    }
    key = key_of(import, values);
    if (is_repeated(import, row, key, values)) {
        return NULL;
    }
    found = apr_hash_get(import->by_key, key, APR_HASH_KEY_STRING);
    if (!found) {
        return create(import, row->number, values);
    }
    if (compare(lims_values_create(import->pool), import, values, import->records, *found)->nelts ==
        0) {
        import->outcome->unchanged++;
        return NULL;
    }
    return change(import, row->number, values, lims_result_get(import->records, *found, "id"));
}

static bool is_empty(const lims_row_t *row)
{
    for (int i = 0; i < row->count; i++) {
        if (!is_blank(row->cells[i].text)) {
            return false;
        }
    }
    return true;
}

static int findings(const import_t *import)
{
    return import->outcome->differences->nelts + import->outcome->mistakes->nelts;
}

static const lims_error_t *import_rows(import_t *import, const lims_sheet_t *sheet)
{
    const lims_error_t *error = NULL;

    for (int i = 1; i < sheet->count && !error; i++) {
        int before = findings(import);

        if (is_empty(&sheet->rows[i])) {
            continue;
        }
        apr_pool_create(&import->pool, import->rq->pool);
        error = import_row(import, &sheet->rows[i]);
        if (!error && findings(import) == before) {
            apr_pool_destroy(import->pool);
        }
        if (!error && import->outcome->differences->nelts > LIMS_REFERENCE_CHANGES_MAX) {
            error = lims_client_error(import->rq->pool, LIMS_E_INVALID_BODY,
                                      "More than %d rows are new or different: bring them in "
                                      "several files.",
                                      LIMS_REFERENCE_CHANGES_MAX);
        }
    }
    return error;
}

static const lims_error_t *read_records(import_t *import)
{
    lims_values_t *all = lims_values_create(import->pool);
    const lims_call_t calls[] = { { .statement = statement_of(import, "GET"), .values = all },
                                  { .statement = LIMS_STMT_REFERENCE_CODES, .values = all } };
    lims_result_t *results[2] = { NULL, NULL };
    const lims_error_t *error;

    lims_values_set(all, "cursor", "0");
    lims_values_set(all, "limit", APR_STRINGIFY(LIMS_CSV_ROWS_MAX));
    error = lims_database_run(results, import->rq, calls, 2, 0);
    if (!error && lims_result_count(results[0]) > LIMS_CSV_ROWS_MAX) {
        /* A row about one of the others would be taken for a new record. */
        error = lims_client_error(import->rq->pool, LIMS_E_INVALID_BODY,
                                  "There are more than 50,000 records: a file is not compared "
                                  "with so many. Add or change them one by one.");
    }
    if (!error) {
        import->records = results[0];
        import->codes = lims_reference_codes(results[1], import->pool);
        note_records(import);
    }
    return error;
}

const lims_error_t *lims_reference_import(lims_reference_outcome_t *outcome, lims_request_t *rq,
                                          const char *noun, const char *bytes, apr_size_t length)
{
    import_t import = { .rq = rq,
                        .pool = rq->pool,
                        .noun = noun,
                        .resource = lims_reference_resource(noun),
                        .seen = apr_hash_make(rq->pool),
                        .outcome = outcome };
    const lims_sheet_t *sheet = NULL;
    const lims_error_t *error = read_file(&sheet, bytes, length, rq->pool);

    outcome->differences = apr_array_make(rq->pool, 64, sizeof(lims_reference_difference_t));
    outcome->mistakes = apr_array_make(rq->pool, 16, sizeof(lims_reference_mistake_t));
    if (error) {
        return error;
    }
    import.columns = lims_reference_columns(import.resource, rq->pool);
    read_heading(&import, &sheet->rows[0]);
    if (outcome->mistakes->nelts > 0) {
        return NULL;
    }
    error = read_records(&import);
    return error ? error : import_rows(&import, sheet);
}
