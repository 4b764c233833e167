/* SPDX-License-Identifier: Apache-2.0 */
/* signed_lines.c - signed files of the trail. */
#include "trail/signed_lines.h"

#include <apr_escape.h>
#include <apr_strings.h>
#include <openssl/evp.h>
#include <string.h>

#include "kernel/digest.h"
#include "kernel/ed25519.h"
#include "kernel/json.h"
#include "kernel/seal.h"
#include "kernel/writer.h"

struct lims_signed_lines_t {
    EVP_MD_CTX *digest;
    bool sound; /* OpenSSL did what it was to do */
};

static apr_status_t destroy(void *data)
{
    lims_signed_lines_t *lines = data;

    EVP_MD_CTX_free(lines->digest);
    return APR_SUCCESS;
}

lims_signed_lines_t *lims_signed_lines_begin(apr_pool_t *pool)
{
    lims_signed_lines_t *lines = apr_pcalloc(pool, sizeof(*lines));

    lines->digest = EVP_MD_CTX_new();
    apr_pool_cleanup_register(pool, lines, destroy, apr_pool_cleanup_null);
    lines->sound = lines->digest && EVP_DigestInit_ex(lines->digest, EVP_sha256(), NULL) == 1;
    return lines;
}

void lims_signed_lines_add(lims_signed_lines_t *lines, const char *bytes, apr_size_t length)
{
    lines->sound = lines->sound && EVP_DigestUpdate(lines->digest, bytes, length) == 1;
}

/* Returns the digest in hexadecimal. NULL: OpenSSL failed. */
static const char *finish(lims_signed_lines_t *lines, apr_pool_t *pool)
{
    unsigned char digest[LIMS_SHA256_LENGTH];
    unsigned int length = 0;

    return lines->sound && EVP_DigestFinal_ex(lines->digest, digest, &length) == 1 &&
                   length == sizeof(digest)
               ? apr_pescape_hex(pool, digest, sizeof(digest), 0)
               : NULL;
}

const char *lims_signed_lines_end(lims_signed_t *said, lims_signed_lines_t *lines,
                                  const char *subject, const lims_keyring_t *ring, apr_pool_t *pool)
{
    lims_writer_t *w = lims_writer_create(pool);
    const char *text;
    apr_size_t length = 0;

    said->subject = subject;
    said->sha256 = finish(lines, pool);
    said->key_id = lims_keyring_first(ring);
    text = said->sha256 ? apr_pstrcat(pool, subject, ":", said->sha256, NULL) : NULL;
    said->signature = text ? lims_ed25519_sign(ring, said->key_id, text, pool) : NULL;
    if (!said->signature) {
        return NULL;
    }
    lims_writer_object_begin(w);
    lims_writer_key(w, "signed");
    lims_writer_string(w, text);
    lims_writer_key(w, "keyId");
    lims_writer_string(w, said->key_id);
    lims_writer_key(w, "signature");
    lims_writer_string(w, said->signature);
    lims_writer_object_end(w);
    return apr_pstrcat(pool, lims_writer_finish(&length, w), "\n", NULL);
}

const char *lims_signed_lines_check(lims_signed_t *said, lims_signed_lines_t *lines,
                                    const char *last, apr_size_t length, const lims_keyring_t *ring,
                                    apr_pool_t *pool)
{
    lims_json_t *line = NULL;
    const char *digest = finish(lines, pool);
    const char *text = NULL;
    const char *end;

    if (lims_json_parse(&line, last, length, pool) || !(text = lims_json_string(line, "signed")) ||
        !(said->key_id = lims_json_string(line, "keyId")) ||
        !(said->signature = lims_json_string(line, "signature")) || !(end = strrchr(text, ':'))) {
        return "its last line is no signature";
    }
    said->subject = apr_pstrmemdup(pool, text, (apr_size_t)(end - text));
    said->sha256 = end + 1;
    if (!lims_keyring_has(ring, said->key_id)) {
        return apr_psprintf(
            pool, "it is signed by the key \"%s\", which the key file does not have", said->key_id);
    }
    if (!lims_ed25519_verify(ring, said->key_id, said->signature, text, pool)) {
        return "its signature does not fit: it was not made by this service";
    }
    if (!digest || strcmp(digest, said->sha256) != 0) {
        return "it was changed after it was signed";
    }
    return NULL;
}
