/* SPDX-License-Identifier: Apache-2.0 */
/* digest.c - SHA-256, and the older hashes that instruments write. */
#include "kernel/digest.h"

#include <apr_escape.h>
#include <openssl/evp.h>

bool lims_sha256(unsigned char digest[LIMS_SHA256_LENGTH], const void *bytes, apr_size_t length)
{
    return EVP_Digest(bytes, length, digest, NULL, EVP_sha256(), NULL) == 1;
}

bool lims_sha256_pieces(unsigned char digest[LIMS_SHA256_LENGTH], const struct iovec *pieces,
                        int count)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool made = context && EVP_DigestInit_ex(context, EVP_sha256(), NULL) == 1;

    for (int i = 0; made && i < count; i++) {
        made = EVP_DigestUpdate(context, pieces[i].iov_base, pieces[i].iov_len) == 1;
    }
    made = made && EVP_DigestFinal_ex(context, digest, NULL) == 1;
    EVP_MD_CTX_free(context);
    return made;
}

const char *lims_sha256_hex(const void *bytes, apr_size_t length, apr_size_t shown,
                            apr_pool_t *pool)
{
    unsigned char digest[LIMS_SHA256_LENGTH];

    return lims_sha256(digest, bytes, length) ? apr_pescape_hex(pool, digest, shown, 0) : NULL;
}

const char *lims_digest_hex(const char *algorithm, const void *bytes, apr_size_t length,
                            apr_pool_t *pool)
{
    const EVP_MD *kind = EVP_get_digestbyname(algorithm);
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;

    if (!kind || EVP_Digest(bytes, length, digest, &size, kind, NULL) != 1) {
        return NULL;
    }
    return apr_pescape_hex(pool, digest, size, 0);
}
