/* SPDX-License-Identifier: Apache-2.0 */
#include <apr_strings.h>

#include "../lib/unit.h"
#include "kernel/field.h"

static apr_pool_t *pool;

static const char *const statuses[] = { "pending", "received", NULL };

static const lims_field_t samples[] = {
    { .name = "status", .type = LIMS_T_ENUM, .values = statuses },
    { .name = "projectId", .type = LIMS_T_ID },
    { .name = "trackingId", .type = LIMS_T_STRING, .max = 20 },
    { .name = "active", .type = LIMS_T_BOOLEAN },
    { .name = "since", .type = LIMS_T_MOMENT },
    { .name = "until", .type = LIMS_T_MOMENT_END },
    { .name = "limit",
      .type = LIMS_T_INTEGER,
      .min = 1,
      .max = 500,
      .fallback = "50",
      .flags = LIMS_F_CLAMP },
    { .name = "cursor", .type = LIMS_T_INTEGER, .max = APR_INT64_MAX, .fallback = "0" },
    { .name = "level", .type = LIMS_T_INTEGER, .min = 1, .max = 9 },
    { .name = "types", .type = LIMS_T_STRING_LIST },
    { .name = "ids", .type = LIMS_T_ID_LIST },
    { .name = "clientId", .type = LIMS_T_ID, .flags = LIMS_F_NULLABLE },
    { .name = "factor", .type = LIMS_T_DECIMAL, .max = 1 },
    LIMS_FIELD_END,
};

static const lims_field_t members[] = {
    { .name = "a", .type = LIMS_T_ID, .flags = LIMS_F_REQUIRED },
    LIMS_FIELD_END,
};

static const lims_field_t list = { .name = "list", .type = LIMS_T_OBJECT_LIST, .members = members };

static const lims_field_t needy[] = {
    { .name = "file", .type = LIMS_T_STRING, .flags = LIMS_F_REQUIRED },
    LIMS_FIELD_END,
};

static lims_values_t *values;

static const lims_error_t *take(const char *query)
{
    values = lims_values_create(pool);
    return lims_field_query(values, samples, false, query, pool);
}

static void test_taken(void)
{
    static const struct {
        const char *query, *name, *expected;
    } cases[] = {
        { "", "limit", "50" },
        { NULL, "cursor", "0" },
        { "", "status", NULL },
        { "status=pending", "status", "pending" },
        { "status=%70endin%67", "status", "pending" },
        { "%73tatus=pending", "status", "pending" },
        { "projectId=9223372036854775807", "projectId", "9223372036854775807" },
        { "trackingId=LAB+26%2B1", "trackingId", "LAB 26+1" },
        { "trackingId=a=b", "trackingId", "a=b" },
        { "trackingId=%C3%A4", "trackingId", "\xC3\xA4" },
        { "trackingId=%26%3d", "trackingId", "&=" },
        { "active=true", "active", "t" },
        { "active=false", "active", "f" },
        { "since=2026-11-21", "since", "2026-11-21T00:00:00.000000Z" },
        { "until=2026-11-21", "until", "2026-11-21T23:59:59.999999Z" },
        { "since=2026-11-21T08:48:00%2B01:00", "since", "2026-11-21T07:48:00.000000Z" },
        { "until=2026-11-21T07:48:00.5Z", "until", "2026-11-21T07:48:00.500999Z" },
        { "limit=1", "limit", "1" },
        { "limit=500", "limit", "500" },
        { "limit=501", "limit", "500" },
        { "limit=1000", "limit", "500" },
        { "limit=99999999999999999999999", "limit", "500" },
        { "cursor=0", "cursor", "0" },
        { "cursor=9223372036854775807", "cursor", "9223372036854775807" },
        { "&limit=5&&status=pending&", "limit", "5" },
        { "types=a,b%2Cc", "types", "{\"a\",\"b\",\"c\"}" },
        { "ids=3,1", "ids", "{3,1}" },
        { "factor=0.5", "factor", "0.5" },
    };

    for (apr_size_t i = 0; i < LIMS_LENGTH(cases); i++) {
        const char *query = cases[i].query;

        passes(take(query), query ? query : "no query");
        is(lims_values_get(values, cases[i].name), cases[i].expected, "gives its value");
    }
}

static const struct {
    const char *query, *part;
} refused[] = {
    { "colour=red", "colour" },
    { "Status=pending", "Status" },
    { "status=pending&status=pending", "status is given more than once" },
    { "status=pending&%73tatus=pending", "more than once" },
    { "status=reported", "one of pending, received" },
    { "status=", "status is empty" },
    { "status", "status is empty" },
    { "clientId=", "clientId is empty" },
    { "=pending", "without a name" },
    { "=", "without a name" },
    { "projectId=0", "projectId" },
    { "projectId=007", "projectId" },
    { "projectId=+7", "projectId" },
    { "projectId=7.0", "projectId" },
    { "projectId=9223372036854775808", "projectId" },
    { "active=1", "true or false" },
    { "active=TRUE", "true or false" },
    { "since=2026-11-31", "since" },
    { "since=2026-11-21T08:48:00+01:00", "%2B" },
    { "since=2026-11-21T08:48:00", "since" },
    { "limit=0", "limit must be an integer of 1 or more (above 500 is taken as 500)" },
    { "limit=-1", "limit" },
    { "limit=0501", "limit" },
    { "limit=501x", "limit" },
    { "limit=5e1", "limit" },
    { "level=10", "level must be an integer from 1 to 9" },
    { "cursor=-1", "cursor" },
    { "trackingId=%", "percent-encoded" },
    { "trackingId=%4", "percent-encoded" },
    { "trackingId=%4&limit=1", "percent-encoded" },
    { "trackingId=%zz", "percent-encoded" },
    { "trackingId=%00", "percent-encoded" },
    { "trackingId=a%00b", "percent-encoded" },
    { "trackingId=%FF", "percent-encoded" },
    { "trackingId=%C0%AF", "percent-encoded" },
    { "trackingId=%ED%A0%80", "percent-encoded" },
    { "%FF=1", "percent-encoded" },
    { "trackingId=%01", "control character" },
    { "trackingId=123456789012345678901", "it has 21" },
    { "ids=1,,2", "ids[1]" },
    { "ids=1,1", "twice" },
    { "factor=1.1", "factor" },
    { "factor=.5", "factor" },
    { "factor=+1", "factor" },
    { "factor=01", "factor" },
    { "factor=1e", "factor" },
    { "factor=0x1", "factor" },
    { "factor=nan", "factor" },
};

static void test_refused(void)
{
    for (apr_size_t i = 0; i < LIMS_LENGTH(refused); i++) {
        refuses(take(refused[i].query), LIMS_E_INVALID_QUERY, refused[i].part, refused[i].query);
    }
}

static void test_tables(void)
{
    lims_values_t *some = lims_values_create(pool);

    passes(lims_field_query(some, NULL, false, "", pool), "no table, no query");
    refuses(lims_field_query(some, NULL, false, "a=1", pool), LIMS_E_INVALID_QUERY, "a",
            "no table takes no parameter");
    refuses(lims_field_query(some, needy, false, "", pool), LIMS_E_INVALID_QUERY, "file is missing",
            "a required parameter");
    passes(lims_field_query(some, needy, false, "file=x", pool), "a required parameter that is there");
}

static void test_text(void)
{
    lims_values_t *some = lims_values_create(pool);

    passes(lims_field_text(some, &list, "[{\"a\":1}]", LIMS_E_INVALID_BODY, pool), "JSON as text");
    is(lims_values_get(some, "list"), "[{\"a\":1}]", "becomes a value");
    refuses(lims_field_text(some, &list, "[{\"a\":1]", LIMS_E_INVALID_BODY, pool),
            LIMS_E_INVALID_BODY, "not valid JSON", "a parameter that is no JSON");
    passes(lims_field_text(some, &samples[11], "", LIMS_E_INVALID_BODY, pool), "an empty list");
    ok(lims_values_has(some, "clientId"), "an empty text is null for a nullable field");
    is(lims_values_get(some, "clientId"), NULL, "null clears the field");
    refuses(lims_field_text(some, &samples[1], "", LIMS_E_INVALID_BODY, pool), LIMS_E_INVALID_BODY,
            "projectId", "an empty text is refused for other fields");
    refuses(lims_field_text(some, &samples[2], "\xFF", LIMS_E_INVALID_BODY, pool),
            LIMS_E_INVALID_BODY, "not UTF-8", "malformed UTF-8");
    passes(lims_field_text(some, &samples[10], "", LIMS_E_INVALID_BODY, pool), "an empty list");
    is(lims_values_get(some, "ids"), "{}", "the empty list is a value");
}

static void test_id(void)
{
    static const char *const good[] = { "1", "42", "9223372036854775807" };
    static const char *const bad[] = {
        "",
        "0",
        "-1",
        "+1",
        "007",
        "1.0",
        "1e3",
        "abc",
        "9223372036854775808",
        " 1",
        "1 ",
        "%31",
        "0x1",
        "1,2",
        "\xD9\xA1",
        "99999999999999999999999999999999999999",
    };
    const char *id;

    for (apr_size_t i = 0; i < LIMS_LENGTH(good); i++) {
        passes(lims_field_id(&id, good[i], pool), good[i]);
        is(id, good[i], "the id is unchanged");
    }
    for (apr_size_t i = 0; i < LIMS_LENGTH(bad); i++) {
        refuses(lims_field_id(&id, bad[i], pool), LIMS_E_INVALID_ID, "is not an id: ids are", bad[i]);
        is(id, NULL, "no id is returned");
    }
}

int main(void)
{
    pool = unit_pool();
    test_taken();
    test_refused();
    test_tables();
    test_text();
    test_id();
    return tap_done();
}
