/* SPDX-License-Identifier: Apache-2.0 */
/* serial.c - number formats of workbooks: numbers, and serial numbers that mean
 * dates and times. */
#include "formats/workbook.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS_A_DAY 86400

/* Longest decimal text without an exponent. */
#define PLAIN_MAX 30

/* --- Formats --------------------------------------------------------------- */

static lims_serial_e builtin_format(int number)
{
    if ((number >= 14 && number <= 17) || number == 22 || (number >= 27 && number <= 31) ||
        number == 36 || (number >= 50 && number <= 54) || number == 57 || number == 58) {
        return LIMS_SERIAL_DATE;
    }
    return (number >= 18 && number <= 21) || (number >= 45 && number <= 47) ||
                   (number >= 32 && number <= 35) || number == 55 || number == 56
               ? LIMS_SERIAL_TIME
               : LIMS_SERIAL_NUMBER;
}

/* Skips a literal part of a format code: quoted text, an escaped character,
 * brackets. */
static const char *skip_literal(const char *code)
{
    const char *end;

    switch (*code) {
    case '"':
        end = strchr(code + 1, '"');
        break;
    case '[':
        end = strchr(code + 1, ']');
        break;
    case '\\':
    case '_':
    case '*':
        end = code[1] ? code + 1 : NULL;
        break;
    default:
        return code;
    }
    return end ? end + 1 : code + strlen(code);
}

/* The letters of a format code decide: d and y mean dates, h and s times; m means
 * both, and never occurs alone. "General" has an e, which is a year in Japanese
 * formats. */
lims_serial_e lims_serial_format(int number, const char *code)
{
    bool day = false, time = false;

    if (!code) {
        return builtin_format(number);
    }
    if (strncasecmp(code, "General", 7) == 0) {
        return LIMS_SERIAL_NUMBER;
    }
    while (*code && *code != ';') {
        const char *next = skip_literal(code);
        /* [h], [mm] and [ss] are durations. */
        time = time || (*code == '[' && next - code <= 4 && strchr("hHmMsS", code[1]));
        if (next == code) {
            day = day || strchr("dDyY", *code);
            time = time || strchr("hHsS", *code);
            next++;
        }
        code = next;
    }
    return day ? LIMS_SERIAL_DATE : time ? LIMS_SERIAL_TIME : LIMS_SERIAL_NUMBER;
}

lims_format_t lims_format_of(int number, const char *code)
{
    lims_format_t format = { .serial = lims_serial_format(number, code), .code = code };

    if (!code && (number == 9 || number == 10)) {
        format.code = "0%";
    }
    return format;
}

/* --- Numbers --------------------------------------------------------------- */

static bool read_double(double *number, const char *text)
{
    char *end;

    if (!apr_isdigit(*text) && !strchr("+-.", *text)) {
        return false;
    }
    *number = strtod(text, &end);
    return end != text && !*end && isfinite(*number) && !strchr(text, 'x') && !strchr(text, 'X');
}

/* Converts scientific to plain notation: "1.25e-03" to 0.00125. */
static const char *plain_notation(const char *scientific, apr_pool_t *pool)
{
    static const char zeros[] = "000000000000000000000000000000";
    const char *e = strchr(scientific, 'e');
    bool negative = *scientific == '-';
    char *digits = apr_palloc(pool, strlen(scientific) + 1);
    int exponent = (int)strtol(e + 1, NULL, 10);
    int count = 0;

    for (const char *p = scientific; p < e; p++) {
        if (apr_isdigit(*p)) {
            digits[count++] = *p;
        }
    }
    while (count > 1 && digits[count - 1] == '0') {
        count--;
    }
    digits[count] = '\0';
    if (exponent > PLAIN_MAX - 10 || exponent < -(PLAIN_MAX - count - 4)) {
        return apr_psprintf(pool, "%s%c%s%se%d", negative ? "-" : "", *digits, count > 1 ? "." : "",
                            digits + 1, exponent);
    }
    if (exponent < 0) {
        return apr_psprintf(pool, "%s0.%.*s%s", negative ? "-" : "", -exponent - 1, zeros, digits);
    }
    if (exponent + 1 >= count) {
        return apr_psprintf(pool, "%s%s%.*s", negative ? "-" : "", digits, exponent + 1 - count,
                            zeros);
    }
    return apr_psprintf(pool, "%s%.*s.%s", negative ? "-" : "", exponent + 1, digits,
                        digits + exponent + 1);
}

/* Returns the number of significant digits: without sign and leading zeros. */
static int count_significant(const char *text)
{
    int count = 0;

    for (; *text && *text != 'e' && *text != 'E'; text++) {
        count += apr_isdigit(*text) && (count > 0 || *text != '0');
    }
    return count;
}

/* Returns a text with fewer than `digits` digits that is the same number, else
 * `text`. Every double preserves DBL_DIG digits, so such a text is what was
 * entered. */
static const char *shorten(double number, int digits, const char *text, apr_pool_t *pool)
{
    char tried[40];

    for (int fewer = DBL_DIG; fewer < digits && fewer < DBL_DECIMAL_DIG; fewer++) {
        snprintf(tried, sizeof(tried), "%.*e", fewer - 1, number);
        if (strtod(tried, NULL) == number) {
            return plain_notation(tried, pool);
        }
    }
    return apr_pstrdup(pool, text);
}

const char *lims_serial_number(const char *text, apr_pool_t *pool)
{
    double number;

    if (!read_double(&number, text)) {
        return NULL;
    }
    return strpbrk(text, "eE") ? lims_serial_double(number, pool)
                               : shorten(number, count_significant(text), text, pool);
}

const char *lims_serial_double(double number, apr_pool_t *pool)
{
    char whole[40];

    if (!isfinite(number)) {
        return NULL;
    }
    snprintf(whole, sizeof(whole), "%.*e", DBL_DECIMAL_DIG - 1, number);
    return shorten(number, DBL_DECIMAL_DIG, plain_notation(whole, pool), pool);
}

/* --- Times ----------------------------------------------------------------- */

/* Converts days since 1970-01-01 to year, month and day (proleptic Gregorian
 * calendar). */
static void date_of_days(int *year, int *month, int *day, long days)
{
    long era, of_era, year_of_era, of_year, shifted;

    days += 719468;
    era = (days >= 0 ? days : days - 146096) / 146097;
    of_era = days - era * 146097;
    year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    shifted = (5 * of_year + 2) / 153;
    *day = (int)(of_year - (153 * shifted + 2) / 5 + 1);
    *month = (int)(shifted < 10 ? shifted + 3 : shifted - 9);
    *year = (int)(year_of_era + era * 400 + (*month <= 2));
}

const char *lims_serial_time(const char *text, lims_serial_e format, bool since_1904,
                             apr_pool_t *pool)
{
    int year, month, day, seconds;
    double number;
    long days;

    if (!read_double(&number, text) || number < 0 || number > 2958466) {
        return NULL;
    }
    days = (long)floor(number);
    seconds = (int)lround((number - (double)days) * SECONDS_A_DAY);
    days += seconds / SECONDS_A_DAY;
    seconds %= SECONDS_A_DAY;
    if (format == LIMS_SERIAL_TIME && days == 0) {
        return apr_psprintf(pool, "%02d:%02d:%02d", seconds / 3600, seconds / 60 % 60,
                            seconds % 60);
    }
    /* Serial 1 is 1900-01-01; serial 60 is 1900-02-29, which did not exist (a
     * known error of spreadsheets). */
    if (!since_1904 && (days < 1 || days == 60)) {
        return NULL;
    }
    days += since_1904 ? -24107 : days < 60 ? -25568 : -25569;
    date_of_days(&year, &month, &day, days);
    if (year > 9999) {
        return NULL;
    }
    return seconds == 0 && format == LIMS_SERIAL_DATE
               ? apr_psprintf(pool, "%04d-%02d-%02d", year, month, day)
               : apr_psprintf(pool, "%04d-%02d-%02dT%02d:%02d:%02d", year, month, day,
                              seconds / 3600, seconds / 60 % 60, seconds % 60);
}
