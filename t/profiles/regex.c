/* SPDX-License-Identifier: Apache-2.0 */
#include "profiles/regex.h"

#include <apr_strings.h>

#include "unit.h"

static apr_pool_t *pool;

static const lims_regex_t *compile(const char *pattern)
{
    const char *fault;
    const lims_regex_t *regex = lims_regex_compile(&fault, pattern, pool);

    ok(regex, "'%s' compiles%s%s", pattern, fault ? ", but: " : "", fault ? fault : "");
    return regex;
}

static const char *capture(const char *pattern, const char *text)
{
    lims_matcher_t *matcher = lims_matcher_create(0, pool);
    const char *found;
    apr_size_t length;

    return lims_regex_capture(&found, &length, matcher, compile(pattern), text, strlen(text))
               ? apr_pstrmemdup(pool, found, length)
               : NULL;
}

static void test_matching(void)
{
    lims_matcher_t *matcher = lims_matcher_create(0, pool);
    const lims_regex_t *regex = compile("^S\\d+$");

    ok(lims_regex_matches(matcher, regex, "S12", 3), "a match");
    ok(!lims_regex_matches(matcher, regex, "s12", 3), "case matters");
    ok(!lims_regex_matches(matcher, regex, "S12 ", 4), "a blank matters");
    ok(lims_regex_matches(matcher, regex, "S12 ", 3), "the length counts, not a NUL");
    ok(!lims_matcher_exhausted(matcher), "no bound was passed");
    is(lims_regex_pattern(regex), "^S\\d+$", "an expression can be shown");
    is(capture("^(\\S+)\\*", "A17*BK"), "A17", "the captured text");
    is(capture("[0-9]+", "n. 17 b"), "17", "without a group all that matched");
    is(capture("^(?:a|b)(c)?", "b"), NULL, "a group that took no part");
    is(capture("^x", "y"), NULL, "no match captures nothing");
    is(capture("µ(.)", "aµé"), "é", "characters, not bytes");
    is(capture("a\\Kb", "ab"), "b", "\\K moves the begin");
}

static void test_faults(void)
{
    const char *fault;
    char *pattern = apr_palloc(pool, LIMS_REGEX_MAX + 2);

    memset(pattern, 'a', LIMS_REGEX_MAX + 1);
    pattern[LIMS_REGEX_MAX + 1] = '\0';
    ok(!lims_regex_compile(&fault, pattern, pool), "a pattern of 501 characters is too long");
    has(fault, "longer than 500", "the fault names the bound");
    pattern[LIMS_REGEX_MAX] = '\0';
    ok(lims_regex_compile(&fault, pattern, pool), "as long as allowed");
    ok(!lims_regex_compile(&fault, "a(b", pool), "an open group is refused");
    has(fault, "at character 4", "the fault names the character");
    ok(!lims_regex_compile(&fault, "(a)(b)", pool), "two groups are refused");
    has(fault, "2 capturing groups where one is allowed", "the fault counts the groups");
    ok(!lims_regex_compile(&fault, "a\\Cb", pool),
       "\\C, which matches half a character, is refused");
    ok(!lims_regex_compile(&fault, "((((((((((((((((((((((a))))))))))))))))))))))", pool),
       "nested too deep");
    ok(lims_regex_captures(compile("(?:a)(b)")), "an expression with a group");
    ok(!lims_regex_captures(compile("(?:a)")), "an expression without a group");
}

/* Expressions that backtrack for ever are stopped, and it is told. */
static void test_bounds(void)
{
    lims_matcher_t *matcher = lims_matcher_create(0, pool);
    lims_matcher_t *late = lims_matcher_create(-1, pool);
    lims_matcher_t *steps = lims_matcher_create(0, pool);
    const lims_regex_t *greedy = compile("^(?:a+)+$");
    const lims_regex_t *plain = compile("b");
    char *text = apr_palloc(pool, 32769);

    memset(text, 'a', 32767);
    text[32767] = 'b';
    text[32768] = '\0';
    ok(!lims_regex_matches(matcher, greedy, text, 32768), "backtracking without end");
    is(lims_matcher_exhausted(matcher), "^(?:a+)+$", "the exhausted expression is named");
    ok(!lims_regex_matches(steps, compile("^(?:a|a)*$"), "aaaaaaaaaaaaaaaaaaaab", 21) &&
           lims_matcher_exhausted(steps),
       "a million steps are too many");
    ok(!lims_regex_matches(late, plain, "b", 1), "no match begins after the time is over");
    is(lims_matcher_exhausted(late), "b", "an expression that came too late is named too");
    ok(!lims_regex_matches(lims_matcher_create(0, pool), plain,
                           "\xFF"
                           "b",
                           2),
       "malformed text does not match");
}

int main(void)
{
    pool = unit_pool();
    test_matching();
    test_faults();
    test_bounds();
    return tap_done();
}
