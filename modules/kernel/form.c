/* SPDX-License-Identifier: Apache-2.0 */
/*
 * form.c - validation of the parts of a form against a table of fields.
 */
#include "kernel/form.h"

#include <string.h>

#include "kernel/error.h"
#include "kernel/validate.h"

/* Name of a file that is sent without one. */
#define NAMELESS "unnamed"

const char *lims_form_file(const lims_field_t *fields)
{
    for (const lims_field_t *field = fields; field && field->name; field++) {
        if (field->type == LIMS_T_FILE) {
            return field->name;
        }
    }
    return NULL;
}

static lims_upload_t *make_upload(const lims_part_t *part, apr_pool_t *pool)
{
    lims_upload_t *file = apr_palloc(pool, sizeof(*file));

    file->name = part->file_name ? part->file_name : NAMELESS;
    file->bytes = part->bytes;
    file->length = part->length;
    return file;
}

static const lims_error_t *validate_part(lims_values_t *values, const lims_field_t *field,
                                         const lims_part_t *part, apr_pool_t *pool)
{
    if (part->file_name) {
        return lims_client_error(pool, LIMS_E_INVALID_BODY, "%s must be a text, not a file",
                                 field->name);
    }
    if (strlen(part->bytes) != part->length) {
        return lims_client_error(pool, LIMS_E_INVALID_BODY, "%s has a NUL character", field->name);
    }
    return lims_field_text(values, field, part->bytes, LIMS_E_INVALID_BODY, pool);
}

const lims_error_t *lims_form_take(const lims_upload_t **file, lims_values_t *values,
                                   const lims_field_t *fields, const apr_array_header_t *parts,
                                   apr_pool_t *pool)
{
    const char *file_name = lims_form_file(fields);
    const lims_part_t *sent = file_name ? lims_multipart_find(parts, file_name) : NULL;
    const lims_error_t *error = NULL;

    *file = sent ? make_upload(sent, pool) : NULL;
    if (sent) {
        /* The file counts as sent; the value is not bound. */
        lims_values_put(values, lims_field_find(fields, file_name), (*file)->name);
    }
    for (int i = 0; i < parts->nelts && !error; i++) {
        const lims_part_t *part = &APR_ARRAY_IDX(parts, i, lims_part_t);
        const lims_field_t *field = lims_field_find(fields, part->name);

        if (!field) {
            error = lims_client_error(pool, LIMS_E_INVALID_BODY, "%s is not a field of this form",
                                      lims_excerpt(part->name, pool));
        } else if (part != sent) {
            error = validate_part(values, field, part, pool);
        }
    }
    return error ? error : lims_values_complete(values, fields, 0, LIMS_E_INVALID_BODY, pool);
}
