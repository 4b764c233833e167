/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.c - validation of values that come as text: query parameters, path segments,
 * command-line arguments and fallbacks. They are converted to JSON nodes of their field's
 * type, so that the same rules apply as to a JSON body.
 */
#include <apr_strings.h>
#include <string.h>

#include "kernel/error.h"
#include "kernel/utf8.h"
#include "kernel/validate.h"

static lims_json_t *scalar_node(lims_json_type_e type, const char *text, apr_pool_t *pool)
{
    lims_json_t *node = apr_pcalloc(pool, sizeof(*node));

    node->type = type;
    node->text = text;
    node->length = strlen(text);
    return node;
}

/* Makes an array of the elements of "1,2,3", of the type that the list has; "" is an
 * empty list, and in a list of places the word null is null. */
static lims_json_t *list_node(const lims_field_t *field, const char *text, apr_pool_t *pool)
{
    lims_json_type_e type = field->type == LIMS_T_ID_LIST ? LIMS_JSON_NUMBER : LIMS_JSON_STRING;
    lims_json_t *list = apr_pcalloc(pool, sizeof(*list));
    lims_json_t **end = &list->first;

    list->type = LIMS_JSON_ARRAY;
    while (text && *text != '\0') {
        const char *comma = strchr(text, ',');
        apr_size_t length = comma ? (apr_size_t)(comma - text) : strlen(text);

        *end = scalar_node(type, apr_pstrmemdup(pool, text, length), pool);
        if ((field->flags & LIMS_F_PLACES) && strcmp((*end)->text, "null") == 0) {
            (*end)->type = LIMS_JSON_NULL;
        }
        end = &(*end)->next;
        list->count++;
        text = comma ? comma + 1 : NULL;
    }
    return list;
}

/* Refuses a wrong value that is a list of enumerated ones by itself, in the words of a
 * parameter that takes one value: "status must be one of ...". */
static const lims_error_t *check_alone(const lims_field_t *field, const lims_json_t *list,
                                       const lims_json_path_t *path)
{
    lims_field_t alone = *field;
    const char *valid = NULL;

    if (!field->values || list->count != 1) {
        return NULL;
    }
    alone.type = LIMS_T_ENUM;
    return lims_validate_scalar(&valid, &alone, list->first, path);
}

const lims_error_t *lims_field_text(lims_values_t *values, const lims_field_t *field,
                                    const char *text, lims_error_e kind, apr_pool_t *pool)
{
    lims_json_path_t path = { .pool = pool, .kind = kind, .name = field->name };
    const lims_error_t *error = NULL;
    lims_json_t *node = NULL;
    const char *valid = NULL;

    if (!lims_utf8_valid(text, strlen(text))) {
        return lims_refuse(field, "it is not UTF-8", &path);
    }
    if (*text == '\0' && (field->flags & LIMS_F_NULLABLE) != 0) {
        lims_values_put(values, field, NULL);
        return NULL;
    }
    switch (field->type) {
    case LIMS_T_ID_LIST:
    case LIMS_T_STRING_LIST:
        node = list_node(field, text, pool);
        error = check_alone(field, node, &path);
        break;
    case LIMS_T_OBJECT:
    case LIMS_T_OBJECT_LIST:
        error = lims_json_parse(&node, text, strlen(text), pool);
        break;
    default:
        node = scalar_node(lims_field_json_type(field->type), text, pool);
        break;
    }
    if (!error) {
        error = lims_validate(&valid, field, node, &path);
    }
    if (!error) {
        lims_values_put(values, field, valid);
    }
    return error;
}

const lims_error_t *lims_field_id(const char **id, const char *segment, apr_pool_t *pool)
{
    static const lims_field_t field = { .name = "id", .type = LIMS_T_ID };
    lims_json_path_t path = { .pool = pool, .kind = LIMS_E_INVALID_ID, .name = "id" };
    lims_json_t *node = scalar_node(LIMS_JSON_NUMBER, segment, pool);
    const lims_error_t *error = lims_validate_scalar(id, &field, node, &path);

    if (!error) {
        *id = apr_pstrdup(pool, segment);
        return NULL;
    }
    *id = NULL;
    if (strpbrk(segment, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") && strchr(segment, '-')) {
        segment = lims_excerpt(segment, pool);
        return lims_client_error(
            pool, LIMS_E_INVALID_ID,
            "'%s' is not an id: ids are positive integers. To look up a tracking id: GET "
            "/samples?trackingId=%s.",
            segment, segment);
    }
    return lims_client_error(pool, LIMS_E_INVALID_ID,
                             "'%s' is not an id: ids are integers from 1 to "
                             "9223372036854775807.",
                             lims_excerpt(segment, pool));
}
