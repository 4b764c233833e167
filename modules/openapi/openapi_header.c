/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openapi_header.c - header fields of requests and answers, and parameters.
 */
#include "openapi/openapi_parts.h"

static const lims_field_t headers[] = {
    [LIMS_H_REQUEST_ID] = { .name = "X-Request-Id",
                            .type = LIMS_T_STRING,
                            .flags = LIMS_F_OUT,
                            .doc = "Id of the request: the caller's own if it sent a well-formed "
                                   "one. It is also in the service's log and in the audit trail.",
                            .example = "9f2c4e1ab37d4c5f8a6b0d1e2f3a4b5c" },
    [LIMS_H_RATE_LIMIT] = { .name = "RateLimit-Limit",
                            .type = LIMS_T_INTEGER,
                            .doc = "Number of requests that the key may make in any 60 seconds. "
                                   "Absent while the key is not known.",
                            .example = "120" },
    [LIMS_H_RATE_REMAINING] = { .name = "RateLimit-Remaining",
                                .type = LIMS_T_INTEGER,
                                .doc = "Number of requests that the key has left now.",
                                .example = "117" },
    [LIMS_H_RATE_RESET] = { .name = "RateLimit-Reset",
                            .type = LIMS_T_INTEGER,
                            .doc = "Seconds until the key may make more requests.",
                            .example = "42" },
    [LIMS_H_CACHE_CONTROL] = { .name = "Cache-Control",
                               .type = LIMS_T_STRING,
                               .doc = "Caching rule: `private, no-cache` where there is an `ETag` "
                                      "(keep the answer, but revalidate it), otherwise `no-store`.",
                               .example = "no-store" },
    [LIMS_H_ETAG] = { .name = "ETag",
                      .type = LIMS_T_STRING,
                      .flags = LIMS_F_OUT,
                      .doc = "Entity tag of the record, for If-Match and If-None-Match; it changes "
                             "with the record.",
                      .example = "\"2f1d0c9b8a7e6f5d4c3b2a1908f7e6d5\"" },
    [LIMS_H_LOCATION] = { .name = "Location",
                          .type = LIMS_T_STRING,
                          .flags = LIMS_F_OUT,
                          .doc = "Path of the record that was created." },
    [LIMS_H_REPLAYED] = { .name = "Idempotent-Replayed",
                          .type = LIMS_T_STRING,
                          .doc = "Mark of a repeated answer: `true` when the first answer to this "
                                 "Idempotency-Key is given again, otherwise absent.",
                          .example = "true" },
    [LIMS_H_RETRY_AFTER] = { .name = "Retry-After",
                             .type = LIMS_T_INTEGER,
                             .doc = "Seconds to wait before the request is sent again.",
                             .example = "5" },
    [LIMS_H_WWW_AUTHENTICATE] = { .name = "WWW-Authenticate",
                                  .type = LIMS_T_STRING,
                                  .flags = LIMS_F_OUT,
                                  .doc = "Authentication scheme: `Bearer`.",
                                  .example = "Bearer" },
};

_Static_assert(LIMS_LENGTH(headers) == LIMS_H_COUNT, "a header field has no row");

typedef struct {
    const char *in;
    lims_field_t field;
} parameter_t;

static const parameter_t parameters[] = {
    [LIMS_Q_ID] = { "path",
                    { .name = "id",
                      .type = LIMS_T_ID,
                      .flags = LIMS_F_REQUIRED,
                      .doc = "Id of the record that the path names." } },
    [LIMS_Q_REQUEST_ID] = { "header",
                            { .name = "X-Request-Id",
                              .type = LIMS_T_STRING,
                              .min = 1,
                              .max = 128,
                              .pattern = "^[A-Za-z0-9._:-]+$",
                              .doc = "Id that the caller gives the request. If it is not "
                                     "well-formed, the service replaces it by one of its own." } },
    [LIMS_Q_IF_NONE_MATCH] = { "header",
                               { .name = "If-None-Match",
                                 .type = LIMS_T_STRING,
                                 .max = 8190,
                                 .doc =
                                     "Entity tag that was read before: while it still holds, the "
                                     "answer is 304 without a body." } },
    [LIMS_Q_IF_MATCH] = { "header",
                          { .name = "If-Match",
                            .type = LIMS_T_STRING,
                            .max = 8190,
                            .doc = "Entity tag of the record as it was read: if the record has "
                                   "changed "
                                   "since, nothing is done and the answer is 412." } },
    [LIMS_Q_IDEMPOTENCY_KEY] = { "header",
                                 { .name = "Idempotency-Key",
                                   .type = LIMS_T_STRING,
                                   .min = 1,
                                   .max = 255,
                                   .pattern = "^[!-~]+$",
                                   .doc = "Unique name of this operation, chosen by the caller. "
                                          "Repeated within 24 hours, the operation is done only "
                                          "once and the first answer is given again.",
                                   .example = "order-88123-4" } },
    [LIMS_Q_SESSION] = { "header",
                         { .name = "X-Lims-Session",
                           .type = LIMS_T_ID,
                           .flags = LIMS_F_REQUIRED,
                           .doc = "Id of the session that the page knows: where another is "
                                  "signed in by now, nothing is done (401)." } },
    [LIMS_Q_ANY_SESSION] = { "header",
                             { .name = "X-Lims-Session",
                               .type = LIMS_T_ID,
                               .doc = "Id of the session, if the page knows one." } },
    [LIMS_Q_PAGE] = { "header",
                      { .name = "X-Lims-Request",
                        .type = LIMS_T_INTEGER,
                        .flags = LIMS_F_REQUIRED,
                        .min = 1,
                        .max = 1,
                        .doc = "Mark of a request that a page of this host makes itself: 1." } },
};

_Static_assert(LIMS_LENGTH(parameters) == LIMS_Q_COUNT, "a parameter has no row");

/* Writes "schema" of a parameter (a request's use) or a header field (an answer's use). */
static void write_schema(lims_openapi_t *doc, const lims_field_t *field, lims_schema_e use)
{
    const lims_schema_t s = { .w = doc->w, .use = use };

    lims_writer_key(doc->w, "schema");
    lims_writer_object_begin(doc->w);
    lims_schema_value(&s, field);
    lims_writer_object_end(doc->w);
}

/* --- Header fields of answers --------------------------------------------- */

void lims_openapi_headers(lims_openapi_t *doc, unsigned set)
{
    lims_writer_key(doc->w, "headers");
    lims_writer_object_begin(doc->w);
    for (int i = 0; i < LIMS_H_COUNT; i++) {
        if ((set & 1u << i) != 0) {
            lims_writer_key(doc->w, headers[i].name);
            lims_openapi_reference(doc, "headers", headers[i].name);
            doc->headers[i] = true;
        }
    }
    lims_writer_object_end(doc->w);
}

void lims_openapi_header_components(lims_openapi_t *doc)
{
    lims_writer_object_begin(doc->w);
    for (int i = 0; i < LIMS_H_COUNT; i++) {
        if (doc->headers[i]) {
            lims_writer_key(doc->w, headers[i].name);
            lims_writer_object_begin(doc->w);
            lims_openapi_member(doc, "description", headers[i].doc);
            lims_writer_key(doc->w, "required");
            lims_writer_boolean(doc->w, (headers[i].flags & LIMS_F_OUT) != 0);
            write_schema(doc, &headers[i], LIMS_SCHEMA_RECORD);
            lims_writer_object_end(doc->w);
        }
    }
    lims_writer_object_end(doc->w);
}

/* --- Parameters ----------------------------------------------------------- */

static void write_parameter(lims_openapi_t *doc, const lims_field_t *field, const char *in,
                            lims_schema_e use)
{
    lims_writer_object_begin(doc->w);
    lims_openapi_member(doc, "name", field->name);
    lims_openapi_member(doc, "in", in);
    if ((field->flags & LIMS_F_REQUIRED) != 0) {
        lims_writer_key(doc->w, "required");
        lims_writer_boolean(doc->w, true);
    }
    if (field->doc) {
        lims_openapi_member(doc, "description", field->doc);
    }
    if (field->type == LIMS_T_ID_LIST || field->type == LIMS_T_STRING_LIST) {
        /* Separated by commas. */
        lims_openapi_member(doc, "style", "form");
        lims_writer_key(doc->w, "explode");
        lims_writer_boolean(doc->w, false);
    }
    write_schema(doc, field, use);
    lims_writer_object_end(doc->w);
}

/* Returns the name of a parameter's component: the parameter's own name, unless two
 * have it. */
static const char *component_of(lims_parameter_name_e name)
{
    return name == LIMS_Q_ANY_SESSION ? "X-Lims-Session-Optional" : parameters[name].field.name;
}

void lims_openapi_parameter(lims_openapi_t *doc, lims_parameter_name_e name)
{
    lims_openapi_reference(doc, "parameters", component_of(name));
    doc->parameters[name] = true;
}

void lims_openapi_path_parameter(lims_openapi_t *doc, const lims_field_t *field)
{
    write_parameter(doc, field, "path", LIMS_SCHEMA_INPUT);
}

void lims_openapi_query_parameter(lims_openapi_t *doc, const lims_field_t *field)
{
    lims_field_t given = *field;

    /* "?code=" is refused: an absent parameter is left out. */
    if (given.type == LIMS_T_STRING && given.min == 0) {
        given.min = 1;
    }
    if (doc->surface != LIMS_SURFACE_API && given.people_values) {
        given.values = given.people_values;
    }
    write_parameter(doc, &given, "query", LIMS_SCHEMA_INPUT);
}

void lims_openapi_delivery_parameters(lims_openapi_t *doc)
{
    lims_writer_key(doc->w, "parameters");
    lims_writer_array_begin(doc->w);
    for (const lims_field_t *field = lims_delivery_headers; field->name; field++) {
        lims_openapi_reference(doc, "parameters", field->name);
    }
    lims_writer_array_end(doc->w);
    doc->deliveries = true;
}

void lims_openapi_parameter_components(lims_openapi_t *doc)
{
    lims_writer_object_begin(doc->w);
    for (int i = 0; i < LIMS_Q_COUNT; i++) {
        if (doc->parameters[i]) {
            lims_writer_key(doc->w, component_of((lims_parameter_name_e)i));
            write_parameter(doc, &parameters[i].field, parameters[i].in, LIMS_SCHEMA_INPUT);
        }
    }
    for (const lims_field_t *field = lims_delivery_headers; doc->deliveries && field->name;
         field++) {
        lims_writer_key(doc->w, field->name);
        write_parameter(doc, field, "header", LIMS_SCHEMA_RECORD);
    }
    lims_writer_object_end(doc->w);
}
