/* SPDX-License-Identifier: Apache-2.0 */
/*
 * validate.h - validation of one JSON value against one field. Private to the kernel.
 */
#ifndef LIMS_KERNEL_VALIDATE_H
#define LIMS_KERNEL_VALIDATE_H

#include "kernel/field.h"
#include "kernel/writer.h"

/* The path of a value in its JSON text, for messages: a linked list to its root. A text
 * such as "updates[3].result" is made only when a value is refused. */
typedef struct lims_json_path_t lims_json_path_t;

struct lims_json_path_t {
    apr_pool_t *pool;
    lims_error_e kind; /* of errors at this path */
    const lims_json_path_t *parent;
    const char *name; /* NULL: an element of an array */
    int index;
};

/* Returns the text of a path: "updates[3].result". */
const char *lims_json_path_text(const lims_json_path_t *path);

/* Returns the JSON type that a field takes; LIMS_JSON_COUNT: none, output only. */
lims_json_type_e lims_field_json_type(lims_type_e type);

/* Describes what a field takes: "an integer from 1 to 500". */
const char *lims_field_expectation(const lims_field_t *field, apr_pool_t *pool);

/* Returns the error "limit must be an integer from 1 to 500", with `: detail` unless
 * NULL. */
const lims_error_t *lims_refuse(const lims_field_t *field, const char *detail,
                                const lims_json_path_t *path);

/* Validates a value other than null, list and object. `*text` becomes the value for
 * PostgreSQL (field.h), in the pool of the path. */
const lims_error_t *lims_validate_scalar(const char **text, const lims_field_t *field,
                                         const lims_json_t *node, const lims_json_path_t *path);

/* Validates any value but null; `*text` as above. */
const lims_error_t *lims_validate(const char **text, const lims_field_t *field,
                                  const lims_json_t *node, const lims_json_path_t *path);

/* Sets a validated value together with its field. */
void lims_values_put(lims_values_t *values, const lims_field_t *field, const char *text);

#endif /* LIMS_KERNEL_VALIDATE_H */
