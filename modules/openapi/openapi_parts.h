/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openapi_parts.h - types and functions that the files of the OpenAPI document share.
 *
 * The document is written in one pass with the components last. References to components
 * are recorded, so that exactly the needed ones are written.
 */
#ifndef LIMS_OPENAPI_PARTS_H
#define LIMS_OPENAPI_PARTS_H

#include "openapi/event_types.h"
#include "openapi/schema.h"
#include "kernel/writer.h"
#include "lims.h"

typedef struct lims_openapi_t lims_openapi_t;
typedef struct lims_component_t lims_component_t;

/* Writes the schema of a component; `subject` is the resource, route, event or table that
 * it describes. */
typedef void(lims_component_fn)(lims_openapi_t *doc, const void *subject);

struct lims_component_t {
    const char *name;
    lims_component_fn *write;
    const void *subject;
    lims_component_t *next;
};

/* Header fields of answers. */
typedef enum {
    LIMS_H_REQUEST_ID,
    LIMS_H_RATE_LIMIT,
    LIMS_H_RATE_REMAINING,
    LIMS_H_RATE_RESET,
    LIMS_H_CACHE_CONTROL,
    LIMS_H_ETAG,
    LIMS_H_LOCATION,
    LIMS_H_REPLAYED,
    LIMS_H_RETRY_AFTER,
    LIMS_H_WWW_AUTHENTICATE,
    LIMS_H_COUNT
} lims_header_e;

/* Parameters that are in no table of fields of a route. */
typedef enum {
    LIMS_Q_ID,
    LIMS_Q_REQUEST_ID,
    LIMS_Q_IF_NONE_MATCH,
    LIMS_Q_IF_MATCH,
    LIMS_Q_IDEMPOTENCY_KEY,
    LIMS_Q_SESSION,
    LIMS_Q_ANY_SESSION,
    LIMS_Q_PAGE,
    LIMS_Q_COUNT
} lims_parameter_name_e;

struct lims_openapi_t {
    apr_pool_t *pool;
    lims_writer_t *w;
    const lims_resource_t *const *resources;
    lims_surface_e surface;
    const char *prefix;      /* of every path */
    lims_component_t *first; /* schemas referred to, in the order of first use */
    lims_component_t **end;
    bool refusals[LIMS_E_COUNT]; /* responses of one kind of error that were referred to */
    bool headers[LIMS_H_COUNT];
    bool parameters[LIMS_Q_COUNT];
    bool deliveries; /* whether the header fields of deliveries were referred to */
};

/* --- openapi_parts.c ------------------------------------------------------------ */

/* Writes "name": "text". */
void lims_openapi_member(lims_openapi_t *doc, const char *name, const char *text);

/* { "$ref": "#/components/<section>/<name>" } */
void lims_openapi_reference(lims_openapi_t *doc, const char *section, const char *name);

/* Begins "content": { "application/json": { "schema": ... } }; the caller writes the schema
 * next. */
void lims_openapi_content_begin(lims_openapi_t *doc);

/* Ends "content" after the schema. */
void lims_openapi_content_end(lims_openapi_t *doc);

/* Begins "content" with a media type, for a body that may have several; the caller writes
 * the schema next. lims_openapi_content_end() ends it. */
void lims_openapi_content_of(lims_openapi_t *doc, const char *media_type);

/* Ends the schema of a media type of "content" and begins that of another one. */
void lims_openapi_content_next(lims_openapi_t *doc, const char *media_type);

/* Returns a component's name in PascalCase, in `pool`: "sample.ready_for_review",
 * "getSample", "not_found" become "SampleReadyForReview", "GetSample", "NotFound". */
const char *lims_openapi_name(const char *words, apr_pool_t *pool);

/* --- openapi_schema.c: components/schemas --------------------------------- */

/* Each writes a reference to a component of components/schemas, and notes that it is
 * needed. */

/* Refers to the schema of the record of a resource. */
void lims_openapi_refer_record(lims_openapi_t *doc, const lims_resource_t *resource);
/* Refers to the schema of an answer with one record, { "data": record }. */
void lims_openapi_refer_single(lims_openapi_t *doc, const lims_resource_t *resource);
/* Refers to the schema of a page of records. */
void lims_openapi_refer_page(lims_openapi_t *doc, const lims_resource_t *resource);
/* Refers to the schema of the body that creates a record. */
void lims_openapi_refer_create(lims_openapi_t *doc, const lims_resource_t *resource);
/* Refers to the schema of the body that changes a record. */
void lims_openapi_refer_update(lims_openapi_t *doc, const lims_resource_t *resource);
/* Refers to the schema of the body of a route's action. */
void lims_openapi_refer_input(lims_openapi_t *doc, const lims_route_t *route);
/* Refers to the schema of the form of a route. */
void lims_openapi_refer_form(lims_openapi_t *doc, const lims_route_t *route);
/* Refers to the schema of the answer of a route that is not a record. */
void lims_openapi_refer_output(lims_openapi_t *doc, const lims_route_t *route);
/* Refers to the schema of an error. */
void lims_openapi_refer_error(lims_openapi_t *doc);
/* Refers to the schema of an error about a limit of the plan. */
void lims_openapi_refer_plan_limit(lims_openapi_t *doc);
/* Refers to the schema of an event of one type. */
void lims_openapi_refer_event(lims_openapi_t *doc, const lims_event_t *event);

/* Writes the object of components/schemas: what was referred to, and what that refers
 * to. */
void lims_openapi_schemas(lims_openapi_t *doc);

/* --- openapi_operation.c -------------------------------------------------- */

/* Writes the operation object of a route under the name of its method. */
void lims_openapi_operation(lims_openapi_t *doc, const lims_resource_t *resource,
                            const lims_route_t *route);

/* --- openapi_header.c: components/headers and components/parameters ------- */

/* Writes "headers" with the fields of the set, whose bits are 1u << lims_header_e. */
void lims_openapi_headers(lims_openapi_t *doc, unsigned set);

/* Writes a reference to a parameter of components/parameters. */
void lims_openapi_parameter(lims_openapi_t *doc, lims_parameter_name_e name);

/* Writes the parameter of a second id in the path in place. */
void lims_openapi_path_parameter(lims_openapi_t *doc, const lims_field_t *field);

/* Writes a query parameter in place. */
void lims_openapi_query_parameter(lims_openapi_t *doc, const lims_field_t *field);

/* Writes "parameters" with the header fields of a delivery. */
void lims_openapi_delivery_parameters(lims_openapi_t *doc);

/* Writes the object of components/headers: the header fields that answers refer to. */
void lims_openapi_header_components(lims_openapi_t *doc);

/* Writes the object of components/parameters: the parameters that operations refer to. */
void lims_openapi_parameter_components(lims_openapi_t *doc);

/* Header fields of every answer to a valid key. */
#define LIMS_HEADERS_COMMON                                                                        \
    (1u << LIMS_H_REQUEST_ID | 1u << LIMS_H_RATE_LIMIT | 1u << LIMS_H_RATE_REMAINING |             \
     1u << LIMS_H_RATE_RESET | 1u << LIMS_H_CACHE_CONTROL)

/* --- openapi_error.c: the refusals of operations, components/responses ---- */

/* Writes the responses by which a route refuses a request, by status. */
void lims_openapi_refusals(lims_openapi_t *doc, const lims_route_t *route);

/* Writes the object of components/responses: what was referred to. */
void lims_openapi_refusal_components(lims_openapi_t *doc);

/* Returns the slugs of all errors in answers with "error", in `pool`; ends with NULL. */
const char *const *lims_openapi_slugs(apr_pool_t *pool);

/* --- openapi_webhook.c ---------------------------------------------------- */

/* Writes the object of "webhooks": one for each event. */
void lims_openapi_webhooks(lims_openapi_t *doc);

/* --- openapi_info.c ------------------------------------------------------- */

/* Writes the object of "info". */
void lims_openapi_info(lims_openapi_t *doc);

/* Writes the object of components/securitySchemes. */
void lims_openapi_security_schemes(lims_openapi_t *doc);

#endif /* LIMS_OPENAPI_PARTS_H */
