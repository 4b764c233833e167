/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tables.c - writes the tables of the C code as a JSON document, for the test that
 * compares them with the database's catalogue (catalogue.t).
 *
 * They are all here: also the routes of the command line alone, which the OpenAPI
 * document leaves out, and bounds as the database has them, which that restates.
 */
#include <apr_general.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/document.h"
#include "kernel/blocker.h"
#include "kernel/error.h"
#include "kernel/permission.h"
#include "kernel/scope.h"
#include "kernel/statement.h"
#include "kernel/writer.h"
#include "openapi/event_types.h"

static const char *const type_names[] = {
    [LIMS_T_ID] = "id",           [LIMS_T_INTEGER] = "integer",
    [LIMS_T_DECIMAL] = "decimal", [LIMS_T_BOOLEAN] = "boolean",
    [LIMS_T_STRING] = "string",   [LIMS_T_ENUM] = "enum",
    [LIMS_T_DATE] = "date",       [LIMS_T_TIMESTAMP] = "timestamp",
    [LIMS_T_MOMENT] = "moment",   [LIMS_T_MOMENT_END] = "momentEnd",
    [LIMS_T_ID_LIST] = "ids",     [LIMS_T_STRING_LIST] = "strings",
    [LIMS_T_OBJECT] = "object",   [LIMS_T_OBJECT_LIST] = "objects",
    [LIMS_T_JSON] = "json",       [LIMS_T_FILE] = "file",
};

_Static_assert(LIMS_LENGTH(type_names) == LIMS_T_COUNT, "a name for each type");

static void member(lims_writer_t *w, const char *name, const char *text)
{
    if (text) {
        lims_writer_key(w, name);
        lims_writer_string(w, text);
    }
}

static void number(lims_writer_t *w, const char *name, apr_int64_t value)
{
    lims_writer_key(w, name);
    lims_writer_integer(w, value);
}

static void flag(lims_writer_t *w, const char *name, unsigned set)
{
    lims_writer_key(w, name);
    lims_writer_boolean(w, set != 0);
}

static void write_texts(lims_writer_t *w, const char *name, const char *const *texts)
{
    if (texts) {
        lims_writer_key(w, name);
        lims_writer_array_begin(w);
        for (; *texts; texts++) {
            lims_writer_string(w, *texts);
        }
        lims_writer_array_end(w);
    }
}

static void write_fields(lims_writer_t *w, const char *name, const lims_field_t *fields);

/* Members that are a resource's records are named, and stand there. */
static void write_members(lims_writer_t *w, const lims_field_t *members)
{
    for (const lims_resource_t *const *each = lims_resources; *each; each++) {
        if ((*each)->fields == members) {
            member(w, "record", (*each)->name);
            return;
        }
    }
    write_fields(w, "members", members);
}

static void write_field(lims_writer_t *w, const lims_field_t *field)
{
    lims_writer_object_begin(w);
    member(w, "name", field->name);
    member(w, "type", type_names[field->type]);
    number(w, "min", field->min);
    number(w, "max", field->max);
    flag(w, "out", field->flags & LIMS_F_OUT);
    flag(w, "create", field->flags & LIMS_F_CREATE);
    flag(w, "update", field->flags & LIMS_F_UPDATE);
    flag(w, "required", field->flags & LIMS_F_REQUIRED);
    flag(w, "nullable", field->flags & LIMS_F_NULLABLE);
    member(w, "fallback", field->fallback);
    write_texts(w, "values", field->values);
    write_texts(w, "peopleValues", field->people_values);
    member(w, "pattern", field->pattern);
    write_members(w, field->members);
    lims_writer_object_end(w);
}

static void write_fields(lims_writer_t *w, const char *name, const lims_field_t *fields)
{
    if (!fields) {
        return;
    }
    lims_writer_key(w, name);
    lims_writer_array_begin(w);
    for (; fields->name; fields++) {
        write_field(w, fields);
    }
    lims_writer_array_end(w);
}

static void write_statement(lims_writer_t *w, const char *name, lims_stmt_e statement)
{
    if (statement != LIMS_STMT_NONE) {
        member(w, name, lims_statements[statement].label);
    }
}

static void write_route(lims_writer_t *w, const lims_route_t *route)
{
    lims_writer_object_begin(w);
    member(w, "operation", route->operation);
    member(w, "scope", route->scope);
    member(w, "meaning", route->meaning);
    member(w, "signMember", route->sign_member);
    write_texts(w, "signValues", route->sign_values);
    flag(w, "list", route->flags & LIMS_R_LIST);
    write_statement(w, "statement", route->statement);
    write_statement(w, "search", route->search);
    write_statement(w, "changes", route->changes);
    write_fields(w, "input", route->input);
    write_fields(w, "form", route->form);
    write_fields(w, "query", route->query);
    write_fields(w, "output", route->output);
    lims_writer_object_end(w);
}

static void write_resource(lims_writer_t *w, const lims_resource_t *resource)
{
    lims_writer_object_begin(w);
    member(w, "name", resource->name);
    write_statement(w, "record", resource->record);
    write_fields(w, "fields", resource->fields);
    if (resource->nested) {
        member(w, "nested", resource->nested_resource->name);
        write_statement(w, "nestedStatement", resource->nested_statement);
        write_fields(w, "nestedFields", resource->nested_resource->fields);
    }
    lims_writer_key(w, "routes");
    lims_writer_array_begin(w);
    for (const lims_route_t *route = resource->routes; route && route->method; route++) {
        write_route(w, route);
    }
    lims_writer_array_end(w);
    lims_writer_object_end(w);
}

static void write_events(lims_writer_t *w)
{
    lims_writer_key(w, "events");
    lims_writer_array_begin(w);
    for (const lims_event_t *event = lims_events; event->type; event++) {
        lims_writer_object_begin(w);
        member(w, "type", event->type);
        write_fields(w, "data", event->data);
        lims_writer_object_end(w);
    }
    lims_writer_array_end(w);
    write_texts(w, "eventTypes", lims_event_types);
}

static void write_words(lims_writer_t *w)
{
    lims_writer_key(w, "scopes");
    lims_writer_array_begin(w);
    for (const lims_scope_t *scope = lims_scopes; scope->name; scope++) {
        lims_writer_string(w, scope->name);
    }
    lims_writer_array_end(w);
    lims_writer_key(w, "permissions");
    lims_writer_array_begin(w);
    for (const lims_permission_t *one = lims_permissions; one->name; one++) {
        lims_writer_string(w, one->name);
    }
    lims_writer_array_end(w);
    number(w, "textMax", LIMS_TEXT_MAX);
    lims_writer_key(w, "errors");
    lims_writer_object_begin(w);
    for (int kind = 0; kind < LIMS_E_COUNT; kind++) {
        number(w, lims_error_kinds[kind].slug, lims_error_kinds[kind].status);
    }
    lims_writer_object_end(w);
    lims_writer_key(w, "fileReasons");
    lims_writer_array_begin(w);
    for (int code = 0; code < LIMS_REASON_COUNT; code++) {
        lims_writer_string(w, lims_reason_name((lims_reason_e)code));
    }
    lims_writer_array_end(w);
}

static void write_gates(lims_writer_t *w)
{
    const lims_field_t *slug = lims_blocker_fields;

    while (strcmp(slug->name, "slug") != 0) {
        slug++;
    }
    write_fields(w, "blocker", lims_blocker_fields);
    lims_writer_key(w, "clearedBy");
    lims_writer_object_begin(w);
    for (const char *const *gate = slug->values; *gate; gate++) {
        member(w, *gate, lims_blocker_cleared_by(*gate));
    }
    lims_writer_object_end(w);
}

int main(void)
{
    apr_pool_t *pool = NULL;
    apr_size_t length = 0;
    lims_writer_t *w;

    if (apr_initialize() != APR_SUCCESS || apr_pool_create(&pool, NULL) != APR_SUCCESS) {
        return EXIT_FAILURE;
    }
    w = lims_writer_create(pool);
    lims_writer_object_begin(w);
    lims_writer_key(w, "resources");
    lims_writer_array_begin(w);
    for (const lims_resource_t *const *each = lims_resources; *each; each++) {
        write_resource(w, *each);
    }
    lims_writer_array_end(w);
    write_events(w);
    write_words(w);
    write_gates(w);
    lims_writer_object_end(w);
    puts(lims_writer_finish(&length, w));
    apr_terminate();
    return EXIT_SUCCESS;
}
