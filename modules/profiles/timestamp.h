/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timestamp.h - parsing of dates and times by declared formats. Nothing is
 * guessed: the profile decides whether 03/04/2026 is in March or in April.
 */
#ifndef LIMS_PROFILES_TIMESTAMP_H
#define LIMS_PROFILES_TIMESTAMP_H

#include "lims.h"

/* Parses `date` by `format`, and a separate `time` by `time_format` (NULL: there
 * is none). Format letters: yyyy yy MMMM MMM MM M dd d HH H hh h mm ss SSS a Z;
 * other characters are literal, letters if quoted by apostrophes. `format` NULL:
 * ISO 8601, also without separators as in HL7 and ASTM. Month names in English,
 * German, French, Spanish and Italian. Returns 2026-11-21T07:48:00 in `pool`, with
 * milliseconds and zone if the text has them, or 2026-11-21 if it has no time;
 * NULL if the text has another form, or no such date or time exists. */
const char *lims_timestamp_read(const char *date, const char *format, const char *time,
                                const char *time_format, apr_pool_t *pool);

/* The same with several formats (arrays of const char *, NULL: ISO 8601), for
 * example for several settings of an instrument. Those that fit must give the same
 * time; else `*ambiguous` is set and the result is NULL. */
const char *lims_timestamp_read_any(bool *ambiguous, const char *date,
                                    const apr_array_header_t *formats, const char *time,
                                    const apr_array_header_t *time_formats, apr_pool_t *pool);

#endif /* LIMS_PROFILES_TIMESTAMP_H */
