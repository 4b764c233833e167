/* SPDX-License-Identifier: Apache-2.0 */
/* Digests, against the examples of FIPS 180-4 and RFC 1321. */
#include "kernel/digest.h"

#include <apr_escape.h>

#include "../lib/unit.h"

#define SHA256_OF_ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

int main(void)
{
    apr_pool_t *pool = unit_pool();
    char parts[] = "abc";
    const struct iovec pieces[] = {
        { .iov_base = parts, .iov_len = 1 },
        { .iov_base = parts + 1, .iov_len = 0 },
        { .iov_base = parts + 1, .iov_len = 2 },
    };
    unsigned char digest[LIMS_SHA256_LENGTH] = { 0 };

    ok(lims_sha256(digest, "abc", 3), "SHA-256 is there");
    is(apr_pescape_hex(pool, digest, sizeof(digest), 0), SHA256_OF_ABC,
       "the SHA-256 of \"abc\" is right");
    is(lims_sha256_hex("abc", 3, LIMS_SHA256_LENGTH, pool), SHA256_OF_ABC,
       "SHA-256 in hexadecimal");
    is(lims_sha256_hex("abc", 3, 4, pool), "ba7816bf", "the first bytes of the digest are right");
    is(lims_sha256_hex("", 0, 4, pool), "e3b0c442", "SHA-256 of nothing, shortened");
    memset(digest, 0, sizeof(digest));
    ok(lims_sha256_pieces(digest, pieces, 3), "SHA-256 of several pieces");
    is(apr_pescape_hex(pool, digest, sizeof(digest), 0), SHA256_OF_ABC, "SHA-256 of several pieces is that of the whole");
    is(lims_digest_hex("SHA256", "abc", 3, pool), SHA256_OF_ABC, "a digest by its name");
    is(lims_digest_hex("SHA1", "abc", 3, pool), "a9993e364706816aba3e25717850c26c9cd0d89d",
       "SHA-1");
    is(lims_digest_hex("MD5", "abc", 3, pool), "900150983cd24fb0d6963f7d28e17f72", "MD5");
    is(lims_digest_hex("none", "abc", 3, pool), NULL, "a name of no digest");
    return tap_done();
}
