/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema.h - JSON Schema (draft 2020-12, the dialect of OpenAPI 3.1) of tables of fields.
 *
 * A schema of a request states every bound that validation enforces, also the default
 * bounds of a type; a schema of an answer states only the bounds of the table.
 */
#ifndef LIMS_OPENAPI_SCHEMA_H
#define LIMS_OPENAPI_SCHEMA_H

#include "kernel/writer.h"
#include "lims.h"

/* Use of a table: which of its fields an object has, and which of them it must have. */
typedef enum {
    LIMS_SCHEMA_RECORD,  /* answer: all LIMS_F_OUT fields, and no others */
    LIMS_SCHEMA_MEMBERS, /* answer: the LIMS_F_OUT fields, and perhaps the others */
    LIMS_SCHEMA_CREATE,  /* request: as lims_field_body() with LIMS_F_CREATE */
    LIMS_SCHEMA_UPDATE,  /* request: as with LIMS_F_UPDATE */
    LIMS_SCHEMA_INPUT,   /* request: as with 0, an action's own input */
    LIMS_SCHEMA_COUNT
} lims_schema_e;

/* Writes a reference to a component with the schema of these members. False: there is
 * none, and the schema has to be written in place. */
typedef bool(lims_schema_refer_fn)(void *context, const lims_field_t *members);

typedef struct {
    lims_writer_t *w;
    lims_schema_e use;
    bool people; /* as people find it, with the fields that the REST API does not have */
    lims_schema_refer_fn *refer; /* for members of answers; NULL: there are no components */
    void *context;
} lims_schema_t;

/* Writes the schema of an object of the table, which allows no further members. `doc` is
 * its description, or NULL. */
void lims_schema_object(const lims_schema_t *s, const lims_field_t *fields, const char *doc);

/* Writes the members of the schema of one value, without its description, into an object
 * that the caller begins and ends. */
void lims_schema_value(const lims_schema_t *s, const lims_field_t *field);

#endif /* LIMS_OPENAPI_SCHEMA_H */
