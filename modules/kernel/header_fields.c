/* SPDX-License-Identifier: Apache-2.0 */
/*
 * header_fields.c - syntax of single header fields of a request.
 */
#include "kernel/header_fields.h"

#include <apr_escape.h>
#include <apr_strings.h>
#include <openssl/rand.h>
#include <string.h>
#include <strings.h>

bool lims_request_id_valid(const char *text)
{
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-";
    apr_size_t length = text ? strspn(text, allowed) : 0;

    return length >= 1 && length <= 128 && text[length] == '\0';
}

const char *lims_request_id_create(apr_pool_t *pool)
{
    unsigned char bytes[16];

    if (RAND_bytes(bytes, sizeof(bytes)) != 1) {
        return NULL;
    }
    return apr_pescape_hex(pool, bytes, sizeof(bytes), 0);
}

bool lims_idempotency_key_valid(const char *text)
{
    apr_size_t length = 0;

    while (text && text[length] > 0x20 && text[length] < 0x7F) {
        length++;
    }
    return length >= 1 && length <= 255 && text[length] == '\0';
}

/* Optional white space, then a parameter; sets `*text` behind it. */
static bool charset_utf8(const char **text)
{
    static const char *const spellings[] = { "utf-8", "\"utf-8\"", "utf8" };
    const char *p = *text + strspn(*text, " \t");

    if (*p++ != ';') {
        return false;
    }
    p += strspn(p, " \t");
    if (strncasecmp(p, "charset=", 8) != 0) {
        return false;
    }
    p += 8;
    for (apr_size_t i = 0; i < LIMS_LENGTH(spellings); i++) {
        apr_size_t length = strlen(spellings[i]);

        if (strncasecmp(p, spellings[i], length) == 0) {
            *text = p + length;
            return true;
        }
    }
    return false;
}

bool lims_media_type_json(const char *content_type)
{
    static const char json[] = "application/json";
    const char *p = content_type;

    if (!p || strncasecmp(p, json, sizeof(json) - 1) != 0) {
        return false;
    }
    p += sizeof(json) - 1;
    if (p[strspn(p, " \t")] == ';' && !charset_utf8(&p)) {
        return false;
    }
    return p[strspn(p, " \t")] == '\0';
}
