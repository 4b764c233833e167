/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route_check.c - consistency checks of the tables of the resources.
 *
 * Runs once, at configuration time. All problems are reported, not only the first, so
 * that one configuration test shows everything that is wrong with a new resource.
 */
#include <apr_strings.h>
#include <regex.h>
#include <string.h>

#include "kernel/error.h"
#include "kernel/form.h"
#include "kernel/permission.h"
#include "kernel/route.h"
#include "kernel/scope.h"
#include "kernel/validate.h"

typedef struct {
    apr_pool_t *pool;
    const lims_statement_t *statements;
    int statement_count;
    const lims_resource_t *const *resources;
    const char *problems; /* one per line; "": none so far */
} check_t;

static const char *const methods[] = { "GET", "POST", "PUT", "PATCH", "DELETE" };

static bool among(const char *const *list, apr_size_t count, const char *text)
{
    for (apr_size_t i = 0; i < count; i++) {
        if (strcmp(list[i], text) == 0) {
            return true;
        }
    }
    return false;
}

static void problem(check_t *check, const char *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void problem(check_t *check, const char *where, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    check->problems = apr_pstrcat(check->pool, check->problems, where, ": ",
                                  apr_pvsprintf(check->pool, format, arguments), "\n", NULL);
    va_end(arguments);
}

/* --- Fields ---------------------------------------------------------------------- */

static void check_fields(check_t *check, const char *where, const lims_field_t *fields);

static bool is_compound(const lims_field_t *field)
{
    return lims_field_json_type(field->type) == LIMS_JSON_ARRAY ||
           lims_field_json_type(field->type) == LIMS_JSON_OBJECT;
}

/* Only a scalar member of an object can have a fallback: write_absent() in composite.c
 * writes no other. */
static void check_members(check_t *check, const char *where, const lims_field_t *members)
{
    check_fields(check, where, members);
    for (const lims_field_t *member = members; member->name; member++) {
        if (member->fallback && is_compound(member)) {
            problem(check, where, "the member %s cannot have a fallback", member->name);
        }
    }
}

static void check_text_rules(check_t *check, const char *where, const lims_field_t *field)
{
    regex_t compiled;

    if (field->pattern) {
        if (field->pattern[0] != '^' || field->pattern[strlen(field->pattern) - 1] != '$') {
            problem(check, where, "the pattern is not anchored with ^ and $");
        }
        if (regcomp(&compiled, field->pattern, REG_EXTENDED | REG_NOSUB) != 0) {
            problem(check, where, "the pattern is not a regular expression");
        } else {
            regfree(&compiled);
        }
    }
    if (field->fallback) {
        const lims_error_t *error = lims_field_text(lims_values_create(check->pool), field,
                                                    field->fallback, LIMS_E_INTERNAL, check->pool);

        if (error) {
            problem(check, where, "the fallback is refused: %s", error->message);
        }
    }
}

static void check_field(check_t *check, const char *where, const lims_field_t *field)
{
    bool objects = field->type == LIMS_T_OBJECT || field->type == LIMS_T_OBJECT_LIST;
    const char *here = apr_pstrcat(check->pool, where, ".", field->name, NULL);

    if ((unsigned)field->type >= LIMS_T_COUNT) {
        problem(check, here, "has no known type");
        return;
    }
    if (field->max != 0 && field->min > field->max) {
        problem(check, here, "the minimum is above the maximum");
    }
    if (field->type == LIMS_T_ENUM && (!field->values || !field->values[0])) {
        problem(check, here, "an enumeration without values");
        return;
    }
    if (objects && !field->members) {
        problem(check, here, "an object without members");
        return;
    }
    if (((field->flags & LIMS_F_UNIQUE) != 0) != !!field->unique) {
        problem(check, here, "LIMS_F_UNIQUE and .unique go together");
    }
    if (field->unique && !lims_field_find(field->members, field->unique)) {
        problem(check, here, "its objects have no member %s", field->unique);
    }
    if (((field->flags & LIMS_F_INCLUDED) != 0) != !!field->include) {
        problem(check, here, "LIMS_F_INCLUDED and .include go together");
    }
    check_text_rules(check, here, field);
    if (objects) {
        check_members(check, here, field->members);
    }
}

static void check_fields(check_t *check, const char *where, const lims_field_t *fields)
{
    for (const lims_field_t *field = fields; field && field->name; field++) {
        if (lims_field_find(field + 1, field->name)) {
            problem(check, where, "the field %s is there twice", field->name);
        }
        check_field(check, where, field);
    }
}

/* --- Statements ------------------------------------------------------------------ */

/* Whether a request of this route can bind the parameter `:name`. */
static bool is_bound(const lims_resource_t *resource, const lims_route_t *route, const char *name)
{
    const lims_field_t *field = lims_field_find(resource->fields, name);
    bool has_id = !route || lims_route_has_id(route);

    if (has_id && strcmp(name, "id") == 0) {
        return true;
    }
    if (!route) {
        return false;
    }
    return lims_field_find(route->query, name) || lims_field_find(route->input, name) ||
           lims_field_find(route->form, name) ||
           (route->body != 0 && field && (field->flags & route->body) != 0);
}

/* Checks the parameters of a statement. `route` NULL: a statement of the resource, whose
 * only parameter is the record's id. */
static void check_statement(check_t *check, const char *where, const lims_resource_t *resource,
                            const lims_route_t *route, lims_stmt_e number)
{
    const lims_statement_t *statement;

    if ((int)number < 0 || (int)number >= check->statement_count) {
        problem(check, where, "there is no statement %d", (int)number);
        return;
    }
    if (number == LIMS_STMT_NONE) {
        return;
    }
    statement = &check->statements[number];
    for (int i = 0; i < statement->count; i++) {
        const lims_parameter_t *parameter = &statement->parameters[i];

        if (parameter->kind != LIMS_P_CONTEXT && !is_bound(resource, route, parameter->name)) {
            problem(check, where, "nothing binds the parameter %s of %s (%s)", parameter->name,
                    statement->label, statement->origin);
        }
    }
}

/* --- Routes ---------------------------------------------------------------------- */

static bool is_literal(const char *segment, apr_size_t length)
{
    return length > 0 && strspn(segment, "abcdefghijklmnopqrstuvwxyz0123456789-.") >= length;
}

/* Whether a segment is the id of a record within that of :id, a field of the input. */
static bool is_inner_id(const lims_route_t *route, const char *segment, apr_size_t length)
{
    const lims_field_t *field = route->input;

    for (; length > 1 && *segment == ':' && field && field->name; field++) {
        if ((field->flags & LIMS_F_INNER) && strlen(field->name) == length - 1 &&
            memcmp(field->name, segment + 1, length - 1) == 0) {
            return true;
        }
    }
    return false;
}

static void check_path(check_t *check, const char *where, const lims_route_t *route)
{
    const char *path = route->path;
    int ids = 0, inner = 0;

    if (*path != '\0' && *path != '/') {
        problem(check, where, "the path does not begin with a slash");
        return;
    }
    while (*path == '/') {
        apr_size_t length = strcspn(++path, "/");

        if ((length == 3 && memcmp(path, ":id", 3) == 0) ||
            (length == 7 && memcmp(path, ":id.pdf", 7) == 0)) {
            ids++;
        } else if (is_inner_id(route, path, length)) {
            inner++;
        } else if (!is_literal(path, length)) {
            problem(check, where, "'%.*s' is neither a segment nor :id", (int)length, path);
        }
        path += length;
    }
    if (ids > 1 || inner > ids) {
        problem(check, where, "the path has more than one :id, or another id before it");
    }
    if (ids > 0 && (lims_field_find(route->query, "id") || lims_field_find(route->input, "id") ||
                    lims_field_find(route->form, "id"))) {
        /* Otherwise a caller could send another record's id than that in the path. */
        problem(check, where, "an input named id would replace the id of the path");
    }
}

/* Checks that a route has a surface, and no property of a surface that it is not on. */
static void check_surfaces(check_t *check, const char *where, const lims_route_t *route)
{
    static const unsigned of_keys = LIMS_R_UPLOAD_KEY | LIMS_R_COSTLY;
    static const unsigned of_people = LIMS_R_SIGN | LIMS_R_OWNER;
    bool api = lims_route_is_on(route, LIMS_SURFACE_API);
    bool application = lims_route_is_on(route, LIMS_SURFACE_APPLICATION);
    bool tool = lims_route_is_on(route, LIMS_SURFACE_TOOL);

    if (route->surfaces == 0 || (route->surfaces & ~(unsigned)LIMS_SURFACES_ALL) != 0) {
        problem(check, where, "is on no surface, or on one that there is not");
    }
    if ((api || application) && !route->path) {
        problem(check, where, "is on a surface of HTTP without a path");
    }
    if (tool != !!route->command) {
        problem(check, where, "LIMS_SURFACE_TOOL and a command go together");
    }
    if (!api && (route->scope || (route->flags & of_keys) != 0)) {
        problem(check, where, "has a scope or a flag of API keys, which do not reach it");
    }
    if (api && (route->flags & of_people) != 0) {
        problem(check, where, "needs a signature or the owner, which no API key has");
    }
    if (!application &&
        (route->flags & (LIMS_R_NO_SESSION | LIMS_R_ANY_SESSION | LIMS_R_SIGNED_IN)) != 0) {
        problem(check, where, "has a flag of the application, which does not reach it");
    }
    if (!tool && (route->flags & (LIMS_R_BYTES | LIMS_R_OWNER)) != 0) {
        problem(check, where, "has a flag of the command line, which does not reach it");
    }
}

/* Checks that a route names a permission, since a user without any may do nothing. Not
 * the routes that the owner of the database runs at the command line. */
static void check_permission(check_t *check, const char *where, const lims_route_t *route)
{
    bool application = lims_route_is_on(route, LIMS_SURFACE_APPLICATION);
    bool tool = lims_route_is_on(route, LIMS_SURFACE_TOOL);
    bool owner = !application && (route->flags & LIMS_R_OWNER) != 0;

    if (!route->permission && (application || tool) && !owner &&
        !(route->flags & LIMS_R_NO_SESSION)) {
        problem(check, where, "is reached by people, and names no permission");
    }
    if (route->permission && !lims_permission_valid(route->permission)) {
        problem(check, where, "%s is not a permission", route->permission);
    }
    if (route->permission_or && !lims_permission_valid(route->permission_or)) {
        problem(check, where, "%s is not a permission", route->permission_or);
    }
    for (const lims_permission_by_t *by = route->permission_by; by && by->member; by++) {
        if (!route->permission || !lims_permission_valid(by->permission)) {
            problem(check, where, "%s of %s is not a permission", by->permission, by->member);
        }
    }
}

/* Checks that the body of a route that requires a reason has that member. */
static void check_reason(check_t *check, const char *where, const lims_resource_t *resource,
                         const lims_route_t *route)
{
    const lims_field_t *fields = route->input ? route->input : resource->fields;
    const lims_field_t *reason = lims_field_find(fields, "reason");
    bool taken = reason && (route->input || (reason->flags & route->body) != 0);

    if ((route->flags & LIMS_R_REASON) && !taken) {
        problem(check, where, "asks for a reason, and its body has no member reason");
    }
}

static void check_signing(check_t *check, const char *where, const lims_route_t *route)
{
    if (!route->meaning != !route->signs) {
        problem(check, where, "a signature's meaning and what is signed go together");
    }
    if (route->sign_member && !(route->meaning && route->sign_values && route->input &&
                                lims_field_find(route->input, route->sign_member))) {
        problem(check, where, "signs by the value of a member that its body does not have");
    }
    if ((route->flags & LIMS_R_SIGN) != 0 && !route->meaning) {
        problem(check, where, "LIMS_R_SIGN without a meaning");
    }
    if (route->signs && !lims_route_has_id(route) &&
        !(route->flags & (LIMS_R_EACH | LIMS_R_SIGN_NEXT)) &&
        strcmp(route->signs, "organization") != 0) {
        problem(check, where, "signs a record, but its path names none");
    }
    if ((route->flags & LIMS_R_EACH) && !route->handler) {
        problem(check, where, "LIMS_R_EACH without a handler, which signs each record");
    }
}

/* Checks that a file has the records of a list of its resource, for whoever may read these,
 * and is filtered as they are. */
static void check_list(check_t *check, const char *where, const lims_resource_t *resource,
                       const lims_route_t *route)
{
    const lims_route_t *list = lims_route_list(resource, route);

    if (!route->list) {
        return;
    }
    if (!list) {
        problem(check, where, "there is no list %s", route->list);
        return;
    }
    if (!list->permission || !route->permission ||
        strcmp(list->permission, route->permission) != 0) {
        problem(check, where, "has not the permission of the list %s", route->list);
    }
    for (const lims_field_t *field = route->query; field && field->name; field++) {
        if (lims_field_find(list->query, field->name) != field) {
            problem(check, where, "%s is no parameter of the list %s", field->name, route->list);
        }
    }
}

static void check_route(check_t *check, const char *where, const lims_resource_t *resource,
                        const lims_route_t *route)
{
    check_surfaces(check, where, route);
    check_list(check, where, resource, route);
    check_permission(check, where, route);
    check_signing(check, where, route);
    if (route->path && !route->output && !(route->flags & LIMS_R_DOCUMENT) && !resource->fields) {
        problem(check, where, "answers a record, and its resource has no fields");
    }
    if ((route->flags & LIMS_R_BYTES) && !(route->flags & LIMS_R_DOCUMENT)) {
        problem(check, where, "LIMS_R_BYTES without LIMS_R_DOCUMENT");
    }
    if ((route->flags & LIMS_R_PDF) && !(route->flags & LIMS_R_BYTES)) {
        problem(check, where, "LIMS_R_PDF without LIMS_R_BYTES");
    }
    if ((route->flags & LIMS_R_ZPL) && !(route->flags & LIMS_R_PDF)) {
        problem(check, where, "LIMS_R_ZPL without LIMS_R_PDF");
    }
    if (route->path) {
        check_path(check, where, route);
    }
    if (!among(methods, LIMS_LENGTH(methods), route->method)) {
        problem(check, where, "%s is not a method of ours", route->method);
    }
    if (!route->operation || !route->summary) {
        problem(check, where, "an operation or a summary is missing");
    }
    if (route->scope && !lims_scope_valid(route->scope)) {
        problem(check, where, "%s is not a scope", route->scope);
    }
    if (route->status < 200 || route->status > 299) {
        problem(check, where, "%d is not a status of success", route->status);
    }
}

static bool has_file(const lims_field_t *fields)
{
    return lims_form_file(fields);
}

static void check_form(check_t *check, const char *where, const lims_route_t *route)
{
    check_fields(check, apr_pstrcat(check->pool, where, " form", NULL), route->form);
    if (has_file(route->input) || has_file(route->query) || has_file(route->output)) {
        problem(check, where, "a file outside a form");
    }
    if (route->form && !has_file(route->form)) {
        problem(check, where, "a form without a file");
    }
}

static void check_input(check_t *check, const char *where, const lims_resource_t *resource,
                        const lims_route_t *route)
{
    bool api = lims_route_is_on(route, LIMS_SURFACE_API);
    bool removes = strcmp(route->method, "DELETE") == 0;
    /* People say why they remove something. */
    bool reads = lims_route_reads(route) || (removes && api);

    if (route->body != 0 && route->body != LIMS_F_CREATE && route->body != LIMS_F_UPDATE) {
        problem(check, where, "the body is neither a creation nor an update");
    }
    if (route->body != 0 && route->input) {
        problem(check, where, "a body of fields and an input of its own");
    }
    if (reads && (route->body != 0 || route->input || route->form)) {
        problem(check, where, "%s takes no body", route->method);
    }
    if (route->body != 0 && !resource->fields) {
        problem(check, where, "a body, but the resource has no fields");
    }
    check_fields(check, apr_pstrcat(check->pool, where, " query", NULL), route->query);
    check_fields(check, apr_pstrcat(check->pool, where, " input", NULL), route->input);
    check_fields(check, apr_pstrcat(check->pool, where, " output", NULL), route->output);
    check_form(check, where, route);
    check_reason(check, where, resource, route);
    if (!route->handler && route->statement == LIMS_STMT_NONE) {
        problem(check, where, "neither a statement nor a handler");
    }
    /* A handler may bind values that no field of the request has. */
    if (!route->handler) {
        check_statement(check, where, resource, route, route->statement);
    }
}

/* A list that takes an order needs its statements in both directions. */
static void check_order(check_t *check, const char *where, const lims_route_t *route)
{
    const lims_stmt_e pages[] = { route->statement, route->search, route->changes };

    if ((route->flags & LIMS_R_LIST) == 0 || !lims_field_find(route->query, "order")) {
        return;
    }
    for (unsigned i = 0; i < LIMS_LENGTH(pages); i++) {
        const lims_statement_t *page = &check->statements[pages[i]];

        if (pages[i] != LIMS_STMT_NONE && (int)pages[i] < check->statement_count &&
            page->newest == LIMS_STMT_NONE) {
            problem(check, where, "%s (%s) is not a list: it has one order alone", page->label,
                    page->origin);
        }
    }
}

static bool equal(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

/* Checks for conflicts of two routes. Called once for each pair; `other` precedes
 * `route`. */
static void check_pair(check_t *check, const char *where, const lims_route_t *route,
                       const lims_route_t *other)
{
    if ((route->surfaces & other->surfaces) != 0 && equal(route->path, other->path) &&
        equal(route->method, other->method)) {
        problem(check, where, "the route is there twice");
    }
    if (equal(route->operation, other->operation)) {
        problem(check, where, "another route has the operation %s too", route->operation);
    }
    if (equal(route->command, other->command)) {
        problem(check, where, "another route has the command '%s' too", route->command);
    }
}

static void check_earlier(check_t *check, const char *where, const lims_route_t *route)
{
    for (const lims_resource_t *const *r = check->resources; *r; r++) {
        const lims_route_t *other = (*r)->routes;

        for (; other && other->method; other++) {
            if (other == route) {
                return;
            }
            check_pair(check, where, route, other);
        }
    }
}

static void check_resource(check_t *check, const lims_resource_t *resource)
{
    const char *where = resource->name;

    check_fields(check, where, resource->fields);
    check_statement(check, where, resource, NULL, resource->record);
    if (!resource->nested != !resource->nested_resource ||
        !!resource->nested != (resource->nested_statement != LIMS_STMT_NONE)) {
        problem(check, where, "nested needs a name, a resource and a statement");
    }
    check_statement(check, where, resource, NULL, resource->nested_statement);
    if (!resource->routes) {
        problem(check, where, "has no table of routes");
        return;
    }
    for (const lims_route_t *route = resource->routes; route->method; route++) {
        const char *here = apr_psprintf(check->pool, "%s: %s %s", where, route->method,
                                        route->path      ? route->path
                                        : route->command ? route->command
                                                         : "?");

        check_route(check, here, resource, route);
        check_input(check, here, resource, route);
        check_order(check, here, route);
        check_earlier(check, here, route);
    }
}

const char *lims_route_check(const lims_resource_t *const *resources,
                             const lims_statement_t *statements, int statement_count,
                             apr_pool_t *pool)
{
    check_t check = {
        .pool = pool,
        .statements = statements,
        .statement_count = statement_count,
        .resources = resources,
        .problems = "",
    };

    for (; *resources; resources++) {
        if (!(*resources)->name) {
            problem(&check, "a resource", "has no name");
        } else {
            check_resource(&check, *resources);
        }
    }
    return check.problems[0] != '\0' ? check.problems : NULL;
}
