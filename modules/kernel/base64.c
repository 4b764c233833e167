/* SPDX-License-Identifier: Apache-2.0 */
/* base64.c - base64 with its padding and without line breaks. */
#include "kernel/base64.h"

#include <openssl/evp.h>
#include <string.h>

const char *lims_base64_encode(const void *bytes, apr_size_t length, apr_pool_t *pool)
{
    char *text = apr_palloc(pool, LIMS_BASE64_LENGTH(length) + 1);

    lims_base64_write(text, bytes, length);
    return text;
}

void lims_base64_write(char *text, const void *bytes, apr_size_t length)
{
    EVP_EncodeBlock((unsigned char *)text, bytes, (int)length);
}

/* OpenSSL counts the padding as bytes, and skips white space around the text. */
bool lims_base64_read(unsigned char *bytes, apr_size_t *length, const char *text, apr_size_t size)
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    apr_size_t digits = strspn(text, alphabet);
    apr_size_t padding = digits < size ? size - digits : 0;

    if (size % 4 != 0 || size > APR_INT32_MAX || padding > 2 ||
        memcmp(text + size - padding, "==", padding) != 0 ||
        (size > 0 && EVP_DecodeBlock(bytes, (const unsigned char *)text, (int)size) < 0)) {
        return false;
    }
    *length = size / 4 * 3 - padding;
    return true;
}

bool lims_base64_decode(const char **bytes, apr_size_t *length, const char *text, apr_pool_t *pool)
{
    apr_size_t size = strlen(text);
    unsigned char *decoded = apr_palloc(pool, size / 4 * 3 + 1);

    if (!lims_base64_read(decoded, length, text, size)) {
        return false;
    }
    decoded[*length] = '\0';
    *bytes = (const char *)decoded;
    return true;
}
