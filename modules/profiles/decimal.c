/* SPDX-License-Identifier: Apache-2.0 */
/* decimal.c - exact decimal arithmetic, digit by digit as on paper. */
#include "profiles/decimal.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

/* Longest number without an exponent, characters. */
#define PLAIN_MAX 40
#define EXPONENT_MAX 999

/* --- Digits ---------------------------------------------------------------- */

/* Removes leading zeros; keeps trailing ones, which are significant. */
static lims_decimal_t normalized(bool negative, const char *digits, int count, int exponent)
{
    while (count > 0 && *digits == '0') {
        digits++;
        count--;
    }
    return (lims_decimal_t){
        .negative = negative && count > 0, .digits = digits, .count = count, .exponent = exponent
    };
}

/* Returns the digit at 10^power. */
static int digit_at(const lims_decimal_t *a, int power)
{
    int index = a->count - 1 - (power - a->exponent);

    return index >= 0 && index < a->count ? a->digits[index] - '0' : 0;
}

static int compare_digits(const char *a, const char *b, int count)
{
    return memcmp(a, b, (apr_size_t)count);
}

/* Computes a -= b; both have `count` digits, a >= b. */
static void subtract_digits(char *a, const char *b, int count)
{
    int borrow = 0;

    for (int i = count - 1; i >= 0; i--) {
        int digit = a[i] - b[i] - borrow;
        borrow = digit < 0;
        a[i] = (char)('0' + digit + 10 * borrow);
    }
}

/* --- Texts ----------------------------------------------------------------- */

bool lims_decimal_parse(lims_decimal_t *number, const char *text, apr_pool_t *pool)
{
    bool negative = *text == '-', some = false;
    int exponent = 0, count = 0, shift = 0;
    char *digits;

    text += *text == '-' || *text == '+';
    digits = apr_palloc(pool, LIMS_DECIMAL_DIGITS_MAX);
    for (bool point = false; apr_isdigit(*text) || (*text == '.' && !point); text++) {
        if (*text == '.') {
            point = true;
            continue;
        }
        some = true;
        exponent -= point;
        if (count == 0 && *text == '0') {
            continue;
        }
        if (count == LIMS_DECIMAL_DIGITS_MAX) {
            return false;
        }
        digits[count++] = *text;
    }
    if (some && (*text == 'e' || *text == 'E')) {
        bool down = text[1] == '-';

        text += text[1] == '-' || text[1] == '+' ? 2 : 1;
        some = apr_isdigit(*text);
        for (; apr_isdigit(*text) && shift <= EXPONENT_MAX; text++) {
            shift = shift * 10 + (*text - '0');
        }
        some = some && shift <= EXPONENT_MAX;
        shift = down ? -shift : shift;
    }
    *number = normalized(negative, digits, count, exponent + shift);
    return some && *text == '\0' && exponent >= -2 * EXPONENT_MAX;
}

int lims_decimal_places(const lims_decimal_t *a)
{
    return a->exponent < 0 ? -a->exponent : 0;
}

static const char *plain_text(const lims_decimal_t *a, apr_pool_t *pool)
{
    int places = lims_decimal_places(a);
    int top = a->count + a->exponent > 1
                  ? a->count + a->exponent - 1
                  : 0; /* position of the first digit before the decimal point */
    char *text = apr_palloc(pool, (apr_size_t)(top + places) + 4);
    char *p = text;

    if (a->negative) {
        *p++ = '-';
    }
    for (int power = top; power >= -places; power--) {
        if (power == -1) {
            *p++ = '.';
        }
        *p++ = (char)('0' + digit_at(a, power));
    }
    *p = '\0';
    return text;
}

const char *lims_decimal_text(const lims_decimal_t *a, apr_pool_t *pool)
{
    int top = a->count + a->exponent;

    if (a->count == 0 && (a->exponent > 0 || -a->exponent > PLAIN_MAX)) {
        return "0";
    }
    if (-a->exponent <= PLAIN_MAX && top <= PLAIN_MAX) {
        return plain_text(a, pool);
    }
    return apr_psprintf(pool, "%s%c%s%.*sE%+d", a->negative ? "-" : "", a->digits[0],
                        a->count > 1 ? "." : "", a->count - 1, a->digits + 1, top - 1);
}

/* --- Arithmetic ------------------------------------------------------------ */

lims_decimal_t lims_decimal_multiply(const lims_decimal_t *a, const lims_decimal_t *b,
                                     apr_pool_t *pool)
{
    int count = a->count + b->count;
    char *digits = apr_palloc(pool, (apr_size_t)count + 1);

    memset(digits, '0', (apr_size_t)count);
    for (int i = a->count - 1; i >= 0; i--) {
        int carry = 0;
        for (int j = b->count - 1; j >= 0; j--) {
            int sum =
                (a->digits[i] - '0') * (b->digits[j] - '0') + (digits[i + j + 1] - '0') + carry;
            digits[i + j + 1] = (char)('0' + sum % 10);
            carry = sum / 10;
        }
        digits[i] = (char)(digits[i] + carry);
    }
    return normalized(a->negative != b->negative, digits, count, a->exponent + b->exponent);
}

/* Returns the digits of a from 10^top down to 10^bottom. */
static char *aligned(const lims_decimal_t *a, int top, int bottom, apr_pool_t *pool)
{
    char *digits = apr_palloc(pool, (apr_size_t)(top - bottom) + 1);

    for (int power = top; power >= bottom; power--) {
        digits[top - power] = (char)('0' + digit_at(a, power));
    }
    return digits;
}

lims_decimal_t lims_decimal_add(const lims_decimal_t *a, const lims_decimal_t *b, apr_pool_t *pool)
{
    int bottom = a->exponent < b->exponent ? a->exponent : b->exponent;
    int top_a = a->count + a->exponent, top_b = b->count + b->exponent;
    int top = top_a > top_b ? top_a : top_b; /* one above the highest digit, for the carry */
    int count;
    char *x, *y;

    if (top < bottom) {
        top = bottom;
    }
    count = top - bottom + 1;
    x = aligned(a, top, bottom, pool);
    y = aligned(b, top, bottom, pool);
    if (a->negative == b->negative) {
        int carry = 0;
        for (int i = count - 1; i >= 0; i--) {
            int sum = (x[i] - '0') + (y[i] - '0') + carry;
            x[i] = (char)('0' + sum % 10);
            carry = sum / 10;
        }
        return normalized(a->negative, x, count, bottom);
    }
    if (compare_digits(x, y, count) >= 0) {
        subtract_digits(x, y, count);
        return normalized(a->negative, x, count, bottom);
    }
    subtract_digits(y, x, count);
    return normalized(b->negative, y, count, bottom);
}

/* Whether the last digit is rounded up. `half`: the dropped digits are
 * less than a half (negative), equal to it (0), or more (positive). */
static bool rounds_up(int last, int half, lims_round_e rounding)
{
    return half > 0 || (half == 0 && (rounding == LIMS_ROUND_HALF_UP || last % 2 == 1));
}

static lims_decimal_t increment(const lims_decimal_t *a, apr_pool_t *pool)
{
    const lims_decimal_t one = {
        .negative = a->negative, .digits = "1", .count = 1, .exponent = a->exponent
    };

    return lims_decimal_add(a, &one, pool);
}

lims_decimal_t lims_decimal_round(const lims_decimal_t *a, int places, lims_round_e rounding,
                                  apr_pool_t *pool)
{
    int cut = -places - a->exponent; /* number of digits to drop */
    int left, half;
    lims_decimal_t kept;

    if (cut <= 0) {
        int top = a->count + a->exponent;
        int from = top > -places ? top : -places;
        return normalized(a->negative, aligned(a, from, -places, pool), from + places + 1, -places);
    }
    left = a->count > cut ? a->count - cut : 0;
    kept = normalized(a->negative, a->digits, left, -places);
    half = digit_at(a, -places - 1) - 5;
    for (int i = a->count - cut + 1; half == 0 && i < a->count; i++) {
        half = i >= 0 && a->digits[i] != '0';
    }
    if (!rounds_up(digit_at(a, -places), half, rounding)) {
        return kept;
    }
    kept.negative = a->negative;
    return increment(&kept, pool);
}

/* Long division: returns `count` digits of the quotient, with room for one more.
 * `rest` has `width` zeros and then the dividend, and becomes the remainder; the
 * divisor has `width` digits after one zero. */
static char *divide_digits(char *rest, int count, const char *divisor, int width, apr_pool_t *pool)
{
    char *quotient = apr_palloc(pool, (apr_size_t)count + 1);

    for (int i = 0; i < count; i++) {
        quotient[i] = '0';
        while (compare_digits(rest + i, divisor, width + 1) >= 0) {
            subtract_digits(rest + i, divisor, width + 1);
            quotient[i]++;
        }
    }
    return quotient;
}

/* Removes trailing zeros, but none above this power of ten. */
static lims_decimal_t shortened(lims_decimal_t a, int exponent)
{
    exponent = exponent < 0 ? exponent : 0;
    while (a.exponent < exponent && (a.count == 0 || a.digits[a.count - 1] == '0')) {
        a.count -= a.count > 0;
        a.exponent++;
    }
    return a;
}

bool lims_decimal_divide(lims_decimal_t *quotient, const lims_decimal_t *a, const lims_decimal_t *b,
                         int places, lims_round_e rounding, apr_pool_t *pool)
{
    /* Zeros are appended to the dividend until the quotient has the wanted places. */
    int wanted = places < 0 ? LIMS_DECIMAL_DIGITS_MAX : places + 1;
    int zeros = wanted + a->exponent - b->exponent;
    int count, width = b->count, scale = a->exponent;
    char *rest, *digits;
    bool exact = true;

    if (b->count == 0) {
        return false;
    }
    zeros = zeros < 0 ? 0 : zeros;
    count = a->count + zeros;
    rest = apr_palloc(pool, (apr_size_t)(count + width));
    memset(rest, '0', (apr_size_t)(count + width));
    memcpy(rest + width, a->digits, (apr_size_t)a->count);
    digits = divide_digits(rest, count, apr_psprintf(pool, "0%.*s", width, b->digits), width, pool);
    for (int i = 0; i < count + width; i++) {
        exact = exact && rest[i] == '0';
    }
    /* A further digit, 0 or 1, stands for the remainder in the comparison with a
     * half. */
    digits[count] = exact ? '0' : '1';
    *quotient = normalized(a->negative != b->negative, digits, count + 1,
                           a->exponent - b->exponent - zeros - 1);
    *quotient = places < 0 ? shortened(*quotient, scale)
                           : lims_decimal_round(quotient, places, rounding, pool);
    return places >= 0 || exact;
}

/* Reads a constant, without its trailing zeros: they say nothing about the value's
 * precision. */
static bool parse_constant(lims_decimal_t *number, const char *text, apr_pool_t *pool)
{
    bool read = lims_decimal_parse(number, text, pool);

    while (read && number->count > 0 && number->digits[number->count - 1] == '0') {
        number->count--;
        number->exponent++;
    }
    return read;
}

const char *lims_decimal_convert(const char *number, const char *factor, const char *offset,
                                 int places, lims_round_e rounding, apr_pool_t *pool)
{
    const char *slash = factor ? strchr(factor, '/') : NULL;
    lims_decimal_t value, other;

    if (!lims_decimal_parse(&value, number, pool)) {
        return NULL;
    }
    if (factor) {
        const char *top =
            slash ? apr_pstrmemdup(pool, factor, (apr_size_t)(slash - factor)) : factor;
        if (!parse_constant(&other, top, pool)) {
            return NULL;
        }
        value = lims_decimal_multiply(&value, &other, pool);
    }
    /* Rounds only once, at the end: the offset is added to the numerator before
     * the division. */
    if (slash && offset) {
        lims_decimal_t below, shift;
        if (!parse_constant(&below, slash + 1, pool) || !parse_constant(&shift, offset, pool)) {
            return NULL;
        }
        shift = lims_decimal_multiply(&shift, &below, pool);
        value = lims_decimal_add(&value, &shift, pool);
    } else if (offset) {
        if (!parse_constant(&other, offset, pool)) {
            return NULL;
        }
        value = lims_decimal_add(&value, &other, pool);
    }
    if (slash) {
        if (!parse_constant(&other, slash + 1, pool) ||
            !lims_decimal_divide(&value, &value, &other, places, rounding, pool)) {
            return NULL;
        }
    } else if (places >= 0) {
        value = lims_decimal_round(&value, places, rounding, pool);
    }
    return lims_decimal_text(&value, pool);
}
