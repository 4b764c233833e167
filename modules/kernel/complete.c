/* SPDX-License-Identifier: Apache-2.0 */
/* complete.c - fallbacks of absent fields, and the refusal of absent required ones. */
#include "kernel/error.h"
#include "kernel/validate.h"

const lims_error_t *lims_values_complete(lims_values_t *values, const lims_field_t *fields,
                                         unsigned flags, lims_error_e kind, apr_pool_t *pool)
{
    for (const lims_field_t *field = fields; field && field->name; field++) {
        const lims_error_t *error;

        if ((field->flags & flags) != flags || lims_values_has(values, field->name)) {
            continue;
        }
        if (field->fallback) {
            error = lims_field_text(values, field, field->fallback, kind, pool);
            if (error) {
                return error;
            }
        } else if ((field->flags & LIMS_F_REQUIRED) != 0) {
            return lims_client_error(pool, kind, "%s is missing: it must be %s", field->name,
                                     lims_field_expectation(field, pool));
        }
    }
    return NULL;
}
