/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/header_fields.h"

#include "../lib/unit.h"

static char text[512];

static const char *repeated(char c, int count)
{
    memset(text, c, (size_t)count);
    text[count] = '\0';
    return text;
}

static void test_request_ids(apr_pool_t *pool)
{
    const char *id = lims_request_id_create(pool);

    ok(lims_request_id_valid("a"), "one character");
    ok(lims_request_id_valid("7f3c-AZ_09.x:y"), "every allowed kind of character");
    ok(lims_request_id_valid(repeated('a', 128)), "128 characters");
    ok(!lims_request_id_valid(repeated('a', 129)), "129");
    ok(!lims_request_id_valid(""), "none");
    ok(!lims_request_id_valid(NULL), "nothing");
    ok(!lims_request_id_valid("a b"), "a blank");
    ok(!lims_request_id_valid("a\nb"), "a line break");
    ok(!lims_request_id_valid("a\"b"), "a quote");
    ok(!lims_request_id_valid("\xC3\xA4"), "a letter beyond ASCII");
    ok(id && strlen(id) == 32 && strspn(id, "0123456789abcdef") == 32,
       "a new request id has 32 digits");
    ok(lims_request_id_valid(id), "a created request id is valid");
    ok(strcmp(id, lims_request_id_create(pool)) != 0, "the next request id differs");
}

static void test_idempotency_keys(void)
{
    ok(lims_idempotency_key_valid("8e03978e-40d5-43dd-bc93-6894a57f9324"), "a UUID");
    ok(lims_idempotency_key_valid("\"quoted!~\""), "the ends of visible ASCII");
    ok(lims_idempotency_key_valid(repeated('k', 255)), "255 characters");
    ok(!lims_idempotency_key_valid(repeated('k', 256)), "256");
    ok(!lims_idempotency_key_valid(""), "none");
    ok(!lims_idempotency_key_valid(NULL), "nothing");
    ok(!lims_idempotency_key_valid("a b"), "a blank");
    ok(!lims_idempotency_key_valid("a\x7F"), "DEL");
    ok(!lims_idempotency_key_valid("\xC3\xA4"), "beyond ASCII");
}

static void test_media_types(void)
{
    static const char *const json[] = {
        "application/json",
        "Application/JSON",
        "application/json ",
        "application/json; charset=utf-8",
        "application/json;charset=UTF-8",
        "application/json ; charset=\"utf-8\"",
        "application/json;charset=utf8",
    };
    static const char *const other[] = {
        "",
        "text/json",
        "application/json5",
        "application/json-patch+json",
        "application/problem+json",
        "application/json; charset=iso-8859-1",
        "application/json; charset=utf-16",
        "application/json; charset=utf-8x",
        "application/json; charset=utf-8; x=1",
        "application/json; charset",
        "application/json; version=1",
        "application/json, text/plain",
        " application/json",
        "multipart/form-data; boundary=x",
    };

    for (apr_size_t i = 0; i < LIMS_LENGTH(json); i++) {
        ok(lims_media_type_json(json[i]), "'%s' is JSON", json[i]);
    }
    for (apr_size_t i = 0; i < LIMS_LENGTH(other); i++) {
        ok(!lims_media_type_json(other[i]), "'%s' is not", other[i]);
    }
    ok(!lims_media_type_json(NULL), "no type is not JSON");
}

int main(void)
{
    test_request_ids(unit_pool());
    test_idempotency_keys();
    test_media_types();
    return tap_done();
}
