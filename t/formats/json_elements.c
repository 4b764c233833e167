/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/read.h"

#include "../lib/sheet.h"
#include "../lib/unit.h"

static apr_pool_t *pool;

static const char *read_bytes(const char *bytes, apr_size_t length)
{
    lims_reasons_t *reasons = lims_reasons_create(pool);
    const lims_document_t *document = lims_document_read(bytes, length, NULL, reasons, pool);

    return document ? sheet_text(document->sheets, pool) : reasons_text(reasons, pool);
}

static const char *nested(const char *open, const char *close, int depth)
{
    const char *text = "";

    for (int i = 0; i < depth; i++) {
        text = apr_pstrcat(pool, open, text, close, NULL);
    }
    return text;
}

static void test_sheet(void)
{
    static const struct {
        const char *text, *outcome, *name;
    } cases[] = {
        { "{\"a\": 1.50}", "1[][a][1.50]", "a member, its number to the digit" },
        { "{\n\"a\": {\n\"b\": \"x\"},\n \"c\": true, \"d\": -0}",
          "3[a][b][x] 4[][c][true] 4[][d][-0]", "members of members, by line" },
        { "{\"a\": [1, null, [2, {\"b\": 3}]], \"c\": 4}",
          "1[][a][1] 1[a][item][2] 1[item][b][3] 1[][c][4]", "arrays, and an array in one" },
        { "[{\"a\": 1}, {\"a\": 2}]", "1[item][a][1] 1[item][a][2]", "an outermost array" },
        { "{\"a\\u00b5\\/\": \"\\\"\\n\\ud83d\\ude00\"}", "1[][a\xc2\xb5/][\"\n\xf0\x9f\x98\x80]",
          "escapes" },
        { "\xef\xbb\xbf{\"a\":1}", "1[][a][1]", "a byte order mark" },
        { "{\"a\": \"\xb5g\"}", "1[][a][\xc2\xb5g]", "another encoding, as the default is" },
        { "{\"a\": 1, \"a\": 2}",
          "structure_mismatch@1 Line 1 of the JSON: the member \"a\" stands twice in an object.",
          "a member twice" },
        { "{\"a\": 1,\n \"b\": [1, 2",
          "truncated_file@2 Line 2 of the JSON: the document ends within a value: it was cut off.",
          "cut off" },
        { "{\"a\": 1} x", "structure_mismatch@1 Line 1 of the JSON: trailing garbage.",
          "something behind it" },
        { "{\"a\": \"\\ud800\"}", "encoding_error@0 The JSON has an unpaired surrogate at byte 7.",
          "half a character" },
        { "{\"a\": \"\\u0000\"}",
          "encoding_error@0 The JSON has a NUL character (\\u0000) at byte 7.", "no character" },
    };
    static const char wide[] = "\xff\xfe{\0\"\0a\0\"\0:\0\"\0\xb5\0\"\0}\0";

    for (apr_size_t i = 0; i < LIMS_LENGTH(cases); i++) {
        is(read_bytes(cases[i].text, strlen(cases[i].text)), cases[i].outcome, cases[i].name);
    }
    is(read_bytes(wide, sizeof(wide) - 1), "1[][a][\xc2\xb5]", "UTF-16");
}

/* Whatever is cut off, nothing passes for a document. */
static void test_prefixes(void)
{
    static const char text[] = "{\"a\": [1, {\"b\": \"c\"}], \"d\": null}";
    int whole = 0;

    for (apr_size_t length = 2; length < sizeof(text) - 1; length++) {
        const char *outcome = read_bytes(text, length);

        whole += !strstr(outcome, "truncated_file");
    }
    is_number(whole, 0, "no beginning is whole");
}

static void test_bounds(void)
{
    apr_array_header_t *parts = apr_array_make(pool, 2, sizeof(const char *));
    const char *many, *text;

    text = apr_pstrcat(pool, "{\"a\":", nested("[", "]", LIMS_XML_DEPTH_MAX), "}", NULL);
    has(read_bytes(text, strlen(text)), "nested too deep", "depth");
    text = apr_pstrcat(pool, "{\"a\":", nested("[", "]", LIMS_XML_DEPTH_MAX - 1), "}", NULL);
    is(read_bytes(text, strlen(text)), "", "the deepest that there is");
    for (int i = 0; i < LIMS_XML_ELEMENTS_MAX; i++) {
        APR_ARRAY_PUSH(parts, const char *) = "0";
    }
    many = apr_array_pstrcat(pool, parts, ',');
    text = apr_pstrcat(pool, "{\"a\":[", many, "]}", NULL);
    has(read_bytes(text, strlen(text)), "too_many_rows@1", "values");
}

int main(void)
{
    pool = unit_pool();
    test_sheet();
    test_prefixes();
    test_bounds();
    apr_pool_destroy(pool);
    return tap_done();
}
