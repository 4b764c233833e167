/* SPDX-License-Identifier: Apache-2.0 */
/* body.c - validation of a JSON body against a table of fields. */
#include "kernel/error.h"
#include "kernel/validate.h"

static const lims_error_t *validate_member(lims_values_t *values, const lims_field_t *field,
                                           unsigned flags, const lims_json_t *member,
                                           apr_pool_t *pool)
{
    lims_json_path_t path = { .pool = pool, .kind = LIMS_E_INVALID_BODY, .name = field->name };
    const lims_error_t *error;
    const char *text = NULL;

    if ((field->flags & flags) != flags || (field->flags & (LIMS_F_TOOL | LIMS_F_INNER)) != 0 ||
        field->type == LIMS_T_JSON) {
        return lims_field_elsewhere(field, pool);
    }
    if (member->type == LIMS_JSON_NULL) {
        if ((field->flags & LIMS_F_NULLABLE) == 0) {
            return lims_refuse(field, "null is not allowed", &path);
        }
        if (flags != LIMS_F_CREATE) {
            lims_values_put(values, field, NULL);
        }
        return NULL;
    }
    error = lims_validate(&text, field, member, &path);
    if (!error) {
        lims_values_put(values, field, text);
    }
    return error;
}

const lims_error_t *lims_field_body(lims_values_t *values, const lims_field_t *fields,
                                    unsigned flags, const lims_json_t *root, apr_pool_t *pool)
{
    if (!root || root->type != LIMS_JSON_OBJECT) {
        return lims_client_error(pool, LIMS_E_INVALID_BODY, "The body must be a JSON object");
    }
    if (flags == LIMS_F_UPDATE && root->count == 0) {
        return lims_client_error(pool, LIMS_E_NO_UPDATABLE_FIELDS,
                                 "The body names no field to change");
    }
    for (const lims_json_t *member = root->first; member; member = member->next) {
        const lims_field_t *field = lims_field_find(fields, member->name);
        const lims_error_t *error;

        if (!field) {
            return lims_client_error(pool, LIMS_E_INVALID_BODY, "%s is not a field known here",
                                     lims_excerpt(member->name, pool));
        }
        error = validate_member(values, field, flags, member, pool);
        if (error) {
            return error;
        }
    }
    return flags == LIMS_F_UPDATE
               ? NULL
               : lims_values_complete(values, fields, flags, LIMS_E_INVALID_BODY, pool);
}
