/* SPDX-License-Identifier: Apache-2.0 */
/*
 * time.h - conversion of dates and times between requests, PostgreSQL and answers.
 *
 * All years are 0001 to 9999, in UTC after the offset was applied. A leap second (:60) is
 * refused: PostgreSQL would silently convert it to the next minute.
 */
#ifndef LIMS_KERNEL_TIME_H
#define LIMS_KERNEL_TIME_H

#include "lims.h"

/* Whether a text is the date of an existing day, YYYY-MM-DD. */
bool lims_time_date_valid(const char *text);

/* Parses an RFC 3339 date-time: T (or t), and Z (or z) or an offset ±hh:mm; up to 9
 * decimals of a second, cut off after the microseconds. Returns it in UTC in a form that
 * PostgreSQL reads ("2026-11-21T07:48:00.123456Z"), in `pool`; NULL for anything else. */
const char *lims_time_timestamp(const char *text, apr_pool_t *pool);

/* Parses a date or a timestamp as an inclusive bound of a range: the lower bound, or with
 * `end` the upper one. A date as lower bound is the first microsecond of its UTC day, as
 * upper bound the last. A timestamp as upper bound is the last microsecond of its
 * millisecond, so that a time as the API shows it includes its record; a timestamp finer
 * than a millisecond is exactly that time. NULL: the text is neither. */
const char *lims_time_moment(const char *text, bool end, apr_pool_t *pool);

/* Converts a timestamptz as PostgreSQL writes it (DateStyle ISO, any time zone) to the
 * form of the API: "2026-01-02T03:04:05.678Z", cut off after the milliseconds. NULL for
 * NULL, infinity, years BC, and texts that are not timestamps. */
const char *lims_time_from_database(const char *text, apr_pool_t *pool);

/* Returns a time in the form of the API, in `pool`. */
const char *lims_time_format(apr_time_t moment, apr_pool_t *pool);

/* Returns the monotonic time (CLOCK_MONOTONIC) in microseconds, for waits and durations:
 * setting the machine's clock does not change it, and all processes of a machine share
 * it. Its zero is arbitrary. */
apr_time_t lims_time_monotonic(void);

/* Returns the CPU time of the calling thread (CLOCK_THREAD_CPUTIME_ID) in microseconds,
 * for bounds on CPU-bound work that hold on a busy machine as well. */
apr_time_t lims_time_worked(void);

#endif /* LIMS_KERNEL_TIME_H */
