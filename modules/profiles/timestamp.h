/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timestamp.h - dates and times by declared formats. What a format leaves open is
 * not guessed: 03/04/2026 is what the profile says it is.
 */
#ifndef LIMS_PROFILES_TIMESTAMP_H
#define LIMS_PROFILES_TIMESTAMP_H

#include "lims.h"

/* Reads `date` by `format`, and `time` by `time_format` where it stands apart
 * (NULL: it does not). A format is made of yyyy yy MMMM MMM MM M dd d HH H hh h mm
 * ss SSS a Z, other signs literally, letters in apostrophes too. NULL: ISO 8601,
 * also without separators as HL7 and ASTM write it. Names of months in English,
 * German, French, Spanish and Italian.
 *
 * Gives 2026-11-21T07:48:00, with milliseconds and zone if the text has them, or
 * 2026-11-21 without a time. NULL when the text is not written so, or no such day
 * or time exists. */
const char *lims_timestamp_read(const char *date, const char *format, const char *time,
                                const char *time_format, apr_pool_t *pool);

/* The same by any of several formats (arrays of const char *, NULL: ISO 8601), such
 * as the ones of several settings of an instrument. Those that fit have to agree:
 * `*ambiguous` says that they do not, and the result is NULL. */
const char *lims_timestamp_read_any(bool *ambiguous, const char *date,
                                    const apr_array_header_t *formats, const char *time,
                                    const apr_array_header_t *time_formats, apr_pool_t *pool);

#endif /* LIMS_PROFILES_TIMESTAMP_H */
