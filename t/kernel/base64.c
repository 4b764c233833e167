/* SPDX-License-Identifier: Apache-2.0 */
/* Base64, against the examples of RFC 4648 section 10. */
#include "kernel/base64.h"

#include <string.h>

#include "../lib/unit.h"

static const struct {
    const char *bytes, *text;
} pairs[] = {
    { "", "" },
    { "f", "Zg==" },
    { "fo", "Zm8=" },
    { "foo", "Zm9v" },
    { "foob", "Zm9vYg==" },
    { "fooba", "Zm9vYmE=" },
    { "foobar", "Zm9vYmFy" },
};

/* Neither cut, nor with too much padding or padding within, nor with blanks, line
 * breaks, other alphabets. */
static const char *const others[] = {
    "Z",      "Zg",   "Zg=",   "Z===",  "====",   "Zg==Zg==",
    "Z=g=",   "=Zg=", "Zm9v=", " Zm9v", "Zm9v ",  "Zm9v\nZm9v",
    "Zm9v\n", "Zm9-", "Zm9_",  "Zm 9v", "\tZg==", "Zm9v\xC3\xA4Zg",
};

int main(void)
{
    apr_pool_t *pool = unit_pool();
    unsigned char memory[16];
    const char *bytes = NULL;
    apr_size_t length = 0;
    char text[16];

    for (size_t i = 0; i < LIMS_LENGTH(pairs); i++) {
        is(lims_base64_encode(pairs[i].bytes, strlen(pairs[i].bytes), pool), pairs[i].text,
           pairs[i].bytes);
        is_number((long long)LIMS_BASE64_LENGTH(strlen(pairs[i].bytes)),
                  (long long)strlen(pairs[i].text), "the encoded text has its length");
        ok(lims_base64_decode(&bytes, &length, pairs[i].text, pool), "the text is decoded");
        is(bytes, pairs[i].bytes, "the text is decoded to the same bytes");
        is_number((long long)length, (long long)strlen(pairs[i].bytes),
                  "as many bytes are decoded");
    }
    for (size_t i = 0; i < LIMS_LENGTH(others); i++) {
        ok(!lims_base64_decode(&bytes, &length, others[i], pool), "refused: '%s'", others[i]);
    }
    lims_base64_write(text, "\0\xFF", 2);
    is(text, "AP8=", "any bytes");
    ok(lims_base64_read(memory, &length, "AP8=Zg==", 4), "the first characters of a text");
    is_number((long long)length, 2, "two bytes are decoded");
    ok(memcmp(memory, "\0\xFF", 2) == 0, "the decoded bytes are right");
    ok(!lims_base64_read(memory, &length, "Zm9vZm9v", 6), "a part of a group is not decoded");
    return tap_done();
}
