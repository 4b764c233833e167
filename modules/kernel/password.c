/* SPDX-License-Identifier: Apache-2.0 */
/*
 * password.c - scrypt through OpenSSL, and its text form.
 */
#include "kernel/password.h"

#include <apr_strings.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/base64.h"

#define SALT_LENGTH 16
#define HASH_LENGTH 32

/* Lengths in base64. */
#define SALT_TEXT LIMS_BASE64_LENGTH(SALT_LENGTH)
#define HASH_TEXT LIMS_BASE64_LENGTH(HASH_LENGTH)

/* Limit of scrypt's memory: 128 N r bytes and a margin. OpenSSL's default limit is just
 * below what N needs. */
#define MEMORY_MAX (64 * 1024 * 1024)

typedef struct {
    apr_uint64_t n, r, p;
} cost_t;

static const cost_t cost = { .n = 1 << 15, .r = 8, .p = 1 };

const char lims_password_nobodys[] = "scrypt$32768$8$1$AAAAAAAAAAAAAAAAAAAAAA==$"
                                     "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";

static bool derive(unsigned char hash[HASH_LENGTH], const char *password,
                   const unsigned char salt[SALT_LENGTH], const cost_t *c)
{
    return EVP_PBE_scrypt(password, strlen(password), salt, SALT_LENGTH, c->n, c->r, c->p,
                          MEMORY_MAX, hash, HASH_LENGTH) == 1;
}

const char *lims_password_hash(const char *password, apr_pool_t *pool)
{
    unsigned char salt[SALT_LENGTH];
    unsigned char hash[HASH_LENGTH];
    char salt_text[SALT_TEXT + 1];
    char hash_text[HASH_TEXT + 1];

    if (RAND_bytes(salt, sizeof(salt)) != 1 || !derive(hash, password, salt, &cost)) {
        return NULL;
    }
    lims_base64_write(salt_text, salt, SALT_LENGTH);
    lims_base64_write(hash_text, hash, HASH_LENGTH);
    OPENSSL_cleanse(hash, sizeof(hash));
    return apr_psprintf(
        pool, "scrypt$%" APR_UINT64_T_FMT "$%" APR_UINT64_T_FMT "$%" APR_UINT64_T_FMT "$%s$%s",
        cost.n, cost.r, cost.p, salt_text, hash_text);
}

/* Reads a number of at most ten digits. */
static bool read_number(apr_uint64_t *value, const char *text)
{
    apr_size_t digits = strspn(text, "0123456789");

    if (digits == 0 || digits > 10 || text[digits] != '\0') {
        return false;
    }
    *value = strtoull(text, NULL, 10);
    return true;
}

/* Decodes exactly `length` bytes from base64. */
static bool read_bytes(unsigned char *bytes, apr_size_t length, const char *text)
{
    unsigned char decoded[HASH_TEXT];
    apr_size_t size = 0, text_length = strlen(text);

    if (text_length > HASH_TEXT || !lims_base64_read(decoded, &size, text, text_length) ||
        size != length) {
        return false;
    }
    memcpy(bytes, decoded, length);
    return true;
}

typedef struct {
    cost_t cost;
    unsigned char salt[SALT_LENGTH];
    unsigned char hash[HASH_LENGTH];
} encoded_t;

/* Reads an encoding whose cost is not higher than this service writes. */
static bool read_encoded(encoded_t *e, const char *encoded, apr_pool_t *pool)
{
    char *copy = apr_pstrdup(pool, encoded ? encoded : "");
    const char *parts[7] = { NULL };
    int count = 0;

    for (char *p = copy; p && count < 7; count++) {
        char *dollar = strchr(p, '$');

        parts[count] = p;
        if (dollar) {
            *dollar++ = '\0';
        }
        p = dollar;
    }
    return count == 6 && strcmp(parts[0], "scrypt") == 0 && read_number(&e->cost.n, parts[1]) &&
           read_number(&e->cost.r, parts[2]) && read_number(&e->cost.p, parts[3]) &&
           read_bytes(e->salt, SALT_LENGTH, parts[4]) &&
           read_bytes(e->hash, HASH_LENGTH, parts[5]) && e->cost.n <= cost.n &&
           e->cost.r <= cost.r && e->cost.p <= cost.p;
}

bool lims_password_verify(const char *encoded, const char *password, apr_pool_t *pool)
{
    unsigned char hash[HASH_LENGTH];
    encoded_t e;
    bool equal;

    if (!read_encoded(&e, encoded, pool) || !derive(hash, password, e.salt, &e.cost)) {
        return false;
    }
    equal = CRYPTO_memcmp(hash, e.hash, HASH_LENGTH) == 0;
    OPENSSL_cleanse(hash, sizeof(hash));
    return equal;
}

bool lims_password_is_cheap(const char *encoded, apr_pool_t *pool)
{
    encoded_t e;

    return read_encoded(&e, encoded, pool) &&
           (e.cost.n < cost.n || e.cost.r < cost.r || e.cost.p < cost.p);
}
