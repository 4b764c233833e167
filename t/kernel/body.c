/* SPDX-License-Identifier: Apache-2.0 */
#include <apr_strings.h>

#include "../lib/unit.h"
#include "kernel/field.h"

static apr_pool_t *pool;

static const char *const priorities[] = { "routine", "rush", "stat", NULL };
static const char *const events[] = { "sample.created", "qc.failed", NULL };

/* A resource's table: what a sample has, in short. */
static const lims_field_t sample[] = {
    { .name = "id", .type = LIMS_T_ID, .flags = LIMS_F_OUT },
    { .name = "status", .type = LIMS_T_STRING, .flags = LIMS_F_OUT },
    { .name = "materialTypeId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_CREATE | LIMS_F_UPDATE | LIMS_F_REQUIRED },
    { .name = "projectId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_CREATE | LIMS_F_UPDATE | LIMS_F_NULLABLE },
    { .name = "notes",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_CREATE | LIMS_F_UPDATE | LIMS_F_NULLABLE },
    { .name = "priority",
      .type = LIMS_T_ENUM,
      .values = priorities,
      .flags = LIMS_F_OUT | LIMS_F_CREATE | LIMS_F_UPDATE,
      .fallback = "routine" },
    { .name = "testDefinitionIds", .type = LIMS_T_ID_LIST, .flags = LIMS_F_CREATE, .max = 3 },
    { .name = "readiness", .type = LIMS_T_JSON, .flags = LIMS_F_OUT },
    { .name = "allowance",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT | LIMS_F_CREATE | LIMS_F_UPDATE | LIMS_F_TOOL },
    LIMS_FIELD_END,
};

static const lims_field_t update[] = {
    { .name = "sampleTestId", .type = LIMS_T_ID, .flags = LIMS_F_REQUIRED },
    { .name = "result", .type = LIMS_T_STRING, .flags = LIMS_F_REQUIRED | LIMS_F_NULLABLE },
    { .name = "notes", .type = LIMS_T_STRING, .flags = LIMS_F_NULLABLE },
    { .name = "final", .type = LIMS_T_BOOLEAN, .fallback = "false" },
    { .name = "lots", .type = LIMS_T_ID_LIST },
    { .name = "at", .type = LIMS_T_TIMESTAMP },
    { .name = "factor", .type = LIMS_T_DECIMAL },
    LIMS_FIELD_END,
};

static const lims_field_t own[] = {
    { .name = "updates",
      .type = LIMS_T_OBJECT_LIST,
      .flags = LIMS_F_REQUIRED | LIMS_F_UNIQUE,
      .unique = "sampleTestId",
      .members = update,
      .min = 1,
      .max = 1000 },
    { .name = "names", .type = LIMS_T_STRING_LIST, .max = 4 },
    { .name = "events", .type = LIMS_T_STRING_LIST, .values = events },
    { .name = "one", .type = LIMS_T_OBJECT, .members = update },
    { .name = "dryRun", .type = LIMS_T_BOOLEAN, .fallback = "false" },
    { .name = "comment", .type = LIMS_T_STRING, .flags = LIMS_F_NULLABLE },
    LIMS_FIELD_END,
};

static lims_values_t *values;

static const lims_error_t *take(const lims_field_t *fields, unsigned flags, const char *json)
{
    lims_json_t *root = NULL;
    const lims_error_t *error = lims_json_parse(&root, json, strlen(json), pool);

    if (error) {
        return lims_client_error(pool, LIMS_E_INTERNAL, "the case is no JSON: %s", error->message);
    }
    values = lims_values_create(pool);
    return lims_field_body(values, fields, flags, root, pool);
}

static void test_creation(void)
{
    passes(take(sample, LIMS_F_CREATE,
                "{\"materialTypeId\":7,\"notes\":null,\"projectId\":3,"
                "\"testDefinitionIds\":[3,1]}"),
           "a creation");
    is(lims_values_get(values, "materialTypeId"), "7", "an id");
    is(lims_values_get(values, "testDefinitionIds"), "{3,1}", "a list, in the order sent");
    is(lims_values_get(values, "priority"), "routine", "a fallback");
    ok(!lims_values_has(values, "notes"), "null is absent in a creation");
    ok(!lims_values_has(values, "status"), "a field that was not sent has no value");

    refuses(take(sample, LIMS_F_CREATE, "{}"), LIMS_E_INVALID_BODY, "materialTypeId is missing",
            "a required field");
    refuses(take(sample, LIMS_F_CREATE, "{\"materialTypeId\":null}"), LIMS_E_INVALID_BODY,
            "materialTypeId must be", "null for what has no null");
    refuses(take(sample, LIMS_F_CREATE, "{\"materialTypeId\":1,\"colour\":\"red\"}"),
            LIMS_E_INVALID_BODY, "colour", "an unknown member");
    refuses(take(sample, LIMS_F_CREATE, "{\"materialTypeId\":1,\"MaterialTypeId\":1}"),
            LIMS_E_INVALID_BODY, "MaterialTypeId", "another case is another name");
    refuses(take(sample, LIMS_F_CREATE, "{\"materialTypeId\":1,\"id\":5}"),
            LIMS_E_FIELD_NOT_PATCHABLE, "id", "a read-only field");
    refuses(take(sample, LIMS_F_CREATE, "{\"materialTypeId\":1,\"readiness\":{}}"),
            LIMS_E_FIELD_NOT_PATCHABLE, "readiness", "an output");
    refuses(take(sample, LIMS_F_CREATE, "{\"materialTypeId\":1,\"allowance\":5}"),
            LIMS_E_FIELD_NOT_PATCHABLE, "set by limsctl alone", "a field of the command line");
    refuses(take(sample, LIMS_F_CREATE, "{\"materialTypeId\":1,\"testDefinitionIds\":[1,2,1]}"),
            LIMS_E_INVALID_BODY, "testDefinitionIds has '1' twice", "a repeated id");
    refuses(take(sample, LIMS_F_CREATE, "{\"materialTypeId\":1,\"testDefinitionIds\":[1,2,3,4]}"),
            LIMS_E_INVALID_BODY, "it has 4", "a list too long");
    refuses(take(sample, LIMS_F_CREATE, "{\"materialTypeId\":1,\"testDefinitionIds\":[1,\"2\"]}"),
            LIMS_E_INVALID_BODY, "testDefinitionIds[1] must be", "an element of another type");
    refuses(take(sample, LIMS_F_CREATE, "{\"materialTypeId\":1,\"testDefinitionIds\":[null]}"),
            LIMS_E_INVALID_BODY, "testDefinitionIds[0]", "null in a list");
    refuses(take(sample, LIMS_F_CREATE, "{\"materialTypeId\":1,\"testDefinitionIds\":1}"),
            LIMS_E_INVALID_BODY, "an array of", "no list");
    passes(take(sample, LIMS_F_CREATE, "{\"materialTypeId\":1,\"testDefinitionIds\":[]}"),
           "an empty list");
    is(lims_values_get(values, "testDefinitionIds"), "{}", "the empty list is a value");
}

static void test_update(void)
{
    passes(take(sample, LIMS_F_UPDATE, "{\"notes\":null}"), "an update");
    ok(lims_values_has(values, "notes"), "null was given");
    is(lims_values_get(values, "notes"), NULL, "null clears the field");
    ok(!lims_values_has(values, "priority"), "no fallback in an update");
    refuses(take(sample, LIMS_F_UPDATE, "{}"), LIMS_E_NO_UPDATABLE_FIELDS, "", "an empty PATCH");
    refuses(take(sample, LIMS_F_UPDATE, "{\"status\":\"received\"}"), LIMS_E_FIELD_NOT_PATCHABLE,
            "status", "a field with an endpoint of its own");
    refuses(take(sample, LIMS_F_UPDATE, "{\"testDefinitionIds\":[1]}"), LIMS_E_FIELD_NOT_PATCHABLE,
            "testDefinitionIds", "a field of the creation");
    refuses(take(sample, LIMS_F_UPDATE, "{\"allowance\":5}"), LIMS_E_FIELD_NOT_PATCHABLE,
            "set by limsctl alone", "a field of the command line");
    refuses(take(sample, LIMS_F_UPDATE, "{\"priority\":null}"), LIMS_E_INVALID_BODY, "priority",
            "null for what has no null");
    refuses(take(sample, LIMS_F_UPDATE, "{\"priority\":\"urgent\"}"), LIMS_E_INVALID_BODY,
            "one of routine, rush, stat", "no such value");
}

static void test_roots(void)
{
    static const char *const roots[] = { "[]", "null", "1", "\"x\"", "true" };

    for (apr_size_t i = 0; i < LIMS_LENGTH(roots); i++) {
        refuses(take(sample, LIMS_F_UPDATE, roots[i]), LIMS_E_INVALID_BODY, "object", roots[i]);
    }
    refuses(lims_field_body(lims_values_create(pool), sample, LIMS_F_CREATE, NULL, pool),
            LIMS_E_INVALID_BODY, "object", "no body");
}

static void test_objects(void)
{
    passes(take(own, 0,
                "{ \"updates\" : [ { \"sampleTestId\" : 5, \"result\" : \"<\\u0030.5\\\"\",\n"
                "\"notes\":null }, {\"result\":\"\",\"sampleTestId\":6,\"final\":true,"
                "\"lots\":[2,1],\"at\":\"2026-11-21T08:48:00+01:00\",\"factor\":1.50} ] }"),
           "a list of objects");
    is(lims_values_get(values, "updates"),
       "[{\"sampleTestId\":5,\"result\":\"<0.5\\\"\",\"notes\":null,\"final\":false},"
       "{\"result\":\"\",\"sampleTestId\":6,\"final\":true,\"lots\":[2,1],"
       "\"at\":\"2026-11-21T07:48:00.000000Z\",\"factor\":1.50}]",
       "the array is written in canonical form");
    is(lims_values_get(values, "dryRun"), "f", "an own table has fallbacks");

    refuses(take(own, 0, "{}"), LIMS_E_INVALID_BODY, "updates is missing", "required");
    refuses(take(own, 0, "{\"updates\":[]}"), LIMS_E_INVALID_BODY, "it has 0", "too few");
    refuses(take(own, 0, "{\"updates\":{}}"), LIMS_E_INVALID_BODY, "updates", "no array");
    refuses(take(own, 0, "{\"updates\":[1]}"), LIMS_E_INVALID_BODY, "updates[0] must be an object",
            "no object");
    refuses(take(own, 0, "{\"updates\":[{\"sampleTestId\":1,\"result\":\"\"},{\"result\":\"\"}]}"),
            LIMS_E_INVALID_BODY, "updates[1].sampleTestId is missing", "a missing member");
    refuses(take(own, 0, "{\"updates\":[{\"sampleTestId\":1,\"result\":\"\",\"x\":1}]}"),
            LIMS_E_INVALID_BODY, "updates[0].x", "an unknown member");
    refuses(take(own, 0, "{\"updates\":[{\"sampleTestId\":\"1\",\"result\":\"\"}]}"),
            LIMS_E_INVALID_BODY, "updates[0].sampleTestId must be", "a member of another type");
    refuses(take(own, 0, "{\"updates\":[{\"sampleTestId\":null,\"result\":\"\"}]}"),
            LIMS_E_INVALID_BODY, "updates[0].sampleTestId", "a null member");
    refuses(take(own, 0,
                 "{\"updates\":[{\"sampleTestId\":1,\"result\":\"\"},{\"sampleTestId\":2,"
                 "\"result\":\"\"},{\"sampleTestId\":1,\"result\":\"2\"}]}"),
            LIMS_E_INVALID_BODY, "updates has the sampleTestId '1' twice", "a repeated object");
    refuses(take(own, 0, "{\"updates\":[{\"sampleTestId\":1,\"result\":\"\",\"lots\":[1,1]}]}"),
            LIMS_E_INVALID_BODY, "updates[0].lots has '1' twice", "a repeat inside");
}

static void test_lists(void)
{
    static const char with[] = "{\"updates\":[{\"sampleTestId\":1,\"result\":null}],%s}";

    passes(take(own, 0,
                apr_psprintf(pool, with, "\"names\":[\"a,b\",\"c\\\"d\",\"e\\\\f\",\"NULL {}\"]")),
           "strings of every kind");
    is(lims_values_get(values, "names"), "{\"a,b\",\"c\\\"d\",\"e\\\\f\",\"NULL {}\"}",
       "elements of a text array are quoted");
    refuses(take(own, 0, apr_psprintf(pool, with, "\"names\":[\"a\",\"\"]")), LIMS_E_INVALID_BODY,
            "names[1]", "an empty element");
    refuses(take(own, 0, apr_psprintf(pool, with, "\"names\":[\"a\",\"a\"]")), LIMS_E_INVALID_BODY,
            "twice", "a repeated element");
    passes(take(own, 0, apr_psprintf(pool, with, "\"events\":[\"qc.failed\"]")), "a known element");
    refuses(take(own, 0, apr_psprintf(pool, with, "\"events\":[\"qc.passed\"]")),
            LIMS_E_INVALID_BODY, "one of sample.created, qc.failed", "an unknown element");
    passes(take(own, 0, apr_psprintf(pool, with, "\"one\":{\"sampleTestId\":1,\"result\":\"x\"}")),
           "one object");
    is(lims_values_get(values, "one"), "{\"sampleTestId\":1,\"result\":\"x\",\"final\":false}",
       "the object is JSON");
    refuses(take(own, 0, apr_psprintf(pool, with, "\"one\":[]")), LIMS_E_INVALID_BODY, "one",
            "no object");
    passes(take(own, 0, apr_psprintf(pool, with, "\"comment\":null")), "null in an own table");
    ok(lims_values_has(values, "comment"), "the member was given");
}

static void test_length(void)
{
    char *json = apr_palloc(pool, 64 * 1001 + 64);
    char *end = json + sprintf(json, "{\"updates\":[");

    for (int i = 1; i <= 1000; i++) {
        end += sprintf(end, "%s{\"sampleTestId\":%d,\"result\":\"7.10\"}", i > 1 ? "," : "", i);
    }
    strcpy(end, "]}");
    passes(take(own, 0, json), "a thousand updates");
    strcpy(end, ",{\"sampleTestId\":1001,\"result\":\"\"}]}");
    refuses(take(own, 0, json), LIMS_E_INVALID_BODY, "it has 1001",
            "one element more than allowed");
}

int main(void)
{
    pool = unit_pool();
    test_creation();
    test_update();
    test_roots();
    test_objects();
    test_lists();
    test_length();
    return tap_done();
}
