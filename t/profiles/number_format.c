/* SPDX-License-Identifier: Apache-2.0 */
#include "profiles/number_format.h"

#include <apr_strings.h>

#include "../lib/unit.h"

static apr_pool_t *pool;

#define NBSP "\xc2\xa0"
#define NARROW "\xe2\x80\xaf"
#define QUOTE "\xe2\x80\x99"
#define MINUS "\xe2\x88\x92"

/* "704.986", "none" or "ambiguous". */
static const char *number_of(const char *text, char decimal, const char *group)
{
    apr_array_header_t *signs = apr_array_make(pool, 1, sizeof(char *));
    lims_numbers_t form = {
        .decimal = decimal, .group = signs, .scientific = true, .percent = LIMS_PERCENT_KEEP
    };
    lims_number_t number;

    if (group) {
        APR_ARRAY_PUSH(signs, const char *) = group;
    }
    switch (lims_number_read(&number, text, &form, pool)) {
    case LIMS_NUMBER_READ:
        return number.percent ? apr_pstrcat(pool, number.text, " percent", NULL) : number.text;
    case LIMS_NUMBER_AMBIGUOUS:
        return "ambiguous";
    default:
        return "none";
    }
}

/* Texts that are their own number, to the last zero. */
static void test_literal(void)
{
    static const char *const texts[] = {
        "2.45", "0",    "0.00",   "7.100",   "+3.5",    "-0.0",    ".5",     "5.",
        "007",  "1234", "1.60E6", "1.6e-03", "3512.10", "1234567", "0.0010", "1E+10",
    };

    for (apr_size_t i = 0; i < LIMS_LENGTH(texts); i++) {
        is(number_of(texts[i], '.', NULL), texts[i], texts[i]);
        is(number_of(apr_pstrcat(pool, " \t", texts[i], NBSP " ", NULL), '.', NULL), texts[i],
           "blanks around it are not its text");
        is(number_of(texts[i], '.', ","), texts[i], "a declared sign that is not there");
    }
}

typedef struct {
    const char *text;
    char decimal;
    const char *group, *number;
} reading_t;

static void all_read(const reading_t *cases, apr_size_t count)
{
    for (apr_size_t i = 0; i < count; i++) {
        is(number_of(cases[i].text, cases[i].decimal, cases[i].group), cases[i].number,
           apr_psprintf(pool, "%s by %c and %s", cases[i].text, cases[i].decimal,
                        cases[i].group ? cases[i].group : "none"));
    }
}

/* Decimal and group signs as declared. */
static void test_signs(void)
{
    static const reading_t cases[] = {
        { "704,986", ',', NULL, "704.986" },
        { "-2,07", ',', NULL, "-2.07" },
        { ",5", ',', NULL, ".5" },
        { "1,6E6", ',', NULL, "1.6E6" },
        { "1.234,5", ',', ".", "1234.5" },
        { "1,234.5", '.', ",", "1234.5" },
        { "1,234,567", '.', ",", "1234567" },
        { "274" NBSP "000", '.', NBSP, "274000" },
        { "274" NBSP "000", '.', " ", "274000" },
        { "274 000", '.', " ", "274000" },
        { "1" NARROW "234,50", ',', NARROW, "1234.50" },
        { "1'234.5", '.', "'", "1234.5" },
        { "1" QUOTE "234.5", '.', "'", "1234.5" },
        { MINUS "5.0", '.', NULL, "-5.0" },
        { "10.00%", '.', NULL, "10.00 percent" },
        { "10,0 %", ',', NULL, "10.0 percent" },
        { "1.2 x 10^5", '.', NULL, "1.2E5" },
        { "1.2x10^-5", '.', NULL, "1.2E-5" },
        { "3\xc3\x97"
          "10^4",
          '.', NULL, "3E4" },
    };

    all_read(cases, LIMS_LENGTH(cases));
}

/* Texts with two readings, and groups that are not of three digits. */
static void test_ambiguous(void)
{
    static const reading_t cases[] = {
        { "1,234", '.', NULL, "ambiguous" },
        { "1.234", ',', NULL, "ambiguous" },
        { "1,234.5", '.', NULL, "ambiguous" },
        { "1.234,5", '.', NULL, "ambiguous" },
        { "12,5", '.', NULL, "ambiguous" },
        { "274" NBSP "000", '.', NULL, "ambiguous" },
        { "274" NBSP "000", '.', NARROW, "ambiguous" },
        { "1'234", '.', ",", "ambiguous" },
        { "1.234.567", '.', NULL, "ambiguous" },
        /* Groups that are none. */
        { "1,23", '.', ",", "ambiguous" },
        { "0,123", '.', ",", "ambiguous" },
        { "1234,567", '.', ",", "ambiguous" },
        { "1,234,56", '.', ",", "none" },
        { "1,234 567", '.', ",", "none" },
        { "12 34", '.', " ", "none" },
    };

    all_read(cases, LIMS_LENGTH(cases));
}

/* Texts that are no number. */
static void test_no_number(void)
{
    static const reading_t cases[] = {
        { "", '.', NULL, "none" },
        { " ", '.', NULL, "none" },
        { "-", '.', NULL, "none" },
        { ".", '.', NULL, "none" },
        { "E6", '.', NULL, "none" },
        { "1e", '.', NULL, "none" },
        { "1E1234", '.', NULL, "none" },
        { "1 x 10", '.', NULL, "none" },
        { "NaN", '.', NULL, "none" },
        { "inf", '.', NULL, "none" },
        { "0x1F", '.', NULL, "none" },
        { "1.2.2026", '.', NULL, "none" },
        { "12:30", '.', NULL, "none" },
        { "--5", '.', NULL, "none" },
        { "5-", '.', NULL, "none" },
        { "5 mg", '.', NULL, "none" },
        { "2.45 H", '.', NULL, "none" },
        { "5%%", '.', NULL, "none" },
        { "\xd9\xa1\xd9\xa2", '.', NULL, "none" }, /* Arabic digits */
    };

    all_read(cases, LIMS_LENGTH(cases));
    is(number_of(apr_pstrcat(pool, "1", apr_psprintf(pool, "%0120d", 0), NULL), '.', NULL), "none",
       "a text of 121 digits");
}

static void test_declared(void)
{
    static const lims_numbers_t plain = { .decimal = '.' };
    lims_number_t number;

    is_number(lims_number_read(&number, "1.6E6", &plain, pool), LIMS_NUMBER_NONE,
              "scientific notation only where declared");
    has(number.why, "Scientific", "the reason names the notation");
    is_number(lims_number_read(&number, "5%", &plain, pool), LIMS_NUMBER_NONE,
              "a percent sign only where declared");
    has(number.why, "percent", "the reason names the percent sign");
    lims_number_read(&number, "1,234", &plain, pool);
    has(number.why, "1234 with a decimal point and 1.234 with a decimal comma",
        "both readings are told");
    lims_number_read(&number, "12,5", &plain, pool);
    has(number.why, "would be 12.5", "the one other reading is told");
}

static void test_operators(void)
{
    static const struct {
        const char *text, *sign, *rest;
    } cases[] = {
        { "< 20.00", "<", "20.00" },
        { "<20", "<", "20" },
        { " >" NBSP "4900", ">", "4900" },
        { "<=5", "<=", "5" },
        { ">= 5", ">=", "5" },
        { "\xe2\x89\xa4 5", "<=", "5" },
        { "\xe2\x89\xa5"
          "5",
          ">=", "5" },
        { "~7", "~", "7" },
        { "=5", NULL, NULL },
        { "5 <", NULL, NULL },
        { "", NULL, NULL },
    };

    for (apr_size_t i = 0; i < LIMS_LENGTH(cases); i++) {
        const char *rest = NULL;
        is(lims_number_operator(&rest, cases[i].text), cases[i].sign, cases[i].text);
        is(rest, cases[i].rest, "the text after the number");
    }
}

int main(void)
{
    pool = unit_pool();
    test_literal();
    test_signs();
    test_ambiguous();
    test_no_number();
    test_declared();
    test_operators();
    return tap_done();
}
