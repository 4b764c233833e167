/* SPDX-License-Identifier: Apache-2.0 */
/* unit.c - parsing of unit spellings as quantities and powers of ten. */
#include "profiles/unit.h"

#include <apr_cstr.h>
#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

/* Longest spelling that is parsed; longer ones equal only themselves. */
#define LENGTH_MAX 64

/* --- Folding ----------------------------------------------------------------- */

static const struct {
    const char *from, *to;
} folds[] = {
    { "\xce\xbc", "u" },       { "\xc2\xb5", "u" },     { "\xc2\xb2", "2" },
    { "\xc2\xb3", "3" },       { "\xc2\xb9", "1" },     { "\xe2\x81\xb0", "0" },
    { "\xe2\x81\xb4", "4" },   { "\xe2\x81\xb5", "5" }, { "\xe2\x81\xb6", "6" },
    { "\xe2\x81\xb7", "7" },   { "\xe2\x81\xb8", "8" }, { "\xe2\x81\xb9", "9" },
    { "\xe2\x82\x80", "0" },   { "\xe2\x82\x81", "1" }, { "\xe2\x82\x82", "2" },
    { "\xe2\x82\x83", "3" },   { "\xe2\x82\x84", "4" }, { "\xe2\x81\xbb", "-" },
    { "\xe2\x88\x92", "-" },   { "\xc2\xb7", "." },     { "\xe2\x8b\x85", "." },
    { "\xc3\x97", "x" },       { "\xc2\xb0", "deg" },   { "\xc2\xba", "deg" },
    { "\xe2\x84\xa6", "Ohm" }, { "\xce\xa9", "Ohm" },   { "\xc2\xa0", "" },
    { "\xe2\x80\xaf", "" },    { "\xe2\x80\x89", "" },
};

/* Whether the brackets at both ends are a pair. */
static bool bracketed(const char *text, apr_size_t length)
{
    return length > 2 &&
           ((text[0] == '[' && text[length - 1] == ']') ||
            (text[0] == '(' && text[length - 1] == ')')) &&
           strcspn(text + 1, "[](){}") == length - 2;
}

const char *lims_unit_fold(const char *unit, apr_pool_t *pool)
{
    /* A folded text is at most twice as long in bytes: a one-byte sign can
     * become two bytes. */
    char *folded = apr_palloc(pool, 2 * strlen(unit) + 1), *end = folded;

    while (*unit) {
        const char *to = NULL;
        for (apr_size_t i = 0; !to && (*unit & 0x80) && i < LIMS_LENGTH(folds); i++) {
            apr_size_t length = strlen(folds[i].from);
            if (strncmp(unit, folds[i].from, length) == 0) {
                to = folds[i].to;
                unit += length;
            }
        }
        if (to) {
            end = apr_cpystrn(end, to, strlen(to) + 1);
        } else if (apr_isspace(*unit)) {
            unit++;
        } else {
            *end++ = *unit++;
        }
    }
    *end = '\0';
    if (bracketed(folded, (apr_size_t)(end - folded))) {
        end[-1] = '\0';
        return folded + 1;
    }
    return folded;
}

/* --- Quantities ---------------------------------------------------------------- */

/* A factor of a unit: quantity and power of ten. */
typedef struct {
    const char *quantity;
    int power;
} factor_t;

/* A parsed unit: a quotient of two quantities, of which the second may be NULL. */
typedef struct {
    const char *top, *bottom;
    int power;
} unit_t;

/* Symbols that take decimal prefixes, in the unit that represents the quantity. */
static const struct {
    const char *symbol, *quantity;
    int power;
} symbols[] = {
    { "g", "g", 0 },         { "L", "L", 0 },   { "l", "L", 0 },       { "mol", "mol", 0 },
    { "mole", "mol", 0 },    { "m3", "L", 3 },  { "dm3", "L", 0 },     { "cm3", "L", -3 },
    { "mm3", "L", -6 },      { "cc", "L", -3 }, { "U", "U", 0 },       { "IU", "IU", 0 },
    { "UI", "IU", 0 },       { "eq", "eq", 0 }, { "Eq", "eq", 0 },     { "Osm", "osmol", 0 },
    { "osmol", "osmol", 0 }, { "S", "S", 0 },   { "m", "m", 0 },       { "Pa", "Pa", 0 },
    { "bar", "Pa", 5 },      { "V", "V", 0 },   { "A", "A", 0 },       { "Bq", "Bq", 0 },
    { "kat", "kat", 0 },     { "t", "g", 6 },   { "micron", "m", -6 }, { "microns", "m", -6 },
    { "bp", "bp", 0 },       { "s", "s", 0 },   { "sec", "s", 0 },     { "Hz", "Hz", 0 },
    { "J", "J", 0 },         { "W", "W", 0 },   { "Da", "Da", 0 },
};

/* Symbols that are not split into prefix and unit, since that would mean something
 * else. */
static const char *const whole[] = { "m3", "dm3", "cm3", "mm3", "cc", "t", "micron", "microns" };

static const struct {
    const char *prefix;
    int power;
} prefixes[] = {
    { "p", -12 }, { "n", -9 }, { "u", -6 },  { "m", -3 }, { "c", -2 }, { "d", -1 },
    { "h", 2 },   { "k", 3 },  { "f", -15 }, { "M", 6 },  { "G", 9 },
};

/* Countable things, in lower or upper case. */
static const struct {
    const char *word, *quantity;
} counts[] = {
    { "cells", "cells" },
    { "cell", "cells" },
    { "copies", "copies" },
    { "copy", "copies" },
    { "cp", "copies" },
    { "cps", "copies" },
    { "cfu", "CFU" },
    { "kbe", "CFU" },
    { "ufc", "CFU" },
    { "mpn", "MPN" },
    { "npp", "MPN" },
    { "pfu", "PFU" },
    { "particles", "particles" },
    { "counts", "counts" },
    { "#", "" },
    { "ntu", "NTU" },
    { "fnu", "FNU" },
    { "%", "%" },
    { "percent", "%" },
    { "pct", "%" },
    { "degc", "degC" },
    { "degf", "degF" },
    { "ph", "pH" },
    { "phunits", "pH" },
    { "s.u.", "pH" },
    { "ppm", "ppm" },
    { "ppb", "ppb" },
    { "ppt", "ppt" },
    { "od", "OD" },
    { "au", "AU" },
    { "min", "min" },
    { "mins", "min" },
    { "h", "h" },
    { "hr", "h" },
    { "hrs", "h" },
    { "ct", "Ct" },
    { "cq", "Ct" },
};

static bool symbol_of(factor_t *factor, const char *text, bool prefixed)
{
    for (apr_size_t i = 0; i < LIMS_LENGTH(symbols); i++) {
        if (strcmp(text, symbols[i].symbol) == 0) {
            for (apr_size_t j = 0; prefixed && j < LIMS_LENGTH(whole); j++) {
                if (strcmp(text, whole[j]) == 0) {
                    return false;
                }
            }
            *factor = (factor_t){ symbols[i].quantity, symbols[i].power };
            return true;
        }
    }
    return false;
}

/* Parses a factor: a symbol with or without prefix, or a countable thing. */
static bool factor_of(factor_t *factor, const char *text)
{
    if (symbol_of(factor, text, false)) {
        return true;
    }
    for (apr_size_t i = 0; i < LIMS_LENGTH(counts); i++) {
        if (apr_cstr_casecmp(text, counts[i].word) == 0) {
            *factor = (factor_t){ counts[i].quantity, 0 };
            return true;
        }
    }
    for (apr_size_t i = 0; i < LIMS_LENGTH(prefixes); i++) {
        if (text[0] == prefixes[i].prefix[0] && symbol_of(factor, text + 1, true)) {
            factor->power += prefixes[i].power;
            /* MG and ML are ambiguous: capitals for mg and mL, or mega. */
            return prefixes[i].power < 6 || !strchr("gL", *factor->quantity);
        }
    }
    return false;
}

/* Reads a leading power of ten: 100, x10^6, 10*3, 1e6. Not 10E9, which may mean
 * 10^9 or 10^10. */
static const char *skip_power(int *power, const char *text)
{
    const char *p = text + ((*text == 'x' || *text == 'X') && text[1] == '1');
    int zeros = 0, sign = 1, exponent = 0;

    if (*p != '1') {
        return text;
    }
    for (p++; *p == '0'; p++) {
        zeros++;
    }
    if (zeros == 1 ? *p == '^' || *p == '*' : zeros == 0 && (*p == 'E' || *p == 'e')) {
        p++;
        sign = *p == '-' ? -1 : 1;
        p += *p == '-' || *p == '+';
        if (!apr_isdigit(*p)) {
            return text;
        }
        for (; apr_isdigit(*p) && exponent < 100; p++) {
            exponent = exponent * 10 + (*p - '0');
        }
        zeros = sign * exponent;
    } else if (zeros == 1 && apr_isdigit(*p) && !apr_isdigit(p[1])) {
        zeros = *p++ - '0'; /* 10 and a superscript 6, which folding turned into 106 */
    }
    if (apr_isdigit(*p)) {
        return text;
    }
    *power += zeros;
    return p + (*p == '.' || *p == '*' || *p == 'x');
}

/* Parses the numerator or the denominator. */
static bool parse_side(const char **quantity, int *power, char *text)
{
    factor_t factor = { "", 0 };
    const char *rest = skip_power(power, text);
    apr_size_t length = strlen(rest);

    /* Brackets around the power of ten, as in "(x10^6)cells". */
    if (*text == '(' && strchr(text, ')')) {
        char *close = strchr(text, ')');
        *close = '\0';
        if (*skip_power(power, text + 1) != '\0') {
            return false;
        }
        rest = close + 1;
        length = strlen(rest);
    }
    if (length > 0 && !factor_of(&factor, rest)) {
        return false;
    }
    *quantity = factor.quantity;
    *power += factor.power;
    return length > 0 || rest != text;
}

/* Parses a spelling; false if it is not understood. */
static bool parse_unit(unit_t *unit, const char *folded)
{
    char text[LENGTH_MAX + 1], *stroke;
    int below = 0;

    *unit = (unit_t){ .top = "", .bottom = NULL };
    if (strlen(folded) > LENGTH_MAX || *folded == '\0') {
        return false;
    }
    apr_cpystrn(text, folded, sizeof(text));
    stroke = strchr(text, '/');
    if (!stroke) {
        apr_size_t length = strlen(text);
        /* Molar concentration has its own symbol: mM is mmol/L. */
        if (text[length - 1] == 'M' && length <= 2) {
            factor_t litre = { .power = 0 };
            text[length - 1] = 'g';
            if (!factor_of(&litre, text)) {
                return false;
            }
            *unit = (unit_t){ "mol", "L", litre.power };
            return true;
        }
        return parse_side(&unit->top, &unit->power, text);
    }
    *stroke = '\0';
    if (strchr(stroke + 1, '/') || !parse_side(&unit->bottom, &below, stroke + 1) ||
        *unit->bottom == '\0' || (*text && !parse_side(&unit->top, &unit->power, text))) {
        return false;
    }
    unit->power -= below;
    return true;
}

bool lims_unit_power(int *power, const char *from, const char *to, apr_pool_t *pool)
{
    const char *a = lims_unit_fold(from, pool), *b = lims_unit_fold(to, pool);
    unit_t x, y;

    *power = 0;
    if (strcmp(a, b) == 0) {
        return true;
    }
    if (!parse_unit(&x, a) || !parse_unit(&y, b) || strcmp(x.top, y.top) != 0 ||
        !x.bottom != !y.bottom || (x.bottom && strcmp(x.bottom, y.bottom) != 0)) {
        return false;
    }
    *power = x.power - y.power;
    return true;
}

bool lims_unit_same(const char *a, const char *b, apr_pool_t *pool)
{
    int power;

    return lims_unit_power(&power, a, b, pool) && power == 0;
}

bool lims_unit_known(const char *unit, apr_pool_t *pool)
{
    unit_t understood;

    return parse_unit(&understood, lims_unit_fold(unit, pool));
}
