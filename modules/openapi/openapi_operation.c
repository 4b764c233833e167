/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openapi_operation.c - one method of a path.
 */
#include <apr_strings.h>
#include <string.h>

#include "openapi/openapi_parts.h"
#include "kernel/route.h"

static bool is_post(const lims_route_t *route)
{
    return strcmp(route->method, "POST") == 0;
}

/* Whether the answer has an ETag: a record, a document, or a page for people. */
static bool has_etag(const lims_openapi_t *doc, const lims_route_t *route)
{
    if (lims_route_is_file(route, doc->surface)) {
        return (route->flags & LIMS_R_PDF) != 0;
    }
    if ((route->flags & LIMS_R_LIST) != 0) {
        return doc->surface == LIMS_SURFACE_APPLICATION;
    }
    return (route->flags & LIMS_R_NO_RECORD) == 0;
}

/* --- What is said about it ------------------------------------------------ */

/* Returns what a key, or a person, needs for the route. */
static const char *needs_of(const lims_openapi_t *doc, const lims_route_t *route)
{
    if (doc->surface == LIMS_SURFACE_API) {
        return route->scope ? apr_pstrcat(doc->pool, "Scope: `", route->scope, "`.", NULL)
                            : "Any valid key.";
    }
    return route->permission
               ? apr_pstrcat(doc->pool, "Permission: `", route->permission, "`.", NULL)
               : "Nobody has to be signed in.";
}

static const char *description_of(const lims_openapi_t *doc, const lims_route_t *route)
{
    const char *text = route->description ? route->description : route->summary;
    const char *scope = needs_of(doc, route);
    apr_pool_t *pool = doc->pool;
    bool upload = doc->surface == LIMS_SURFACE_API && (route->flags & LIMS_R_UPLOAD_KEY) != 0;

    return apr_pstrcat(pool, text, route->description ? "" : ".", "\n\n", scope,
                       upload ? " Open to upload-only keys." : "", NULL);
}

/* Writes the cookie of a session, and the permission that the person needs. */
static void write_session(lims_openapi_t *doc, const lims_route_t *route)
{
    lims_writer_key(doc->w, "security");
    lims_writer_array_begin(doc->w);
    if ((route->flags & LIMS_R_NO_SESSION) == 0) {
        lims_writer_object_begin(doc->w);
        lims_writer_key(doc->w, "session");
        lims_writer_array_begin(doc->w);
        lims_writer_array_end(doc->w);
        lims_writer_object_end(doc->w);
    }
    lims_writer_array_end(doc->w);
    if (route->permission) {
        lims_openapi_member(doc, "x-permission", route->permission);
    }
}

/* Writes the scope as a role of the bearer scheme, which OpenAPI 3.1 allows. */
static void write_security(lims_openapi_t *doc, const lims_route_t *route)
{
    if (doc->surface != LIMS_SURFACE_API) {
        write_session(doc, route);
        return;
    }
    lims_writer_key(doc->w, "security");
    lims_writer_array_begin(doc->w);
    lims_writer_object_begin(doc->w);
    lims_writer_key(doc->w, "bearer");
    lims_writer_array_begin(doc->w);
    if (route->scope) {
        lims_writer_string(doc->w, route->scope);
    }
    lims_writer_array_end(doc->w);
    lims_writer_object_end(doc->w);
    lims_writer_array_end(doc->w);
    if (route->scope) {
        lims_openapi_member(doc, "x-scope", route->scope);
    }
}

/* --- What is sent --------------------------------------------------------- */

/* Writes the ids in the path, and the query. */
static void write_address(lims_openapi_t *doc, const lims_route_t *route)
{
    bool people = doc->surface != LIMS_SURFACE_API;

    if (lims_route_has_id(route)) {
        lims_openapi_parameter(doc, LIMS_Q_ID);
    }
    for (const lims_field_t *field = route->input; field && field->name; field++) {
        if ((field->flags & LIMS_F_INNER) != 0) {
            lims_openapi_path_parameter(doc, field);
        }
    }
    for (const lims_field_t *field = route->query; field && field->name; field++) {
        if (people || (field->flags & LIMS_F_PEOPLE) == 0) {
            lims_openapi_query_parameter(doc, field);
        }
    }
}

/* Writes what a page of the application sends with the request. */
static void write_page_parameters(lims_openapi_t *doc, const lims_route_t *route)
{
    if (doc->surface == LIMS_SURFACE_API) {
        return;
    }
    if ((route->flags & LIMS_R_NO_SESSION) == 0) {
        lims_openapi_parameter(doc, (route->flags & (LIMS_R_ANY_SESSION | LIMS_R_BYTES)) != 0
                                        ? LIMS_Q_ANY_SESSION
                                        : LIMS_Q_SESSION);
    }
    if (!lims_route_reads(route)) {
        lims_openapi_parameter(doc, LIMS_Q_PAGE);
    }
}

static void write_parameters(lims_openapi_t *doc, const lims_route_t *route)
{
    lims_writer_key(doc->w, "parameters");
    lims_writer_array_begin(doc->w);
    write_address(doc, route);
    write_page_parameters(doc, route);
    if (lims_route_reads(route) && has_etag(doc, route)) {
        lims_openapi_parameter(doc, LIMS_Q_IF_NONE_MATCH);
    }
    if (lims_route_has_condition(route)) {
        lims_openapi_parameter(doc, LIMS_Q_IF_MATCH);
    }
    if (is_post(route)) {
        lims_openapi_parameter(doc, LIMS_Q_IDEMPOTENCY_KEY);
    }
    lims_openapi_parameter(doc, LIMS_Q_REQUEST_ID);
    lims_writer_array_end(doc->w);
}

static void write_nothing(lims_openapi_t *doc)
{
    static const lims_field_t nothing[] = { LIMS_FIELD_END };
    const lims_schema_t s = { .w = doc->w, .use = LIMS_SCHEMA_INPUT };

    lims_schema_object(&s, nothing, "Nothing to say.");
}

static void write_json_body(lims_openapi_t *doc, const lims_resource_t *resource,
                            const lims_route_t *route)
{
    if (route->body == LIMS_F_CREATE) {
        lims_openapi_refer_create(doc, resource);
    } else if (route->body == LIMS_F_UPDATE) {
        lims_openapi_refer_update(doc, resource);
    } else if (route->input || doc->surface != LIMS_SURFACE_API) {
        lims_openapi_refer_input(doc, route);
    } else {
        write_nothing(doc);
    }
}

static void write_body(lims_openapi_t *doc, const lims_resource_t *resource,
                       const lims_route_t *route)
{
    static const char form[] = "multipart/form-data";
    bool json = lims_route_takes_json(route);

    if (lims_route_reads(route)) {
        return;
    }
    lims_writer_key(doc->w, "requestBody");
    lims_writer_object_begin(doc->w);
    lims_writer_key(doc->w, "required");
    lims_writer_boolean(doc->w, (route->flags & LIMS_R_NO_BODY) == 0);
    if (json) {
        lims_openapi_content_begin(doc);
        write_json_body(doc, resource, route);
    }
    if (json && route->form) {
        lims_openapi_content_next(doc, form);
    } else if (route->form) {
        lims_openapi_content_of(doc, form);
    }
    if (route->form) {
        lims_openapi_refer_form(doc, route);
    }
    lims_openapi_content_end(doc);
    lims_writer_object_end(doc->w);
}

/* --- What is answered ----------------------------------------------------- */

static void write_answer_schema(lims_openapi_t *doc, const lims_resource_t *resource,
                                const lims_route_t *route)
{
    if (route->output) {
        lims_openapi_refer_output(doc, route);
    } else if ((route->flags & LIMS_R_DOCUMENT) != 0) {
        lims_writer_object_begin(doc->w);
        lims_openapi_member(doc, "type", "object");
        lims_writer_object_end(doc->w);
    } else if ((route->flags & LIMS_R_LIST) != 0) {
        lims_openapi_refer_page(doc, resource);
    } else {
        lims_openapi_refer_single(doc, resource);
    }
}

static void write_bytes_schema(lims_openapi_t *doc, const char *bytes)
{
    lims_writer_object_begin(doc->w);
    lims_openapi_member(doc, "type", "string");
    lims_openapi_member(doc, "contentMediaType", bytes);
    lims_writer_object_end(doc->w);
}

/* Writes the answer of a route that is a file in the application. */
static void write_file_schema(lims_openapi_t *doc, const lims_route_t *route)
{
    const char *saved = "application/octet-stream";
    const char *bytes = route->flags & LIMS_R_PDF ? "application/pdf" : saved;

    lims_openapi_content_of(doc, bytes);
    write_bytes_schema(doc, bytes);
    if (route->flags & LIMS_R_ZPL) {
        lims_openapi_content_next(doc, saved);
        write_bytes_schema(doc, saved);
    }
}

static const char *answer_of(const lims_route_t *route)
{
    if ((route->flags & LIMS_R_LIST) != 0) {
        return "A page.";
    }
    if ((route->flags & LIMS_R_DOCUMENT) != 0) {
        return "The document.";
    }
    if (route->output) {
        return "The answer.";
    }
    if (lims_route_reads(route)) {
        return "The record.";
    }
    return route->status == 201 ? "Created: the record." : "The record as it now is.";
}

static unsigned headers_of(const lims_openapi_t *doc, const lims_route_t *route)
{
    unsigned set = LIMS_HEADERS_COMMON;

    set |= has_etag(doc, route) ? 1u << LIMS_H_ETAG : 0;
    set |= route->status == 201 && has_etag(doc, route) ? 1u << LIMS_H_LOCATION : 0;
    set |= is_post(route) ? 1u << LIMS_H_REPLAYED : 0;
    return set;
}

static void write_success(lims_openapi_t *doc, const lims_resource_t *resource,
                          const lims_route_t *route, int status)
{
    lims_writer_key(doc->w, apr_itoa(doc->pool, status));
    lims_writer_object_begin(doc->w);
    lims_openapi_member(doc, "description", answer_of(route));
    lims_openapi_headers(doc, headers_of(doc, route));
    if (lims_route_is_file(route, doc->surface)) {
        write_file_schema(doc, route);
    } else {
        lims_openapi_content_begin(doc);
        write_answer_schema(doc, resource, route);
    }
    lims_openapi_content_end(doc);
    lims_writer_object_end(doc->w);
}

static void write_not_modified(lims_openapi_t *doc, const lims_route_t *route)
{
    if (lims_route_reads(route) && has_etag(doc, route)) {
        lims_writer_key(doc->w, "304");
        lims_writer_object_begin(doc->w);
        lims_openapi_member(doc, "description", "Still as `If-None-Match` says; no body.");
        lims_openapi_headers(doc, headers_of(doc, route));
        lims_writer_object_end(doc->w);
    }
}

void lims_openapi_operation(lims_openapi_t *doc, const lims_resource_t *resource,
                            const lims_route_t *route)
{
    char *method = apr_pstrdup(doc->pool, route->method);

    for (char *letter = method; *letter != '\0'; letter++) {
        *letter = (char)(*letter + ('a' - 'A'));
    }
    lims_writer_key(doc->w, method);
    lims_writer_object_begin(doc->w);
    lims_openapi_member(doc, "operationId", route->operation);
    lims_openapi_member(doc, "summary", route->summary);
    lims_openapi_member(doc, "description", description_of(doc, route));
    lims_writer_key(doc->w, "tags");
    lims_writer_array_begin(doc->w);
    lims_writer_string(doc->w, resource->title);
    lims_writer_array_end(doc->w);
    write_security(doc, route);
    write_parameters(doc, route);
    write_body(doc, resource, route);
    lims_writer_key(doc->w, "responses");
    lims_writer_object_begin(doc->w);
    write_success(doc, resource, route, route->status);
    for (const int *status = route->also; status && *status != 0; status++) {
        write_success(doc, resource, route, *status);
    }
    write_not_modified(doc, route);
    lims_openapi_refusals(doc, route);
    lims_writer_object_end(doc->w);
    lims_writer_object_end(doc->w);
}
