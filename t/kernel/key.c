/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/key.h"

#include <apr_strings.h>

#include "../lib/unit.h"

static apr_pool_t *pool;

static const char zeros[] = "0000000000000000000000000000000000000000";

static void test_generated(void)
{
    int counts[128] = { 0 };
    int used = 0;
    int wrong = 0;

    for (int i = 0; i < 500; i++) {
        const char *key = lims_key_generate(pool);

        wrong += !key || strlen(key) != LIMS_KEY_LENGTH || !lims_key_well_formed(key);
        for (int j = 3; j < 3 + LIMS_KEY_RANDOM; j++) {
            counts[(unsigned char)key[j] & 127]++;
        }
    }
    is_number(wrong, 0, "500 keys are well-formed");
    for (int c = 0; c < 128; c++) {
        used += counts[c] > 0;
        /* 20,000 characters over 62: 323 each, standard deviation 18. */
        wrong += counts[c] > 0 && (counts[c] < 180 || counts[c] > 470);
    }
    is_number(used, 62, "keys use the whole alphabet");
    is_number(wrong, 0, "evenly");
    ok(strcmp(lims_key_generate(pool), lims_key_generate(pool)) != 0, "no two are equal");
}

/* zlib's crc32() gives 963FBB8E and 6EB9BC73 for these, written in base 62. */
static void test_checksum(void)
{
    ok(lims_key_well_formed(apr_pstrcat(pool, "lk_", zeros, "2kaqcA", NULL)), "a known checksum");
    ok(lims_key_well_formed("lk_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmn21iZpT"), "another");
}

static void test_mistyped(void)
{
    const char *key = lims_key_generate(pool);
    int taken = 0;

    for (int i = 3; i < LIMS_KEY_LENGTH; i++) {
        char *typo = apr_pstrdup(pool, key);

        typo[i] = typo[i] == 'a' ? 'b' : 'a';
        taken += lims_key_well_formed(typo);
    }
    is_number(taken, 0, "no key with one wrong character is accepted");
    for (int i = 3; i < LIMS_KEY_LENGTH - 1; i++) {
        char *swapped = apr_pstrdup(pool, key);

        swapped[i] = key[i + 1];
        swapped[i + 1] = key[i];
        taken += key[i] != key[i + 1] && lims_key_well_formed(swapped);
    }
    is_number(taken, 0, "no key with two swapped neighbours is accepted");
    ok(!lims_key_well_formed(NULL), "nothing");
    ok(!lims_key_well_formed(""), "an empty text");
    ok(!lims_key_well_formed(apr_pstrcat(pool, key, "0", NULL)), "a key with one character more");
    ok(!lims_key_well_formed(apr_pstrndup(pool, key, LIMS_KEY_LENGTH - 1)),
       "a key with one character less");
    ok(!lims_key_well_formed(apr_pstrcat(pool, "LK_", key + 3, NULL)), "another prefix");
    ok(!lims_key_well_formed(apr_pstrcat(pool, "lk_", zeros, "00000-", NULL)), "a foreign letter");
}

static void test_hash(void)
{
    /* FIPS 180-2, appendix B.1. */
    static const unsigned char abc[LIMS_KEY_HASH_LENGTH] =
        "\xba\x78\x16\xbf\x8f\x01\xcf\xea\x41\x41\x40\xde\x5d\xae\x22\x23"
        "\xb0\x03\x61\xa3\x96\x17\x7a\x9c\xb4\x10\xff\x61\xf2\x00\x15\xad";
    unsigned char hash[LIMS_KEY_HASH_LENGTH];

    ok(lims_key_hash(hash, "abc"), "a hash");
    ok(memcmp(hash, abc, sizeof(hash)) == 0, "the hash of a key is SHA-256");
    ok(lims_equal_constant_time(hash, abc, sizeof(hash)), "equal is equal");
    hash[31] ^= 1;
    ok(!lims_equal_constant_time(hash, abc, sizeof(hash)),
       "hashes that differ in one bit are not equal");
}

static void test_prefix(void)
{
    is(lims_key_prefix("lk_abcdefgh", pool), "lk_abcde...", "five characters are shown");
    is(lims_key_prefix("lk", pool), "lk...", "the prefix of a short text");
}

int main(void)
{
    pool = unit_pool();
    test_generated();
    test_checksum();
    test_mistyped();
    test_hash();
    test_prefix();
    return tap_done();
}
