/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/validate.h"

#include <apr_strings.h>

#include "../lib/unit.h"

static apr_pool_t *pool;

static const char *const priorities[] = { "routine", "rush", "stat", NULL };

static const lims_field_t id = { .name = "id", .type = LIMS_T_ID };
static const lims_field_t count = {
    .name = "count", .type = LIMS_T_INTEGER, .min = -5, .max = 500
};
static const lims_field_t plain = { .name = "plain", .type = LIMS_T_INTEGER };
static const lims_field_t cursor = { .name = "cursor",
                                     .type = LIMS_T_INTEGER,
                                     .max = APR_INT64_MAX };
static const lims_field_t decimal = { .name = "decimal", .type = LIMS_T_DECIMAL };
static const lims_field_t share = { .name = "share", .type = LIMS_T_DECIMAL, .max = 1 };
static const lims_field_t kelvin = {
    .name = "kelvin", .type = LIMS_T_DECIMAL, .min = -273, .max = 10
};
static const lims_field_t boolean = { .name = "boolean", .type = LIMS_T_BOOLEAN };
static const lims_field_t string = { .name = "string", .type = LIMS_T_STRING, .min = 2, .max = 4 };
static const lims_field_t text = { .name = "text", .type = LIMS_T_STRING };
static const lims_field_t needed = { .name = "needed",
                                     .type = LIMS_T_STRING,
                                     .flags = LIMS_F_REQUIRED };
static const lims_field_t cleared = { .name = "cleared",
                                      .type = LIMS_T_STRING,
                                      .flags = LIMS_F_REQUIRED | LIMS_F_NULLABLE };
static const lims_field_t code = { .name = "code",
                                   .type = LIMS_T_STRING,
                                   .pattern = "^[A-Z]{2}[0-9]+$" };
static const lims_field_t priority = { .name = "priority",
                                       .type = LIMS_T_ENUM,
                                       .values = priorities };
static const lims_field_t date = { .name = "date", .type = LIMS_T_DATE };
static const lims_field_t stamp = { .name = "stamp", .type = LIMS_T_TIMESTAMP };
static const lims_field_t since = { .name = "since", .type = LIMS_T_MOMENT };
static const lims_field_t until = { .name = "until", .type = LIMS_T_MOMENT_END };
static const lims_field_t output = { .name = "output", .type = LIMS_T_JSON };

typedef struct {
    const lims_field_t *field;
    const char *json;
    const char *expected;
} case_t;

static const case_t taken[] = {
    { &id, "1", "1" },
    { &id, "9223372036854775807", "9223372036854775807" },
    { &count, "-5", "-5" },
    { &count, "0", "0" },
    { &count, "500", "500" },
    { &plain, "2147483647", "2147483647" },
    { &cursor, "9223372036854775807", "9223372036854775807" },
    { &cursor, "0", "0" },
    { &decimal, "7.10", "7.10" },
    { &decimal, "-0", "-0" },
    { &decimal, "1e100", "1e100" },
    { &decimal, "1E-100", "1E-100" },
    { &decimal, "1234567890123456789012345678901234567890",
      "1234567890123456789012345678901234567890" },
    { &decimal, "-0.000000000000000000000000000000000000001",
      "-0.000000000000000000000000000000000000001" },
    { &share, "0", "0" },
    { &share, "1", "1" },
    { &share, "1.000", "1.000" },
    { &share, "10e-1", "10e-1" },
    { &share, "0.001e3", "0.001e3" },
    { &share, "0.9999999999999999999999", "0.9999999999999999999999" },
    { &share, "-0.0", "-0.0" },
    { &kelvin, "-273", "-273" },
    { &kelvin, "-272.99", "-272.99" },
    { &kelvin, "9.99e0", "9.99e0" },
    { &boolean, "true", "t" },
    { &boolean, "false", "f" },
    { &string, "\"ab\"", "ab" },
    { &string, "\"\\u00e4\\u20ac\\ud83d\\ude39x\"", "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\xB9x" },
    { &text, "\"\"", "" },
    { &text, "\" a\\tb\\r\\nc \"", " a\tb\r\nc " },
    { &text, "\"\\u00a0\"", "\xC2\xA0" },
    { &needed, "\" x\"", " x" },
    { &cleared, "\"  \"", "  " },
    { &code, "\"AB12\"", "AB12" },
    { &priority, "\"stat\"", "stat" },
    { &date, "\"2026-11-21\"", "2026-11-21" },
    { &stamp, "\"2026-11-21T08:48:00+01:00\"", "2026-11-21T07:48:00.000000Z" },
    { &since, "\"2026-11-21\"", "2026-11-21T00:00:00.000000Z" },
    { &until, "\"2026-11-21\"", "2026-11-21T23:59:59.999999Z" },
};

static const case_t refused[] = {
    { &id, "0", "an identifier" },
    { &id, "-1", "an identifier" },
    { &id, "9223372036854775808", "an identifier" },
    { &id, "18446744073709551617", "an identifier" },
    { &id, "99999999999999999999999999999", "an identifier" },
    { &id, "5.0", "an identifier" },
    { &id, "1e3", "an identifier" },
    { &id, "\"5\"", "an identifier" },
    { &id, "true", "an identifier" },
    { &id, "[5]", "an identifier" },
    { &count, "-6", "an integer from -5 to 500" },
    { &count, "501", "an integer from -5 to 500" },
    { &count, "-0", "an integer" },
    { &count, "1.0", "an integer" },
    { &plain, "-1", "an integer from 0 to 2147483647" },
    { &plain, "2147483648", "an integer" },
    { &cursor, "9223372036854775808", "an integer" },
    { &plain, "-9223372036854775808", "an integer" },
    { &plain, "-9223372036854775809", "an integer" },
    { &decimal, "\"7.10\"", "a number" },
    { &decimal, "1e101", "a number" },
    { &decimal, "1e-101", "a number" },
    { &decimal, "1e99999999999999999999", "a number" },
    { &decimal, "12345678901234567890123456789012345678901", "a number" },
    { &decimal, "0.0000000000000000000000000000000000000001", "a number" },
    { &share, "1.0000000000000000000000001", "a number from 0 to 1" },
    { &share, "-0.0000000000000000000000001", "a number from 0 to 1" },
    { &share, "1e1", "a number from 0 to 1" },
    { &share, "2", "a number from 0 to 1" },
    { &kelvin, "-273.01", "a number from -273 to 10" },
    { &kelvin, "-1e3", "a number" },
    { &kelvin, "10.1", "a number" },
    { &boolean, "1", "true or false" },
    { &boolean, "\"true\"", "true or false" },
    { &string, "\"a\"", "a string of 2 to 4 characters: it has 1" },
    { &string, "\"abcde\"", "it has 5" },
    { &string, "12", "a string of 2 to 4" },
    { &text, "\"a\\u0001\"", "control character" },
    { &text, "\"\\u001b[31m\"", "control character" },
    { &text, "\"\\u007f\"", "control character" },
    { &text, "\"\\u0085\"", "control character" },
    { &text, "\"\\u009b31m\"", "control character" },
    { &needed, "\"\"", "is blank." },
    { &needed, "\" \\t\\n\"", "is blank." },
    { &code, "\"AB12x\"", "^[A-Z]{2}[0-9]+$" },
    { &code, "\"ab12\"", "^[A-Z]{2}[0-9]+$" },
    { &priority, "\"urgent\"", "one of routine, rush, stat" },
    { &priority, "\"Stat\"", "one of routine, rush, stat" },
    { &priority, "\"\"", "one of" },
    { &priority, "1", "one of" },
    { &date, "\"2026-02-29\"", "a date" },
    { &date, "20261121", "a date" },
    { &stamp, "\"2026-11-21\"", "a time such as" },
    { &stamp, "\"2026-11-21T07:48:00\"", "a time such as" },
    { &since, "\"2026-11-21T07:48:00 01:00\"", "%2B" },
    { &since, "\"soon\"", "a date" },
    { &output, "\"x\"", "read-only" },
    { &output, "{}", "read-only" },
};

static const lims_error_t *validate(const char **value, const case_t *c, bool scalar)
{
    lims_json_path_t path = { .pool = pool, .kind = LIMS_E_INVALID_BODY, .name = c->field->name };
    lims_json_t *node = NULL;

    passes(lims_json_parse(&node, c->json, strlen(c->json), pool), "the case is JSON");
    return scalar ? lims_validate_scalar(value, c->field, node, &path)
                  : lims_validate(value, c->field, node, &path);
}

static void test_scalars(void)
{
    const char *value;

    for (apr_size_t i = 0; i < LIMS_LENGTH(taken); i++) {
        value = NULL;
        passes(validate(&value, &taken[i], i % 2 == 0), taken[i].json);
        is(value, taken[i].expected, "the value is in its canonical form");
    }
    for (apr_size_t i = 0; i < LIMS_LENGTH(refused); i++) {
        const lims_error_t *error = validate(&value, &refused[i], i % 2 == 0);

        refuses(error, LIMS_E_INVALID_BODY, refused[i].expected, refused[i].json);
        has(error ? error->message : NULL, refused[i].field->name, "naming the field");
    }
}

static void test_places(void)
{
    lims_json_path_t root = { .pool = pool, .name = "updates" };
    lims_json_path_t third = { .pool = pool, .parent = &root, .index = 3 };
    lims_json_path_t member = { .pool = pool, .parent = &third, .name = "result" };
    lims_json_path_t inner = { .pool = pool, .parent = &member, .index = 0 };

    is(lims_json_path_text(&root), "updates", "a member");
    is(lims_json_path_text(&third), "updates[3]", "an element");
    is(lims_json_path_text(&member), "updates[3].result", "a member of an element");
    is(lims_json_path_text(&inner), "updates[3].result[0]", "an element of that");
}

static void test_types(void)
{
    is_number(lims_field_json_type(LIMS_T_ID), LIMS_JSON_NUMBER, "identifiers are numbers");
    is_number(lims_field_json_type(LIMS_T_MOMENT_END), LIMS_JSON_STRING, "moments are strings");
    is_number(lims_field_json_type(LIMS_T_JSON), LIMS_JSON_COUNT, "output is nothing to send");
    for (int type = 0; type < LIMS_T_COUNT; type++) {
        lims_field_t field = { .name = "x", .type = (lims_type_e)type, .values = priorities };

        ok(strlen(lims_field_expectation(&field, pool)) > 8, "type %d has words", type);
    }
}

int main(void)
{
    pool = unit_pool();
    test_scalars();
    test_places();
    test_types();
    return tap_done();
}
