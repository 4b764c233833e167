/* SPDX-License-Identifier: Apache-2.0 */
/*
 * srgb_profile.c - a profile made of its numbers. Source: ICC.1:2004-10 (profile version
 * 4.2), 7 to 10; IEC 61966-2-1 for the curve, primaries adapted to D50 by Bradford.
 */
#include "print/srgb_profile.h"

#include <math.h>
#include <string.h>

#define HEADER 128
#define TAG_COUNT 10
#define SIZE_MAX_BYTES 1024

typedef struct {
    unsigned char *bytes;
    apr_size_t at;
} profile_t;

static void put32(profile_t *profile, apr_uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8) {
        profile->bytes[profile->at++] = (unsigned char)(value >> shift);
    }
}

static void put_text(profile_t *profile, const char *text, apr_size_t length)
{
    memcpy(profile->bytes + profile->at, text, length);
    profile->at += length;
}

/* s15Fixed16Number */
static void put_number(profile_t *profile, double number)
{
    put32(profile, (apr_uint32_t)(apr_int32_t)lround(number * 65536));
}

static void put_numbers(profile_t *profile, const char *type, const double *numbers, int count)
{
    put_text(profile, type, 4);
    put32(profile, 0);
    for (int i = 0; i < count; i++) {
        put_number(profile, numbers[i]);
    }
}

/* multiLocalizedUnicodeType of one ASCII text. */
static void put_words(profile_t *profile, const char *words)
{
    apr_size_t length = strlen(words);

    put_text(profile, "mluc\0\0\0", 8);
    put32(profile, 1);
    put32(profile, 12);
    put_text(profile, "enUS", 4);
    put32(profile, (apr_uint32_t)(2 * length));
    put32(profile, 28);
    for (apr_size_t i = 0; i < length; i++) {
        put_text(profile, "\0", 1);
        put_text(profile, words + i, 1);
    }
    while (profile->at % 4 != 0) {
        put_text(profile, "\0", 1);
    }
}

/* parametricCurveType 3: a power, and a line near black. */
static void put_curve(profile_t *profile)
{
    static const double numbers[] = { 2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045 };

    put_text(profile, "para\0\0\0", 8);
    put32(profile, 3 << 16);
    for (size_t i = 0; i < LIMS_LENGTH(numbers); i++) {
        put_number(profile, numbers[i]);
    }
}

static void put_header(profile_t *profile)
{
    put32(profile, 0); /* the size, filled in last */
    put32(profile, 0);
    put32(profile, 0x04200000);
    put_text(profile, "mntrRGB XYZ ", 12);
    put_text(profile, "\x07\xEA\0\x01\0\x01\0\0\0\0\0\0", 12); /* 2026-01-01 */
    put_text(profile, "acsp", 4);
    profile->at += 28; /* platform, flags, device: none; perceptual intent */
    put_number(profile, 0.9642);
    put_number(profile, 1);
    put_number(profile, 0.8249);
    profile->at = HEADER;
    put32(profile, TAG_COUNT);
}

/* Fills one row of the table of tags, about what has been put since `from`. */
static void put_tag(profile_t *profile, int row, const char *name, apr_size_t from)
{
    profile_t table = { profile->bytes, HEADER + 4 + 12 * (apr_size_t)row };

    put_text(&table, name, 4);
    put32(&table, (apr_uint32_t)from);
    put32(&table, (apr_uint32_t)(profile->at - from));
}

const unsigned char *lims_srgb_profile(apr_size_t *length, apr_pool_t *pool)
{
    static const struct {
        const char *name, *type;
        double numbers[9];
        int count;
    } tags[] = {
        { "wtpt", "XYZ ", { 0.9642, 1, 0.8249 }, 3 },
        { "chad",
          "sf32",
          { 1.04788, 0.02292, -0.05022, 0.02960, 0.99048, -0.01707, -0.00925, 0.01508, 0.75168 },
          9 },
        { "rXYZ", "XYZ ", { 0.43607, 0.22249, 0.01392 }, 3 },
        { "gXYZ", "XYZ ", { 0.38515, 0.71687, 0.09708 }, 3 },
        { "bXYZ", "XYZ ", { 0.14307, 0.06061, 0.71410 }, 3 },
    };
    static const char *const curves[] = { "rTRC", "gTRC", "bTRC" };
    profile_t profile = { apr_pcalloc(pool, SIZE_MAX_BYTES), 0 }, head;
    apr_size_t from;
    int row = 0;

    put_header(&profile);
    profile.at += 12 * TAG_COUNT;
    from = profile.at;
    put_words(&profile, "sRGB");
    put_tag(&profile, row++, "desc", from);
    from = profile.at;
    put_words(&profile, "No copyright, use freely");
    put_tag(&profile, row++, "cprt", from);
    for (size_t i = 0; i < LIMS_LENGTH(tags); i++) {
        from = profile.at;
        put_numbers(&profile, tags[i].type, tags[i].numbers, tags[i].count);
        put_tag(&profile, row++, tags[i].name, from);
    }
    from = profile.at;
    put_curve(&profile);
    for (size_t i = 0; i < LIMS_LENGTH(curves); i++) {
        put_tag(&profile, row++, curves[i], from);
    }
    head = (profile_t){ profile.bytes, 0 };
    put32(&head, (apr_uint32_t)profile.at);
    *length = profile.at;
    return profile.bytes;
}
