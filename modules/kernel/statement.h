/* SPDX-License-Identifier: Apache-2.0 */
/*
 * statement.h - the shape of the generated table of named SQL statements.
 */
#ifndef LIMS_KERNEL_STATEMENT_H
#define LIMS_KERNEL_STATEMENT_H

#include "lims.h"

/* The row contract: `one`, `many` or `exec` on the statement's name line; the
 * word `custom` may follow. */
typedef enum { LIMS_ROWS_ONE, LIMS_ROWS_MANY, LIMS_ROWS_NONE } lims_rows_e;

/* Where a parameter's text comes from: `:name`, `:?name` or `:$name`. */
typedef enum { LIMS_P_VALUE, LIMS_P_GIVEN, LIMS_P_CONTEXT } lims_parameter_e;

typedef struct {
    lims_parameter_e kind;
    const char *name;
    lims_context_e context; /* of LIMS_P_CONTEXT: what is bound */
} lims_parameter_t;

typedef struct {
    const char *label; /* "sample_get", the name it is prepared under */
    const char *sql;   /* with $1 … $n in place of the names */
    lims_rows_e rows;
    bool custom; /* planned anew for the values of each call, never prepared */
    int count;   /* of parameters */
    const lims_parameter_t *parameters;
    const char *origin; /* "samples.sql:12" */
} lims_statement_t;

/* Generated. Entry LIMS_STMT_NONE is empty. */
extern const lims_statement_t lims_statements[LIMS_STMT_COUNT];

#endif /* LIMS_KERNEL_STATEMENT_H */
