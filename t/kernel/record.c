/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/record.h"

#include "../lib/unit.h"

static apr_pool_t *pool;

static const char *const values[] = { "pending", NULL };

static const lims_field_t fields[] = {
    { .name = "id", .type = LIMS_T_ID, .flags = LIMS_F_OUT },
    { .name = "hidden", .type = LIMS_T_STRING, .flags = LIMS_F_CREATE | LIMS_F_SECRET },
    { .name = "status", .type = LIMS_T_ENUM, .values = values, .flags = LIMS_F_OUT },
    { .name = "notes", .type = LIMS_T_STRING, .flags = LIMS_F_OUT },
    { .name = "createdAt", .type = LIMS_T_TIMESTAMP, .flags = LIMS_F_OUT },
    { .name = "active", .type = LIMS_T_BOOLEAN, .flags = LIMS_F_OUT },
    LIMS_FIELD_END,
};

/* Two rows, columns in another order than the fields. */
static const char *const cells[2][5] = {
    { "2026-01-02 03:04:05.678901+00", "17", "pending", "a \"b\"", "t" },
    { NULL, "18", "pending", NULL, "f" },
};

static const char *cell(void *result, int row, int column)
{
    const char *const(*rows)[5] = result;

    return rows[row][column];
}

static const char *by_name(void *row, const char *name)
{
    const char *const *texts = row;

    return strcmp(name, "id") == 0          ? texts[1]
           : strcmp(name, "status") == 0    ? texts[2]
           : strcmp(name, "notes") == 0     ? texts[3]
           : strcmp(name, "createdAt") == 0 ? texts[0]
                                            : texts[4];
}

static const char *one(lims_type_e type, const char *text)
{
    lims_field_t field = { .name = "x", .type = type };
    lims_writer_t *w = lims_writer_create(pool);
    apr_size_t length;

    lims_record_write_value(w, &field, text);
    return lims_writer_finish(&length, w);
}

static void test_values(void)
{
    static const struct {
        lims_type_e type;
        const char *text, *json;
    } cases[] = {
        { LIMS_T_ID, "9223372036854775807", "9223372036854775807" },
        { LIMS_T_INTEGER, "-5", "-5" },
        { LIMS_T_DECIMAL, "7.10", "7.10" },
        { LIMS_T_DECIMAL, "-0.5", "-0.5" },
        { LIMS_T_DECIMAL, "NaN", "null" },
        { LIMS_T_DECIMAL, "Infinity", "null" },
        { LIMS_T_DECIMAL, "-Infinity", "null" },
        { LIMS_T_BOOLEAN, "t", "true" },
        { LIMS_T_BOOLEAN, "f", "false" },
        { LIMS_T_STRING, "t\"x", "\"t\\\"x\"" },
        { LIMS_T_STRING, "", "\"\"" },
        { LIMS_T_ENUM, "pending", "\"pending\"" },
        { LIMS_T_DATE, "2026-01-02", "\"2026-01-02\"" },
        { LIMS_T_TIMESTAMP, "2026-01-02 03:04:05+01", "\"2026-01-02T02:04:05.000Z\"" },
        { LIMS_T_TIMESTAMP, "infinity", "null" },
        { LIMS_T_ID_LIST, "{1,2,NULL,3}", "[1,2,null,3]" },
        { LIMS_T_ID_LIST, "{}", "[]" },
        { LIMS_T_STRING_LIST, "{a,b c,\"c,d\",\"e\\\"f\",\"g\\\\h\",\"{}\",NULL,\"NULL\",\"\"}",
          "[\"a\",\"b c\",\"c,d\",\"e\\\"f\",\"g\\\\h\",\"{}\",null,\"NULL\",\"\"]" },
        { LIMS_T_STRING_LIST, "{}", "[]" },
        { LIMS_T_STRING_LIST, "{\"open", "[\"open\"]" },
        { LIMS_T_STRING_LIST, "", "[]" },
        { LIMS_T_JSON, "[{\"a\" : 1}, \"b: \\\"c, \"]", "[{\"a\":1},\"b: \\\"c, \"]" },
        { LIMS_T_OBJECT, "{\"a\": 1}", "{\"a\":1}" },
    };

    for (apr_size_t i = 0; i < LIMS_LENGTH(cases); i++) {
        is(one(cases[i].type, cases[i].text), cases[i].json, cases[i].text);
    }
    for (int type = 0; type < LIMS_T_COUNT; type++) {
        is(one((lims_type_e)type, NULL), "null", "SQL null, whatever the type");
    }
}

static void test_records(void)
{
    static const char *const texts[] = { "19", "not shown", "pending", NULL, NULL, "t" };
    static const int columns[] = { 1, -1, 2, 3, 0, 4 };
    static const int missing[] = { 1, -1, 2, 3, -1, 4 };
    lims_writer_t *w = lims_writer_create(pool);
    apr_size_t length;

    lims_writer_array_begin(w);
    for (int row = 0; row < 2; row++) {
        lims_writer_object_begin(w);
        lims_record_write_columns(w, fields, columns, cell, (void *)cells, row);
        lims_writer_object_end(w);
    }
    lims_writer_object_begin(w);
    lims_record_write_columns(w, fields, missing, cell, (void *)cells, 0);
    lims_writer_key(w, "tests");
    lims_writer_array_begin(w);
    lims_writer_array_end(w);
    lims_writer_object_end(w);
    lims_writer_object_begin(w);
    lims_record_write(w, fields, by_name, (void *)cells[1]);
    lims_writer_object_end(w);
    lims_writer_object_begin(w);
    lims_record_write_texts(w, fields, texts);
    lims_writer_object_end(w);
    lims_writer_array_end(w);
    is(lims_writer_finish(&length, w),
       "[{\"id\":17,\"status\":\"pending\",\"notes\":\"a \\\"b\\\"\","
       "\"createdAt\":\"2026-01-02T03:04:05.678Z\",\"active\":true},"
       "{\"id\":18,\"status\":\"pending\",\"notes\":null,\"createdAt\":null,\"active\":false},"
       "{\"id\":17,\"status\":\"pending\",\"notes\":\"a \\\"b\\\"\",\"createdAt\":null,"
       "\"active\":true,\"tests\":[]},"
       "{\"id\":18,\"status\":\"pending\",\"notes\":null,\"createdAt\":null,\"active\":false},"
       "{\"id\":19,\"status\":\"pending\",\"notes\":null,\"createdAt\":null,\"active\":true}]",
       "rows, a missing column, a member besides, by name, and in order");
}

int main(void)
{
    pool = unit_pool();
    test_values();
    test_records();
    return tap_done();
}
