/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pades_cms.c - the CMS signature of a document.
 *
 * CMS_final() adds the attribute signing-time, which PAdES forbids beside /M. So OpenSSL
 * makes the parts, and the attributes are signed here.
 */
#include <apr_strings.h>
#include <openssl/cms.h>
#include <openssl/err.h>
#include <stdlib.h>
#include <string.h>

#include "documents/pades.h"
#include "kernel/digest.h"

/* Bytes of all that is neither a certificate nor the signature's value. */
#define REST_MAX 2048

/* Longest head of a SET in DER: tag, length of the length, 4 bytes of length. */
#define HEAD_MAX 6

typedef struct {
    unsigned char *bytes;
    int length;
} der_t;

/* The order of a SET OF in DER (X.690, 11.6). */
static int compare(const void *a, const void *b)
{
    const der_t *one = a, *other = b;
    int shorter = one->length < other->length ? one->length : other->length;
    int order = memcmp(one->bytes, other->bytes, (size_t)shorter);

    return order != 0 ? order : one->length - other->length;
}

/* Encodes each of the signer's attributes, in order. Returns their number; below 0: failed. */
static int encode_attributes(der_t **attributes, CMS_SignerInfo *signer, apr_pool_t *pool)
{
    int count = CMS_signed_get_attr_count(signer);

    *attributes = apr_pcalloc(pool, sizeof(der_t) * (apr_size_t)(count > 0 ? count : 1));
    for (int i = 0; i < count; i++) {
        der_t *one = &(*attributes)[i];
        unsigned char *bytes = NULL;

        one->length = i2d_X509_ATTRIBUTE(CMS_signed_get_attr(signer, i), &bytes);
        if (one->length <= 0) {
            return -1;
        }
        one->bytes = apr_pmemdup(pool, bytes, (apr_size_t)one->length);
        OPENSSL_free(bytes);
    }
    qsort(*attributes, count > 0 ? (size_t)count : 0, sizeof(der_t), compare);
    return count;
}

/* Writes tag and length of a SET; returns their bytes. */
static int put_head(unsigned char *to, int length)
{
    unsigned char *at = to;

    ASN1_put_object(&at, 1, length, V_ASN1_SET, V_ASN1_UNIVERSAL);
    return (int)(at - to);
}

/* Returns the bytes that are signed: the attributes as a SET OF. */
static const unsigned char *signed_bytes(int *length, CMS_SignerInfo *signer, apr_pool_t *pool)
{
    der_t *attributes;
    int count = encode_attributes(&attributes, signer, pool), inner = 0;
    unsigned char *set;

    if (count <= 0) {
        return NULL;
    }
    for (int i = 0; i < count; i++) {
        inner += attributes[i].length;
    }
    set = apr_palloc(pool, (apr_size_t)inner + HEAD_MAX);
    *length = put_head(set, inner);
    for (int i = 0; i < count; i++) {
        memcpy(set + *length, attributes[i].bytes, (size_t)attributes[i].length);
        *length += attributes[i].length;
    }
    return set;
}

static bool sign_attributes(CMS_SignerInfo *signer, const lims_document_key_t *key,
                            apr_pool_t *pool)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    size_t size = (size_t)EVP_PKEY_get_size(key->key);
    unsigned char *signature = apr_palloc(pool, size);
    int length = 0;
    const unsigned char *bytes = signed_bytes(&length, signer, pool);
    bool done = context && bytes &&
                EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, key->key) == 1 &&
                EVP_DigestSign(context, signature, &size, bytes, (size_t)length) == 1 &&
                ASN1_STRING_set(CMS_SignerInfo_get0_signature(signer), signature, (int)size) == 1;

    EVP_MD_CTX_free(context);
    return done;
}

static CMS_SignerInfo *add_signer(CMS_ContentInfo *cms, const lims_document_key_t *key,
                                  const unsigned char *sha256)
{
    CMS_SignerInfo *signer =
        CMS_add1_signer(cms, key->certificate, key->key, EVP_sha256(),
                        CMS_CADES | CMS_NOSMIMECAP | CMS_BINARY | CMS_DETACHED);

    return signer &&
                   CMS_signed_add1_attr_by_NID(signer, NID_pkcs9_contentType, V_ASN1_OBJECT,
                                               OBJ_nid2obj(NID_pkcs7_data), -1) == 1 &&
                   CMS_signed_add1_attr_by_NID(signer, NID_pkcs9_messageDigest,
                                               V_ASN1_OCTET_STRING, sha256,
                                               LIMS_SHA256_LENGTH) == 1
               ? signer
               : NULL;
}

const unsigned char *lims_pades_cms(int *length, const lims_document_key_t *key,
                                    const unsigned char *sha256, apr_pool_t *pool)
{
    CMS_ContentInfo *cms =
        CMS_sign(NULL, NULL, key->chain, NULL, CMS_PARTIAL | CMS_DETACHED | CMS_BINARY);
    CMS_SignerInfo *signer = cms ? add_signer(cms, key, sha256) : NULL;
    unsigned char *der = NULL, *kept = NULL;

    if (signer && sign_attributes(signer, key, pool)) {
        *length = i2d_CMS_ContentInfo(cms, &der);
        kept = *length > 0 ? apr_pmemdup(pool, der, (apr_size_t)*length) : NULL;
        OPENSSL_free(der);
    }
    CMS_ContentInfo_free(cms);
    ERR_clear_error();
    return kept;
}

int lims_pades_cms_max(const lims_document_key_t *key)
{
    int most = REST_MAX + EVP_PKEY_get_size(key->key) + i2d_X509(key->certificate, NULL);

    for (int i = 0; i < sk_X509_num(key->chain); i++) {
        most += i2d_X509(sk_X509_value(key->chain, i), NULL);
    }
    return most;
}
