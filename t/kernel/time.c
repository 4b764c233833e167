/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/time.h"

#include <apr_strings.h>

#include "../lib/unit.h"

static apr_pool_t *pool;

typedef struct {
    const char *text;
    const char *expected; /* NULL: refused */
} case_t;

static void test_dates(void)
{
    static const char *const valid[] = { "2026-11-21", "0001-01-01", "9999-12-31",
                                         "2024-02-29", "2000-02-29", "2026-01-31" };
    static const char *const invalid[] = {
        "",           "2026-02-29",  "1900-02-29",  "2026-04-31",       "2026-13-01",  "2026-00-10",
        "2026-01-00", "2026-01-32",  "0000-01-01",  "2026-1-01",        "2026-01-1",   "26-01-01",
        "2026/01/01", "2026-01-01 ", " 2026-01-01", "20260101",         "2026-01-01T", "-001-01-01",
        "2026-01",    "12026-01-01", "2026-01-0a",  "2026-01-\xD9\xA1",
    };

    for (apr_size_t i = 0; i < LIMS_LENGTH(valid); i++) {
        ok(lims_time_date_valid(valid[i]), "'%s' is a date", valid[i]);
    }
    for (apr_size_t i = 0; i < LIMS_LENGTH(invalid); i++) {
        ok(!lims_time_date_valid(invalid[i]), "'%s' is no date", invalid[i]);
    }
}

static void test_timestamps(void)
{
    static const case_t cases[] = {
        { "2026-11-21T07:48:00Z", "2026-11-21T07:48:00.000000Z" },
        { "2026-11-21T07:48:00.1Z", "2026-11-21T07:48:00.100000Z" },
        { "2026-11-21T07:48:00.123456Z", "2026-11-21T07:48:00.123456Z" },
        { "2026-11-21T07:48:00.123456999Z", "2026-11-21T07:48:00.123456Z" },
        { "2026-12-31T23:59:59.999999999Z", "2026-12-31T23:59:59.999999Z" },
        { "2026-11-21T07:48:00+01:00", "2026-11-21T06:48:00.000000Z" },
        { "2026-11-21T00:30:00+05:30", "2026-11-20T19:00:00.000000Z" },
        { "2026-03-01T00:00:00+00:01", "2026-02-28T23:59:00.000000Z" },
        { "2024-03-01T00:00:00+00:01", "2024-02-29T23:59:00.000000Z" },
        { "2026-12-31T20:00:00-08:00", "2027-01-01T04:00:00.000000Z" },
        { "2026-11-21T07:48:00-00:00", "2026-11-21T07:48:00.000000Z" },
        { "2026-11-21T07:48:00+23:59", "2026-11-20T07:49:00.000000Z" },
        { "2026-11-21t07:48:00z", "2026-11-21T07:48:00.000000Z" },
        { "2026-11-21t07:48:00.5Z", "2026-11-21T07:48:00.500000Z" },
        { "2026-11-21T07:48:00z", "2026-11-21T07:48:00.000000Z" },
        { "2026-11-21t07:48:00+01:00", "2026-11-21T06:48:00.000000Z" },
        { "0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000000Z" },
        { "9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z" },
        { "0001-01-01T00:00:00+00:01", NULL },
        { "9999-12-31T23:59:00-00:01", NULL },
        { "2026-11-21T07:48:60Z", NULL },
        { "2026-11-21T24:00:00Z", NULL },
        { "2026-11-21T07:60:00Z", NULL },
        { "2026-02-30T07:00:00Z", NULL },
        { "2026-11-21t07:48:00", NULL },
        { "2026-11-21T07:48:00y", NULL },
        { "2026-11-21s07:48:00Z", NULL },
        { "2026-11-21 07:48:00Z", NULL },
        { "2026-11-21T07:48Z", NULL },
        { "2026-11-21T07:48:00", NULL },
        { "2026-11-21T07:48:00.Z", NULL },
        { "2026-11-21T07:48:00.1234567890Z", NULL },
        { "2026-11-21T07:48:00,5Z", NULL },
        { "2026-11-21T07:48:00+0100", NULL },
        { "2026-11-21T07:48:00+01", NULL },
        { "2026-11-21T07:48:00+24:00", NULL },
        { "2026-11-21T07:48:00+01:60", NULL },
        { "2026-11-21T07:48:00 01:00", NULL },
        { "2026-11-21T07:48:00Z ", NULL },
        { "2026-11-21T7:48:00Z", NULL },
        { "2026-11-21", NULL },
        { "", NULL },
    };

    for (apr_size_t i = 0; i < LIMS_LENGTH(cases); i++) {
        is(lims_time_timestamp(cases[i].text, pool), cases[i].expected, cases[i].text);
    }
}

static void test_moments(void)
{
    is(lims_time_moment("2026-11-21", false, pool), "2026-11-21T00:00:00.000000Z",
       "the first moment of a day");
    is(lims_time_moment("2026-11-21", true, pool), "2026-11-21T23:59:59.999999Z",
       "the last moment of a day");
    is(lims_time_moment("2026-11-21T07:48:00Z", false, pool), "2026-11-21T07:48:00.000000Z",
       "a time as the begin of a period");
    is(lims_time_moment("2026-11-21T07:48:00.123Z", true, pool), "2026-11-21T07:48:00.123999Z",
       "a time as the end of a period");
    is(lims_time_moment("2026-11-21T07:48:00.1234Z", true, pool), "2026-11-21T07:48:00.123400Z",
       "a last moment, finer than that");
    is(lims_time_moment("2026-11-21T07:48:00Z", true, pool), "2026-11-21T07:48:00.000999Z",
       "a last millisecond of which nothing was said");
    is(lims_time_moment("2026-02-29", true, pool), NULL, "a day that is none");
    is(lims_time_moment("yesterday", false, pool), NULL, "a word");
}

static void test_database(void)
{
    static const case_t cases[] = {
        { "2026-01-02 03:04:05.678901+00", "2026-01-02T03:04:05.678Z" },
        { "2026-01-02 03:04:05+00", "2026-01-02T03:04:05.000Z" },
        { "2026-01-02 03:04:05.6+00", "2026-01-02T03:04:05.600Z" },
        { "2026-01-02 03:04:05.67+00", "2026-01-02T03:04:05.670Z" },
        { "2026-01-02 03:04:05.999999+00", "2026-01-02T03:04:05.999Z" },
        { "2026-01-02 03:04:05.678901+05:30", "2026-01-01T21:34:05.678Z" },
        { "2026-01-02 03:04:05.678901-03", "2026-01-02T06:04:05.678Z" },
        { "2026-12-31 23:30:00-01", "2027-01-01T00:30:00.000Z" },
        { "1850-01-01 00:53:28+00:53:28", "1850-01-01T00:00:00.000Z" },
        { "2026-01-02T03:04:05.678901+00:00", "2026-01-02T03:04:05.678Z" },
        { "2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000Z" },
        { "9999-12-31 23:59:59.999999+00", "9999-12-31T23:59:59.999Z" },
        { "infinity", NULL },
        { "-infinity", NULL },
        { "0044-03-15 12:00:00+00 BC", NULL },
        { "10000-01-01 00:00:00+00", NULL },
        { "2026-01-02 03:04:05", NULL },
        { "2026-01-02", NULL },
        { "2026-01-02 03:04:05.+00", NULL },
        { "", NULL },
        { "+00", NULL },
    };

    for (apr_size_t i = 0; i < LIMS_LENGTH(cases); i++) {
        is(lims_time_from_database(cases[i].text, pool), cases[i].expected, cases[i].text);
    }
    is(lims_time_from_database(NULL, pool), NULL, "SQL null");
}

/* Every day of four centuries, across both kinds of century, against the day
 * before it: the offset moves midnight back over each boundary once. */
static void test_every_day(void)
{
    apr_pool_t *scratch;
    const char *before = "1899-12-31";
    int wrong = 0;
    int days = 0;

    apr_pool_create(&scratch, pool);
    for (int year = 1900; year < 2300; year++) {
        for (int day = 0; day < 12 * 31; day++) {
            const char *text =
                apr_psprintf(scratch, "%04d-%02d-%02d", year, day / 31 + 1, day % 31 + 1);
            const char *midnight = apr_pstrcat(scratch, text, "T00:00:00+00:01", NULL);

            if (lims_time_date_valid(text)) {
                wrong += strncmp(lims_time_timestamp(midnight, scratch), before, 10) != 0;
                days++;
                before = apr_pstrdup(pool, text);
            }
            apr_pool_clear(scratch);
        }
    }
    is_number(days, 146097, "four centuries have 146,097 days");
    is_number(wrong, 0, "each day follows the one before");
}

static void test_format(void)
{
    is(lims_time_format(0, pool), "1970-01-01T00:00:00.000Z", "the epoch");
    is(lims_time_format(APR_INT64_C(1795247280123456), pool), "2026-11-21T07:48:00.123Z",
       "a moment, cut to milliseconds");
}

int main(void)
{
    pool = unit_pool();
    test_dates();
    test_timestamps();
    test_moments();
    test_database();
    test_every_day();
    test_format();
    return tap_done();
}
