/* SPDX-License-Identifier: Apache-2.0 */
/* identity.c - discovery, the OpenAPI document, and the caller's identity. */
#include "identity/identity.h"

#include <apr_strings.h>

#include "kernel/error.h"
#include "kernel/etag.h"
#include "kernel/writer.h"
#include "service/service.h"

static const lims_field_t whoami_output[] = {
    { .name = "ok",
      .type = LIMS_T_BOOLEAN,
      .flags = LIMS_F_OUT,
      .doc = "Constant true: the key was accepted." },
    { .name = "organizationId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the organization that the key belongs to." },
    { .name = "keyId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the API key that made the request." },
    { .name = "userId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the user who created the key and for whom it acts." },
    { .name = "version",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Version of the API, such as 1." },
    LIMS_FIELD_END,
};

static const lims_field_t route_output[] = {
    { .name = "method",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "HTTP method of the route." },
    { .name = "path",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Path of the route, with its parameters in braces." },
    { .name = "scope",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Scope that a key needs for the route; null: any valid key may call it." },
    { .name = "summary",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "One-line summary of the route." },
    LIMS_FIELD_END,
};

static const lims_field_t discovery_output[] = {
    { .name = "name", .type = LIMS_T_STRING, .flags = LIMS_F_OUT, .doc = "Name of the API." },
    { .name = "version",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Version of the API, such as 1." },
    { .name = "documentation",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "URL of the API's documentation." },
    { .name = "routes",
      .type = LIMS_T_OBJECT_LIST,
      .flags = LIMS_F_OUT,
      .members = route_output,
      .doc = "Complete list of the API's routes." },
    LIMS_FIELD_END,
};

static const lims_error_t *whoami(lims_request_t *rq)
{
    const lims_error_t *error = lims_service_read(NULL, rq, NULL, 0);
    lims_writer_t *w;

    if (error) {
        return error;
    }
    w = lims_writer_create(rq->pool);
    lims_writer_object_begin(w);
    lims_writer_key(w, "ok");
    lims_writer_boolean(w, true);
    lims_writer_key(w, "organizationId");
    lims_writer_raw(w, rq->actor.organization);
    lims_writer_key(w, "keyId");
    lims_writer_raw(w, rq->actor.key);
    lims_writer_key(w, "userId");
    lims_writer_raw(w, rq->actor.user);
    lims_writer_key(w, "version");
    lims_writer_string(w, LIMS_API_VERSION);
    lims_writer_object_end(w);
    lims_render_finish(rq, w);
    return NULL;
}

static void write_route(lims_writer_t *w, lims_request_t *rq, const lims_route_t *route)
{
    lims_writer_object_begin(w);
    lims_writer_key(w, "method");
    lims_writer_string(w, route->method);
    lims_writer_key(w, "path");
    lims_writer_string(w, apr_pstrcat(rq->pool, "/api/v1", route->path, NULL));
    lims_writer_key(w, "scope");
    lims_writer_string(w, route->scope);
    lims_writer_key(w, "summary");
    lims_writer_string(w, route->summary);
    lims_writer_object_end(w);
}

static const lims_error_t *discover(lims_request_t *rq)
{
    const lims_settings_t *settings = ((lims_exchange_t *)rq)->settings;
    const lims_error_t *error = lims_service_read(NULL, rq, NULL, 0);
    lims_writer_t *w;

    if (error) {
        return error;
    }
    w = lims_writer_create(rq->pool);
    lims_writer_object_begin(w);
    lims_writer_key(w, "name");
    lims_writer_string(w, LIMS_API_NAME);
    lims_writer_key(w, "version");
    lims_writer_string(w, LIMS_API_VERSION);
    lims_writer_key(w, "documentation");
    lims_writer_string(w, settings->documentation);
    lims_writer_key(w, "routes");
    lims_writer_array_begin(w);
    for (const lims_resource_t *const *each = lims_resources; *each; each++) {
        for (const lims_route_t *route = (*each)->routes; route->method; route++) {
            if (lims_route_is_on(route, LIMS_SURFACE_API)) {
                write_route(w, rq, route);
            }
        }
    }
    lims_writer_array_end(w);
    lims_writer_object_end(w);
    lims_render_finish(rq, w);
    return NULL;
}

static const lims_error_t *openapi(lims_request_t *rq)
{
    const lims_settings_t *settings = ((lims_exchange_t *)rq)->settings;
    const lims_error_t *error = lims_service_read(NULL, rq, NULL, 0);

    if (!error) {
        rq->reply->body = settings->openapi;
        rq->reply->length = settings->openapi_length;
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
