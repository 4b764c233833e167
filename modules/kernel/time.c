/* SPDX-License-Identifier: Apache-2.0 */
/*
 * time.c - dates and times, computed on the proleptic Gregorian calendar.
 *
 * strptime() and friends are not used: they accept far more than the API
 * promises, depend on the locale and drop fractions.
 */
#include "kernel/time.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>
#include <time.h>

#define DAY_SECONDS 86400

/* "2026-01-02T03:04:05.678Z" */
#define API_LENGTH 24

typedef struct {
    int year, month, day;
    int hour, minute, second;
    int micros;
    int offset; /* seconds east of UTC */
} moment_t;

/* --- Calendar -------------------------------------------------------------- */

static int days_in_month(int year, int month)
{
    static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

    return month == 2 && leap ? 29 : days[month - 1];
}

/* Returns the days since 0000-03-01. In years that begin in March the leap day is the
 * last. */
static int day_number(int year, int month, int day)
{
    int y = month > 2 ? year : year - 1;
    int m = month > 2 ? month - 3 : month + 9;

    return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1;
}

static void date_of_day(moment_t *m, int number)
{
    int era = number / 146097;
    int of_era = number % 146097;
    int year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int of_year = of_era - (365 * year + year / 4 - year / 100);
    int month = (5 * of_year + 2) / 153;

    m->day = of_year - (153 * month + 2) / 5 + 1;
    m->month = month < 10 ? month + 3 : month - 9;
    m->year = year + era * 400 + (m->month <= 2 ? 1 : 0);
}

/* Applies the offset. False: the year is no longer within 0001 to 9999. */
static bool to_utc(moment_t *m)
{
    int day = day_number(m->year, m->month, m->day);
    int seconds = m->hour * 3600 + m->minute * 60 + m->second - m->offset;

    while (seconds < 0) {
        seconds += DAY_SECONDS;
        day--;
    }
    while (seconds >= DAY_SECONDS) {
        seconds -= DAY_SECONDS;
        day++;
    }
    if (day < day_number(1, 1, 1) || day > day_number(9999, 12, 31)) {
        return false;
    }
    date_of_day(m, day);
    m->hour = seconds / 3600;
    m->minute = seconds / 60 % 60;
    m->second = seconds % 60;
    m->offset = 0;
    return true;
}

/* --- Reading --------------------------------------------------------------- */

/* Reads exactly `count` digits and advances `*text` behind them. */
static bool read_digits(int *value, const char **text, int count)
{
    *value = 0;
    for (int i = 0; i < count; i++) {
        char c = (*text)[i];

        if (c < '0' || c > '9') {
            return false;
        }
        *value = *value * 10 + (c - '0');
    }
    *text += count;
    return true;
}

static bool read_character(const char **text, char c)
{
    bool found = **text == c;

    *text += found ? 1 : 0;
    return found;
}

/* Reads a T or Z, which RFC 3339 (5.6) allows in lower case too. */
static bool read_letter(const char **text, char c)
{
    return read_character(text, c) || read_character(text, (char)apr_tolower(c));
}

static bool read_date(moment_t *m, const char **text)
{
    return read_digits(&m->year, text, 4) && read_character(text, '-') &&
           read_digits(&m->month, text, 2) && read_character(text, '-') &&
           read_digits(&m->day, text, 2) && m->year >= 1 && m->month >= 1 && m->month <= 12 &&
           m->day >= 1 && m->day <= days_in_month(m->year, m->month);
}

/* Reads hh:mm:ss with an optional fraction. It is cut off after the microseconds:
 * rounding could move the time into the next day. */
static bool read_clock(moment_t *m, const char **text)
{
    int places = 0;

    if (!(read_digits(&m->hour, text, 2) && read_character(text, ':') &&
          read_digits(&m->minute, text, 2) && read_character(text, ':') &&
          read_digits(&m->second, text, 2) && m->hour <= 23 && m->minute <= 59 &&
          m->second <= 59)) {
        return false;
    }
    m->micros = 0;
    if (!read_character(text, '.')) {
        return true;
    }
    while (**text >= '0' && **text <= '9' && places < 10) {
        if (places < 6) {
            m->micros = m->micros * 10 + (**text - '0');
        }
        places++;
        (*text)++;
    }
    for (int i = places; i < 6; i++) {
        m->micros *= 10;
    }
    return places >= 1 && places <= 9;
}

/* Reads Z or ±hh:mm (RFC 3339). */
static bool read_zone(moment_t *m, const char **text)
{
    int hours;
    int minutes;
    int sign = **text == '-' ? -1 : 1;

    m->offset = 0;
    if (read_letter(text, 'Z')) {
        return true;
    }
    if (!read_character(text, '+') && !read_character(text, '-')) {
        return false;
    }
    if (!(read_digits(&hours, text, 2) && read_character(text, ':') &&
          read_digits(&minutes, text, 2) && hours <= 23 && minutes <= 59)) {
        return false;
    }
    m->offset = sign * (hours * 3600 + minutes * 60);
    return true;
}

/* Reads ±hh, ±hh:mm or ±hh:mm:ss: PostgreSQL writes minutes and seconds only if they are
 * not zero, and offsets before standard time had seconds. */
static bool read_database_zone(moment_t *m, const char **text)
{
    int parts[3] = { 0 };
    int sign = **text == '-' ? -1 : 1;

    m->offset = 0;
    if (read_letter(text, 'Z')) {
        return true;
    }
    if (!read_character(text, '+') && !read_character(text, '-')) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        if (i > 0 && !read_character(text, ':')) {
            break;
        }
        if (!read_digits(&parts[i], text, 2)) {
            return false;
        }
    }
    m->offset = sign * (parts[0] * 3600 + parts[1] * 60 + parts[2]);
    return true;
}

bool lims_time_date_valid(const char *text)
{
    moment_t m;

    return read_date(&m, &text) && *text == '\0';
}

const char *lims_time_timestamp(const char *text, apr_pool_t *pool)
{
    moment_t m;

    if (!(read_date(&m, &text) && read_letter(&text, 'T') && read_clock(&m, &text) &&
          read_zone(&m, &text) && *text == '\0' && to_utc(&m))) {
        return NULL;
    }
    return apr_psprintf(pool, "%04d-%02d-%02dT%02d:%02d:%02d.%06dZ", m.year, m.month, m.day, m.hour,
                        m.minute, m.second, m.micros);
}

const char *lims_time_moment(const char *text, bool end, apr_pool_t *pool)
{
    const char *moment;

    if (lims_time_date_valid(text)) {
        return apr_pstrcat(pool, text, end ? "T23:59:59.999999Z" : "T00:00:00.000000Z", NULL);
    }
    moment = lims_time_timestamp(text, pool);
    if (end && moment && strcmp(moment + strlen(moment) - 4, "000Z") == 0) {
        moment = apr_psprintf(pool, "%.*s999Z", (int)strlen(moment) - 4, moment);
    }
    return moment;
}

/* --- Writing --------------------------------------------------------------- */

static const char *format_for_api(const moment_t *m, apr_pool_t *pool)
{
    return apr_psprintf(pool, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", m->year, m->month, m->day,
                        m->hour, m->minute, m->second, m->micros / 1000);
}

/* Fast path for a timestamp in UTC, "2026-01-02 03:04:05[.f…]+00", which only has to be
 * copied: lists have thousands of them. NULL: the text has another form. */
static const char *copy_utc(const char *text, apr_size_t length, apr_pool_t *pool)
{
    static const char form[] = "0000-00-00 00:00:00";
    const char *end = text + length - 3;
    char *api;

    /* 23 would be a decimal point without a digit. */
    if (length < 22 || length == 23 || length > 29 || memcmp(end, "+00", 3) != 0) {
        return NULL;
    }
    for (int i = 0; form[i] != '\0'; i++) {
        bool digit = text[i] >= '0' && text[i] <= '9';

        if (form[i] == '0' ? !digit : text[i] != form[i]) {
            return NULL;
        }
    }
    for (const char *p = text + 19; p < end; p++) {
        if (p == text + 19 ? *p != '.' : *p < '0' || *p > '9') {
            return NULL;
        }
    }
    api = apr_palloc(pool, API_LENGTH + 1);
    memcpy(api, text, 19);
    api[10] = 'T';
    memcpy(api + 19, ".000Z", 6);
    for (int i = 0; i < 3 && text + 20 + i < end; i++) {
        api[20 + i] = text[20 + i];
    }
    return api;
}

const char *lims_time_from_database(const char *text, apr_pool_t *pool)
{
    const char *api;
    moment_t m;

    if (!text) {
        return NULL;
    }
    api = copy_utc(text, strlen(text), pool);
    if (api) {
        return api;
    }
    if (!(read_date(&m, &text) && (read_character(&text, ' ') || read_letter(&text, 'T')) &&
          read_clock(&m, &text) && read_database_zone(&m, &text) && *text == '\0' && to_utc(&m))) {
        return NULL;
    }
    return format_for_api(&m, pool);
}

const char *lims_time_format(apr_time_t moment, apr_pool_t *pool)
{
    apr_time_exp_t parts;
    moment_t m;

    apr_time_exp_gmt(&parts, moment);
    m = (moment_t){
        .year = parts.tm_year + 1900,
        .month = parts.tm_mon + 1,
        .day = parts.tm_mday,
        .hour = parts.tm_hour,
        .minute = parts.tm_min,
        .second = parts.tm_sec,
        .micros = parts.tm_usec,
    };
    return format_for_api(&m, pool);
}

static apr_time_t time_of(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return apr_time_make(time.tv_sec, time.tv_nsec / 1000);
}

apr_time_t lims_time_monotonic(void)
{
    return time_of(CLOCK_MONOTONIC);
}

apr_time_t lims_time_worked(void)
{
    return time_of(CLOCK_THREAD_CPUTIME_ID);
}
