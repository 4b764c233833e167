/* SPDX-License-Identifier: Apache-2.0 */
#include "profiles/timestamp.h"

#include <apr_strings.h>

#include "../lib/unit.h"

static apr_pool_t *pool;

static void test_formats(void)
{
    static const struct {
        const char *text, *format, *result;
    } cases[] = {
        { "11/09/2023 14:19", "dd/MM/yyyy HH:mm", "2023-09-11T14:19:00" },
        { "11/09/2023 14:19", "MM/dd/yyyy HH:mm", "2023-11-09T14:19:00" },
        { "5/26/2020 3:36 PM", "M/d/yyyy h:mm a", "2020-05-26T15:36:00" },
        { "2/18/2021  10:28:04 AM", "M/d/yyyy h:mm:ss a", "2021-02-18T10:28:04" },
        { "26/11/2024 3:05 pm", "dd/MM/yyyy h:mm a", "2024-11-26T15:05:00" },
        { "12:30 AM 1.2.2024", "h:mm a d.M.yyyy", "2024-02-01T00:30:00" },
        { "12:30 p. m. 1.2.2024", "h:mm a d.M.yyyy", "2024-02-01T12:30:00" },
        { "29 Sep 2023  5:21:06 AM", "d MMM yyyy h:mm:ss a", "2023-09-29T05:21:06" },
        { "13-May-22", "dd-MMM-yy", "2022-05-13" },
        { "07-Jan-99", "dd-MMM-yy", "1999-01-07" },
        { "3 d\xc3\xa9"
          "cembre 2022",
          "d MMMM yyyy", "2022-12-03" },
        { "3. M\xc3\xa4rz 2022", "d. MMMM yyyy", "2022-03-03" },
        { "14 Juil. 2022", "d MMM yyyy", "2022-07-14" },
        { "20160410", "yyyyMMdd", "2016-04-10" },
        { "2023-10-26:11:15:40", "yyyy-MM-dd:HH:mm:ss", "2023-10-26T11:15:40" },
        { "2023-10-26 um 11.15", "yyyy-MM-dd 'um' HH.mm", "2023-10-26T11:15:00" },
        { "2023-10-26 11:15:40,5", "yyyy-MM-dd HH:mm:ss,SSS", "2023-10-26T11:15:40.500" },
        { "2023-10-26 11:15:40.123456", "yyyy-MM-dd HH:mm:ss.SSS", "2023-10-26T11:15:40.123" },
        { "2023-10-26 11:15+0200", "yyyy-MM-dd HH:mmZ", "2023-10-26T11:15:00+02:00" },
        { "1/2/24", "dd/MM/yy", "2024-02-01" },
        /* Without a format. */
        { "2026-11-21", NULL, "2026-11-21" },
        { "2026-11-21T07:48:00Z", NULL, "2026-11-21T07:48:00Z" },
        { "2026-11-21 07:48", NULL, "2026-11-21T07:48:00" },
        { "2026-11-21T07:48:00.5-05:30", NULL, "2026-11-21T07:48:00.500-05:30" },
        { "20240307151236", NULL, "2024-03-07T15:12:36" },
        { "20221205134200.000-0500", NULL, "2022-12-05T13:42:00.000-05:00" },
        { "20221205", NULL, "2022-12-05" },
        /* No such thing. */
        { "31/04/2023", "dd/MM/yyyy", NULL },
        { "29/02/2023", "dd/MM/yyyy", NULL },
        { "29/02/2024", "dd/MM/yyyy", "2024-02-29" },
        { "29/02/1900", "dd/MM/yyyy", NULL },
        { "13/13/2023", "dd/MM/yyyy", NULL },
        { "00/01/2023", "dd/MM/yyyy", NULL },
        { "1/1/2023 24:00", "d/M/yyyy HH:mm", NULL },
        { "1/1/2023 13:00 PM", "d/M/yyyy h:mm a", NULL },
        { "1/1/2023 10:60", "d/M/yyyy HH:mm", NULL },
        { "11/09/2023 14:19:00", "dd/MM/yyyy HH:mm", NULL },
        { "11/09/2023", "dd/MM/yyyy HH:mm", NULL },
        { "11-09-2023", "dd/MM/yyyy", NULL },
        { "11/09/23", "dd/MM/yyyy", NULL },
        { "3 Foo 2022", "d MMM yyyy", NULL },
        { "1/1/2023 10:00 XM", "d/M/yyyy h:mm a", NULL },
        { "2023-10-26 11:15+9900", "yyyy-MM-dd HH:mmZ", NULL },
        { "11/09/2023", NULL, NULL },
        { "14:19", "HH:mm", NULL },
        { "", NULL, NULL },
        { "yesterday", NULL, NULL },
    };

    for (apr_size_t i = 0; i < LIMS_LENGTH(cases); i++) {
        is(lims_timestamp_read(cases[i].text, cases[i].format, NULL, NULL, pool), cases[i].result,
           apr_psprintf(pool, "%s by %s", cases[i].text,
                        cases[i].format ? cases[i].format : "the standard"));
    }
}

static void test_apart(void)
{
    is(lims_timestamp_read("07-Jan-20", "dd-MMM-yy", "15:45:44", NULL, pool), "2020-01-07T15:45:44",
       "a time that stands apart");
    is(lims_timestamp_read("20160410", NULL, "3:05 pm", "h:mm a", pool), "2016-04-10T15:05:00",
       "the time by a format of its own");
    is(lims_timestamp_read("2020-01-07T01:02:03", NULL, "15:45", NULL, pool), "2020-01-07T15:45:00",
       "a separate time replaces the time of the date");
    is(lims_timestamp_read("20160410", NULL, "2016-04-10", NULL, pool), NULL, "a date is no time");
    is(lims_timestamp_read("20160410", NULL, "25:00", NULL, pool), NULL, "25 o'clock is no time");
}

static apr_array_header_t *formats(const char *one, const char *other)
{
    apr_array_header_t *list = apr_array_make(pool, 2, sizeof(const char *));

    APR_ARRAY_PUSH(list, const char *) = one;
    APR_ARRAY_PUSH(list, const char *) = other;
    return list;
}

static void test_several(void)
{
    const apr_array_header_t *both = formats("M/d/yyyy", "d/M/yyyy");
    const apr_array_header_t *styles = formats("M-d-yyyy", "M/d/yyyy");
    bool ambiguous;

    is(lims_timestamp_read_any(&ambiguous, "2/18/2021", styles, NULL, NULL, pool), "2021-02-18",
       "whichever format fits");
    is(lims_timestamp_read_any(&ambiguous, "2-18-2021", styles, "3:05 pm",
                               formats("HH:mm", "h:mm a"), pool),
       "2021-02-18T15:05:00", "several formats of date and time");
    is(lims_timestamp_read_any(&ambiguous, "2/18/2021", both, NULL, NULL, pool), "2021-02-18",
       "only one of two readings exists");
    is(lims_timestamp_read_any(&ambiguous, "2/2/2021", both, NULL, NULL, pool), "2021-02-02",
       "both are the same day");
    ok(!ambiguous, "a day that both formats read alike is not ambiguous");
    is(lims_timestamp_read_any(&ambiguous, "2/3/2021", both, NULL, NULL, pool), NULL,
       "a text that could be two days is no date");
    ok(ambiguous, "it is reported as ambiguous");
    is(lims_timestamp_read_any(&ambiguous, "2.3.2021", both, NULL, NULL, pool), NULL,
       "no format fits");
    ok(!ambiguous, "a wrong text is not reported as ambiguous");
}

int main(void)
{
    pool = unit_pool();
    test_formats();
    test_apart();
    test_several();
    return tap_done();
}
