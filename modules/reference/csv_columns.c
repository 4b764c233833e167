/* SPDX-License-Identifier: Apache-2.0 */
/* csv_columns.c - the columns of reference data in a CSV file. */
#include "reference/csv_columns.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

#include "kernel/error.h"
#include "profiles/decimal.h"
#include "reference/reference.h"

/* --- Nouns ---------------------------------------------------------------- */

typedef enum {
    NOUN_TEST_DEFINITION,
    NOUN_SPECIFICATION,
    NOUN_PANEL,
    NOUN_MATERIAL_TYPE,
    NOUN_PROJECT,
    NOUN_CLIENT,
    NOUN_STORAGE_LOCATION,
    NOUN_INSTRUMENT,
    NOUN_LABEL_SIZE,
    NOUN_COUNT
} noun_e;

const char *const lims_reference_nouns[] = {
    [NOUN_TEST_DEFINITION] = "test-definitions",
    [NOUN_SPECIFICATION] = "specifications",
    [NOUN_PANEL] = "panels",
    [NOUN_MATERIAL_TYPE] = "material-types",
    [NOUN_PROJECT] = "projects",
    [NOUN_CLIENT] = "clients",
    [NOUN_STORAGE_LOCATION] = "storage-locations",
    [NOUN_INSTRUMENT] = "instruments",
    [NOUN_LABEL_SIZE] = "label-sizes",
    [NOUN_COUNT] = NULL,
};

static const lims_resource_t *const resources[] = {
    [NOUN_TEST_DEFINITION] = &lims_test_definition,
    [NOUN_SPECIFICATION] = &lims_specification,
    [NOUN_PANEL] = &lims_panel,
    [NOUN_MATERIAL_TYPE] = &lims_material_type,
    [NOUN_PROJECT] = &lims_project,
    [NOUN_CLIENT] = &lims_client,
    [NOUN_STORAGE_LOCATION] = &lims_storage_location,
    [NOUN_INSTRUMENT] = &lims_instrument,
    [NOUN_LABEL_SIZE] = &lims_label_size,
};
_Static_assert(LIMS_LENGTH(resources) == NOUN_COUNT, "a resource for each noun");
_Static_assert(LIMS_LENGTH(lims_reference_nouns) == NOUN_COUNT + 1, "a name for each noun");

const lims_resource_t *lims_reference_resource(const char *noun)
{
    for (int i = 0; i < NOUN_COUNT; i++) {
        if (strcmp(lims_reference_nouns[i], noun) == 0) {
            return resources[i];
        }
    }
    return NULL;
}

/* --- Columns -------------------------------------------------------------- */

/* Members that are ids of other records, and what the file has instead. */
static const struct {
    const char *member;
    const char *heading;
    noun_e noun;
} references[] = {
    { "testDefinitionId", "testDefinition", NOUN_TEST_DEFINITION },
    { "testDefinitionIds", "testDefinitions", NOUN_TEST_DEFINITION },
    { "materialTypeId", "materialType", NOUN_MATERIAL_TYPE },
    { "projectId", "project", NOUN_PROJECT },
    { "clientId", "client", NOUN_CLIENT },
    { "parentId", "parent", NOUN_STORAGE_LOCATION },
    { "storageLocationId", "storageLocation", NOUN_STORAGE_LOCATION },
};

static lims_reference_column_t column_of(const lims_field_t *field, bool is_key)
{
    lims_reference_column_t column = { .field = field, .heading = field->name, .is_key = is_key };

    for (apr_size_t i = 0; i < LIMS_LENGTH(references); i++) {
        if (strcmp(references[i].member, field->name) == 0) {
            column.heading = references[i].heading;
            column.referred = lims_reference_nouns[references[i].noun];
        }
    }
    return column;
}

const apr_array_header_t *lims_reference_columns(const lims_resource_t *resource, apr_pool_t *pool)
{
    apr_array_header_t *columns = apr_array_make(pool, 24, sizeof(lims_reference_column_t));
    bool has_code = lims_field_find(resource->fields, "code");

    for (const lims_field_t *field = resource->fields; field->name; field++) {
        /* Records without a code are named by what never changes of them. */
        bool is_key =
            has_code ? strcmp(field->name, "code") == 0 : (field->flags & LIMS_F_UPDATE) == 0;

        if ((field->flags & LIMS_F_CREATE) != 0) {
            APR_ARRAY_PUSH(columns, lims_reference_column_t) = column_of(field, is_key);
        }
    }
    return columns;
}

/* --- Codes ---------------------------------------------------------------- */

static const char *entry(const char *noun, const char *name, apr_pool_t *pool)
{
    return apr_pstrcat(pool, noun, " ", name, NULL);
}

void lims_reference_codes_add(lims_reference_codes_t *codes, const char *noun, const char *id,
                              const char *code, apr_pool_t *pool)
{
    apr_hash_set(codes->ids, entry(noun, code, pool), APR_HASH_KEY_STRING, id);
    apr_hash_set(codes->codes, entry(noun, id, pool), APR_HASH_KEY_STRING, code);
}

lims_reference_codes_t *lims_reference_codes(const lims_result_t *rows, apr_pool_t *pool)
{
    lims_reference_codes_t *codes = apr_palloc(pool, sizeof(*codes));

    codes->ids = apr_hash_make(pool);
    codes->codes = apr_hash_make(pool);
    for (int i = 0; i < lims_result_count(rows); i++) {
        lims_reference_codes_add(codes, lims_result_get(rows, i, "noun"),
                                 lims_result_get(rows, i, "id"), lims_result_get(rows, i, "code"),
                                 pool);
    }
    return codes;
}

static const char *code_of(const lims_reference_column_t *column, const char *id,
                           const lims_reference_codes_t *codes, apr_pool_t *pool)
{
    return apr_hash_get(codes->codes, entry(column->referred, id, pool), APR_HASH_KEY_STRING);
}

/* --- From records to cells ------------------------------------------------- */

/* Returns "{1,2}" as the codes between semicolons. */
static const char *codes_text(const lims_reference_column_t *column, const char *list,
                              const lims_reference_codes_t *codes, apr_pool_t *pool)
{
    char *ids = apr_pstrmemdup(pool, list + 1, strlen(list) - 2), *last = NULL;
    const char *text = "";

    for (const char *id = apr_strtok(ids, ",", &last); id; id = apr_strtok(NULL, ",", &last)) {
        text = apr_pstrcat(pool, text, *text ? "; " : "", code_of(column, id, codes, pool), NULL);
    }
    return text;
}

const char *lims_reference_text(const lims_reference_column_t *column, const char *text,
                                const lims_reference_codes_t *codes, apr_pool_t *pool)
{
    if (!text) {
        return "";
    }
    if (column->referred) {
        return column->field->type == LIMS_T_ID_LIST ? codes_text(column, text, codes, pool)
                                                     : code_of(column, text, codes, pool);
    }
    if (column->field->type == LIMS_T_BOOLEAN) {
        return *text == 't' ? "true" : "false";
    }
    return text;
}

/* --- From cells to values -------------------------------------------------- */

static const char *trim(const char *text, apr_pool_t *pool)
{
    apr_size_t length;

    text += strspn(text, " \t\r\n");
    length = strlen(text);
    while (length > 0 && strchr(" \t\r\n", text[length - 1])) {
        length--;
    }
    return apr_pstrmemdup(pool, text, length);
}

/* Returns the text that somebody meant: without what a spreadsheet needs of it. */
static const char *meant(const lims_reference_column_t *column, const char *text, apr_pool_t *pool)
{
    char *plain;

    text = trim(text, pool);
    if (text[0] == '\'' && text[1] != '\0' && strchr("=+-@\t\r\n", text[1])) {
        text = trim(text + 1, pool);
    }
    if (column->field->type != LIMS_T_BOOLEAN) {
        return text;
    }
    plain = apr_pstrdup(pool, text); /* spreadsheets write TRUE */
    for (char *c = plain; *c; c++) {
        *c = (char)apr_tolower(*c);
    }
    return plain;
}

/* Gets the id of a code. */
static const lims_error_t *find_id(const char **id, const lims_reference_column_t *column,
                                   const char *code, const lims_reference_codes_t *codes,
                                   apr_pool_t *pool)
{
    *id = apr_hash_get(codes->ids, entry(column->referred, code, pool), APR_HASH_KEY_STRING);
    return *id ? NULL
               : lims_client_error(pool, LIMS_E_INVALID_REFERENCE,
                                   "%s: no record of %s has the code %s.", column->field->name,
                                   column->referred, lims_excerpt(code, pool));
}

/* Gets the ids, between commas, of the codes between semicolons. */
static const lims_error_t *find_ids(const char **ids, const lims_reference_column_t *column,
                                    const char *text, const lims_reference_codes_t *codes,
                                    apr_pool_t *pool)
{
    char *list = apr_pstrdup(pool, text), *last = NULL;
    const lims_error_t *error = NULL;

    *ids = "";
    for (char *code = apr_strtok(list, ";", &last); code && !error;
         code = apr_strtok(NULL, ";", &last)) {
        const char *id = NULL;

        error = find_id(&id, column, trim(code, pool), codes, pool);
        *ids = apr_pstrcat(pool, *ids, **ids ? "," : "", id, NULL);
    }
    return error;
}

const lims_error_t *lims_reference_value(lims_values_t *values,
                                         const lims_reference_column_t *column, const char *text,
                                         const lims_reference_codes_t *codes, apr_pool_t *pool)
{
    const lims_field_t *field = column->field;
    const lims_error_t *error = NULL;
    const char *plain = meant(column, text, pool);

    if (*plain == '\0' && field->fallback) {
        return NULL;
    }
    if (column->referred && *plain == '\0' && (field->flags & LIMS_F_NULLABLE) == 0) {
        return lims_client_error(pool, LIMS_E_INVALID_BODY, "%s: the code is missing.",
                                 field->name);
    }
    if (column->referred && *plain != '\0') {
        error = field->type == LIMS_T_ID_LIST ? find_ids(&plain, column, plain, codes, pool)
                                              : find_id(&plain, column, plain, codes, pool);
    }
    return error ? error : lims_field_text(values, field, plain, LIMS_E_INVALID_BODY, pool);
}

bool lims_reference_same(const lims_reference_column_t *column, const char *one, const char *other,
                         apr_pool_t *pool)
{
    lims_decimal_t number, subtrahend;

    if (!one || !other) {
        return one == other;
    }
    if (column->field->type == LIMS_T_DECIMAL && lims_decimal_parse(&number, one, pool) &&
        lims_decimal_parse(&subtrahend, other, pool)) {
        subtrahend.negative = !subtrahend.negative;
        return lims_decimal_add(&number, &subtrahend, pool).count == 0;
    }
    return strcmp(one, other) == 0;
}
