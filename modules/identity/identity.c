/* SPDX-License-Identifier: Apache-2.0 */
/* identity.c - discovery, the OpenAPI document, and the caller's identity. */
#include "identity/identity.h"

#include <apr_strings.h>

#include "kernel/record.h"
#include "kernel/writer.h"
#include "service/service.h"

enum { WHOAMI_OK, WHOAMI_ORGANIZATION, WHOAMI_KEY, WHOAMI_USER, WHOAMI_VERSION, WHOAMI_COUNT };

static const lims_field_t whoami_output[] = {
    [WHOAMI_OK] = { .name = "ok",
                    .type = LIMS_T_BOOLEAN,
                    .flags = LIMS_F_OUT,
                    .doc = "Constant true: the key was accepted." },
    [WHOAMI_ORGANIZATION] = { .name = "organizationId",
                              .type = LIMS_T_ID,
                              .flags = LIMS_F_OUT,
                              .doc = "Id of the organization that the key belongs to." },
    [WHOAMI_KEY] = { .name = "keyId",
                     .type = LIMS_T_ID,
                     .flags = LIMS_F_OUT,
                     .doc = "Id of the API key that made the request." },
    [WHOAMI_USER] = { .name = "userId",
                      .type = LIMS_T_ID,
                      .flags = LIMS_F_OUT,
                      .doc = "Id of the user who created the key and for whom it acts." },
    [WHOAMI_VERSION] = { .name = "version",
                         .type = LIMS_T_STRING,
                         .flags = LIMS_F_OUT,
                         .doc = "Version of the API, such as v1." },
    [WHOAMI_COUNT] = LIMS_FIELD_END,
};

enum { ROUTE_METHOD, ROUTE_PATH, ROUTE_SCOPE, ROUTE_SUMMARY, ROUTE_COUNT };

static const lims_field_t route_output[] = {
    [ROUTE_METHOD] = { .name = "method",
                       .type = LIMS_T_STRING,
                       .flags = LIMS_F_OUT,
                       .doc = "HTTP method of the route." },
    [ROUTE_PATH] = { .name = "path",
                     .type = LIMS_T_STRING,
                     .flags = LIMS_F_OUT,
                     .doc = "Path of the route, such as /api/v1/samples/:id." },
    [ROUTE_SCOPE] = { .name = "scope",
                      .type = LIMS_T_STRING,
                      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
                      .doc = "Scope that a key needs for the route; null: any valid key may call "
                             "it." },
    [ROUTE_SUMMARY] = { .name = "summary",
                        .type = LIMS_T_STRING,
                        .flags = LIMS_F_OUT,
                        .doc = "One-line summary of the route." },
    [ROUTE_COUNT] = LIMS_FIELD_END,
};

enum {
    DISCOVERY_NAME,
    DISCOVERY_VERSION,
    DISCOVERY_DOCUMENTATION,
    DISCOVERY_ROUTES,
    DISCOVERY_COUNT
};

static const lims_field_t discovery_output[] = {
    [DISCOVERY_NAME] = { .name = "name",
                         .type = LIMS_T_STRING,
                         .flags = LIMS_F_OUT,
                         .doc = "Name of the API." },
    [DISCOVERY_VERSION] = { .name = "version",
                            .type = LIMS_T_STRING,
                            .flags = LIMS_F_OUT,
                            .doc = "Version of the API, such as v1." },
    [DISCOVERY_DOCUMENTATION] = { .name = "documentation",
                                  .type = LIMS_T_STRING,
                                  .flags = LIMS_F_OUT,
                                  .doc = "URL of the API's documentation." },
    [DISCOVERY_ROUTES] = { .name = "routes",
                           .type = LIMS_T_OBJECT_LIST,
                           .flags = LIMS_F_OUT,
                           .members = route_output,
                           .doc = "Complete list of the API's routes." },
    [DISCOVERY_COUNT] = LIMS_FIELD_END,
};

/* Answers an object of these fields, of which `texts` has the values. */
static void answer(lims_request_t *rq, const lims_field_t *fields, const char *const *texts)
{
    lims_writer_t *w = lims_writer_create(rq->pool);

    lims_writer_object_begin(w);
    lims_record_write_texts(w, fields, texts);
    lims_writer_object_end(w);
    lims_render_finish(rq, w);
}

static const lims_error_t *whoami(lims_request_t *rq)
{
    const lims_error_t *error = lims_service_read(NULL, rq, NULL, 0);

    if (!error) {
        answer(rq, whoami_output,
               (const char *const[]){ [WHOAMI_OK] = "t",
                                      [WHOAMI_ORGANIZATION] = rq->actor.organization,
                                      [WHOAMI_KEY] = rq->actor.key,
                                      [WHOAMI_USER] = rq->actor.user,
                                      [WHOAMI_VERSION] = LIMS_API_VERSION });
    }
    return error;
}

static void write_route(lims_writer_t *w, const lims_route_t *route)
{
    const char *path = apr_pstrcat(lims_writer_pool(w), LIMS_API_PREFIX, route->path, NULL);

    lims_writer_object_begin(w);
    lims_record_write_texts(w, route_output,
                            (const char *const[]){ [ROUTE_METHOD] = route->method,
                                                   [ROUTE_PATH] = path,
                                                   [ROUTE_SCOPE] = route->scope,
                                                   [ROUTE_SUMMARY] = route->summary });
    lims_writer_object_end(w);
}

/* The routes of the API, as a JSON array. */
static const char *list_routes(apr_pool_t *pool)
{
    lims_writer_t *w = lims_writer_create(pool);
    apr_size_t length;

    lims_writer_array_begin(w);
    for (const lims_resource_t *const *each = lims_resources; *each; each++) {
        for (const lims_route_t *route = (*each)->routes; route->method; route++) {
            if (lims_route_is_on(route, LIMS_SURFACE_API)) {
                write_route(w, route);
            }
        }
    }
    lims_writer_array_end(w);
    return lims_writer_finish(&length, w);
}

static const lims_error_t *discover(lims_request_t *rq)
{
    const lims_error_t *error = lims_service_read(NULL, rq, NULL, 0);

    if (!error) {
        answer(rq, discovery_output,
               (const char *const[]){ [DISCOVERY_NAME] = LIMS_API_NAME,
                                      [DISCOVERY_VERSION] = LIMS_API_VERSION,
                                      [DISCOVERY_DOCUMENTATION] = rq->settings->documentation,
                                      [DISCOVERY_ROUTES] = list_routes(rq->pool) });
    }
    return error;
}

static const lims_error_t *openapi(lims_request_t *rq)
{
    const lims_error_t *error = lims_service_read(NULL, rq, NULL, 0);

    if (!error) {
        rq->reply->body = rq->settings->openapi;
        rq->reply->length = rq->settings->openapi_length;
        lims_render_etag(rq);
    }
    return error;
}

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "",
      .surfaces = LIMS_SURFACE_API,
      .operation = "discover",
      .summary = "Name, version and routes of the API",
      .flags = LIMS_R_NO_RECORD,
      .output = discovery_output,
      .status = 200,
      .handler = discover },
    { .method = "GET",
      .path = "/openapi.json",
      .surfaces = LIMS_SURFACES_HTTP,
      .operation = "getOpenApi",
      .summary = "OpenAPI 3.1 document of this API",
      .permission = "self",
      .flags = LIMS_R_DOCUMENT,
      .status = 200,
      .handler = openapi },
    { .method = "GET",
      .path = "/whoami",
      .surfaces = LIMS_SURFACE_API,
      .operation = "whoami",
      .summary = "Organization, key and user of the calling API key",
      .flags = LIMS_R_NO_RECORD | LIMS_R_UPLOAD_KEY,
      .output = whoami_output,
      .status = 200,
      .handler = whoami },
    LIMS_ROUTE_END,
};

static const lims_field_t no_fields[] = { LIMS_FIELD_END };

const lims_resource_t lims_identity = {
    .name = "identity",
    .title = "Identity and discovery",
    .schema = "Identity",
    .doc = "Discovery of the API, and the identity of the caller.",
    .fields = no_fields,
    .routes = routes,
};
