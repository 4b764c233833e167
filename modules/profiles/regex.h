/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regex.h - regular expressions of profiles: PCRE2 with limits.
 *
 * Expressions are written by a laboratory's administrators and applied to files
 * from anyone. So the length of an expression, the steps and memory of one match,
 * and the processor time of all matches for one file are limited. A match that
 * exceeds a limit fails, and lims_matcher_exhausted() reports it.
 */
#ifndef LIMS_PROFILES_REGEX_H
#define LIMS_PROFILES_REGEX_H

#include "lims.h"

/* Longest expression, in bytes. */
#define LIMS_REGEX_MAX 500

/* A compiled expression. Immutable, so threads may share it. */
typedef struct lims_regex_t lims_regex_t;

/* Compiles an expression (UTF-8, case-sensitive unless it begins with (?i)); freed
 * with the pool. NULL if it is invalid or has more than one capturing group;
 * `*fault` describes the fault and its position. */
const lims_regex_t *lims_regex_compile(const char **fault, const char *pattern, apr_pool_t *pool);

/* Returns the source text of the expression. */
const char *lims_regex_pattern(const lims_regex_t *regex);

/* Whether the expression has a capturing group. */
bool lims_regex_captures(const lims_regex_t *regex);

/* Working memory and limits of matching: one for each reading of a file. */
typedef struct lims_matcher_t lims_matcher_t;

/* Creates a matcher. `most`: limit of the thread's processor time for all matches
 * (0: LIMS_MATCH_TIME), so that the outcome does not depend on the machine's load. */
#define LIMS_MATCH_TIME apr_time_from_sec(5)
lims_matcher_t *lims_matcher_create(apr_interval_time_t most, apr_pool_t *pool);

/* Whether the expression matches anywhere in the text. */
bool lims_regex_matches(lims_matcher_t *matcher, const lims_regex_t *regex, const char *text,
                        apr_size_t length);

/* Finds the text captured by the group, or the whole match if the expression has
 * no group: a pointer into `text` and a length. False if there is no match, or the
 * group did not participate. */
bool lims_regex_capture(const char **found, apr_size_t *found_length, lims_matcher_t *matcher,
                        const lims_regex_t *regex, const char *text, apr_size_t length);

/* Returns the expression that exceeded a limit; NULL: none, so all results are
 * valid. */
const char *lims_matcher_exhausted(const lims_matcher_t *matcher);

/* Resets the exceeded expression, before another profile is matched; the used time
 * still counts. */
void lims_matcher_forget(lims_matcher_t *matcher);

#endif /* LIMS_PROFILES_REGEX_H */
