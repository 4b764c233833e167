/* SPDX-License-Identifier: Apache-2.0 */
/*
 * key.c - API keys: generation, checksum and hash.
 */
#include "kernel/key.h"

#include <apr_strings.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <string.h>

#define BASE 62

/* Characters of a key that may be shown, "lk_" included. */
#define SHOWN 8

static const char alphabet[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

_Static_assert(sizeof(alphabet) == BASE + 1, "the alphabet has not 62 characters");
_Static_assert(sizeof(LIMS_KEY_PREFIX) == 4, "LIMS_KEY_LENGTH counts three for the prefix");

/* Computes the CRC-32 of zlib and Ethernet: reflected, polynomial EDB88320. */
static apr_uint32_t crc32_of(const char *text, apr_size_t length)
{
    apr_uint32_t crc = 0xFFFFFFFFu;

    for (apr_size_t i = 0; i < length; i++) {
        crc ^= (unsigned char)text[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB88320u : 0);
        }
    }
    return ~crc;
}

/* Writes the checksum as base-62 digits, the most significant first; 62^6 exceeds 2^32. */
static void write_checksum(char digits[LIMS_KEY_CHECKSUM], const char *random)
{
    apr_uint32_t crc = crc32_of(random, LIMS_KEY_RANDOM);

    for (int i = LIMS_KEY_CHECKSUM - 1; i >= 0; i--) {
        digits[i] = alphabet[crc % BASE];
        crc /= BASE;
    }
}

/* Generates random characters. Random bytes from 248 on are discarded: 248 is a multiple
 * of 62, so that every character is equally likely. */
static bool generate_characters(char *text, int count)
{
    int n = 0;

    while (n < count) {
        unsigned char bytes[64];

        if (RAND_bytes(bytes, sizeof(bytes)) != 1) {
            return false;
        }
        for (apr_size_t i = 0; i < sizeof(bytes) && n < count; i++) {
            if (bytes[i] < 4 * BASE) {
                text[n++] = alphabet[bytes[i] % BASE];
            }
        }
        OPENSSL_cleanse(bytes, sizeof(bytes));
    }
    return true;
}

const char *lims_key_generate(apr_pool_t *pool)
{
    char *key = apr_pcalloc(pool, LIMS_KEY_LENGTH + 1);
    char *random = key + strlen(LIMS_KEY_PREFIX);

    memcpy(key, LIMS_KEY_PREFIX, strlen(LIMS_KEY_PREFIX));
    if (!generate_characters(random, LIMS_KEY_RANDOM)) {
        return NULL;
    }
    write_checksum(random + LIMS_KEY_RANDOM, random);
    return key;
}

bool lims_key_well_formed(const char *text)
{
    apr_size_t prefix = strlen(LIMS_KEY_PREFIX);
    char expected[LIMS_KEY_CHECKSUM];

    if (!text || strlen(text) != LIMS_KEY_LENGTH || memcmp(text, LIMS_KEY_PREFIX, prefix) != 0 ||
        strspn(text + prefix, alphabet) != LIMS_KEY_LENGTH - prefix) {
        return false;
    }
    write_checksum(expected, text + prefix);
    return memcmp(expected, text + prefix + LIMS_KEY_RANDOM, LIMS_KEY_CHECKSUM) == 0;
}

bool lims_key_hash(unsigned char hash[LIMS_KEY_HASH_LENGTH], const char *text)
{
    return lims_sha256(hash, text, strlen(text));
}

const char *lims_key_prefix(const char *text, apr_pool_t *pool)
{
    return apr_pstrcat(pool, apr_pstrndup(pool, text, SHOWN), "...", NULL);
}

bool lims_equal_constant_time(const void *a, const void *b, apr_size_t length)
{
    return CRYPTO_memcmp(a, b, length) == 0;
}
