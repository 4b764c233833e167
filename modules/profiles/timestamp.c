/* SPDX-License-Identifier: Apache-2.0 */
/* timestamp.c - parsing of dates and times. */
#include "profiles/timestamp.h"

#include <apr_cstr.h>
#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

typedef struct {
    int year, month, day, hour, minute, second, millisecond;
    bool has_date, has_time, has_fraction, has_zone, twelve, afternoon;
    int zone; /* minutes east of UTC */
} moment_t;

/* --- Names --------------------------------------------------------------------- */

/* First letters of the months' names. */
static const struct {
    const char *begin;
    int month;
} months[] = {
    { "jan", 1 },
    { "ene", 1 },
    { "gen", 1 },
    { "feb", 2 },
    { "f\xc3\xa9v", 2 },
    { "fev", 2 },
    { "mar", 3 },
    { "m\xc3\xa4r", 3 },
    { "mrz", 3 },
    { "apr", 4 },
    { "avr", 4 },
    { "abr", 4 },
    { "may", 5 },
    { "mai", 5 },
    { "mag", 5 },
    { "jun", 6 },
    { "juin", 6 },
    { "giu", 6 },
    { "jul", 7 },
    { "juil", 7 },
    { "lug", 7 },
    { "aug", 8 },
    { "ao\xc3\xbb", 8 },
    { "aou", 8 },
    { "ago", 8 },
    { "sep", 9 },
    { "set", 9 },
    { "oct", 10 },
    { "okt", 10 },
    { "ott", 10 },
    { "nov", 11 },
    { "dec", 12 },
    { "dez", 12 },
    { "d\xc3\xa9"
      "c",
      12 },
    { "dic", 12 },
};

static bool is_letter(char c)
{
    return apr_isalpha(c) || (c & 0x80);
}

static bool read_month(int *month, const char **text)
{
    for (apr_size_t i = 0; i < LIMS_LENGTH(months); i++) {
        if (apr_cstr_casecmpn(*text, months[i].begin, strlen(months[i].begin)) == 0) {
            *month = months[i].month;
            while (is_letter(**text)) {
                (*text)++;
            }
            *text += **text == '.';
            return true;
        }
    }
    return false;
}

/* Reads the half of the day: AM, PM, a.m., p. m. */
static bool read_am_pm(bool *afternoon, const char **text)
{
    const char *p = *text;

    *afternoon = *p == 'p' || *p == 'P';
    if (!*afternoon && *p != 'a' && *p != 'A') {
        return false;
    }
    p++;
    p += *p == '.';
    p += *p == ' ' && (p[1] == 'm' || p[1] == 'M');
    if (*p != 'm' && *p != 'M') {
        return false;
    }
    p++;
    *text = p + (*p == '.');
    return true;
}

/* --- Numbers ------------------------------------------------------------------- */

static bool read_digits(int *number, const char **text, int least, int most)
{
    int count = 0;

    *number = 0;
    while (count < most && apr_isdigit(**text)) {
        *number = *number * 10 + (*(*text)++ - '0');
        count++;
    }
    return count >= least;
}

/* Reads a fraction of a second of any precision, truncated to milliseconds. */
static bool read_fraction(int *milliseconds, const char **text)
{
    int count = 0;

    *milliseconds = 0;
    for (; apr_isdigit(**text); (*text)++, count++) {
        *milliseconds = count < 3 ? *milliseconds * 10 + (**text - '0') : *milliseconds;
    }
    for (int i = count; i < 3; i++) {
        *milliseconds *= 10;
    }
    return count > 0 && count <= 9;
}

/* Reads a time zone: Z, +02, +0200, +02:00. */
static bool read_zone(int *minutes, const char **text)
{
    int sign = **text == '-' ? -1 : 1, hours, rest = 0;

    *minutes = 0;
    if (**text == 'Z') {
        (*text)++;
        return true;
    }
    if (**text != '+' && **text != '-') {
        return false;
    }
    (*text)++;
    if (!read_digits(&hours, text, 2, 2)) {
        return false;
    }
    *text += **text == ':';
    if (apr_isdigit(**text) && !read_digits(&rest, text, 2, 2)) {
        return false;
    }
    *minutes = sign * (hours * 60 + rest);
    return hours <= 14 && rest < 60;
}

/* --- Formats ------------------------------------------------------------------- */

/* Reads one field of a format: `count` times the letter. `adjacent`: digits follow
 * without a separator, so this field has exactly `count` digits. */
static bool read_field(moment_t *at, const char **text, char letter, int count, bool adjacent)
{
    int least = adjacent && count == 2 ? 2 : 1;

    switch (letter) {
    case 'y':
        at->has_date = true;
        if (!read_digits(&at->year, text, count == 2 ? 2 : 4, count == 2 ? 2 : 4)) {
            return false;
        }
        at->year += count != 2 ? 0 : at->year < 70 ? 2000 : 1900;
        return true;
    case 'M':
        at->has_date = true;
        return count > 2 ? read_month(&at->month, text) : read_digits(&at->month, text, least, 2);
    case 'd':
        return read_digits(&at->day, text, least, 2);
    case 'H':
    case 'h':
        at->has_time = true;
        at->twelve = letter == 'h';
        return read_digits(&at->hour, text, least, 2);
    case 'm':
        return read_digits(&at->minute, text, 2, 2);
    case 's':
        return read_digits(&at->second, text, 2, 2);
    case 'S':
        at->has_fraction = true;
        return read_fraction(&at->millisecond, text);
    case 'a':
        return read_am_pm(&at->afternoon, text);
    default: /* Z */
        at->has_zone = true;
        return read_zone(&at->zone, text);
    }
}

/* Reads a literal sign of a format; a blank stands for any number of blanks. */
static bool read_sign(const char **text, const char **format)
{
    if (**format == ' ') {
        bool any = **text == ' ' || strncmp(*text, "\xc2\xa0", 2) == 0 ||
                   strncmp(*text, "\xe2\x80\xaf", 3) == 0;
        while (**text == ' ' || strncmp(*text, "\xc2\xa0", 2) == 0 ||
               strncmp(*text, "\xe2\x80\xaf", 3) == 0) {
            *text += **text == ' ' ? 1 : **text == '\xc2' ? 2 : 3;
        }
        (*format)++;
        return any;
    }
    return *(*text)++ == *(*format)++;
}

static bool read_format(moment_t *at, const char *text, const char *format)
{
    static const char letters[] = "yMdHhmsSaZ";
    bool quoted = false;

    while (*format) {
        char letter = *format;
        int count = 0;

        if (letter == '\'') {
            quoted = !quoted;
            format++;
            continue;
        }
        if (quoted || !strchr(letters, letter)) {
            if (!read_sign(&text, &format)) {
                return false;
            }
            continue;
        }
        while (*format == letter) {
            format++;
            count++;
        }
        if (!read_field(at, &text, letter, count, *format && strchr(letters, *format))) {
            return false;
        }
    }
    return *text == '\0';
}

/* Reads a time by the formats for an undeclared format: ISO 8601 and its variants. */
static bool read_standard(moment_t *at, const char *text)
{
    static const char *const formats[] = {
        "yyyy-MM-ddTHH:mm:ss",
        "yyyy-MM-dd HH:mm:ss",
        "yyyy-MM-dd",
        "yyyy-MM-ddTHH:mm:ssZ",
        "yyyy-MM-ddTHH:mm:ss.SSSZ",
        "yyyy-MM-ddTHH:mm:ss.SSS",
        "yyyy-MM-ddTHH:mm",
        "yyyy-MM-ddTHH:mmZ",
        "yyyy-MM-dd HH:mm",
        "yyyy-MM-dd HH:mm:ss.SSS",
        "yyyy-MM-dd HH:mm:ssZ",
        "yyyy-MM-dd HH:mm:ss.SSSZ",
        "yyyyMMddHHmmss",
        "yyyyMMddHHmmssZ",
        "yyyyMMddHHmmss.SSSZ",
        "yyyyMMddHHmmss.SSS",
        "yyyyMMddHHmm",
        "yyyyMMddHHmmZ",
        "yyyyMMdd",
        "yyyyMMddTHHmmss",
        "yyyyMMddTHHmmssZ",
        "HH:mm:ss",
        "HH:mm",
        "HHmmss",
    };

    for (apr_size_t i = 0; i < LIMS_LENGTH(formats); i++) {
        *at = (moment_t){ .month = 1, .day = 1 };
        if (read_format(at, text, formats[i])) {
            return true;
        }
    }
    return false;
}

/* --- Whole --------------------------------------------------------------------- */

static bool is_valid(const moment_t *at)
{
    static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    bool leap = at->year % 4 == 0 && (at->year % 100 != 0 || at->year % 400 == 0);

    if (at->has_date && (at->year < 1900 || at->month < 1 || at->month > 12 || at->day < 1 ||
                         at->day > days[at->month - 1] + (at->month == 2 && leap))) {
        return false;
    }
    return at->hour < 24 && at->minute < 60 && at->second < 60 &&
           (!at->twelve || (at->hour >= 1 && at->hour <= 12));
}

static bool read_one(moment_t *at, const char *text, const char *format)
{
    *at = (moment_t){ .month = 1, .day = 1 };
    if (!(format ? read_format(at, text, format) : read_standard(at, text)) || !is_valid(at)) {
        return false;
    }
    if (at->twelve) {
        at->hour = at->hour % 12 + (at->afternoon ? 12 : 0);
    }
    return true;
}

const char *lims_timestamp_read(const char *date, const char *format, const char *time,
                                const char *time_format, apr_pool_t *pool)
{
    moment_t at, clock;
    const char *text;

    if (!read_one(&at, date, format) || !at.has_date) {
        return NULL;
    }
    if (time) {
        if (!read_one(&clock, time, time_format) || !clock.has_time) {
            return NULL;
        }
        clock.year = at.year;
        clock.month = at.month;
        clock.day = at.day;
        at = clock;
    }
    text = apr_psprintf(pool, "%04d-%02d-%02d", at.year, at.month, at.day);
    if (!at.has_time) {
        return text;
    }
    text = apr_psprintf(pool, "%sT%02d:%02d:%02d", text, at.hour, at.minute, at.second);
    if (at.has_fraction) {
        text = apr_psprintf(pool, "%s.%03d", text, at.millisecond);
    }
    if (at.has_zone) {
        int minutes = at.zone < 0 ? -at.zone : at.zone;
        text = at.zone == 0 ? apr_pstrcat(pool, text, "Z", NULL)
                            : apr_psprintf(pool, "%s%c%02d:%02d", text, at.zone < 0 ? '-' : '+',
                                           minutes / 60, minutes % 60);
    }
    return text;
}

static const char *format_at(const apr_array_header_t *formats, int i)
{
    return formats ? APR_ARRAY_IDX(formats, i, const char *) : NULL;
}

const char *lims_timestamp_read_any(bool *ambiguous, const char *date,
                                    const apr_array_header_t *formats, const char *time,
                                    const apr_array_header_t *time_formats, apr_pool_t *pool)
{
    int count = formats ? formats->nelts : 1;
    int clocks = time_formats ? time_formats->nelts : 1;
    const char *found = NULL;

    *ambiguous = false;
    for (int i = 0; i < count * clocks; i++) {
        const char *text = lims_timestamp_read(date, format_at(formats, i / clocks), time,
                                               format_at(time_formats, i % clocks), pool);

        *ambiguous = *ambiguous || (text && found && strcmp(text, found) != 0);
        found = found ? found : text;
    }
    return *ambiguous ? NULL : found;
}
