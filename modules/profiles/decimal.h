/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decimal.h - exact decimal arithmetic on numbers as laboratories write them.
 *
 * A number keeps its trailing zeros: 7.10 has three digits. Nothing passes
 * through binary floating point, where 0.1 is another number. A result with
 * infinitely many decimals is rounded only where a profile declares it, and
 * otherwise refused.
 */
#ifndef LIMS_PROFILES_DECIMAL_H
#define LIMS_PROFILES_DECIMAL_H

#include "lims.h"

/* Largest number of digits in a calculation. */
#define LIMS_DECIMAL_DIGITS_MAX 100

typedef struct {
    bool negative;
    int count;          /* of digits */
    const char *digits; /* '0'…'9', the first is no zero; none for zero */
    int exponent;       /* the number is digits * 10^exponent */
} lims_decimal_t;

typedef enum {
    LIMS_ROUND_HALF_EVEN, /* 2.345 -> 2.34, 2.355 -> 2.36 (ISO 80000-1 B.3 rule A, ASTM E29) */
    LIMS_ROUND_HALF_UP,   /* away from zero: 2.345 -> 2.35 (rule B) */
    LIMS_ROUND_COUNT
} lims_round_e;

/* Reads [+-]digits[.digits][E[+-]ddd] with nothing around it. False for
 * anything else, and for more digits than the maximum. */
bool lims_decimal_parse(lims_decimal_t *number, const char *text, apr_pool_t *pool);

/* Returns the number of decimal places of a number written without exponent: 1.20 has
 * two, 1.2E-5 six, 1.2E5 none. */
int lims_decimal_places(const lims_decimal_t *number);

/* Formats a number, without exponent up to 40 characters, else as 1.5E+60. */
const char *lims_decimal_text(const lims_decimal_t *number, apr_pool_t *pool);

/* Returns a * b, exactly. */
lims_decimal_t lims_decimal_multiply(const lims_decimal_t *a, const lims_decimal_t *b,
                                     apr_pool_t *pool);

/* Returns a + b, exactly. */
lims_decimal_t lims_decimal_add(const lims_decimal_t *a, const lims_decimal_t *b, apr_pool_t *pool);

/* Divides to `places` decimal places, or exactly with -1. False if b is zero, or
 * if the exact quotient needs more than LIMS_DECIMAL_DIGITS_MAX places. */
bool lims_decimal_divide(lims_decimal_t *quotient, const lims_decimal_t *a, const lims_decimal_t *b,
                         int places, lims_round_e rounding, apr_pool_t *pool);

/* Rounds to `places` decimal places; appends zeros if there are fewer. */
lims_decimal_t lims_decimal_round(const lims_decimal_t *number, int places, lims_round_e rounding,
                                  apr_pool_t *pool);

/* Computes number * factor + offset on texts. `factor` may be a fraction such as
 * "5/9"; factor and offset may be NULL. `places`: decimal places of the result,
 * -1: all, if it is finite. NULL if a text is not a number, or the exact result is
 * infinite. */
const char *lims_decimal_convert(const char *number, const char *factor, const char *offset,
                                 int places, lims_round_e rounding, apr_pool_t *pool);

#endif /* LIMS_PROFILES_DECIMAL_H */
