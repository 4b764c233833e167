/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/writer.h"

#include "../lib/unit.h"
#include "kernel/json.h"

static apr_pool_t *pool;

static void test_everything(void)
{
    lims_writer_t *w = lims_writer_create(pool);
    apr_size_t length = 0;
    const char *text;

    lims_writer_object_begin(w);
    lims_writer_key(w, "string");
    lims_writer_string(w, "a\"b\\c/\n\x01\xC3\xA4");
    lims_writer_key(w, "part");
    lims_writer_string_n(w, "abcdef", 3);
    lims_writer_key(w, "no\"string");
    lims_writer_string(w, NULL);
    lims_writer_key(w, "list");
    lims_writer_array_begin(w);
    lims_writer_integer(w, APR_INT64_MIN);
    lims_writer_integer(w, APR_INT64_MAX);
    lims_writer_boolean(w, true);
    lims_writer_boolean(w, false);
    lims_writer_null(w);
    lims_writer_raw(w, "{\"as\":\"is\"}");
    lims_writer_raw(w, NULL);
    lims_writer_array_begin(w);
    lims_writer_array_end(w);
    lims_writer_array_end(w);
    lims_writer_key(w, "number");
    lims_writer_raw(w, "7.10");
    lims_writer_object_end(w);
    ok(lims_writer_pool(w) == pool, "the writer returns its pool");
    text = lims_writer_finish(&length, w);
    is(text,
       "{\"string\":\"a\\\"b\\\\c/\\n\\u0001\xC3\xA4\",\"part\":\"abc\",\"no\\\"string\":null,"
       "\"list\":[-9223372036854775808,9223372036854775807,true,false,null,{\"as\":\"is\"},null,"
       "[]],\"number\":7.10}",
       "every kind of value");
    is_number((long long)length, (long long)strlen(text), "the length of the text is right");
}

static void test_growth(void)
{
    lims_writer_t *w = lims_writer_create(pool);
    lims_json_t *root = NULL;
    apr_size_t length = 0;
    const char *text;
    char big[10000];

    memset(big, 'x', sizeof(big));
    lims_writer_array_begin(w);
    for (int i = 0; i < 3000; i++) {
        lims_writer_string(w, "0123456789");
    }
    lims_writer_string_n(w, big, sizeof(big));
    lims_writer_array_end(w);
    text = lims_writer_finish(&length, w);
    is_number((long long)length, 3000 * 13 + 10002 + 2, "a text of many buffers");
    passes(lims_json_parse(&root, text, length, pool), "a large document is whole");
    is_number(root->count, 3001, "a large document has every element");
    is_number((long long)strlen(text), (long long)length, "the text ends with a NUL");
}

static void test_escapes(void)
{
    lims_writer_t *w = lims_writer_create(pool);
    lims_json_t *root = NULL;
    apr_size_t length = 0;
    const char *text;
    char all[0x20], big[10000];

    for (size_t i = 0; i < sizeof(all); i++) {
        all[i] = (char)i;
    }
    memset(big, '"', sizeof(big));
    lims_writer_array_begin(w);
    lims_writer_string(w, "");
    lims_writer_string_n(w, all, sizeof(all));
    lims_writer_string(w, "\\ /\x7F\xE2\x80\xA8\"");
    lims_writer_array_end(w);
    is(lims_writer_finish(&length, w),
       "[\"\",\"\\u0000\\u0001\\u0002\\u0003\\u0004\\u0005\\u0006\\u0007\\b\\t\\n\\u000B\\f"
       "\\r\\u000E\\u000F\\u0010\\u0011\\u0012\\u0013\\u0014\\u0015\\u0016\\u0017\\u0018"
       "\\u0019\\u001A\\u001B\\u001C\\u001D\\u001E\\u001F\","
       "\"\\\\ /\x7F\xE2\x80\xA8\\\"\"]",
       "quotes, backslashes and control characters are escaped, and nothing else");
    w = lims_writer_create(pool);
    lims_writer_string_n(w, big, sizeof(big));
    text = lims_writer_finish(&length, w);
    is_number((long long)length, 2 * sizeof(big) + 2, "escapes grow over the buffer's end");
    passes(lims_json_parse(&root, text, length, pool), "a string of escapes is whole");
    is_number((long long)root->length, sizeof(big), "a string of escapes reads as it was");
}

static void key_in_array(lims_writer_t *w)
{
    lims_writer_array_begin(w);
    lims_writer_key(w, "a");
    lims_writer_array_end(w);
}

static void value_without_key(lims_writer_t *w)
{
    lims_writer_object_begin(w);
    lims_writer_string(w, "a");
    lims_writer_object_end(w);
}

static void key_without_value(lims_writer_t *w)
{
    lims_writer_object_begin(w);
    lims_writer_key(w, "a");
    lims_writer_object_end(w);
}

static void two_keys(lims_writer_t *w)
{
    lims_writer_object_begin(w);
    lims_writer_key(w, "a");
    lims_writer_key(w, "b");
    lims_writer_null(w);
    lims_writer_object_end(w);
}

static void crossed(lims_writer_t *w)
{
    lims_writer_object_begin(w);
    lims_writer_array_end(w);
}

static void not_closed(lims_writer_t *w)
{
    lims_writer_array_begin(w);
}

static void closed_twice(lims_writer_t *w)
{
    lims_writer_array_begin(w);
    lims_writer_array_end(w);
    lims_writer_array_end(w);
}

static void two_values(lims_writer_t *w)
{
    lims_writer_null(w);
    lims_writer_null(w);
}

static void key_alone(lims_writer_t *w)
{
    lims_writer_key(w, "a");
}

static void nothing(lims_writer_t *w)
{
    (void)w;
}

static void too_deep(lims_writer_t *w)
{
    for (int i = 0; i < 40; i++) {
        lims_writer_array_begin(w);
    }
    for (int i = 0; i < 40; i++) {
        lims_writer_array_end(w);
    }
}

static void test_nesting(void)
{
    static const struct {
        const char *name;
        void (*write)(lims_writer_t *w);
    } wrong[] = {
        { "a key in an array", key_in_array },
        { "a value without a key", value_without_key },
        { "a key without a value", key_without_value },
        { "two keys", two_keys },
        { "an object closed as an array", crossed },
        { "an open array", not_closed },
        { "an array closed twice", closed_twice },
        { "two values", two_values },
        { "a key outside", key_alone },
        { "nothing", nothing },
        { "forty levels", too_deep },
    };

    for (apr_size_t i = 0; i < LIMS_LENGTH(wrong); i++) {
        lims_writer_t *w = lims_writer_create(pool);
        apr_size_t length = 1;

        wrong[i].write(w);
        ok(!lims_writer_finish(&length, w) && length == 0, "refuses %s", wrong[i].name);
    }
}

static void test_lonely(void)
{
    lims_writer_t *w = lims_writer_create(pool);
    apr_size_t length;

    lims_writer_string(w, "x");
    is(lims_writer_finish(&length, w), "\"x\"", "a lonely value is a text");
    ok(!lims_writer_finish(&length, w), "a finished writer is used up");
}

int main(void)
{
    pool = unit_pool();
    test_everything();
    test_growth();
    test_escapes();
    test_nesting();
    test_lonely();
    return tap_done();
}
