/* SPDX-License-Identifier: Apache-2.0 */
/*
 * number_format.h - notations of numbers: 1,234.5 is written 1.234,5 elsewhere,
 * and 1,234 alone is ambiguous.
 *
 * A number is read only with the signs that the profile declares. A text that
 * would be a number with other signs is refused as ambiguous, so that no result
 * is wrong by a factor of thousand. A number that needs no conversion keeps its
 * text, trailing zeros included.
 */
#ifndef LIMS_PROFILES_NUMBER_FORMAT_H
#define LIMS_PROFILES_NUMBER_FORMAT_H

#include "profiles/profile.h"

typedef enum {
    LIMS_NUMBER_READ,
    LIMS_NUMBER_NONE,      /* not a number, whatever is declared */
    LIMS_NUMBER_AMBIGUOUS, /* a number only with signs that are not declared */
    LIMS_NUMBER_COUNT
} lims_number_e;

typedef struct {
    const char *text; /* decimal point, no grouping; where nothing else was there to
                         replace, the text as it stood without blanks around it */
    bool percent;     /* a % stood behind it */
    const char *why;  /* for people, when it is none or ambiguous */
} lims_number_t;

/* Reads a number with the declared signs. A space among the grouping signs
 * includes no-break spaces, an apostrophe includes the typographic one. */
lims_number_e lims_number_read(lims_number_t *number, const char *text, const lims_numbers_t *form,
                               apr_pool_t *pool);

/* The comparison sign that a text begins with, in ASCII: "<", ">", "<=", ">=",
 * "~"; NULL if none. `*rest` then points behind it and the blanks that follow. */
const char *lims_number_operator(const char **rest, const char *text);

#endif /* LIMS_PROFILES_NUMBER_FORMAT_H */
