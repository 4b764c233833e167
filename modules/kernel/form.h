/* SPDX-License-Identifier: Apache-2.0 */
/*
 * form.h - validation of the parts of a form against a table of fields, as field.h does
 * for JSON and queries.
 */
#ifndef LIMS_KERNEL_FORM_H
#define LIMS_KERNEL_FORM_H

#include "kernel/field.h"
#include "kernel/multipart.h"

/* Returns the name of the table's LIMS_T_FILE field; NULL: it has none. */
const char *lims_form_file(const lims_field_t *fields);

/* Validates the parts of a form (lims_part_t). Texts are added to `values`; `*file`
 * becomes the file, in `pool`, or NULL if none was sent. LIMS_E_INVALID_BODY: a part is
 * unknown, a text is invalid for its field, or a required field is absent. Absent fields
 * get their fallback. */
const lims_error_t *lims_form_take(const lims_upload_t **file, lims_values_t *values,
                                   const lims_field_t *fields, const apr_array_header_t *parts,
                                   apr_pool_t *pool);

#endif /* LIMS_KERNEL_FORM_H */
