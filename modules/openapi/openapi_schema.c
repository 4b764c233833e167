/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openapi_schema.c - the schemas that operations and webhooks refer to.
 *
 * Objects around the records of a resource (a page, nested rows, an envelope) are made
 * tables of fields too, so that one function writes all schemas.
 */
#include <apr_strings.h>
#include <string.h>

#include "kernel/field.h"
#include "kernel/blocker.h"
#include "kernel/route.h"
#include "openapi/openapi_parts.h"

/* --- Tables put together -------------------------------------------------- */

static apr_size_t count_fields(const lims_field_t *fields)
{
    apr_size_t count = 0;

    while (fields[count].name) {
        count++;
    }
    return count;
}

/* Concatenates two tables; `second` has `count` fields and no end marker. */
static lims_field_t *concatenate(const lims_field_t *first, const lims_field_t *second,
                                 apr_size_t count, apr_pool_t *pool)
{
    apr_size_t before = count_fields(first);
    lims_field_t *fields = apr_pcalloc(pool, sizeof(*fields) * (before + count + 1));

    memcpy(fields, first, sizeof(*fields) * before);
    memcpy(fields + before, second, sizeof(*fields) * count);
    return fields;
}

/* --- References ----------------------------------------------------------- */

static void refer(lims_openapi_t *doc, const char *name, lims_component_fn *write,
                  const void *subject)
{
    lims_component_t *known = doc->first;

    while (known && strcmp(known->name, name) != 0) {
        known = known->next;
    }
    if (!known) {
        known = apr_pcalloc(doc->pool, sizeof(*known));
        *known = (lims_component_t){ .name = name, .write = write, .subject = subject };
        *doc->end = known;
        doc->end = &known->next;
    }
    lims_openapi_reference(doc, "schemas", name);
}

static void write_blocker(lims_openapi_t *doc, const void *subject);

/* Refers to the component of these members if they have one: records and blockers. */
static bool refer_members(void *context, const lims_field_t *members)
{
    lims_openapi_t *doc = context;

    if (members == lims_blocker_fields) {
        refer(doc, "Blocker", write_blocker, NULL);
        return true;
    }
    for (const lims_resource_t *const *each = doc->resources; *each; each++) {
        if ((*each)->fields == members) {
            lims_openapi_refer_record(doc, *each);
            return true;
        }
    }
    return false;
}

static void write_object(lims_openapi_t *doc, const lims_field_t *fields, lims_schema_e use,
                         const char *description)
{
    const lims_schema_t s = { .w = doc->w,
                              .use = use,
                              .people = doc->surface != LIMS_SURFACE_API,
                              .refer = refer_members,
                              .context = doc };

    lims_schema_object(&s, fields, description);
}

/* --- Records and pages ---------------------------------------------------- */

/* Writes the schema of an event whose type was added by a later release. */
static void write_later_event(lims_openapi_t *doc, const void *subject)
{
    const lims_resource_t *resource = subject;

    lims_writer_object_begin(doc->w);
    lims_writer_key(doc->w, "allOf");
    lims_writer_array_begin(doc->w);
    write_object(doc, resource->fields, LIMS_SCHEMA_RECORD,
                 "An event of a type that is added later.");
    lims_writer_object_begin(doc->w);
    lims_writer_key(doc->w, "properties");
    lims_writer_object_begin(doc->w);
    lims_writer_key(doc->w, "type");
    lims_writer_object_begin(doc->w);
    lims_writer_key(doc->w, "not");
    lims_writer_object_begin(doc->w);
    lims_writer_key(doc->w, "enum");
    lims_writer_array_begin(doc->w);
    for (const char *const *type = lims_event_types; *type; type++) {
        lims_writer_string(doc->w, *type);
    }
    lims_writer_array_end(doc->w);
    lims_writer_object_end(doc->w);
    lims_writer_object_end(doc->w);
    lims_writer_object_end(doc->w);
    lims_writer_object_end(doc->w);
    lims_writer_array_end(doc->w);
    lims_writer_object_end(doc->w);
}

/* Writes the schema of an event in the feed: one of the known types, or a later one. */
static void write_feed_event(lims_openapi_t *doc, const lims_resource_t *resource)
{
    lims_writer_object_begin(doc->w);
    lims_openapi_member(doc, "description", resource->doc);
    lims_writer_key(doc->w, "anyOf");
    lims_writer_array_begin(doc->w);
    for (int i = 0; lims_event_types[i]; i++) {
        lims_openapi_refer_event(doc, &lims_events[i]);
    }
    refer(doc, "LaterEvent", write_later_event, resource);
    lims_writer_array_end(doc->w);
    lims_writer_object_end(doc->w);
}

static void write_record(lims_openapi_t *doc, const void *subject)
{
    const lims_resource_t *resource = subject;

    if (resource->feed) {
        write_feed_event(doc, resource);
        return;
    }
    write_object(doc, resource->fields, LIMS_SCHEMA_RECORD, resource->doc);
}

void lims_openapi_refer_record(lims_openapi_t *doc, const lims_resource_t *resource)
{
    refer(doc, resource->schema, write_record, resource);
}

static void write_single(lims_openapi_t *doc, const void *subject)
{
    const lims_resource_t *resource = subject;
    const lims_field_t nested = { .name = resource->nested,
                                  .type = LIMS_T_OBJECT_LIST,
                                  .flags = LIMS_F_OUT,
                                  .members = resource->nested_resource->fields,
                                  .doc = "Nested records, in the order of their ids." };

    write_object(doc, concatenate(resource->fields, &nested, 1, doc->pool), LIMS_SCHEMA_RECORD,
                 resource->doc);
}

void lims_openapi_refer_single(lims_openapi_t *doc, const lims_resource_t *resource)
{
    const char *nested;

    if (!resource->nested) {
        lims_openapi_refer_record(doc, resource);
        return;
    }
    nested = lims_openapi_name(resource->nested, doc->pool);
    refer(doc, apr_pstrcat(doc->pool, resource->schema, "With", nested, NULL), write_single,
          resource);
}

/* Whether the pages of a resource have text as their cursor, not an id. */
static bool has_text_cursor(const lims_resource_t *resource)
{
    for (const lims_route_t *route = resource->routes; route->method; route++) {
        if (lims_route_has_text_cursor(route)) {
            return true;
        }
    }
    return false;
}

static void write_page(lims_openapi_t *doc, const void *subject)
{
    const lims_resource_t *resource = subject;
    const lims_field_t fields[] = {
        { .name = "data",
          .type = LIMS_T_OBJECT_LIST,
          .flags = LIMS_F_OUT,
          .members = resource->fields,
          .doc = "Records of this page, in the order of their ids." },
        { .name = "nextCursor",
          .type = has_text_cursor(resource) ? LIMS_T_STRING : LIMS_T_INTEGER,
          .flags = LIMS_F_OUT,
          .max = has_text_cursor(resource) ? 0 : APR_INT64_MAX,
          .doc = "Cursor of the next page. On the last page it is the position at which later "
                 "records begin." },
        { .name = "hasMore",
          .type = LIMS_T_BOOLEAN,
          .flags = LIMS_F_OUT,
          .doc = "Whether there is a next page." },
        LIMS_FIELD_END,
    };

    write_object(doc, fields, LIMS_SCHEMA_RECORD, NULL);
}

void lims_openapi_refer_page(lims_openapi_t *doc, const lims_resource_t *resource)
{
    refer(doc, apr_pstrcat(doc->pool, resource->schema, "Page", NULL), write_page, resource);
}

/* --- Bodies and answers of their own -------------------------------------- */

/* Adds what a body of the application may have besides: a reason, unless it has a member of
 * that name, and the signature of an act that can be signed. */
static const lims_field_t *with_reserved(const lims_openapi_t *doc, const lims_field_t *fields,
                                         unsigned use, bool is_signed)
{
    const lims_field_t *field = fields;
    bool own;

    while (field->name && strcmp(field->name, "reason") != 0) {
        field++;
    }
    own = field->name && (use == 0 || (field->flags & use) != 0);
    if (doc->surface == LIMS_SURFACE_API || (own && !is_signed)) {
        return fields;
    }
    return concatenate(fields,
                       &lims_reserved_fields[own ? LIMS_RESERVED_SIGNATURE : LIMS_RESERVED_REASON],
                       own || !is_signed ? 1 : LIMS_RESERVED_COUNT, doc->pool);
}

/* Whether a route with this body of the resource's fields can be signed. */
static bool is_body_signed(const lims_resource_t *resource, unsigned body)
{
    const lims_route_t *route = resource->routes;

    while (route->method && !(route->body == body && route->meaning)) {
        route++;
    }
    return route->method;
}

static void write_create(lims_openapi_t *doc, const void *subject)
{
    const lims_resource_t *resource = subject;

    write_object(doc,
                 with_reserved(doc, resource->fields, LIMS_F_CREATE,
                               is_body_signed(resource, LIMS_F_CREATE)),
                 LIMS_SCHEMA_CREATE, NULL);
}

void lims_openapi_refer_create(lims_openapi_t *doc, const lims_resource_t *resource)
{
    refer(doc, apr_pstrcat(doc->pool, resource->schema, "Create", NULL), write_create, resource);
}

static void write_update(lims_openapi_t *doc, const void *subject)
{
    const lims_resource_t *resource = subject;

    write_object(doc,
                 with_reserved(doc, resource->fields, LIMS_F_UPDATE,
                               is_body_signed(resource, LIMS_F_UPDATE)),
                 LIMS_SCHEMA_UPDATE,
                 "The fields to change; null clears one that may be null.");
}

void lims_openapi_refer_update(lims_openapi_t *doc, const lims_resource_t *resource)
{
    refer(doc, apr_pstrcat(doc->pool, resource->schema, "Update", NULL), write_update, resource);
}

static void write_input(lims_openapi_t *doc, const void *subject)
{
    const lims_route_t *route = subject;

    static const lims_field_t nothing[] = { LIMS_FIELD_END };

    write_object(doc, with_reserved(doc, route->input ? route->input : nothing, 0, route->meaning),
                 LIMS_SCHEMA_INPUT, NULL);
}

void lims_openapi_refer_input(lims_openapi_t *doc, const lims_route_t *route)
{
    const char *name = lims_openapi_name(route->operation, doc->pool);

    refer(doc, apr_pstrcat(doc->pool, name, "Request", NULL), write_input, route);
}

static void write_form(lims_openapi_t *doc, const void *subject)
{
    const lims_route_t *route = subject;

    write_object(doc, route->form, LIMS_SCHEMA_INPUT, "The parts of the form, each by its name.");
}

void lims_openapi_refer_form(lims_openapi_t *doc, const lims_route_t *route)
{
    const char *name = lims_openapi_name(route->operation, doc->pool);

    refer(doc, apr_pstrcat(doc->pool, name, "Form", NULL), write_form, route);
}

static void write_output(lims_openapi_t *doc, const void *subject)
{
    const lims_route_t *route = subject;

    write_object(doc, route->output, LIMS_SCHEMA_RECORD, NULL);
}

void lims_openapi_refer_output(lims_openapi_t *doc, const lims_route_t *route)
{
    const char *name = lims_openapi_name(route->operation, doc->pool);

    refer(doc, apr_pstrcat(doc->pool, name, "Response", NULL), write_output, route);
}

/* --- Errors --------------------------------------------------------------- */

static void write_blocker(lims_openapi_t *doc, const void *subject)
{
    (void)subject;
    write_object(doc, lims_blocker_fields, LIMS_SCHEMA_MEMBERS,
                 "A gate that refuses, with the ids of what blocks.");
}

static const lims_field_t conflict_fields[] = {
    { .name = "sampleTestId", .type = LIMS_T_ID, .flags = LIMS_F_OUT, .doc = "Id of the test." },
    { .name = "record", .type = LIMS_T_JSON, .flags = LIMS_F_OUT, .doc = "Record as it is now." },
    LIMS_FIELD_END,
};

/* A version of what is signed; without its content where only the caller knows it. */
static const lims_field_t version_fields[] = {
    { .name = "contentHash",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Digest of what a signature covers." },
    { .name = "content", .type = LIMS_T_JSON, .doc = "Content that has this digest." },
    LIMS_FIELD_END,
};

static const char *const ways[] = { "httpd", "both", NULL };

/* Members of an error that only people meet. */
static const lims_field_t problem_fields_of_people[] = {
    { .name = "attemptsLeft",
      .type = LIMS_T_INTEGER,
      .doc = "Attempts that are left before the account is locked; only with a wrong "
             "password." },
    { .name = "signIn",
      .type = LIMS_T_ENUM,
      .values = ways,
      .doc = "Way to sign in, at /app/sign-on (httpd) or there and by password (both); only "
             "where nobody is signed in, and not by password alone." },
    { .name = "userNames",
      .type = LIMS_T_BOOLEAN,
      .doc = "Whether people may sign in by a name of a directory instead of an e-mail address; "
             "only where nobody is signed in." },
    { .name = "mine",
      .type = LIMS_T_OBJECT,
      .members = version_fields,
      .doc = "Version that was to be signed; only where another stands by now." },
    { .name = "theirs",
      .type = LIMS_T_OBJECT,
      .members = version_fields,
      .doc = "Version that stands; only where another was to be signed." },
    { .name = "reasons",
      .type = LIMS_T_JSON,
      .doc = "Reasons that hold a file back; only with the refusal of its release." },
    { .name = "results",
      .type = LIMS_T_JSON,
      .doc = "Outcome for each, in the order sent; only with the refusal of an act on many." },
    LIMS_FIELD_END,
};

static void write_error(lims_openapi_t *doc, const void *subject)
{
    const lims_field_t fields[] = {
        { .name = "error",
          .type = LIMS_T_ENUM,
          .flags = LIMS_F_OUT,
          .values = lims_openapi_slugs(doc->pool),
          .doc = "Slug of the error, for programs to decide by." },
        { .name = "message",
          .type = LIMS_T_STRING,
          .flags = LIMS_F_OUT,
          .doc = "Explanation for people, with the field or the record concerned. Its wording may "
                 "change." },
        { .name = "blockers",
          .type = LIMS_T_OBJECT_LIST,
          .members = lims_blocker_fields,
          .doc = "Every gate that refuses, the one in `error` first; only with the refusal of a "
                 "gate." },
        { .name = "errors",
          .type = LIMS_T_OBJECT_LIST,
          .members = lims_mistake_fields,
          .doc = "Every mistake of every row, the first 1,000; only where rows are sent." },
        { .name = "conflicts",
          .type = LIMS_T_OBJECT_LIST,
          .members = conflict_fields,
          .doc = "Records that are no longer as they were read; only where several are changed." },
        LIMS_FIELD_END,
    };
    const lims_field_t *members =
        concatenate(fields, lims_gate_fields, count_fields(lims_gate_fields), doc->pool);

    (void)subject;
    if (doc->surface != LIMS_SURFACE_API) {
        members = concatenate(members, problem_fields_of_people,
                              count_fields(problem_fields_of_people), doc->pool);
    }
    write_object(doc, members, LIMS_SCHEMA_MEMBERS, "A refusal or a failure.");
}

void lims_openapi_refer_error(lims_openapi_t *doc)
{
    refer(doc, "Problem", write_error, NULL);
}

static void write_plan_limit(lims_openapi_t *doc, const void *subject)
{
    static const char *const codes[] = { "SAMPLE_LIMIT_EXCEEDED", "FILE_STORAGE_EXCEEDED", NULL };
    static const lims_field_t fields[] = {
        { .name = "code",
          .type = LIMS_T_ENUM,
          .flags = LIMS_F_OUT,
          .values = codes,
          .doc = "Code of the limit that was reached." },
        { .name = "message",
          .type = LIMS_T_STRING,
          .flags = LIMS_F_OUT,
          .doc = "Explanation for people. Its wording may change." },
        LIMS_FIELD_END,
    };

    (void)subject;
    write_object(doc, fields, LIMS_SCHEMA_RECORD,
                 "A limit of the organization's plan, or of the API key.");
}

void lims_openapi_refer_plan_limit(lims_openapi_t *doc)
{
    refer(doc, "PlanLimitError", write_plan_limit, NULL);
}

/* --- Events --------------------------------------------------------------- */

/* Writes the schema of the envelope of one event type, with its payload. */
static void write_event(lims_openapi_t *doc, const void *subject)
{
    const lims_event_t *event = subject;
    const lims_field_t data = { .name = "data",
                                .type = LIMS_T_OBJECT,
                                .flags = LIMS_F_OUT,
                                .members = event->data,
                                .doc = "Payload of the event." };
    lims_field_t *fields = concatenate(lims_envelope_fields, &data, 1, doc->pool);
    const char **types = apr_pcalloc(doc->pool, 2 * sizeof(*types));

    types[0] = event->type;
    for (lims_field_t *field = fields; field->name; field++) {
        if (strcmp(field->name, "type") == 0) {
            field->type = LIMS_T_ENUM;
            field->values = types;
        }
    }
    write_object(doc, fields, LIMS_SCHEMA_MEMBERS, event->doc);
}

void lims_openapi_refer_event(lims_openapi_t *doc, const lims_event_t *event)
{
    const char *name = lims_openapi_name(event->type, doc->pool);

    refer(doc, apr_pstrcat(doc->pool, name, "Event", NULL), write_event, event);
}

/* --- The components ------------------------------------------------------- */

/* The list may grow while it is written: a schema may refer to another for the first
 * time. */
void lims_openapi_schemas(lims_openapi_t *doc)
{
    lims_writer_object_begin(doc->w);
    for (const lims_component_t *each = doc->first; each; each = each->next) {
        lims_writer_key(doc->w, each->name);
        each->write(doc, each->subject);
    }
    lims_writer_object_end(doc->w);
}
