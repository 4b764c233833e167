/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema.h - tables of fields as JSON Schema (draft 2020-12, the dialect of
 * OpenAPI 3.1).
 *
 * A schema of what is sent states every bound that validation enforces, also
 * those that a field leaves to its type; a schema of what is answered states
 * only what the table does.
 */
#ifndef LIMS_OPENAPI_SCHEMA_H
#define LIMS_OPENAPI_SCHEMA_H

#include "kernel/writer.h"
#include "lims.h"

/* Which fields of a table an object has, and which of them it must have. */
typedef enum {
    LIMS_SCHEMA_RECORD,  /* answered: the LIMS_F_OUT fields, every one */
    LIMS_SCHEMA_MEMBERS, /* answered: all fields, always those with LIMS_F_OUT */
    LIMS_SCHEMA_CREATE,  /* sent: as lims_field_body() takes LIMS_F_CREATE */
    LIMS_SCHEMA_UPDATE,  /* sent: as it takes LIMS_F_UPDATE */
    LIMS_SCHEMA_INPUT,   /* sent: as it takes a table of its own */
    LIMS_SCHEMA_COUNT
} lims_schema_e;

/* Writes a reference to the schema of these members, which stands elsewhere;
 * false when there is none and it has to be written in place. */
typedef bool(lims_schema_refer_fn)(void *context, const lims_field_t *members);

typedef struct {
    lims_writer_t *w;
    lims_schema_e use;
    lims_schema_refer_fn *refer; /* of members of answers; NULL: none stands elsewhere */
    void *context;
} lims_schema_t;

/* A whole object of the table, closed to other members. `doc` or NULL. */
void lims_schema_object(const lims_schema_t *s, const lims_field_t *fields, const char *doc);

/* The members of one value's schema but for its description, into an object
 * that the caller opens and closes. */
void lims_schema_value(const lims_schema_t *s, const lims_field_t *field);

#endif /* LIMS_OPENAPI_SCHEMA_H */
