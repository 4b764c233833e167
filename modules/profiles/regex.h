/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regex.h - the regular expressions of profiles: PCRE2 with bounds.
 *
 * An expression is written by a laboratory's administrator and run over files
 * that anybody may send. So its length, the steps of one match, the memory of
 * one match and the time of all matches over one file are bounded; what passes
 * a bound has not matched and is told (lims_matcher_exhausted()).
 */
#ifndef LIMS_PROFILES_REGEX_H
#define LIMS_PROFILES_REGEX_H

#include "lims.h"

/* Longest expression, in bytes. */
#define LIMS_REGEX_MAX 500

/* An expression, compiled. It does not change, so that threads may share it. */
typedef struct lims_regex_t lims_regex_t;

/* Compiles; UTF-8, case matters unless the expression says (?i). NULL, with the
 * fault and its place in words, for what is no expression or has more than one
 * capturing group. Freed with the pool. */
const lims_regex_t *lims_regex_compile(const char **fault, const char *pattern, apr_pool_t *pool);

/* The expression as it was written. */
const char *lims_regex_pattern(const lims_regex_t *regex);

/* Whether it has its one capturing group. */
bool lims_regex_captures(const lims_regex_t *regex);

/* What matching needs to work with: one for each reading of a file. */
typedef struct lims_matcher_t lims_matcher_t;

/* `most`: no match begins once the thread has computed so long (0: LIMS_MATCH_TIME).
 * What others do on the machine changes nothing: a file has one outcome. */
#define LIMS_MATCH_TIME apr_time_from_sec(5)
lims_matcher_t *lims_matcher_create(apr_interval_time_t most, apr_pool_t *pool);

/* Whether the expression is found anywhere in the text. */
bool lims_regex_matches(lims_matcher_t *matcher, const lims_regex_t *regex, const char *text,
                        apr_size_t length);

/* What its group captured, or all that matched when it has none: begin and
 * length within the text. False when it is not found, or the group took no part. */
bool lims_regex_capture(const char **found, apr_size_t *found_length, lims_matcher_t *matcher,
                        const lims_regex_t *regex, const char *text, apr_size_t length);

/* The expression that passed a bound, or NULL: every match told so far is right. */
const char *lims_matcher_exhausted(const lims_matcher_t *matcher);

/* Begins anew, for expressions of another profile: the time goes on. */
void lims_matcher_forget(lims_matcher_t *matcher);

#endif /* LIMS_PROFILES_REGEX_H */
