/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each case is one table with one fault; the sound table around it must pass.
 */
#include <apr_strings.h>

#include "../lib/unit.h"
#include "kernel/route.h"

static apr_pool_t *pool;

static const lims_error_t *handle(lims_request_t *rq)
{
    (void)rq;
    return NULL;
}

static const lims_parameter_t update_parameters[] = {
    { .kind = LIMS_P_CONTEXT, .name = "organization", .context = LIMS_CONTEXT_ORGANIZATION },
    { .kind = LIMS_P_VALUE, .name = "id" },
    { .kind = LIMS_P_GIVEN, .name = "notes" },
    { .kind = LIMS_P_VALUE, .name = "notes" },
};
static const lims_parameter_t list_parameters[] = {
    { .kind = LIMS_P_CONTEXT, .name = "organization", .context = LIMS_CONTEXT_ORGANIZATION },
    { .kind = LIMS_P_VALUE, .name = "limit" },
};

enum { NONE, UPDATE, LIST, NEWEST, COUNT };

static const lims_statement_t statements[COUNT] = {
    [UPDATE] = { .label = "x_update",
                 .count = 4,
                 .parameters = update_parameters,
                 .origin = "x.sql:1" },
    [LIST] = { .label = "x_list",
               .newest = (lims_stmt_e)NEWEST,
               .count = 2,
               .parameters = list_parameters,
               .origin = "x.sql:9" },
    [NEWEST] = { .label = "x_list_newest",
                 .count = 2,
                 .parameters = list_parameters,
                 .origin = "x.sql:9" },
};

static const char *const no_values[] = { NULL };

static const lims_field_t sound_fields[] = {
    { .name = "id", .type = LIMS_T_ID, .flags = LIMS_F_OUT },
    { .name = "notes", .type = LIMS_T_STRING, .flags = LIMS_F_OUT | LIMS_F_UPDATE },
    { .name = "code", .type = LIMS_T_STRING, .flags = LIMS_F_OUT, .pattern = "^[A-Z]+$" },
    LIMS_FIELD_END,
};

static const lims_field_t page[] = {
    { .name = "limit", .type = LIMS_T_INTEGER, .min = 1, .max = 500, .fallback = "50" },
    LIMS_FIELD_END,
};

static const lims_field_t ordered_page[] = { LIMS_PAGING_FIELDS, LIMS_FIELD_END };

static const lims_field_t id_input[] = { { .name = "id", .type = LIMS_T_ID }, LIMS_FIELD_END };

static const lims_permission_by_t no_permission[] = { { "status", "eaten", "sample.eat" },
                                                      { .member = NULL } };

static const lims_route_t sound_update = {
    .method = "PATCH",
    .path = "/x/:id",
    .surfaces = LIMS_SURFACES_HTTP,
    .operation = "updateX",
    .summary = "Change an x",
    .scope = "samples:write",
    .permission = "sample.edit",
    .body = LIMS_F_UPDATE,
    .status = 200,
    .statement = (lims_stmt_e)UPDATE,
};

static const char *check(const lims_field_t *fields, lims_route_t first, lims_route_t second)
{
    lims_route_t routes[] = { first, second, LIMS_ROUTE_END };
    lims_resource_t resource = { .name = "x", .fields = fields, .routes = routes };
    const lims_resource_t *resources[] = { &resource, NULL };

    return lims_route_check(resources, statements, COUNT, pool);
}

static const char *check_one(lims_route_t route)
{
    return check(sound_fields, route, (lims_route_t)LIMS_ROUTE_END);
}

static const char *check_field(lims_field_t field)
{
    lims_field_t fields[] = { sound_fields[1], field, LIMS_FIELD_END };

    return check(fields, sound_update, (lims_route_t)LIMS_ROUTE_END);
}

/* Shallow copies of the sound route with one member changed. */
#define FAULT(part, member, value)                                                                 \
    do {                                                                                           \
        lims_route_t route = sound_update;                                                         \
        route.member = value;                                                                      \
        has(check_one(route), part, #member " " #value);                                           \
    } while (0)

static void test_sound(void)
{
    lims_route_t list = sound_update;

    is(check_one(sound_update), NULL, "a sound update");
    list.method = "GET";
    list.path = "/x";
    list.body = 0;
    list.query = page;
    list.statement = (lims_stmt_e)LIST;
    list.operation = "listX";
    is(check(sound_fields, sound_update, list), NULL, "a sound list passes");
    list.flags = LIMS_R_LIST;
    list.query = ordered_page;
    is(check(sound_fields, sound_update, list), NULL, "a sound list passes in either order");
    list.statement = (lims_stmt_e)NEWEST;
    has(check(sound_fields, sound_update, list), "x_list_newest (x.sql:9) is not a list",
        "a list that takes an order and has one alone");
}

static void test_routes(void)
{
    FAULT("not a method of ours", method, "FETCH");
    FAULT("not a method of ours", method, "HEAD");
    FAULT("begin with a slash", path, "x/:id");
    FAULT("neither a segment", path, "/x/:id/");
    FAULT("neither a segment", path, "//:id");
    FAULT("neither a segment", path, "/X/:id");
    FAULT("neither a segment", path, "/x/:name");
    FAULT("more than one :id", path, "/x/:id/y/:id");
    FAULT("LIMS_R_BYTES without", flags, LIMS_R_BYTES);
    FAULT("LIMS_R_ZPL without", flags, LIMS_R_ZPL);
    FAULT("operation or a summary", operation, NULL);
    FAULT("operation or a summary", summary, NULL);
    FAULT("is not a scope", scope, "samples:destroy");
    FAULT("not a status of success", status, 0);
    FAULT("not a status of success", status, 404);
    FAULT("neither a creation nor an update", body, LIMS_F_OUT);
    FAULT("an input of its own", input, page);
    FAULT("takes no body", method, "GET");
    FAULT("neither a statement nor a handler", statement, LIMS_STMT_NONE);
    FAULT("there is no statement", statement, (lims_stmt_e)COUNT);
    FAULT("nothing binds the parameter limit of x_list (x.sql:9)", statement, (lims_stmt_e)LIST);
    FAULT("nothing binds the parameter notes", body, LIMS_F_CREATE);
    FAULT("nothing binds the parameter id", path, "/x");
    FAULT("would replace the id", query, id_input);
}

/* Properties that contradict the surfaces of a route. */
static void test_surfaces(void)
{
    lims_route_t own = sound_update;

    FAULT("is on no surface", surfaces, 0);
    FAULT("or on one that there is not", surfaces, LIMS_SURFACES_HTTP | 1 << 7);
    FAULT("on a surface of HTTP without a path", path, NULL);
    FAULT("LIMS_SURFACE_TOOL and a command go together", surfaces, LIMS_SURFACES_ALL);
    FAULT("LIMS_SURFACE_TOOL and a command go together", command, "x update");
    FAULT("of API keys, which do not reach it", surfaces, LIMS_SURFACE_APPLICATION);
    FAULT("its body has no member reason", flags, LIMS_R_REASON);
    FAULT("names no permission", permission, NULL);
    FAULT("sample.eat is not a permission", permission, "sample.eat");
    FAULT("sample.eat of status is not a permission", permission_by, no_permission);
    FAULT("needs a signature or the owner, which no API key has", flags, LIMS_R_SIGN);
    FAULT("needs a signature or the owner, which no API key has", flags, LIMS_R_OWNER);
    FAULT("of the command line, which does not reach it", flags, LIMS_R_OWNER);
    FAULT("of the command line, which does not reach it", flags, LIMS_R_BYTES);
    FAULT("LIMS_R_SIGN without a meaning", flags, LIMS_R_SIGN);
    FAULT("meaning and what is signed go together", meaning, "verified");
    FAULT("meaning and what is signed go together", signs, "x");
    own.scope = NULL;
    own.surfaces = LIMS_SURFACE_APPLICATION;
    is(check_one(own), NULL, "a route of the application alone");
    own.flags = LIMS_R_UPLOAD_KEY;
    has(check_one(own), "of API keys", "a flag of keys there");
    own.flags = LIMS_R_SIGN;
    own.meaning = "verified";
    own.signs = "x";
    is(check_one(own), NULL, "a signed act of the application");
    own.method = "POST";
    own.path = "/x";
    own.statement = LIMS_STMT_NONE;
    own.handler = handle;
    has(check_one(own), "its path names none", "a signing route without a record is a problem");
}

static void test_handlers(void)
{
    lims_route_t route = sound_update;

    route.handler = handle;
    route.statement = (lims_stmt_e)LIST;
    is(check_one(route), NULL, "a handler binds what it likes");
    route = sound_update;
    route.body = 0;
    route.input = id_input;
    has(check_one(route), "would replace the id", "an input named id");
}

static void test_pairs(void)
{
    lims_route_t other = sound_update;

    has(check(sound_fields, sound_update, other), "the route is there twice", "twice");
    has(check(sound_fields, sound_update, other), "the operation updateX too",
        "an operation that is there twice");
    other.path = "/y/:id";
    other.operation = "updateY";
    is(check(sound_fields, sound_update, other), NULL, "two different routes");
    other.path = sound_update.path;
    has(check(sound_fields, sound_update, other), "the route is there twice",
        "a route that is there twice");
    other.command = "x update";
    other.surfaces = LIMS_SURFACE_TOOL;
    other.scope = NULL;
    is(check(sound_fields, sound_update, other), NULL, "the same route on another surface");
    {
        lims_route_t first = sound_update;

        first.command = "x update";
        first.surfaces = LIMS_SURFACES_ALL;
        has(check(sound_fields, first, other), "the command 'x update' too",
            "a command that is there twice");
    }
}

/* A file of a list: its records, its permission, its parameters. */
static void test_files(void)
{
    const lims_route_t list = {
        .method = "GET",
        .path = "/x",
        .surfaces = LIMS_SURFACES_HTTP,
        .operation = "listX",
        .summary = "List them",
        .scope = "samples:read",
        .permission = "data.read",
        .query = page,
        .status = 200,
        .statement = (lims_stmt_e)LIST,
    };
    lims_route_t file = list;

    file.path = "/x/export";
    file.operation = "exportX";
    file.list = "/x";
    is(check(sound_fields, list, file), NULL, "a file of a list");
    file.list = "/y";
    has(check(sound_fields, list, file), "there is no list /y", "a file of no list");
    file.list = "/x";
    file.permission = "audit.read";
    has(check(sound_fields, list, file), "has not the permission of the list /x",
        "a file that others may read");
    file.permission = "data.read";
    file.query = ordered_page;
    has(check(sound_fields, list, file), "is no parameter of the list /x",
        "a file that is filtered otherwise");
}

static void test_fields(void)
{
    lims_field_t object = { .name = "o", .type = LIMS_T_OBJECT_LIST, .members = page };

    has(check_field(sound_fields[1]), "the field notes is there twice", "equal names");
    has(check_field((lims_field_t){ .name = "e", .type = LIMS_T_ENUM }), "without values", "enum");
    has(check_field((lims_field_t){ .name = "i", .type = LIMS_T_ID, .flags = LIMS_F_INCLUDED }),
        "LIMS_F_INCLUDED and .include", "a member that nothing includes");
    has(check_field((lims_field_t){ .name = "e", .type = LIMS_T_ENUM, .values = no_values }),
        "without values", "empty enum");
    has(check_field((lims_field_t){ .name = "o", .type = LIMS_T_OBJECT }), "without members",
        "object");
    has(check_field((lims_field_t){ .name = "s", .type = LIMS_T_STRING, .pattern = "[A-Z]+" }),
        "not anchored", "pattern");
    has(check_field((lims_field_t){ .name = "s", .type = LIMS_T_STRING, .pattern = "^(a$" }),
        "not a regular expression", "bad pattern");
    has(check_field((lims_field_t){ .name = "i", .type = LIMS_T_INTEGER, .min = 9, .max = 3 }),
        "above the maximum", "bounds");
    has(check_field((lims_field_t){ .name = "i", .type = LIMS_T_INTEGER, .fallback = "x" }),
        "the fallback is refused", "fallback");
    has(check_field((lims_field_t){ .name = "t", .type = LIMS_T_COUNT }), "no known type", "type");
    is(check_field(object), NULL, "objects");
    object.unique = "limit";
    has(check_field(object), "go together", "unique without its flag");
    object.flags = LIMS_F_UNIQUE;
    is(check_field(object), NULL, "unique with its flag");
    object.unique = "number";
    has(check_field(object), "no member number", "unique of nothing");
}

static void test_resources(void)
{
    lims_resource_t resource = { .name = "x", .fields = sound_fields };
    const lims_resource_t *resources[] = { &resource, NULL };
    lims_route_t routes[] = { sound_update, LIMS_ROUTE_END };

    has(lims_route_check(resources, statements, COUNT, pool), "no table of routes", "no routes");
    resource.routes = routes;
    resource.record = (lims_stmt_e)LIST;
    has(lims_route_check(resources, statements, COUNT, pool), "parameter limit",
        "a record's statement has only the id");
    resource.record = LIMS_STMT_NONE;
    resource.nested = "tests";
    has(lims_route_check(resources, statements, COUNT, pool), "nested needs", "half nested");
    resource.name = NULL;
    has(lims_route_check(resources, statements, COUNT, pool), "has no name", "no name");
}

int main(void)
{
    pool = unit_pool();
    test_sound();
    test_routes();
    test_surfaces();
    test_handlers();
    test_pairs();
    test_files();
    test_fields();
    test_resources();
    return tap_done();
}
