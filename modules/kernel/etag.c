/* SPDX-License-Identifier: Apache-2.0 */
/*
 * etag.c - entity tags (RFC 9110 section 8.8.3).
 */
#include "kernel/etag.h"

#include <apr_strings.h>
#include <string.h>

#include "kernel/digest.h"

/* Bytes of the SHA-256 in a tag: 16 of its 32 suffice against accidental collisions. */
#define TAG_BYTES 16

const char *lims_etag(const char *body, apr_size_t length, apr_pool_t *pool)
{
    const char *hash = lims_sha256_hex(body, length, TAG_BYTES, pool);

    return hash ? apr_pstrcat(pool, "\"", hash, "\"", NULL) : NULL;
}

/* Returns the length of the opaque-tag that starts here, quotes included; 0: it is
 * malformed. Its characters (etagc) are 21, 23 to 7E and 80 to FF: no quotes, blanks or
 * control characters. */
static apr_size_t opaque_length(const char *text)
{
    const unsigned char *p = (const unsigned char *)text;

    if (*p++ != '"') {
        return 0;
    }
    while (*p > 0x20 && *p != '"' && *p != 0x7F) {
        p++;
    }
    return *p == '"' ? (apr_size_t)(p + 1 - (const unsigned char *)text) : 0;
}

/* In a strong comparison neither tag may be weak; a weak comparison ignores weakness
 * (section 8.8.3.2). */
bool lims_etag_matches(const char *header, const char *etag, bool weak)
{
    bool etag_weak;
    const char *opaque;
    apr_size_t wanted;

    if (!header || !etag) {
        return false;
    }
    etag_weak = strncmp(etag, "W/", 2) == 0;
    opaque = etag + (etag_weak ? 2 : 0);
    wanted = opaque_length(opaque);
    header += strspn(header, " \t");
    if (*header == '*') {
        return header[1 + strspn(header + 1, " \t")] == '\0';
    }
    while (wanted > 0 && *header != '\0') {
        bool member_weak;
        apr_size_t length;

        header += strspn(header, " \t,");
        member_weak = strncmp(header, "W/", 2) == 0;
        header += member_weak ? 2 : 0;
        length = opaque_length(header);
        if (length == 0) {
            return false;
        }
        if (length == wanted && memcmp(header, opaque, length) == 0 &&
            (weak || (!member_weak && !etag_weak))) {
            return true;
        }
        header += length;
        header += strspn(header, " \t");
        if (*header != '\0' && *header != ',') {
            return false;
        }
    }
    return false;
}

bool lims_etag_has_strong(const char *header)
{
    for (; *header != '\0'; header += strcspn(header, ",")) {
        header += strspn(header, " \t,");
        if (*header == '*' || (*header == '"' && opaque_length(header) > 0)) {
            return true;
        }
    }
    return false;
}
