/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openapi_error.c - the error answers of an operation, with their slugs.
 *
 * An answer with a single slug is the same for all operations and a component; if a
 * status has several slugs, the operation describes its own.
 */
#include <apr_strings.h>
#include <string.h>

#include "kernel/error.h"
#include "kernel/route.h"
#include "openapi/openapi.h"
#include "openapi/openapi_parts.h"

/* --- Which errors a route has --------------------------------------------- */

/* Adds the errors of a route with a body. */
static void add_write_errors(bool *possible, const lims_route_t *route)
{
    bool post = strcmp(route->method, "POST") == 0;

    possible[LIMS_E_INVALID_BODY] = true;
    possible[LIMS_E_REQUEST_TIMEOUT] = true;
    possible[LIMS_E_PAYLOAD_TOO_LARGE] = true;
    possible[LIMS_E_UNSUPPORTED_MEDIA_TYPE] = true;
    possible[LIMS_E_FIELD_NOT_PATCHABLE] |= route->body != 0 || strcmp(route->method, "PATCH") == 0;
    possible[LIMS_E_NO_UPDATABLE_FIELDS] |= route->body == LIMS_F_UPDATE;
    possible[LIMS_E_PRECONDITION_FAILED] |= lims_route_has_condition(route);
    possible[LIMS_E_IDEMPOTENCY_IN_PROGRESS] |= post;
    possible[LIMS_E_IDEMPOTENCY_MISMATCH] |= post;
}

void lims_openapi_errors(bool possible[LIMS_E_COUNT], const lims_route_t *route)
{
    static const lims_error_e always[] = { LIMS_E_INVALID_QUERY,      LIMS_E_BAD_REQUEST,
                                           LIMS_E_UNAUTHORIZED,       LIMS_E_TLS_REQUIRED,
                                           LIMS_E_RATE_LIMITED,       LIMS_E_INTERNAL,
                                           LIMS_E_SERVICE_UNAVAILABLE };

    memset(possible, 0, sizeof(*possible) * LIMS_E_COUNT);
    for (apr_size_t i = 0; i < LIMS_LENGTH(always); i++) {
        possible[always[i]] = true;
    }
    possible[LIMS_E_UPLOAD_ONLY_KEY] = (route->flags & LIMS_R_UPLOAD_KEY) == 0;
    possible[LIMS_E_SCOPE_REQUIRED] = route->scope;
    possible[LIMS_E_PERMISSION_REQUIRED] = route->permission;
    possible[LIMS_E_INVALID_ID] = lims_route_has_id(route);
    possible[LIMS_E_NOT_FOUND] = lims_route_has_id(route);
    for (const lims_error_e *kind = route->errors; kind && *kind != LIMS_E_COUNT; kind++) {
        possible[*kind] = true;
    }
    if (!lims_route_reads(route)) {
        add_write_errors(possible, route);
    }
}

const char *const *lims_openapi_slugs(apr_pool_t *pool)
{
    const char **slugs = apr_pcalloc(pool, sizeof(*slugs) * (LIMS_E_COUNT + 1));
    int count = 0;

    for (int kind = 0; kind < LIMS_E_COUNT; kind++) {
        if (!lims_error_is_plan_limit((lims_error_e)kind)) {
            slugs[count++] = lims_error_kinds[kind].slug;
        }
    }
    return slugs;
}

/* Takes out what only keys hear, and adds what only people do. */
static void fit_to_people(bool *possible, const lims_route_t *route)
{
    possible[LIMS_E_UPLOAD_ONLY_KEY] = false;
    possible[LIMS_E_SCOPE_REQUIRED] = false;
    possible[LIMS_E_SESSION_CHANGED] = (route->flags & LIMS_R_NO_SESSION) == 0;
    possible[LIMS_E_CROSS_SITE_REQUEST] = !lims_route_reads(route);
    if (!lims_route_reads(route) && route->permission && strcmp(route->permission, "self") != 0) {
        possible[LIMS_E_ACCOUNT_LOCKED] = true;
    }
    if (route->meaning) {
        possible[LIMS_E_ESIGNATURE_REQUIRED] = true;
        possible[LIMS_E_SIGNATURE_INVALID] = true;
        possible[LIMS_E_PRECONDITION_FAILED] = true;
        possible[LIMS_E_PRECONDITION_REQUIRED] = true;
    }
}

/* --- One answer ----------------------------------------------------------- */

static unsigned headers_of(const lims_openapi_t *doc, const bool *kinds)
{
    unsigned set = LIMS_HEADERS_COMMON;

    if (kinds[LIMS_E_UNAUTHORIZED] && doc->surface == LIMS_SURFACE_API) {
        set |= 1u << LIMS_H_WWW_AUTHENTICATE;
    }
    if (kinds[LIMS_E_RATE_LIMITED] || kinds[LIMS_E_ACCOUNT_LOCKED] ||
        kinds[LIMS_E_SERVICE_UNAVAILABLE] || kinds[LIMS_E_IDEMPOTENCY_IN_PROGRESS]) {
        set |= 1u << LIMS_H_RETRY_AFTER;
    }
    return set;
}

/* Returns the description: a Markdown list of the slugs with their meanings. */
static const char *description_of(const bool *kinds, int count, apr_pool_t *pool)
{
    const char *text = "";

    for (int kind = 0; kind < LIMS_E_COUNT; kind++) {
        const lims_error_kind_t *row = &lims_error_kinds[kind];

        if (kinds[kind]) {
            text = apr_pstrcat(pool, text, count > 1 ? "- " : "", "`", row->slug, "`: ", row->doc,
                               count > 1 ? "\n" : "", NULL);
        }
    }
    return text;
}

/* Writes the schema of an error with one of these slugs. */
static void write_error_schema(lims_openapi_t *doc, const bool *kinds)
{
    lims_writer_t *w = doc->w;

    lims_writer_object_begin(w);
    lims_writer_key(w, "allOf");
    lims_writer_array_begin(w);
    lims_openapi_refer_error(doc);
    lims_writer_object_begin(w);
    lims_writer_key(w, "properties");
    lims_writer_object_begin(w);
    lims_writer_key(w, "error");
    lims_writer_object_begin(w);
    lims_writer_key(w, "enum");
    lims_writer_array_begin(w);
    for (int kind = 0; kind < LIMS_E_COUNT; kind++) {
        if (kinds[kind] && !lims_error_is_plan_limit((lims_error_e)kind)) {
            lims_writer_string(w, lims_error_kinds[kind].slug);
        }
    }
    lims_writer_array_end(w);
    lims_writer_object_end(w);
    lims_writer_object_end(w);
    lims_writer_object_end(w);
    lims_writer_array_end(w);
    lims_writer_object_end(w);
}

static void write_schema(lims_openapi_t *doc, const bool *kinds)
{
    if (!kinds[LIMS_E_SAMPLE_LIMIT_EXCEEDED] && !kinds[LIMS_E_FILE_STORAGE_EXCEEDED]) {
        write_error_schema(doc, kinds);
        return;
    }
    lims_writer_object_begin(doc->w);
    lims_writer_key(doc->w, "oneOf");
    lims_writer_array_begin(doc->w);
    write_error_schema(doc, kinds);
    lims_openapi_refer_plan_limit(doc);
    lims_writer_array_end(doc->w);
    lims_writer_object_end(doc->w);
}

static void write_response(lims_openapi_t *doc, const bool *kinds, int count)
{
    lims_writer_object_begin(doc->w);
    lims_openapi_member(doc, "description", description_of(kinds, count, doc->pool));
    lims_openapi_headers(doc, headers_of(doc, kinds));
    lims_openapi_content_begin(doc);
    write_schema(doc, kinds);
    lims_openapi_content_end(doc);
    lims_writer_object_end(doc->w);
}

/* --- All of a route, and the components ----------------------------------- */

/* Selects the kinds of error with one status and returns their number; `*only` becomes
 * the last of them. */
static int select_status(bool *kinds, int *only, const bool *possible, int status)
{
    int count = 0;

    for (int kind = 0; kind < LIMS_E_COUNT; kind++) {
        kinds[kind] = possible[kind] && lims_error_kinds[kind].status == status;
        if (kinds[kind]) {
            *only = kind;
            count++;
        }
    }
    return count;
}

void lims_openapi_refusals(lims_openapi_t *doc, const lims_route_t *route)
{
    bool possible[LIMS_E_COUNT];
    bool kinds[LIMS_E_COUNT];

    lims_openapi_errors(possible, route);
    if (doc->surface != LIMS_SURFACE_API) {
        fit_to_people(possible, route);
    }
    for (int status = 400; status < 600; status++) {
        int only = 0;
        int count = select_status(kinds, &only, possible, status);

        if (count == 0) {
            continue;
        }
        lims_writer_key(doc->w, apr_itoa(doc->pool, status));
        if (count > 1) {
            write_response(doc, kinds, count);
        } else {
            lims_openapi_reference(doc, "responses",
                                   lims_openapi_name(lims_error_kinds[only].slug, doc->pool));
            doc->refusals[only] = true;
        }
    }
}

void lims_openapi_refusal_components(lims_openapi_t *doc)
{
    lims_writer_object_begin(doc->w);
    for (int kind = 0; kind < LIMS_E_COUNT; kind++) {
        bool kinds[LIMS_E_COUNT] = { false };

        if (doc->refusals[kind]) {
            kinds[kind] = true;
            lims_writer_key(doc->w, lims_openapi_name(lims_error_kinds[kind].slug, doc->pool));
            write_response(doc, kinds, 1);
        }
    }
    lims_writer_object_end(doc->w);
}
