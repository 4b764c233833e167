/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regex.c - PCRE2 with limits.
 *
 * Expressions are interpreted, not compiled to machine code: a match of a cell
 * takes a microsecond, and the steps of an interpreted match can be limited. PCRE2
 * allocates with malloc, where its limits apply and failure is an error; pool
 * cleanups free the memory.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "profiles/regex.h"

#include <apr_strings.h>
#include <pcre2.h>
#include <string.h>
#include <time.h>

/* Limit of steps in one match. A sensible expression needs a few for each byte. */
#define STEPS_MAX 100000
#define DEPTH_MAX 10000
#define HEAP_MAX 4096 /* KiB */
#define GROUPS_NESTED_MAX 20

struct lims_regex_t {
    const char *pattern;
    pcre2_code *code;
    bool captures;
};

struct lims_matcher_t {
    pcre2_match_data *data; /* NULL: out of memory */
    pcre2_match_context *context;
    apr_time_t deadline; /* deadline in the thread's processor time */
    unsigned calls;
    const char *exhausted;
};

static apr_status_t free_code(void *code)
{
    pcre2_code_free(code);
    return APR_SUCCESS;
}

static apr_status_t free_data(void *data)
{
    pcre2_match_data_free(data);
    return APR_SUCCESS;
}

static apr_status_t free_context(void *context)
{
    pcre2_match_context_free(context);
    return APR_SUCCESS;
}

static pcre2_code *compile(int *error, PCRE2_SIZE *offset, const char *pattern)
{
    static const uint32_t options = PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C | PCRE2_NEVER_UCP;
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    pcre2_code *code = NULL;

    *error = PCRE2_ERROR_NOMEMORY;
    *offset = 0;
    if (context) {
        pcre2_set_parens_nest_limit(context, GROUPS_NESTED_MAX);
        code = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED, options, error, offset,
                             context);
        pcre2_compile_context_free(context);
    }
    return code;
}

const lims_regex_t *lims_regex_compile(const char **fault, const char *pattern, apr_pool_t *pool)
{
    lims_regex_t *regex = apr_pcalloc(pool, sizeof(*regex));
    uint32_t groups = 0;
    PCRE2_SIZE offset;
    int error;

    *fault = NULL;
    if (strlen(pattern) > LIMS_REGEX_MAX) {
        *fault = apr_psprintf(pool, "longer than %d bytes", LIMS_REGEX_MAX);
        return NULL;
    }
    regex->code = compile(&error, &offset, pattern);
    if (!regex->code) {
        PCRE2_UCHAR words[256];

        pcre2_get_error_message(error, words, sizeof(words));
        *fault =
            apr_psprintf(pool, "%s, at character %lu", (char *)words, (unsigned long)offset + 1);
        return NULL;
    }
    apr_pool_cleanup_register(pool, regex->code, free_code, apr_pool_cleanup_null);
    pcre2_pattern_info(regex->code, PCRE2_INFO_CAPTURECOUNT, &groups);
    if (groups > 1) {
        *fault = apr_psprintf(pool,
                              "%u capturing groups where one is allowed: write (?:…) for those "
                              "that only group",
                              groups);
        return NULL;
    }
    regex->captures = groups == 1;
    regex->pattern = apr_pstrdup(pool, pattern);
    return regex;
}

const char *lims_regex_pattern(const lims_regex_t *regex)
{
    return regex->pattern;
}

bool lims_regex_captures(const lims_regex_t *regex)
{
    return regex->captures;
}

/* Returns the processor time that the thread has used. */
static apr_time_t thread_time(void)
{
    struct timespec time = { 0, 0 };

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return apr_time_from_sec(time.tv_sec) + time.tv_nsec / 1000;
}

/* Checks the deadline once in many calls, since reading the clock costs more than
 * most matches. */
static bool is_late(lims_matcher_t *matcher)
{
    return matcher->calls++ % 16 == 0 && thread_time() > matcher->deadline;
}

lims_matcher_t *lims_matcher_create(apr_interval_time_t most, apr_pool_t *pool)
{
    lims_matcher_t *matcher = apr_pcalloc(pool, sizeof(*matcher));

    matcher->deadline = thread_time() + (most != 0 ? most : LIMS_MATCH_TIME);
    matcher->data = pcre2_match_data_create(2, NULL);
    matcher->context = pcre2_match_context_create(NULL);
    if (matcher->data) {
        apr_pool_cleanup_register(pool, matcher->data, free_data, apr_pool_cleanup_null);
    }
    if (matcher->context) {
        apr_pool_cleanup_register(pool, matcher->context, free_context, apr_pool_cleanup_null);
        pcre2_set_match_limit(matcher->context, STEPS_MAX);
        pcre2_set_depth_limit(matcher->context, DEPTH_MAX);
        pcre2_set_heap_limit(matcher->context, HEAP_MAX);
    }
    return matcher;
}

/* Returns the number of offsets that were set, 0 when there is no match. */
static int match(lims_matcher_t *matcher, const lims_regex_t *regex, const char *text,
                 apr_size_t length)
{
    int places = PCRE2_ERROR_NOMEMORY;

    if (!matcher->data || !matcher->context || is_late(matcher)) {
        matcher->exhausted = regex->pattern;
        return 0;
    }
    places =
        pcre2_match(regex->code, (PCRE2_SPTR)text, length, 0, 0, matcher->data, matcher->context);
    if (places == PCRE2_ERROR_MATCHLIMIT || places == PCRE2_ERROR_DEPTHLIMIT ||
        places == PCRE2_ERROR_HEAPLIMIT || places == PCRE2_ERROR_NOMEMORY) {
        matcher->exhausted = regex->pattern;
    }
    return places > 0 ? places : 0;
}

bool lims_regex_matches(lims_matcher_t *matcher, const lims_regex_t *regex, const char *text,
                        apr_size_t length)
{
    return match(matcher, regex, text, length) > 0;
}

bool lims_regex_capture(const char **found, apr_size_t *found_length, lims_matcher_t *matcher,
                        const lims_regex_t *regex, const char *text, apr_size_t length)
{
    int places = match(matcher, regex, text, length);
    const PCRE2_SIZE *place;

    /* A group that did not participate has no position; \K can move the begin
     * behind the end. */
    if (places <= (regex->captures ? 1 : 0)) {
        return false;
    }
    place = pcre2_get_ovector_pointer(matcher->data) + (regex->captures ? 2 : 0);
    if (place[0] == PCRE2_UNSET || place[1] < place[0]) {
        return false;
    }
    *found = text + place[0];
    *found_length = place[1] - place[0];
    return true;
}

const char *lims_matcher_exhausted(const lims_matcher_t *matcher)
{
    return matcher->exhausted;
}

void lims_matcher_forget(lims_matcher_t *matcher)
{
    matcher->exhausted = NULL;
}
