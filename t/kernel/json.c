/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cases follow the JSONTestSuite of Nicolas Seriot: y_ must be taken, n_
 * refused, and of i_ (implementation's choice) the strict side is ours.
 */
#include "kernel/json.h"

#include <apr_strings.h>
#include <time.h>

#include "../lib/unit.h"

static apr_pool_t *pool;

typedef struct {
    const char *name;
    const char *text;
    apr_size_t length; /* 0: as long as the text is */
} text_t;

static const text_t taken[] = {
    { "empty array", "[]", 0 },
    { "empty object", "{}", 0 },
    { "white space around", " \t\r\n[ 1 , 2 ]\n", 0 },
    { "lonely number", "42", 0 },
    { "lonely negative number", "-0.1", 0 },
    { "lonely string", "\"asd\"", 0 },
    { "lonely true", "true", 0 },
    { "lonely null", "null", 0 },
    { "exponents", "[1e5,1E+2,1E-2,0e1,0e+1,1.5e9,123.456e78]", 0 },
    { "minus zero", "[-0]", 0 },
    { "a number too large for any type", "[123123e100000]", 0 },
    { "escapes", "[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]", 0 },
    { "a surrogate pair", "[\"\\uD801\\udc37\"]", 0 },
    { "two surrogate pairs", "[\"\\ud83d\\ude39\\ud83d\\udc8d\"]", 0 },
    { "an escaped non-character", "[\"\\uFFFF\"]", 0 },
    { "a raw four-byte character", "[\"\xF0\x9F\x98\xB9\"]", 0 },
    { "a raw DEL", "[\"\x7F\"]", 0 },
    { "U+2028", "[\"\xE2\x80\xA8\"]", 0 },
    { "an escaped backslash before u0000", "[\"\\\\u0000\"]", 0 },
    { "an empty name", "{\"\":0}", 0 },
    { "equal names in different objects", "[{\"a\":1},{\"a\":2},{\"b\":{\"a\":3}}]", 0 },
    { "sixteen levels", "[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]", 0 },
};

static const text_t refused[] = {
    { "nothing", "", 0 },
    { "white space only", " ", 0 },
    { "trailing comma in an array", "[1,]", 0 },
    { "trailing comma in an object", "{\"a\":0,}", 0 },
    { "double comma", "[1,,2]", 0 },
    { "comma first", "[,1]", 0 },
    { "missing colon", "{\"a\" 1}", 0 },
    { "missing value", "{\"a\":}", 0 },
    { "missing name", "{:1}", 0 },
    { "unquoted name", "{a:1}", 0 },
    { "number as a name", "{1:1}", 0 },
    { "single quotes", "{'a':0}", 0 },
    { "unclosed array", "[1", 0 },
    { "unclosed object", "{\"a\":1", 0 },
    { "unclosed string", "[\"a", 0 },
    { "wrong closing", "[1}", 0 },
    { "closing only", "]", 0 },
    { "two values", "[] []", 0 },
    { "trailing text", "{\"a\":1}x", 0 },
    { "trailing closing", "{\"a\":1}}", 0 },
    { "trailing comment", "{\"a\":1}/**/", 0 },
    { "comment", "[1, /* x */ 2]", 0 },
    { "line comment", "[1] // x", 0 },
    { "byte order mark", "\xEF\xBB\xBF{}", 0 },
    { "UTF-16", "[\0\"\0", 4 },
    { "NUL at the end", "123\0", 4 },
    { "NUL between", "[1,\0 2]", 7 },
    { "NUL in a string", "[\"a\0b\"]", 7 },
    { "capital True", "[True]", 0 },
    { "NaN", "[NaN]", 0 },
    { "Infinity", "[-Infinity]", 0 },
    { "plus sign", "[+1]", 0 },
    { "leading zero", "[012]", 0 },
    { "negative leading zero", "[-01]", 0 },
    { "no integer part", "[.5]", 0 },
    { "no fraction", "[1.]", 0 },
    { "no exponent", "[1e]", 0 },
    { "no signed exponent", "[1e+]", 0 },
    { "minus only", "[-]", 0 },
    { "hexadecimal", "[0x42]", 0 },
    { "letters in a number", "[1.2a-3]", 0 },
    { "tab in a string", "[\"\t\"]", 0 },
    { "line feed in a string", "[\"a\nb\"]", 0 },
    { "bad escape", "[\"\\a\"]", 0 },
    { "\\x escape", "[\"\\x00\"]", 0 },
    { "three hexadecimal digits", "[\"\\u00A\"]", 0 },
    { "letters in an escape", "[\"\\uqqqq\"]", 0 },
    { "backslash at the end", "[\"\\", 0 },
    { "escape outside a string", "[\\u000A\"\"]", 0 },
    { "form feed as white space", "[\x0C]", 0 },
    { "vertical tab as white space", "[1,\x0B 2]", 0 },
    { "an escape character at the end", "[1]\x1B", 0 },
    { "no-break space as white space", "[\xC2\xA0]", 0 },
    { "escaped NUL", "[\"\\u0000\"]", 0 },
    { "escaped NUL in a name", "{\"a\\u0000b\":1}", 0 },
    { "high surrogate alone", "[\"\\uD800\"]", 0 },
    { "high surrogate at the end", "[\"\\uD800", 0 },
    { "high surrogate and a letter", "[\"\\uD800a\"]", 0 },
    { "high surrogate and a newline", "[\"\\uD800\\n\"]", 0 },
    { "high surrogate twice", "[\"\\uD800\\uD800\"]", 0 },
    { "high surrogate and an unfinished one", "[\"\\uD800\\uD8\"]", 0 },
    { "low surrogate alone", "[\"\\uDC00\"]", 0 },
    { "surrogates in the wrong order", "[\"\\uDC00\\uD800\"]", 0 },
    { "surrogate in a name", "{\"\\uDFAA\":0}", 0 },
    { "Latin-1", "[\"\xE9\"]", 0 },
    { "continuation byte alone", "[\"\x80\"]", 0 },
    { "sequence cut off", "[\"\xE2\x82\"]", 0 },
    { "overlong slash", "[\"\xC0\xAF\"]", 0 },
    { "overlong NUL", "[\"\xC0\x80\"]", 0 },
    { "overlong, three bytes", "[\"\xE0\x80\x80\"]", 0 },
    { "overlong, three bytes, largest", "[\"\xE0\x9F\xBF\"]", 0 },
    { "overlong, four bytes", "[\"\xF0\x8F\xBF\xBF\"]", 0 },
    { "raw surrogate", "[\"\xED\xA0\x80\"]", 0 },
    { "raw low surrogate", "[\"\xED\xBF\xBF\"]", 0 },
    { "beyond U+10FFFF", "[\"\xF4\x90\x80\x80\"]", 0 },
    { "byte F5", "[\"\xF5\x80\x80\x80\"]", 0 },
    { "byte FF", "[\"\xFF\"]", 0 },
    { "malformed UTF-8 outside strings", "[\xC0\x80]", 0 },
    { "seventeen levels", "[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]", 0 },
    { "seventeen levels of both",
      "{\"a\":[{\"a\":[{\"a\":[{\"a\":[{\"a\":[{\"a\":[{\"a\":[{\"a\":["
      "{}]}]}]}]}]}]}]}]}",
      0 },
    { "equal names", "{\"a\":1,\"b\":2,\"a\":1}", 0 },
    { "equal names, one escaped", "{\"a\":1,\"\\u0061\":1}", 0 },
    { "equal empty names", "{\"\":1,\"\":1}", 0 },
};

static const lims_error_t *parse(lims_json_t **root, const text_t *text)
{
    apr_size_t length = text->length > 0 ? text->length : strlen(text->text);

    /* On the heap without a NUL behind it, so that a sanitizer sees a read
     * beyond the end. */
    char *copy = malloc(length > 0 ? length : 1);
    const lims_error_t *error;

    memcpy(copy, text->text, length);
    error = lims_json_parse(root, copy, length, pool);
    free(copy);
    return error;
}

static void test_grammar(void)
{
    lims_json_t *root;

    for (apr_size_t i = 0; i < LIMS_LENGTH(taken); i++) {
        passes(parse(&root, &taken[i]), apr_pstrcat(pool, "takes ", taken[i].name, NULL));
        ok(root, "an accepted text has a value");
    }
    for (apr_size_t i = 0; i < LIMS_LENGTH(refused); i++) {
        refuses(parse(&root, &refused[i]), LIMS_E_INVALID_BODY, "",
                apr_pstrcat(pool, "refuses ", refused[i].name, NULL));
        ok(!root, "a refused text has no value");
    }
}

static const lims_error_t *parse_text(lims_json_t **root, const char *text)
{
    return lims_json_parse(root, text, strlen(text), pool);
}

static void test_tree(void)
{
    lims_json_t *root = NULL;
    const lims_json_t *member;

    passes(parse_text(&root, "{\"id\":9223372036854775807,\"s\":\"\\u00e4\\n\",\"l\":[1.50,true,"
                             "false,null,{}],\"o\":{\"x\":-0}}"),
           "a body");
    is_number(root->type, LIMS_JSON_OBJECT, "an object");
    is_number(root->count, 4, "the object has four members");
    member = lims_json_member(root, "id");
    is(member->text, "9223372036854775807", "a number keeps its digits");
    is_number(member->type, LIMS_JSON_NUMBER, "the member is a number");
    member = lims_json_member(root, "s");
    is(member->text, "\xC3\xA4\n", "a string is decoded");
    is_number((long long)member->length, 3, "the length is in bytes");
    member = lims_json_member(root, "l");
    is_number(member->count, 5, "an array of five");
    is(member->first->text, "1.50", "the first as sent");
    ok(!member->first->name, "elements have no name");
    is(member->first->next->text, "true", "the second element is true");
    is(member->first->next->next->text, "false", "the third element is false");
    is_number(member->first->next->next->next->type, LIMS_JSON_NULL, "the fourth element is null");
    is_number(member->first->next->next->next->next->type, LIMS_JSON_OBJECT,
              "the fifth element is an object");
    member = lims_json_member(lims_json_member(root, "o"), "x");
    is(member->text, "-0", "a member of a member");
    is(member->name, "x", "a member has its name");
    ok(!lims_json_member(root, "none"), "no such member");
    ok(!lims_json_member(member, "x"), "a number has no members");
    ok(!lims_json_member(NULL, "x"), "nothing has no members");
}

static void test_messages(void)
{
    lims_json_t *root;

    refuses(parse_text(&root, "{\"clientName\":1,\"clientName\":2}"), LIMS_E_INVALID_BODY,
            "'clientName' twice", "a repeated member is named");
    refuses(parse_text(&root, "[\"abc\xFF\"]"), LIMS_E_INVALID_BODY, "malformed UTF-8 at byte 5",
            "malformed UTF-8 is located");
    refuses(parse_text(&root, "[\"\\uDC00\"]"), LIMS_E_INVALID_BODY, "unpaired surrogate at byte 2",
            "a surrogate is located");
    refuses(parse_text(&root, "{\"a\":1,}"), LIMS_E_INVALID_BODY, "not valid JSON", "syntax");
    refuses(parse_text(&root, "{\"a\":1,}"), LIMS_E_INVALID_BODY, "byte 8",
            "the error names the byte");
    refuses(parse_text(&root, "[[[[[[[[[[[[[[[[[[[["), LIMS_E_INVALID_BODY, "16 levels", "depth");
    refuses(parse_text(&root, "\xEF\xBB\xBF{}"), LIMS_E_INVALID_BODY, "byte order mark", "BOM");
}

/* An object of `count` members whose names share a long beginning. */
static char *wide_object(int count, bool repeat)
{
    char *text = apr_palloc(pool, (apr_size_t)count * 40 + 64);
    char *end = text;

    *end++ = '{';
    for (int i = 0; i < count; i++) {
        end += sprintf(end, "%s\"aaaaaaaaaaaaaaaaaaaa%d\":0", i > 0 ? "," : "", i);
    }
    end += sprintf(end, repeat ? ",\"aaaaaaaaaaaaaaaaaaaa0\":0}" : "}");
    return text;
}

/* The CPU time that so many different members take. */
static clock_t time_of(int count)
{
    lims_json_t *root;
    char *text = wide_object(count, false);
    clock_t least = 0;

    for (int i = 0; i < 3; i++) {
        clock_t begin = clock(), once;

        parse_text(&root, text);
        once = clock() - begin;
        least = i == 0 || once < least ? once : least;
    }
    return least;
}

static void test_size(void)
{
    lims_json_t *root;
    char *many = apr_palloc(pool, 2 * (LIMS_JSON_VALUES_MAX + 8));
    char *end = many;

    passes(parse_text(&root, wide_object(50000, false)), "50,000 different members");
    refuses(parse_text(&root, wide_object(50000, true)), LIMS_E_INVALID_BODY, "twice",
            "the first of 50,000 again");
    refuses(parse_text(&root, wide_object(13, true)), LIMS_E_INVALID_BODY, "twice",
            "the first of 13 again");
    ok(time_of(50000) < 40 * time_of(5000),
       "ten times as many members take no more than forty times the time");

    *end++ = '[';
    for (int i = 0; i < LIMS_JSON_VALUES_MAX - 1; i++) {
        end += sprintf(end, "%s1", i > 0 ? "," : "");
    }
    strcpy(end, "]");
    passes(parse_text(&root, many), "as many values as allowed");
    strcpy(end, ",1]");
    refuses(parse_text(&root, many), LIMS_E_INVALID_BODY, "more than 100000 values",
            "one value more than allowed");
}

int main(void)
{
    pool = unit_pool();
    test_grammar();
    test_tree();
    test_messages();
    test_size();
    return tap_done();
}
