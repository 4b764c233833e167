/* SPDX-License-Identifier: Apache-2.0 */
/*
 * time.h - dates and times as callers, PostgreSQL and answers write them.
 *
 * Years are 0001 to 9999 throughout, in UTC after any offset was applied.
 * A leap second (:60) is refused: PostgreSQL would silently move it.
 */
#ifndef LIMS_KERNEL_TIME_H
#define LIMS_KERNEL_TIME_H

#include "lims.h"

/* YYYY-MM-DD of a day that exists. */
bool lims_time_date_valid(const char *text);

/* RFC 3339 date-time: T (or t), and Z (or z) or an offset ±hh:mm; 1 to 9 decimals
 * of a second, of which microseconds are kept. Returns UTC as PostgreSQL takes
 * it ("2026-11-21T07:48:00.123456Z"), or NULL for anything else. */
const char *lims_time_timestamp(const char *text, apr_pool_t *pool);

/* A date or a timestamp, as an inclusive bound. A date is the first instant
 * of its UTC day, or with `end` the last microsecond. A timestamp with `end`
 * takes in its whole millisecond, so that a time can be asked for as the API
 * shows it; one given finer than that is itself. NULL: neither. */
const char *lims_time_moment(const char *text, bool end, apr_pool_t *pool);

/* timestamptz output of PostgreSQL (DateStyle ISO, any time zone) as the API
 * writes it: "2026-01-02T03:04:05.678Z", milliseconds cut off. NULL for NULL,
 * infinity, BC and what is no timestamp. */
const char *lims_time_from_database(const char *text, apr_pool_t *pool);

/* A moment as the API writes it. */
const char *lims_time_format(apr_time_t moment, apr_pool_t *pool);

/* Microseconds of a clock that never goes back, whatever the machine's time is
 * set to (CLOCK_MONOTONIC), from a beginning of its own: for waits and
 * durations. The same in all processes of a machine. */
apr_time_t lims_time_monotonic(void);

/* Microseconds that the calling thread has worked (CLOCK_THREAD_CPUTIME_ID): for
 * bounds on work that waits for nothing, which hold on a busy machine as well. */
apr_time_t lims_time_worked(void);

#endif /* LIMS_KERNEL_TIME_H */
