/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small laboratory of two resources with every kind of route and every type
 * of field. Its document is read back with the kernel's own parser.
 */
#include "openapi/openapi.h"

#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/unit.h"
#include "kernel/json.h"

static apr_pool_t *pool;
static const char *text;
static lims_json_t *document;

/* --- The tables ----------------------------------------------------------- */

static const char *const priorities[] = { "routine", "stat", NULL };

static const lims_field_t tube_fields[] = {
    { .name = "id", .type = LIMS_T_ID, .flags = LIMS_F_OUT, .doc = "The tube.", .example = "7" },
    { .name = "colour", .type = LIMS_T_STRING, .flags = LIMS_F_OUT | LIMS_F_NULLABLE },
    LIMS_FIELD_END
};

static const lims_resource_t tube = { .name = "tube", .schema = "Tube", .fields = tube_fields };

static const lims_field_t rack_fields[] = {
    { .name = "id", .type = LIMS_T_ID, .flags = LIMS_F_OUT },
    { .name = "code",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_CREATE | LIMS_F_UPDATE | LIMS_F_REQUIRED,
      .min = 1,
      .max = 64,
      .doc = "Says \"which\"." },
    { .name = "priority",
      .type = LIMS_T_ENUM,
      .values = priorities,
      .flags = LIMS_F_OUT | LIMS_F_CREATE | LIMS_F_UPDATE | LIMS_F_NULLABLE,
      .fallback = "routine" },
    { .name = "volume",
      .type = LIMS_T_DECIMAL,
      .flags = LIMS_F_OUT | LIMS_F_CREATE,
      .max = 100,
      .example = "7.10" },
    { .name = "frozen",
      .type = LIMS_T_BOOLEAN,
      .flags = LIMS_F_OUT | LIMS_F_CREATE | LIMS_F_REQUIRED,
      .fallback = "true" },
    { .name = "drawnOn", .type = LIMS_T_DATE, .flags = LIMS_F_OUT | LIMS_F_CREATE },
    { .name = "seenAt", .type = LIMS_T_TIMESTAMP, .flags = LIMS_F_OUT | LIMS_F_NULLABLE },
    { .name = "places", .type = LIMS_T_INTEGER, .flags = LIMS_F_OUT | LIMS_F_CREATE, .max = 96 },
    { .name = "tubeIds",
      .type = LIMS_T_ID_LIST,
      .flags = LIMS_F_CREATE,
      .min = 1,
      .max = 200,
      .fallback = "1,2",
      .example = "[1, 2]" },
    { .name = "marks", .type = LIMS_T_STRING_LIST, .flags = LIMS_F_OUT | LIMS_F_CREATE },
    { .name = "quota",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_CREATE | LIMS_F_UPDATE | LIMS_F_TOOL },
    { .name = "content",
      .type = LIMS_T_OBJECT_LIST,
      .flags = LIMS_F_CREATE,
      .max = 3,
      .members = tube_fields },
    { .name = "raw", .type = LIMS_T_JSON, .flags = LIMS_F_OUT },
    LIMS_FIELD_END
};

static const lims_field_t filters[] = {
    LIMS_PAGING_FIELDS,
    { .name = "since", .type = LIMS_T_MOMENT, .doc = "From then on." },
    { .name = "mine", .type = LIMS_T_BOOLEAN, .flags = LIMS_F_PEOPLE, .doc = "Only my own." },
    LIMS_FIELD_END
};

static const lims_field_t spin_input[] = {
    { .name = "speed", .type = LIMS_T_INTEGER, .flags = LIMS_F_REQUIRED, .min = 100 },
    LIMS_FIELD_END
};

static const lims_field_t spin_output[] = {
    { .name = "tubes", .type = LIMS_T_OBJECT_LIST, .flags = LIMS_F_OUT, .members = rack_fields },
    LIMS_FIELD_END
};

static const lims_error_e create_errors[] = { LIMS_E_INVALID_REFERENCE,
                                              LIMS_E_SAMPLE_LIMIT_EXCEEDED, LIMS_E_COUNT };
static const lims_error_e seal_errors[] = { LIMS_E_QC_FAILED, LIMS_E_BLANK_RESULT,
                                            LIMS_E_ESIGNATURE_REQUIRED, LIMS_E_COUNT };

enum { ROOT, LIST, GET, CREATE, UPDATE, SEAL, SPIN, FILE_, TOOL, PATHLESS, END };

static const lims_route_t rack_routes[] = {
    [ROOT] = { .method = "GET",
               .path = "",
               .surfaces = LIMS_SURFACES_HTTP,
               .operation = "discover",
               .summary = "All there is",
               .flags = LIMS_R_NO_RECORD | LIMS_R_UPLOAD_KEY,
               .output = spin_output,
               .status = 200 },
    [LIST] = { .method = "GET",
               .path = "/racks",
               .surfaces = LIMS_SURFACES_HTTP,
               .operation = "listRacks",
               .summary = "Racks",
               .scope = "samples:read",
               .flags = LIMS_R_LIST,
               .query = filters,
               .status = 200 },
    [GET] = { .method = "GET",
              .path = "/racks/:id",
              .surfaces = LIMS_SURFACES_HTTP,
              .operation = "getRack",
              .summary = "A rack",
              .scope = "samples:read",
              .status = 200 },
    [CREATE] = { .method = "POST",
                 .path = "/racks",
                 .surfaces = LIMS_SURFACES_HTTP,
                 .operation = "createRack",
                 .summary = "A new rack",
                 .description = "Counts.",
                 .scope = "samples:write",
                 .body = LIMS_F_CREATE,
                 .status = 201,
                 .errors = create_errors },
    [UPDATE] = { .method = "PATCH",
                 .path = "/racks/:id",
                 .surfaces = LIMS_SURFACES_HTTP,
                 .operation = "updateRack",
                 .summary = "Change a rack",
                 .scope = "samples:write",
                 .body = LIMS_F_UPDATE,
                 .status = 200 },
    [SEAL] = { .method = "POST",
               .path = "/racks/:id/seal",
               .surfaces = LIMS_SURFACES_HTTP,
               .operation = "sealRack",
               .summary = "Seal",
               .scope = "samples:write",
               .flags = LIMS_R_NO_BODY,
               .status = 200,
               .errors = seal_errors },
    [SPIN] = { .method = "POST",
               .path = "/racks/spin",
               .surfaces = LIMS_SURFACES_HTTP,
               .operation = "spinRacks",
               .summary = "Spin",
               .scope = "samples:write",
               .flags = LIMS_R_NO_RECORD,
               .input = spin_input,
               .output = spin_output,
               .status = 200 },
    [FILE_] = { .method = "GET",
                .path = "/manual.json",
                .surfaces = LIMS_SURFACES_HTTP,
                .operation = "getManual",
                .summary = "Manual",
                .flags = LIMS_R_DOCUMENT,
                .status = 200 },
    [TOOL] = { .method = "POST",
               .path = "/racks/burn",
               .surfaces = LIMS_SURFACES_PEOPLE,
               .operation = "burnRack",
               .summary = "Secret",
               .status = 200 },
    [PATHLESS] = { .method = "POST",
                   .surfaces = LIMS_SURFACE_TOOL,
                   .operation = "meltRack",
                   .summary = "Secret",
                   .status = 200 },
    [END] = LIMS_ROUTE_END,
};

static const lims_resource_t rack = {
    .name = "rack",
    .title = "Racks",
    .schema = "Rack",
    .doc = "Holds tubes.",
    .fields = rack_fields,
    .routes = rack_routes,
    .nested = "tubes",
    .nested_resource = &tube,
};

static const lims_route_t hidden_routes[] = { { .method = "POST",
                                                .path = "/hidden",
                                                .surfaces = LIMS_SURFACE_APPLICATION,
                                                .operation = "hide",
                                                .summary = "Hide",
                                                .status = 200 },
                                              LIMS_ROUTE_END };

static const lims_resource_t hidden = { .name = "hidden",
                                        .title = "Hidden",
                                        .schema = "Hidden",
                                        .fields = spin_input,
                                        .routes = hidden_routes };

/* --- Looking at it -------------------------------------------------------- */

static const lims_json_t *step(const lims_json_t *node, const char *name)
{
    const lims_json_t *child = node->first;

    if (node->type == LIMS_JSON_OBJECT) {
        return lims_json_member(node, name);
    }
    for (long i = strtol(name, NULL, 10); child && i > 0; i--) {
        child = child->next;
    }
    return child;
}

/* The node behind names of members and indices of elements, "|" between. */
static const lims_json_t *at(const char *path)
{
    const lims_json_t *node = document;
    char *names = apr_pstrdup(pool, path);
    char *last = NULL;

    for (char *name = apr_strtok(names, "|", &last); name && node;
         name = apr_strtok(NULL, "|", &last)) {
        node = step(node, name);
    }
    return node;
}

/* A scalar's text, or what an array has of them, with commas. */
static const char *words(const char *path)
{
    const lims_json_t *node = at(path);
    const char *list = "";

    if (!node || node->type < LIMS_JSON_ARRAY) {
        return !node ? NULL : node->type == LIMS_JSON_NULL ? "null" : node->text;
    }
    for (const lims_json_t *child = node->first; child; child = child->next) {
        const char *word = node->type == LIMS_JSON_OBJECT  ? child->name
                           : child->type == LIMS_JSON_NULL ? "null"
                                                           : child->text;

        list = apr_pstrcat(pool, list, *list != '\0' ? "," : "", word, NULL);
    }
    return list;
}

#define RACK "components|schemas|Rack|"
#define RACK_CREATE "components|schemas|RackCreate|"
#define ANSWERS(path, method) "paths|/api/v1" path "|" method "|responses"
#define SCHEMA "|content|application/json|schema|"
#define SLUGS(path, method, status)                                                                \
    ANSWERS(path, method) "|" status SCHEMA "allOf|1|properties|error|enum"

/* --- Tests ---------------------------------------------------------------- */

static void test_document(void)
{
    apr_size_t length = 0;
    const lims_resource_t *const resources[] = { &rack, &hidden, NULL };

    text = lims_openapi(&length, resources, LIMS_SURFACE_API, "/lab", "/api/v1", pool);
    ok(text && length == strlen(text), "there is a document of the length told");
    passes(lims_json_parse(&document, text, length, pool), "it is JSON without duplicate names");
    is(words("openapi"), "3.1.0", "the document is OpenAPI 3.1");
    is(words("info|version"), LIMS_VERSION, "the document has the service's version");
    has(words("info|description"), "| 405 | `method_not_allowed` |",
        "the description has the catalogue of errors");
    is(words("servers|0|url"), "/lab", "the server is the given one");
    is(words("tags|0|name"), "Racks", "the first tag");
    is(words("tags|1|name"), "Webhooks", "no tag of a resource without routes");
    is(lims_openapi(&length, resources, LIMS_SURFACE_API, "/lab", "/api/v1", pool), text, "the same bytes again");
}

static void test_paths(void)
{
    is(words("paths"),
       "/api/v1,/api/v1/racks,/api/v1/racks/{id},/api/v1/racks/{id}/seal,"
       "/api/v1/racks/spin,/api/v1/manual.json",
       "every path once, none of the command line");
    ok(!strstr(text, "Secret"), "a hidden field is nowhere in the document");
    is(words("paths|/api/v1|servers"), NULL, "the root is a path like others");
    is(words("paths|/api/v1/racks"), "get,post", "the methods of a path are together");
    is(words("paths|/api/v1/racks|get|operationId"), "listRacks", "operation id");
    is(words("paths|/api/v1/racks|get|tags"), "Racks", "tag");
    is(words("paths|/api/v1/racks|get|security|0|bearer"), "samples:read", "scope");
    is(words("paths|/api/v1/racks|get|x-scope"), "samples:read", "scope again");
    is(words("paths|/api/v1/racks|get|description"), "Racks.\n\nScope: `samples:read`.",
       "description");
    is(words("paths|/api/v1|get|description"),
       "All there is.\n\nAny valid key. Open to upload-only keys.",
           "a route without scope says so");
    is(words("paths|/api/v1|get|x-scope"), NULL, "an operation without a scope has no x-scope");
}

static const char *parameter(const char *operation, int index)
{
    const char *path = apr_psprintf(pool, "paths|/api/v1%s|parameters|%d|", operation, index);
    const char *name = words(apr_pstrcat(pool, path, "name", NULL));
    const char *reference = words(apr_pstrcat(pool, path, "$ref", NULL));

    return name ? name : reference ? strrchr(reference, '/') + 1 : NULL;
}

static void test_parameters(void)
{
    is(parameter("/racks|get", 0), "limit", "a list is limited");
    is(parameter("/racks|get", 1), "cursor", "a list has a cursor");
    is(parameter("/racks|get", 2), "order", "a list has an order");
    is(parameter("/racks|get", 3), "since", "a list has its filter");
    is(parameter("/racks|get", 4), "X-Request-Id", "an operation takes a request id");
    is(parameter("/racks|get", 5), NULL, "an operation takes no other parameter, nor one of people");
    is(words("paths|/api/v1/racks|get|parameters|0|in"), "query",
       "a parameter of a list is in the query");
    is(words("paths|/api/v1/racks|get|parameters|0|schema|maximum"), NULL,
       "limit has no maximum: more is taken as the maximum");
    is(words("paths|/api/v1/racks|get|parameters|0|schema|default"), "50", "limit has a default");
    is(words("paths|/api/v1/racks|get|parameters|1|schema|maximum"), NULL,
       "the largest id is no bound");
    is(words("paths|/api/v1/racks|get|parameters|3|schema|anyOf|1|format"), "date-time",
       "a moment");
    is(parameter("/racks/{id}|get", 0), "id", "a record has an id");
    is(parameter("/racks/{id}|get", 1), "If-None-Match", "reading a record takes If-None-Match");
    is(parameter("/racks/{id}|patch", 1), "If-Match", "a change takes If-Match");
    is(parameter("/racks|post", 0), "Idempotency-Key", "a POST is done once");
    is(parameter("/racks/{id}/seal|post", 1), "If-Match", "an act on a record takes If-Match");
    is(parameter("/racks/{id}/seal|post", 2), "Idempotency-Key",
       "an act on a record takes Idempotency-Key");
    is(parameter("/manual.json|get", 0), "If-None-Match", "a document is read on condition");
    is(words("components|parameters|id|required"), "true", "a path always has its id");
    is(words("components|parameters|id|schema|minimum"), "1", "an id is positive");
}

static void test_answers(void)
{
    is(words(ANSWERS("/racks", "get")), "200,400,401,403,429,500,503", "responses of a list");
    is(words(ANSWERS("/racks/{id}", "get")), "200,304,400,401,403,404,429,500,503",
       "responses of a record");
    is(words(ANSWERS("/racks", "post")), "201,400,401,403,408,409,413,415,422,429,500,503",
       "a creation has these responses");
    is(words(ANSWERS("/racks/{id}", "patch")), "200,400,401,403,404,408,412,413,415,429,500,503",
       "a change has these responses");
    is(words(ANSWERS("/racks/{id}/seal", "post")),
       "200,400,401,403,404,408,409,412,413,415,422,429,500,503", "responses of an action");
    is(words(ANSWERS("/racks", "get") "|200|headers"),
       "X-Request-Id,RateLimit-Limit,RateLimit-Remaining,RateLimit-Reset,Cache-Control",
       "a list has no tag");
    has(words(ANSWERS("/racks", "post") "|201|headers"), "ETag,Location,Idempotent-Replayed",
        "a creation tells tag, place and whether it is a replay");
    has(words(ANSWERS("/racks/{id}", "get") "|304|headers"), "ETag", "304 has the tag");
    is(words(ANSWERS("/racks/{id}", "get") "|304|content"), NULL, "304 has no body");
    is(words(ANSWERS("/racks/{id}/seal", "post") "|409|headers|Retry-After|$ref"),
       "#/components/headers/Retry-After", "409 tells when to try again");
    is(words("components|responses|Unauthorized|headers"),
       "X-Request-Id,RateLimit-Limit,RateLimit-Remaining,RateLimit-Reset,Cache-Control,"
       "WWW-Authenticate",
       "401 has a challenge");
    is(words("components|headers|RateLimit-Limit|required"), "false",
       "rate limit headers are optional");
    is(words(ANSWERS("/manual.json", "get") "|200|content|application/json|schema|type"), "object",
       "a document is any object");
}

static void test_refusals(void)
{
    is(words(SLUGS("/racks", "get", "400")), "invalid_query,bad_request", "400 of a list");
    is(words(SLUGS("/racks/{id}", "patch", "400")),
       "invalid_body,invalid_query,invalid_id,field_not_patchable,no_updatable_fields,bad_request",
       "400 of a change");
    is(words(SLUGS("/racks/{id}/seal", "post", "409")),
       "qc_failed,blank_result,idempotency_in_progress", "409 of an act");
    has(words(ANSWERS("/racks/{id}/seal", "post") "|409|description"),
        "- `blank_result`: The result is blank.\n", "each slug of a status is explained");
    is(words(SLUGS("/racks/{id}/seal", "post", "403")),
       "tls_required,upload_only_key,scope_required,esignature_required", "403 of a signing act");
    is(words(ANSWERS("", "get") "|403|$ref"), "#/components/responses/TlsRequired",
       "no scope, uploads allowed: one slug is left, and shared");
    is(words(ANSWERS(
           "/racks",
           "post") "|403|content|application/json|schema|oneOf|0|allOf|1|properties|error|enum"),
       "tls_required,upload_only_key,scope_required", "a plan limit is a form of its own");
    is(words(ANSWERS("/racks", "post") "|403|content|application/json|schema|oneOf|1|$ref"),
       "#/components/schemas/PlanLimitError", "beside the others");
    is(words(ANSWERS("/racks/{id}", "get") "|404|$ref"), "#/components/responses/NotFound", "404");
    is(words("components|responses|MethodNotAllowed"), NULL, "no operation refers to 405");
    is(words("components|schemas|Problem|required"), "error,message", "an error has these");
    is(words("components|schemas|Problem|properties"),
       "error,message,blockers,errors,conflicts,qcBatches,missing,needsSignoff",
       "members that an error may have");
    is(words("components|schemas|Problem|properties|blockers|items|$ref"),
       "#/components/schemas/Blocker", "blockers");
    is(words("components|schemas|Blocker|required"), "slug,message,clearedBy",
       "members that each blocker has");
    ok(!strstr(words("components|schemas|Problem|properties|error|enum"), "SAMPLE_LIMIT"),
       "a plan limit is no error slug");
}

static void test_bodies(void)
{
    is(words("paths|/api/v1/racks|post|requestBody|content|application/json|schema|$ref"),
       "#/components/schemas/RackCreate", "a creation has its schema");
    is(words("paths|/api/v1/racks/{id}|patch|requestBody|content|application/json|schema|$ref"),
       "#/components/schemas/RackUpdate", "a change has its schema");
    is(words("paths|/api/v1/racks/spin|post|requestBody|content|application/json|schema|$ref"),
       "#/components/schemas/SpinRacksRequest", "the body of an action with fields of its own");
    is(words("paths|/api/v1/racks/{id}/seal|post|requestBody|required"), "false",
       "an action without a body");
    is(words("paths|/api/v1/racks/{id}/seal|post|requestBody|content|application/"
             "json|schema|properties"),
       "", "or an empty object");
    is(words(RACK_CREATE "properties"),
       "code,priority,volume,frozen,drawnOn,places,tubeIds,marks,content", "members of a creation");
    is(words(RACK_CREATE "required"), "code",
       "required members of a creation: those without a default");
    is(words(RACK_CREATE "minProperties"), NULL, "a creation may be empty");
    is(words("components|schemas|RackUpdate|properties"), "code,priority", "members of a change");
    ok(!at(RACK_CREATE "properties|quota"), "a member of the command line is in no body");
    is(words("components|schemas|RackUpdate|required"), NULL, "a change requires no member");
    is(words("components|schemas|RackUpdate|minProperties"), "1",
       "a change needs at least one member");
    is(words("components|schemas|RackUpdate|properties|priority|default"), NULL,
       "a change has no defaults");
    is(words("components|schemas|SpinRacksRequest|required"), "speed",
       "required members of an action's body");
    is(words("components|schemas|SpinRacksRequest|properties|speed|maximum"), "2147483647",
       "an integer has the bound of its type");
}

static void test_fields(void)
{
    is(words(RACK_CREATE "properties|code|minLength"), "1", "shortest");
    is(words(RACK_CREATE "properties|code|maxLength"), "64", "longest");
    is(words(RACK_CREATE "properties|code|pattern"),
       "^[ \\t\\r\\n]*[^\\u0000-\\u0020\\u007f-\\u009f]"
       "[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f]*$",
       "a required text is not blank");
    is(words(RACK_CREATE "properties|code|description"), "Says \"which\".", "quotes in a text");
    is(words(RACK_CREATE "properties|priority|type"), "string,null",
       "a nullable member may be null");
    is(words(RACK_CREATE "properties|priority|enum"), "routine,stat,null",
       "a nullable enumeration includes null");
    is(words(RACK_CREATE "properties|priority|default"), "routine", "a default text");
    is(words(RACK_CREATE "properties|frozen|default"), "true", "a default");
    ok(at(RACK_CREATE "properties|frozen|default")->type == LIMS_JSON_BOOLEAN,
       "the default is a boolean");
    is(words(RACK_CREATE "properties|volume|examples"), "7.10", "an example");
    ok(at(RACK_CREATE "properties|volume|examples|0")->type == LIMS_JSON_NUMBER,
       "the example is a number");
    is(words(RACK_CREATE "properties|volume|maximum"), "100", "a bound");
    is(words(RACK_CREATE "properties|drawnOn|format"), "date", "a date");
    is(words(RACK_CREATE "properties|tubeIds|items|format"), "int64", "ids are large");
    is(words(RACK_CREATE "properties|tubeIds|minItems"), "1", "fewest");
    is(words(RACK_CREATE "properties|tubeIds|maxItems"), "200", "most");
    is(words(RACK_CREATE "properties|tubeIds|uniqueItems"), "true",
       "the elements of a list differ");
    is(words(RACK_CREATE "properties|tubeIds|default"), "1,2", "a default list");
    is(words(RACK_CREATE "properties|tubeIds|examples|0"), "1,2", "an example of a list");
    is(words(RACK_CREATE "properties|marks|maxItems"), "1000", "most where none is stated");
    is(words(RACK_CREATE "properties|marks|items|maxLength"), "255",
       "elements have a greatest length");
    is(words(RACK_CREATE "properties|content|items|properties"), "id,colour",
       "members of what is sent stand in place");
}

static void test_records(void)
{
    is(words(RACK "properties"), "id,code,priority,volume,frozen,drawnOn,seenAt,places,marks,raw",
       "members of a record");
    is(words(RACK "required"), words(RACK "properties"), "every member of a record is required");
    is(words(RACK "additionalProperties"), "false", "a record has no further members");
    is(words(RACK "properties|seenAt|type"), "string,null", "null is a value");
    is(words(RACK "properties|seenAt|format"), "date-time", "a time");
    is(words(RACK "properties|marks|maxItems"), NULL, "an answer promises no bounds of types");
    is(words(RACK "properties|raw"), "", "JSON of the database may be anything");
    has(words("components|schemas|RackWithTubes|properties"), "raw,tubes", "nested rows");
    is(words("components|schemas|RackPage|properties"), "data,nextCursor,hasMore", "a page");
    is(words("components|schemas|RackPage|properties|data|items|$ref"), "#/components/schemas/Rack",
       "a page has records");
    is(words("components|schemas|SpinRacksResponse|properties|tubes|items|$ref"),
       "#/components/schemas/Rack", "an answer of its own refers to the record too");
    is(words(ANSWERS("/racks/{id}", "get") "|200|content|application/json|schema|$ref"),
       "#/components/schemas/RackWithTubes", "one record has its nested rows");
    is(words("components|schemas|Hidden"), NULL, "no schema that nobody refers to");
}

static void test_webhooks(void)
{
    is(words("webhooks"),
       "sample.created,sample.received,result.entered,result.verified,sample.blocked,"
       "sample.ready_for_review,sample.ready_to_report,sample.reported,coa.generated,qc.failed,"
       "holding_time.expiring,investigation.opened,webhook.test",
       "the contract's events and the test");
    is(words("webhooks|sample.ready_for_review|post|requestBody|content|application/json|schema|"
             "$ref"),
       "#/components/schemas/SampleReadyForReviewEvent", "each with its schema");
    is(words("components|schemas|QcFailedEvent|required"), "id,type,createdAt,organizationId,data",
       "the envelope");
    is(words("components|schemas|QcFailedEvent|properties|type|enum"), "qc.failed",
       "the event has its type");
    is(words("components|schemas|QcFailedEvent|properties|data|properties"),
       "qcBatchId,batchNumber,qcStatus", "the event has its payload");
    is(words("components|schemas|SampleReportedEvent|properties|data|required"), "sampleId,status",
       "a member that may be absent");
    is(words("components|schemas|HoldingTimeExpiringEvent|properties|data|properties|expiresAt|"
             "type"),
       "string,null", "a member that may be null");
    is(words("webhooks|qc.failed|post|responses"), "2XX,410,default",
       "responses of a receiver of webhooks");
    is(words("components|parameters|X-Service-Signature|required"), "true", "signed");
}

/* Routes of other surfaces do not change a byte of the API's document. */
static void test_surfaces(void)
{
    const lims_resource_t *const all[] = { &rack, &hidden, NULL };
    lims_route_t of_api[END + 1];
    lims_resource_t rack_of_api = rack;
    const lims_resource_t *const alone[] = { &rack_of_api, NULL };
    apr_size_t length = 0;
    const char *expected;

    for (int i = 0; i < TOOL; i++) {
        of_api[i] = rack_routes[i];
    }
    of_api[TOOL] = rack_routes[END];
    rack_of_api.routes = of_api;
    expected = lims_openapi(&length, alone, LIMS_SURFACE_API, "", "/api/v1", pool);
    is(lims_openapi(&length, all, LIMS_SURFACE_API, "", "/api/v1", pool), expected, "a document of the API alone");
}

static void test_root(void)
{
    const lims_resource_t *const resources[] = { &rack, NULL };
    apr_size_t length = 0;

    text = lims_openapi(&length, resources, LIMS_SURFACE_API, "", "/api/v1", pool);
    passes(lims_json_parse(&document, text, length, pool), "whole paths");
    is(words("servers|0|url"), "", "stand behind nothing");
    text = lims_openapi(&length, resources, LIMS_SURFACE_API, "https://lab.example/app", "", pool);
    passes(lims_json_parse(&document, text, length, pool), "paths below a server");
    is(words("paths|/|get|summary"), "All there is", "begin with a slash, the root's too");
}

static void test_example(void)
{
    static const lims_field_t fields[] = {
        { .name = "id", .type = LIMS_T_ID, .flags = LIMS_F_OUT, .example = "\"7" }, LIMS_FIELD_END
    };
    const lims_route_t routes[] = { rack_routes[GET], LIMS_ROUTE_END };
    const lims_resource_t broken = {
        .name = "b", .title = "B", .schema = "B", .fields = fields, .routes = routes
    };
    const lims_resource_t *const resources[] = { &broken, NULL };
    apr_size_t length = 0;

    text = lims_openapi(&length, resources, LIMS_SURFACE_API, "", "/api/v1", pool);
    passes(lims_json_parse(&document, text, length, pool), "an example that is no JSON");
    is(words("components|schemas|B|properties|id|examples"), "\"7",
       "an example that is no JSON is shown as text");
}

int main(void)
{
    pool = unit_pool();
    test_document();
    if (document) {
        test_paths();
        test_parameters();
        test_answers();
        test_refusals();
        test_bodies();
        test_fields();
        test_records();
        test_webhooks();
        test_surfaces();
        test_root();
        test_example();
    }
    return tap_done();
}
